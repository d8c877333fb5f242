"""The timelines of a robot: causes of changes, base parameters, evidence and temperature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from dynid.arrays import Array
from dynid.text import significant, unit
from dynid_plugins.fleet.drift.detection import Drift, cause_sizes
from dynid_plugins.fleet.drift.words import CAUSE_LABELS
from dynid_plugins.fleet.site.chart import Timeline, draw

_HIGHEST_EVIDENCE = 5.0  # thresholds of evidence that a chart has room for
_FEATURED = 5  # parameters that are shown with a change


class Kind(NamedTuple):
    """Columns of a base parameter in the data set; a ``kind`` is ``rigid``, or of a joint term."""

    kind: str
    joint: str | None
    unit: str


class TimelineChart(NamedTuple):
    """A timeline with its words.

    Attributes:
        title: what it shows.
        detail: joint and unit.
        note: latest value, or the difference from the reference.
        score: absolute difference from the reference in standard deviations.
        svg: the picture.
    """

    title: str
    detail: str
    note: str
    score: float
    svg: Markup


class Group(NamedTuple):
    """Timelines that are shown together, those that changed most first."""

    title: str
    lead: str
    charts: Sequence[TimelineChart]
    opened: bool


def find_groups(drift: Drift, kinds: Mapping[str, Kind]) -> tuple[Group, ...]:
    """Return the timelines of a robot; ``kinds`` are of the parameters of its history."""
    causes = _cause_charts(drift)
    parameters = _parameter_charts(drift, kinds)
    named = [(one.best.cause.kind, one.best.cause.joint) for one in reversed(drift.changes)]
    first = [causes[key] for key in dict.fromkeys(named) if key in causes]
    if drift.changes:
        first += sorted(parameters.values(), key=_by_score)[:_FEATURED]
    rigid = [chart for name, chart in parameters.items() if kinds[name].kind == "rigid"]
    terms = [chart for name, chart in parameters.items() if kinds[name].kind != "rigid"]
    return (
        Group(
            "What changed" if drift.changes else "Evidence",
            "The causes named above, the parameters that changed most, and the evidence: a change "
            "is reported when it exceeds the line."
            if drift.changes
            else "A change is reported when the evidence exceeds the line.",
            [*first, *_evidence(drift)],
            True,
        ),
        Group(
            "Friction, torque constants, payload and encoders",
            "Each estimated as if it were the only one that differs from the first recordings: one "
            "change of the robot may show in several of them.",
            sorted(causes.values(), key=_by_score),
            not drift.changes,
        ),
        Group("Parameters of joint terms", "", sorted(terms, key=_by_score), False),
        Group("Base parameters of bodies", "", sorted(rigid, key=_by_score), False),
    )


def _by_score(chart: TimelineChart) -> float:
    return -chart.score


def _cause_charts(drift: Drift) -> dict[tuple[str, str], TimelineChart]:
    """Return charts by kind and joint of their causes, without those that cannot be seen."""
    seen = [one.cause for one in drift.visibility]
    sizes, deviations = cause_sizes(drift, seen)
    found: dict[tuple[str, str], TimelineChart] = {}
    for cause, size, deviation in zip(seen, sizes.T, deviations.T, strict=True):
        if not np.isfinite(size).all():
            continue
        scale, unit_text = (100.0, "%") if cause.unit == "1" else (1.0, cause.unit)
        words = (CAUSE_LABELS[cause.kind], cause.joint, unit_text)
        found[cause.kind, cause.joint] = _chart(
            drift, words, scale * size, scale * deviation, change=True
        )
    return found


def _parameter_charts(drift: Drift, kinds: Mapping[str, Kind]) -> dict[str, TimelineChart]:
    history = drift.history
    total = drift.between_days.covariance(history.covariances)
    deviations = np.sqrt(np.diagonal(total, axis1=1, axis2=2))
    charts = {}
    for place, name in enumerate(history.names):
        kind = kinds[name]
        title = name if kind.kind == "rigid" else f"{name}: {kind.kind.replace('_', ' ')}"
        words = (title, kind.joint or "", unit(kind.unit))
        charts[name] = _chart(
            drift, words, history.values[:, place], deviations[:, place], change=False
        )
    return charts


def _chart(
    drift: Drift,
    words: tuple[str, str, str],
    values: Array,
    deviations: Array,
    *,
    change: bool,
) -> TimelineChart:
    """Return the chart of values (R,) with title, joint and unit.

    ``change``: values are differences from the reference.
    """
    title, joint, unit_text = words
    edges = [0, *(one.start for one in drift.changes), len(values)]
    spans = [(a, b) for a, b in pairwise(edges) if b > a]  # between changes
    means = [_mean(values, deviations, begin, end) for begin, end in spans]
    first, spread = _mean(values, deviations, 0, drift.reference)
    last, last_spread = means[-1]
    score = abs(last - first) / float(np.hypot(spread, last_spread))
    usual = 2 * float(np.median(deviations[: drift.reference]))
    line = Timeline(
        drift.history.times,
        values,
        deviations,
        (first - usual, first + usual),
        changes=drift.changes,
        levels=[
            (mean, begin, end)
            for number, ((mean, _), (begin, end)) in enumerate(zip(means, spans, strict=True))
            if number == 0 or not drift.changes[number - 1].gradual
        ],
    )
    detail = " ".join(filter(None, [joint, f"[{unit_text}]" if unit_text else ""]))
    note = f"{significant(last, 3)} ± {significant(2 * last_spread, 1)}"
    if not change and score > 2 and first:
        note += f" ({100 * (last / first - 1):+.1f} %)"
    description = f"{title} {detail} over time, {len(values)} recordings, last {note}"
    return TimelineChart(title, detail, note, score, draw(line, description))


def _mean(values: Array, deviations: Array, begin: int, end: int) -> tuple[float, float]:
    """Return the weighted mean of recordings, and its standard deviation."""
    weights = 1 / deviations[begin:end] ** 2
    total = float(weights.sum())
    return float(weights @ values[begin:end]) / total, float(total**-0.5)


def _evidence(drift: Drift) -> list[TimelineChart]:
    times, warmth = drift.history.times, drift.history.temperatures
    top = _HIGHEST_EVIDENCE * drift.threshold
    shown = np.minimum(drift.surprise, top)
    line = Timeline(times, shown, limit=drift.threshold, changes=drift.changes)
    largest = significant(float(drift.surprise.max()), 3)
    words = f"Evidence of a change over time, largest {largest}"
    note = f"largest {largest}, line {significant(drift.threshold, 3)}"
    cut = f", cut off at {significant(top, 2)}" if drift.surprise.max() > top else ""
    found = [TimelineChart("Evidence", f"−ln of its chance{cut}", note, 0.0, draw(line, words))]
    if warmth is not None:
        mean = f"mean {significant(float(np.mean(warmth)), 3)}"
        line = Timeline(times, warmth, changes=drift.changes)
        svg = draw(line, f"Temperature over time, {mean} °C")
        found.append(TimelineChart("Temperature", "[°C]", mean, 0.0, svg))
    return found
