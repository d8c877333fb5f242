"""Figures that commands write as PNG: their style, the file, and the pages' charts in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynid.files import whole_file
from dynid.report.chart import Chart, Colour

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

COLOURS: dict[Colour, str] = {
    "measured": "#8a929e",
    "model": "#0072b2",
    "error": "#d55e00",
    "limit": "#cc79a7",
    "temperature": "#a0527d",
    "ink": "#1c2026",
}
"""Those of style.css on a light page."""

_LONGEST_ROW = 60  # characters of names that fit below a chart; more are upright


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


def draw_chart(chart: Chart, axes: Axes) -> None:
    """Draw a chart of the pages on axes of matplotlib."""
    x, y = chart.axes()
    for layer in chart.layers:
        look: dict[str, Any] = {"color": COLOURS[layer.colour], "label": layer.label or None}
        if layer.style == "bars":
            axes.stairs(layer.y, layer.x, baseline=y.low if y.log else 0.0, fill=True, **look)
        else:
            style, width = "." if layer.style == "dots" else "-", 2.0 if layer.wide else 1.0
            axes.plot(layer.x, layer.y, style, linewidth=width, **look)
    for line, places in ((axes.axhline, chart.across), (axes.axvline, chart.upright)):
        for at in places:
            line(at, color=COLOURS["limit"], lw=1.1, ls=(0, (4, 2)))
    axes.set(xscale="log" if x.log else "linear", yscale="log" if y.log else "linear")
    axes.set(xlim=(x.low, x.high), ylim=(y.low, y.high))
    axes.set_title(chart.title, parse_math=False)
    axes.set_xlabel(chart.x_label, parse_math=False)
    axes.set_ylabel(chart.y_label, parse_math=False)
    if chart.x_names:
        upright = sum(map(len, chart.x_names)) > _LONGEST_ROW
        axes.set_xticks(
            range(1, len(chart.x_names) + 1),
            chart.x_names,
            rotation=90 if upright else 0,
            parse_math=False,
        )
    labelled = sum(bool(layer.label) for layer in chart.layers)
    if labelled:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=labelled, borderaxespad=0)
