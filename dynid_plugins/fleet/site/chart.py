"""A value over time as a small SVG in the colours of the page: some kB, and readable on a phone.

Bars, bands and changes of one robot over time: ``dynid.report.chart`` draws curves of motions. A
robot's page has dozens of these, each as wide as a phone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

import numpy as np
from markupsafe import Markup

from dynid.arrays import Array
from dynid.report.chart import Axis
from dynid.report.decimation import envelope
from dynid_plugins.fleet.drift.change import Change
from dynid_plugins.fleet.drift.history import DAY

WIDTH, HEIGHT = 400, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 8.0, 14.0, 20.0
_BUCKETS = 40
_TICKS = 4
_YEAR_SHOWN = 300  # days from which dates need their year
_BAR = 2.0  # half length of error bars [standard deviations]


@dataclass(frozen=True, eq=False)
class Timeline:
    """A value over time.

    Attributes:
        times: (R,) [s since 1970].
        values: (R,).
        deviations: (R,) standard deviations, of the error bars; None for no bars.
        usual: lower and upper end of the range of an unchanged robot, if known.
        limit: a line, such as a threshold.
        changes: in order of time, which are marked by their numbers.
        levels: mean value and the indices (begin, end) of the recordings it is of.
    """

    times: Array
    values: Array
    deviations: Array | None = None
    usual: tuple[float, float] | None = None
    limit: float | None = None
    changes: Sequence[Change] = ()
    levels: Sequence[tuple[float, int, int]] = ()


def draw(line: Timeline, description: str) -> Markup:
    """Return the chart as ``<svg>``; of many recordings the extremes of each interval."""
    axes = _Axes(line)
    parts = [*_ticks(axes)]
    if line.usual is not None:
        low, high = (float(axes.y(one)) for one in line.usual)
        parts.append(_box("usual", _LEFT, high, WIDTH - _RIGHT - _LEFT, low - high))
    parts += [_change(axes, number, change) for number, change in enumerate(line.changes, 1)]
    kept, _ = envelope(np.arange(len(line.times), dtype=float), line.values, _BUCKETS)
    shown = kept.astype(np.intp)
    x, y = axes.x(line.times[shown]), axes.y(line.values[shown])
    # between so many points a fraction of a pixel cannot be seen, and dozens of charts are long
    decimals = 1 if len(shown) == len(line.times) else 0
    if line.deviations is not None:
        spread = _BAR * line.deviations[shown]
        ends = axes.y(line.values[shown] - spread), axes.y(line.values[shown] + spread)
        parts.append(_path("bars", _strokes(x, *ends, decimals)))
    if line.limit is not None:
        place = axes.y(line.limit)
        parts.append(_path("limit", [f"M{_LEFT} {place:.1f}H{WIDTH - _RIGHT}"]))
    for level, begin, end in line.levels:
        ends = axes.x(line.times[begin]), axes.x(line.times[end - 1])
        parts.append(_path("level", [f"M{ends[0]:.1f} {axes.y(level):.1f}H{ends[1]:.1f}"]))
    parts.append(_path("dots", _strokes(x, y, y, decimals)))
    start = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">')
    return start.format(WIDTH, HEIGHT, description) + Markup("").join(parts) + Markup("</svg>")


class _Axes:
    """From times and values to places in the picture."""

    def __init__(self, line: Timeline) -> None:
        values = line.values[np.isfinite(line.values)]
        room = 0.0 if line.deviations is None else _BAR * float(np.nanmedian(line.deviations))
        ends = [values.min() - room, values.max() + room, *(line.usual or ())]
        ends += [] if line.limit is None else [line.limit]
        low, high = float(min(ends)), float(max(ends))
        space = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
        self.low, self.high = low - space, high + space
        self.begin, self.end = float(line.times[0]), float(line.times[-1])
        self.times = line.times

    def x(self, times: Array | float) -> Array:
        share = (np.asarray(times) - self.begin) / max(self.end - self.begin, 1.0)
        return np.asarray(_LEFT + 6 + share * (WIDTH - _LEFT - _RIGHT - 12))

    def y(self, values: Array | float) -> Array:
        share = (np.asarray(values) - self.low) / (self.high - self.low)
        return np.asarray(HEIGHT - _BOTTOM - np.clip(share, 0, 1) * (HEIGHT - _TOP - _BOTTOM))


def _ticks(axes: _Axes) -> list[Markup]:
    parts, lines = [], []
    for tick in Axis(axes.low, axes.high).ticks(_TICKS):
        place = float(axes.y(axes.low + tick.at * (axes.high - axes.low)))
        lines.append(f"M{_LEFT} {place:.1f}H{WIDTH - _RIGHT}")
        parts.append(_text(tick.text, _LEFT - 5, place + 4, "end"))
    first, last = axes.begin / DAY, max(axes.end / DAY, axes.begin / DAY + 0.01)
    for tick in Axis(first, last).ticks(_TICKS):
        day = first + tick.at * (last - first)
        place = float(np.clip(axes.x(day * DAY), _LEFT + 14, WIDTH - _RIGHT - 22))
        parts.append(_text(_date(day, last - first), place, HEIGHT - 5, "middle"))
    return [_path("grid", lines), *parts]


def _date(day: float, span: float) -> str:
    """Return a date in UTC, with what a span of days needs to tell it from others."""
    moment = datetime.fromtimestamp(day * DAY, timezone.utc)
    if span > _YEAR_SHOWN:
        return f"{moment:%b %Y}"
    return f"{moment.day} {moment:%b}" + (f" {moment:%H:%M}" if span < 3 else "")


def _change(axes: _Axes, number: int, change: Change) -> Markup:
    earliest, start, latest = (
        float(axes.x(axes.times[one])) for one in (change.earliest, change.start, change.latest)
    )
    height = HEIGHT - _TOP - _BOTTOM
    return Markup("").join(
        [
            _box("since", earliest - 1, _TOP, latest - earliest + 2, height),
            _path("change", [f"M{start:.1f} {_TOP}v{height}"]),
            _text(str(number), start, _TOP - 3, "middle", "number"),
        ]
    )


def _strokes(x: Array, begin: Array, end: Array, decimals: int) -> Iterator[str]:
    """Yield vertical strokes, or dots where they have no length, each relative to the last."""
    scale = 10**decimals
    places = (np.rint(scale * np.nan_to_num(one)).astype(int) for one in (x, begin, end))
    at, last = 0, 0
    for column, first, until in zip(*places, strict=True):
        move = f"m{(column - at) / scale:g} {(first - last) / scale:g}".replace(" -", "-")
        yield move + (f"v{(until - first) / scale:g}" if until != first else "h0")
        at, last = column, until


def _path(kind: str, pieces: Iterable[str]) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(kind, "".join(pieces))


def _box(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    sizes = (f"{one:.1f}" for one in (x, y, width, height))
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(kind, *sizes)


def _text(text: str, x: float, y: float, anchor: str, kind: str = "tick") -> Markup:
    return Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(
        kind, f"{x:.1f}", f"{y:.1f}", anchor, text
    )


def sparkline(values: Array, limit: float) -> Markup:
    """Return the evidence of change over time as a line of a table; dots where it was enough.

    Args:
        values: (R,) surprise.
        limit: threshold.
    """
    width, height, most = 110, 26, 4.0
    share = np.sqrt(np.clip(values / limit, 0, most) / most)
    rows, heights = envelope(np.arange(len(values), dtype=float), share, 40)
    x = 3 + rows / max(len(values) - 1, 1) * (width - 6)
    y = height - 3 - heights * (height - 6)
    line = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
    threshold = height - 3 - float(np.sqrt(1 / most)) * (height - 6)
    above = [f"M{a:.1f} {b:.1f}h0" for a, b in zip(x, y, strict=True) if b < threshold]
    parts = [
        _path("limit", [f"M0 {threshold:.1f}H{width}"]),
        _path("line", [line]),
        *([_path("above", above)] if above else []),
    ]
    start = Markup('<svg class="spark" viewBox="0 0 {} {}" aria-hidden="true">')
    return start.format(width, height) + Markup("").join(parts) + Markup("</svg>")
