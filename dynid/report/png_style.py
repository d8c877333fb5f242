"""Style of plots over time that commands write as PNG."""

from __future__ import annotations

from typing import Any

STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#e3e6ea",
    "legend.frameon": False,
}
"""For matplotlib's rc_context."""

DPI = 140
