"""Figures as SVG in the colours of the page, for light and dark mode."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


# each represents a colour of style.css, which replaces it, and is never visible
INK = "#010101"
GRID = "#020202"
MEASURED = "#030303"
MODEL = "#040404"
ERROR = "#050505"
LIMIT = "#060606"
_VARIABLES = {
    INK: "currentColor",
    GRID: "var(--grid)",
    MEASURED: "var(--measured)",
    MODEL: "var(--model)",
    ERROR: "var(--error)",
    LIMIT: "var(--limit)",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.1,
    "legend.frameon": False,
    "path.simplify_threshold": 0.2,
}


def style(salt: str) -> AbstractContextManager[None]:
    """Return the drawing settings; ``salt`` makes the element ids of a page's figures unique."""
    return mpl.rc_context({**_STYLE, "svg.hashsalt": salt})


def figure(width: float, height: float) -> Figure:
    """Return an empty figure [inch] without a window."""
    drawing = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(drawing)
    return drawing


def markup(drawing: Figure, description: str) -> Markup:
    """Return ``<svg>`` for use in a page, without its own colours, addresses and ids."""
    buffer = StringIO()
    drawing.savefig(
        buffer,
        format="svg",
        transparent=True,
        metadata={"Creator": None, "Date": None, "Format": None, "Type": None},
    )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)
    # the width of the page applies
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    text = re.sub(r"\n\s*", "\n", text)
    # matplotlib has escaped the text; Markup escapes the description
    opened, rest = text.split(">", 1)
    start = Markup(opened + ' role="img" aria-label="{}">').format(description)  # noqa: S704
    return start + Markup(rest)  # noqa: S704
