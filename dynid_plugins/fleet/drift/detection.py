"""Detection of changes in the history of a robot, recording by recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynid.api.inputs import ModelLike, as_model
from dynid.arguments import check_number, check_type
from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.robot.model import Model
from dynid_plugins.fleet.drift.between_days import BetweenDays, Groups
from dynid_plugins.fleet.drift.causes import Cause, find_causes, friction_groups
from dynid_plugins.fleet.drift.change import (
    Change,
    explain,
    is_gradual,
    locate,
    size_weights,
    weighted_mean,
)
from dynid_plugins.fleet.drift.history import History
from dynid_plugins.fleet.drift.persistence import decay
from dynid_plugins.fleet.drift.reference import Span, find_variation, parameter_baseline
from dynid_plugins.fleet.drift.scan import (
    MOST,
    Contrasts,
    StageResult,
    evaluate_stage,
    make_contrasts,
    precision,
    stages,
)
from dynid_plugins.fleet.drift.threshold import find_threshold
from dynid_plugins.fleet.drift.visibility import SOON, Visibility, find_visibility

_Edges = tuple[int, int]  # begin and end of a row of recordings
_LEAST_REFERENCE = 4
_AFTER = 8  # recordings after an alarm that still refine its change, where there are any
_SHAPE = 3  # recordings after the first of a change, to tell a ramp from a step


@dataclass(frozen=True, eq=False)
class Drift:
    """The changes of a robot.

    Attributes:
        history: the parameters.
        reference: number of recordings that the first baseline is from.
        false_alarms_per_year: accepted rate.
        threshold: of the surprise, for that rate.
        surprise: (R,) largest surprise of any cause at each recording; 0 in a reference.
        between_days: variation between days, as far as it was known at the end.
        changes: in order of time.
        visibility: of every cause, with the variation as known at the end.
    """

    history: History
    reference: int
    false_alarms_per_year: float
    threshold: float
    surprise: Array
    between_days: BetweenDays
    changes: tuple[Change, ...]
    visibility: tuple[Visibility, ...]

    @property
    def reference_begin(self) -> int:
        """Index of the first recording of the present reference, which follows the last alarm."""
        return self.changes[-1].alarm + 1 if self.changes else 0


def detect_drift(
    model: ModelLike,
    history: History,
    *,
    reference: int = 10,
    false_alarms_per_year: float = 0.1,
    simulations: int = 500,
    seed: int = 0,
    share: Callable[[float], None] = lambda _: None,
) -> Drift:
    """Detect changes of a robot, with a stated rate of false alarms.

    Args:
        model: of the robot, which the sizes of changes refer to; or its file.
        history: of its parameters.
        reference: number of first recordings that are taken as unchanged.
        false_alarms_per_year: accepted rate for this robot, of all causes together [1/year].
        simulations: number of simulated years that set the threshold.
        seed: of these, and of the states at which the causes' torques are compared.
        share: called with the share of the simulations that is done.

    Raises:
        ArgumentError: an argument is out of range.
        EstimationError: the history is too short, or not of this robot.
    """
    model = as_model("detect_drift(): model", model)
    check_type("detect_drift(): history", history, History, "dynid.history_of_models(models)")
    check_number("detect_drift(): reference", reference, least=_LEAST_REFERENCE, whole=True)
    check_number("detect_drift(): false_alarms_per_year", false_alarms_per_year, above=0)
    check_number("detect_drift(): simulations", simulations, least=50, most=100_000, whole=True)
    if len(history.times) <= reference:
        raise EstimationError(
            f"history of {history.robot}: {len(history.times)} recordings, but a reference of "
            f"{reference} needs at least {reference + 1}; record more, or choose a smaller "
            f"reference (at least {_LEAST_REFERENCE})."
        )
    watch, between = _prepare(model, history, reference, seed)
    threshold = find_threshold(
        history,
        reference,
        between,
        watch.contrasts,
        false_alarms_per_year=false_alarms_per_year,
        simulations=simulations,
        seed=seed,
        share=share,
    )
    if not np.isfinite(threshold):
        raise EstimationError(
            f"history of {history.robot}: the covariances of its recordings differ by too many "
            "orders of magnitude; leave out recordings in which the robot hardly moves."
        )
    shown, changes, last = _run(watch, threshold)
    visibility = find_visibility(
        watch.contrasts.causes,
        history.covariances,
        last.between,
        reference,
        threshold,
        last.series.freedom[SOON],
    )
    return Drift(
        history,
        reference,
        false_alarms_per_year,
        threshold,
        shown,
        last.between,
        tuple(changes),
        visibility,
    )


def cause_sizes(drift: Drift, causes: Sequence[Cause]) -> tuple[Array, Array]:
    """Return the sizes (R, c) of causes in each recording, and their standard deviations (R, c).

    From the mean of the first reference, without the effect of temperature where it is recorded.
    Each is estimated as if the cause were the only one, by weights that are best for the recordings
    of the reference. Standard deviations include the variation between days. A mass that the
    recordings cannot show is NaN.
    """
    history, first = drift.history, slice(0, drift.reference)
    reference = Span.of_history(history).part(0, drift.reference)
    baseline = parameter_baseline(reference, drift.between_days.groups)
    usual = baseline.design(history.temperatures, len(history.times)) @ baseline.coefficients
    total = drift.between_days.covariance(history.covariances)
    information = precision(total[first]).mean(axis=0)
    weights = np.array([size_weights(one, information) for one in causes])
    variances = np.einsum("ck,rkl,cl->rc", weights, total, weights, optimize=True)
    return (history.values - usual) @ weights.T, np.sqrt(variances)


class _Watch(NamedTuple):
    """A history, and what does not change while it is tested."""

    history: History
    reference: int
    span: Span
    groups: Groups
    contrasts: Contrasts


def _prepare(
    model: Model, history: History, reference: int, seed: int
) -> tuple[_Watch, BetweenDays]:
    """Return what is tested, and the component between days that the first reference shows."""
    span, first = Span.of_history(history), slice(0, reference)
    if not np.ptp(history.values[first], axis=0).any():
        raise EstimationError(
            f"history of {history.robot}: the first {reference} models are the same to the last "
            "digit; each must be identified from a recording of its own."
        )
    groups = friction_groups(model, history.names, history.covariances[first])
    between = find_variation([span.part(0, reference)], groups)
    causes = find_causes(model, history.names, seed=seed)
    total = between.covariance(history.covariances[first])
    contrasts = make_contrasts(causes, precision(total).mean(axis=0))
    return _Watch(history, reference, span, groups, contrasts), between


def _run(watch: _Watch, threshold: float) -> tuple[Array, list[Change], StageResult]:
    """Return the surprise (R,) at each recording, the changes, and what is known at the end."""
    shown = np.zeros(len(watch.history.times))
    changes: list[Change] = []
    start = 0  # of the reference
    before: list[_Edges] = []  # blocks before the last change
    while True:
        alarm, blocks, known = _until_alarm(watch, start, before, threshold, shown)
        if alarm is None:
            return shown, changes, known
        changes.append(_describe(watch, known, start, *alarm))
        earliest = changes[-1].earliest
        before = [one for one in blocks if one[0] == start or one[1] <= earliest]
        # the recordings that raised the alarm are extreme by selection, and no reference
        start = alarm[0] + 1
        if start + watch.reference >= len(shown):
            return shown, changes, known


def _until_alarm(
    watch: _Watch, start: int, before: list[_Edges], threshold: float, shown: Array
) -> tuple[tuple[int, int, float] | None, list[_Edges], StageResult]:
    """Test the recordings after a reference, and write their surprise to ``shown``.

    Returns:
        recording, cause and surprise of the first alarm, if there is one; the blocks that were
        known then, and what they show.
    """
    tested: list[tuple[list[_Edges], StageResult]] = []
    for stage in stages(watch.reference, len(shown) - start):
        blocks = (before + stage.edges(start))[-MOST:]
        known = evaluate_stage(watch.span, blocks, watch.groups, watch.contrasts, stage, start)
        tested.append((blocks, known))
        for number, found in enumerate(known.surprise, start + stage.begin):
            shown[number] = found.max()
            if shown[number] > threshold:
                return (number, int(np.argmax(found)), float(shown[number])), blocks, known
    return None, *tested[-1]


def _describe(
    watch: _Watch, known: StageResult, begin: int, alarm: int, suspect: int, size: float
) -> Change:
    """Return start, causes and sizes of the change that an alarm after a reference belongs to."""
    end, causes = begin + watch.reference, watch.contrasts.causes
    last = min(alarm + _AFTER, len(watch.history.times) - 1)
    after = known.series.part(end, last + 1)
    design = known.baseline.design(after.temperatures, len(after.sizes))
    departures = after.sizes - design @ known.baseline.coefficients
    mine = watch.contrasts.owner == suspect
    upto = alarm + 1 - end
    spread = after.lasting_variances
    found = locate(departures[:upto, mine], spread[:upto, mine])
    start, earliest, latest = (end + one for one in found)
    spans = slice(begin, end), slice(start, last + 1)
    explanations, unexplained = explain(*_parameter_change(watch, known.between, *spans), causes)
    best = next(i for i, one in enumerate(causes) if one is explanations[0].cause)
    row = int(np.flatnonzero(watch.contrasts.owner == best)[-1])
    shape = None  # a ramp is no different from a step in the first recordings after it
    if last - start >= _SHAPE:
        shape = is_gradual(departures[:, row], spread[:, row])
    return Change(
        alarm,
        start,
        earliest,
        latest,
        size,
        explanations,
        unexplained,
        shape,
        after.temperatures is not None,
    )


def _parameter_change(
    watch: _Watch, between: BetweenDays, old: slice, new: slice
) -> tuple[Array, Array]:
    """Return the difference (k,) of the means of two spans, and its covariance."""
    warmth, values = watch.span.temperatures, watch.span.values
    added: Array | float = 0.0
    if warmth is not None:
        baseline = parameter_baseline(watch.span.part(old.start, old.stop), watch.groups)
        values = values - np.outer(warmth - baseline.middle, baseline.coefficients[1])
        warmer = float(warmth[new].mean() - warmth[old].mean())
        added = warmer**2 * np.diag(baseline.covariance[:, 1, 1])

    def mean(rows: slice) -> tuple[Array, Array]:
        within = watch.history.covariances[rows]
        days = between.days(within)
        together = decay(watch.span.steps[rows], between.persistence.mean)
        return weighted_mean(values[rows], within + days, days, together)

    (first, spread), (second, spread_after) = mean(old), mean(new)
    return second - first, np.asarray(spread + spread_after + added)
