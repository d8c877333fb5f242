"""Figures that commands write as PNG: their style, and the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynid.files import whole_file

STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#e3e6ea",
    "legend.frameon": False,
}
"""Of plots over time, for matplotlib's rc_context."""

DPI = 140


@contextmanager
def png_figure(
    path: Path,
    size: tuple[float, float],
    style: Mapping[Any, Any] = STYLE,
    *,
    dpi: int = DPI,
    layout: Literal["constrained"] | None = "constrained",
) -> Iterator[Figure]:
    """Give an empty figure, which is written when it has been drawn.

    Args:
        path: of the PNG, which is written atomically.
        size: width and height [inch].
        style: for matplotlib's rc_context.
        dpi: pixels per inch.
        layout: of matplotlib; None where axes are placed by hand.

    Raises:
        WriteError: the file cannot be written.
    """
    with mpl.rc_context(dict(style)):
        drawing = Figure(figsize=size, dpi=dpi, layout=layout, facecolor="white")
        FigureCanvasAgg(drawing)
        yield drawing
        with whole_file(path) as unfinished:
            drawing.savefig(unfinished, format="png", metadata={"Software": "dynid"})
