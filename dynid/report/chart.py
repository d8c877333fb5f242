"""Charts of the report: SVG that stretches, with texts in HTML.

Curves are stretched to any width of the page, while their lines and the texts keep their size. So a
chart fits a phone, a wide screen and paper without a script, and follows the page's colours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from markupsafe import Markup, escape

from dynid.arrays import Array
from dynid.text import significant

_DECADES = 3  # of a logarithmic axis: with more, not every decade has a number
_LONG_DECIMALS = 5  # from which on a number is written as 2e-5
_LARGEST_WHOLE = 1000  # before such an exponent
_LARGE_TICK, _SMALL_TICK = 1e6, 1e-5


@dataclass(frozen=True)
class Tick:
    """A place along an axis, from 0 to 1, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Axis:
    """One direction of a chart.

    Attributes:
        low, high: ends of the axis; low < high.
        log: whether it is logarithmic; then both ends are above 0.
    """

    low: float
    high: float
    log: bool = False

    @classmethod
    def over(cls, values: Array, *, log: bool = False, room: float = 0.0) -> Axis:
        """Return an axis over the finite values (N,), extended at both ends by a share of them."""
        kept = values[np.isfinite(values) & ((values > 0) | (not log))]
        low, high = (float(kept.min()), float(kept.max())) if len(kept) else (1.0, 2.0)
        if log:
            return cls(low, high if high > low else 10 * low, log=True)
        if high <= low:  # constant: the axis has some width nevertheless
            low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
        return cls(low - room * (high - low), high + room * (high - low))

    def place(self, values: Array) -> Array:
        """Return where values are along the axis, from 0 to 1."""
        if self.log:
            start, end = math.log(self.low), math.log(self.high)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray((np.log(values) - start) / (end - start))
        return np.asarray((values - self.low) / (self.high - self.low))

    def ticks(self, most: int) -> list[Tick]:
        """Return at most about ``most`` round numbers between the ends."""
        values, step = self._decades() if self.log else self._steps(most)
        places = self.place(np.array(values, dtype=np.float64)).tolist()
        texts = [_tick_text(value, step) for value in values]
        return [Tick(at, text) for at, text in zip(places, texts, strict=True)]

    def _steps(self, most: int) -> tuple[list[float], float]:
        step = round_step((self.high - self.low) / max(most, 1))
        first, last = self._inside(step)
        while last <= first:  # one number alone gives no scale
            step = round_step(step / 2.5)
            first, last = self._inside(step)
        return [number * step for number in range(first, last + 1)], step

    def _inside(self, step: float) -> tuple[int, int]:
        """Return the first and the last multiple of a step between the ends."""
        return math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)

    def _decades(self) -> tuple[list[float], float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        if last - first < _DECADES:
            return [
                factor * 10.0**power
                for power in range(first - 1, last + 1)
                for factor in (1, 2, 5)
                if self.low <= factor * 10.0**power <= self.high
            ], 0.0
        stride = -(-(last - first) // 5)
        return [10.0**power for power in range(first, last + 1, stride)], 0.0


def bar_edges(low: float, high: float, count: int) -> Array:
    """Return the (count + 1,) edges of bars from ``low`` to ``high``; of 1 in all for one value."""
    if high - low <= count * 8 * np.spacing(max(abs(low), abs(high))):
        middle = (low + high) / 2
        low, high = middle - 0.5, middle + 0.5
    return np.linspace(low, high, count + 1)


def round_step(rough: float) -> float:
    """Return the next of 1, 2 and 5, times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def _tick_text(value: float, step: float) -> str:
    size, digits = abs(value), _decimals(step)
    whole = round(value * 10.0**digits)
    # beside a chart on a phone there is no room for 0.00002
    if digits >= _LONG_DECIMALS and abs(whole) < _LARGEST_WHOLE:
        text = f"{whole}e-{digits}" if whole else "0"
    elif step == 0 or size >= _LARGE_TICK or 0 < size < _SMALL_TICK or step < _SMALL_TICK:
        text = f"{value:g}" if _SMALL_TICK <= size < _LARGE_TICK else significant(value, 2)
    else:
        text = f"{value + 0.0:.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}")


def _decimals(step: float) -> int:
    """Return how many decimals multiples of a step have."""
    return max(0, -math.floor(math.log10(step) + 1e-9)) if step else 0


Colour = Literal["measured", "model", "error", "limit", "temperature", "ink"]
"""A colour of style.css."""

_DRAWING_WIDTH, _DRAWING_HEIGHT = 4000, 2000  # resolution of the drawing
_TICKS = 5
_MANY_TICKS = 9  # along x of a wide chart
_FEW_TICKS = 3  # along y of a low chart


@dataclass(frozen=True, eq=False)
class Layer:
    """One line, or one set of dots or bars.

    Attributes:
        x: (N,); of bars the edges, (N + 1,).
        y: (N,); NaN interrupts a line.
        colour: of the page.
        style: how it is drawn.
        label: in the legend; none if empty.
        wide: whether a line is wide, to be seen under another one.
    """

    x: Array
    y: Array
    colour: Colour
    style: Literal["line", "dots", "bars"] = "line"
    label: str = ""
    wide: bool = False


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart of one or several layers.

    Attributes:
        description: for readers who do not see it.
        x_label, y_label: with units.
        layers: from the back to the front.
        title: above the chart.
        across: values of y with a dashed line.
        upright: values of x with a dashed line.
        x_axis, y_axis: None for one that fits.
        log: axes that are logarithmic: "", "x", "y" or "xy".
        wide: whether it has the width of the page.
        low: whether it has half the height.
        y_ticks: whether numbers are along y.
        x_names: of the whole numbers from 1 on, along x in place of numbers.
        marks: attributes for scripts, by their names after ``data-``.
    """

    description: str
    x_label: str
    y_label: str
    layers: tuple[Layer, ...]
    title: str = ""
    across: tuple[float, ...] = ()
    upright: tuple[float, ...] = ()
    x_axis: Axis | None = None
    y_axis: Axis | None = None
    log: str = ""
    wide: bool = False
    low: bool = False
    y_ticks: bool = True
    x_names: tuple[str, ...] = ()
    marks: dict[str, str] = field(default_factory=dict)

    def markup(self) -> Markup:
        """Return the chart as HTML."""
        x, y = self.axes()
        across = y.ticks(_FEW_TICKS if self.low else _TICKS)
        named = zip(x.place(np.arange(1.0, len(self.x_names) + 1)), self.x_names, strict=True)
        upright = [Tick(at, name) for at, name in named] or x.ticks(
            _MANY_TICKS if self.wide else _TICKS
        )
        shown = across if self.y_ticks else []
        kinds = [name for name in ("wide", "low") if getattr(self, name)]
        marks = "".join(f' data-{name}="{escape(text)}"' for name, text in self.marks.items())
        return Markup(  # noqa: S704  texts are escaped, the rest are numbers
            f'<figure class="{" ".join(["chart", *kinds])}"{marks}>'
            f"{self._head()}"
            f'<div class="plot" role="img" aria-label="{escape(self.description)}">'
            f'<svg viewBox="0 0 {_DRAWING_WIDTH} {_DRAWING_HEIGHT}" '
            f'preserveAspectRatio="none" aria-hidden="true">'
            f'<path class="grid" d="{_grid(upright, shown)}"/>'
            f"{''.join(_drawn(layer, x, y) for layer in self.layers)}"
            f'<path class="dashed" d="{self._dashed(x, y)}"/></svg>'
            f"{''.join(_label('y', 'top', 1 - tick.at, tick.text) for tick in shown)}"
            f"{''.join(_label('x', 'left', tick.at, tick.text) for tick in upright)}</div>"
            f'<div class="x-label">{escape(self.x_label)}</div></figure>'
        )

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes along x and y."""
        x = np.concatenate([layer.x for layer in self.layers])
        y = np.concatenate([layer.y for layer in self.layers])
        if any(layer.style == "bars" for layer in self.layers):
            y = np.append(y, 0.0)
        return (
            self.x_axis or Axis.over(x, log="x" in self.log),
            self.y_axis or Axis.over(y, log="y" in self.log, room=0.04),
        )

    def _head(self) -> str:
        title = f"<figcaption>{escape(self.title)}</figcaption>" if self.title else ""
        keys = "".join(
            f'<span class="key {layer.colour}">{escape(layer.label)}</span>'
            for layer in self.layers
            if layer.label
        )
        legend = f'<span class="keys">{keys}</span>' if keys else ""
        unit = f'<span class="y-label">{escape(self.y_label)}</span>'
        return f'{title}<div class="head">{unit}{legend}</div>'

    def _dashed(self, x: Axis, y: Axis) -> str:
        across = (
            np.round(_DRAWING_HEIGHT * (1 - y.place(np.array(self.across)))).astype(int).tolist()
        )
        upright = np.round(_DRAWING_WIDTH * x.place(np.array(self.upright))).astype(int).tolist()
        inside = (f"M{at} 0V{_DRAWING_HEIGHT}" for at in upright if 0 <= at <= _DRAWING_WIDTH)
        return "".join(
            [*inside, *(f"M0 {at}H{_DRAWING_WIDTH}" for at in across if 0 <= at <= _DRAWING_HEIGHT)]
        )


def grid(charts: list[Chart]) -> Markup:
    """Return charts side by side, as many as the page is wide."""
    inside = Markup("").join(chart.markup() for chart in charts)
    return Markup('<div class="charts">{}</div>').format(inside)


def _label(kind: str, side: str, at: float, text: str) -> str:
    return f'<span class="{kind}" style="{side}:{100 * at:.4g}%">{escape(text)}</span>'


def _grid(upright: list[Tick], across: list[Tick]) -> str:
    lines = [f"M{round(_DRAWING_WIDTH * tick.at)} 0V{_DRAWING_HEIGHT}" for tick in upright]
    return "".join(
        [
            *lines,
            *(f"M0 {round(_DRAWING_HEIGHT * (1 - tick.at))}H{_DRAWING_WIDTH}" for tick in across),
        ]
    )


def _drawn(layer: Layer, x: Axis, y: Axis) -> str:
    wide = " wide" if layer.wide else ""
    path = {"line": _line, "dots": _dots, "bars": _bars}[layer.style](layer, x, y)
    return f'<path class="{layer.style} {layer.colour}{wide}" d="{path}"/>'


def _points(x: Array, y: Array) -> list[list[int]]:
    """Return places in the drawing; outside of it they are kept near."""
    across = np.round(_DRAWING_WIDTH * np.clip(x, -1, 2))
    down = np.round(_DRAWING_HEIGHT * (1 - np.clip(y, -1, 2)))
    return np.column_stack([across, down]).astype(int).tolist()  # type: ignore[no-any-return]


def _line(layer: Layer, x: Axis, y: Axis) -> str:
    at, height = x.place(layer.x), y.place(layer.y)
    known = np.isfinite(at) & np.isfinite(height)
    parts = np.split(np.arange(len(at)), np.flatnonzero(~known))
    joined = (_points(at[part][known[part]], height[part][known[part]]) for part in parts)
    return "".join("M" + " ".join(f"{a} {b}" for a, b in part) for part in joined if part)


def _dots(layer: Layer, x: Axis, y: Axis) -> str:
    at, height = x.place(layer.x), y.place(layer.y)
    known = np.isfinite(at) & np.isfinite(height)
    return "".join(f"M{a} {b}h0" for a, b in _points(at[known], height[known]))


def _bars(layer: Layer, x: Axis, y: Axis) -> str:
    bottom = round(_DRAWING_HEIGHT * (1 - float(np.clip(y.place(np.zeros(1)), 0, 1)[0])))
    left = _points(x.place(layer.x[:-1]), y.place(layer.y))
    right = _points(x.place(layer.x[1:]), y.place(layer.y))
    return "".join(
        f"M{a} {bottom}V{top}H{b}V{bottom}Z"
        for (a, top), (b, _) in zip(left, right, strict=True)
        if top != bottom
    )
