"""Filters and delay of the torque, chosen by the error on data left out: ``cutoff_hz: auto``.

Every cut-off is judged by the same measured torque, which no filter has changed: a low cut-off
loses motion that the torque shows, a high one keeps noise that the model takes for motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError, PreprocessingError
from dynid.evaluation.errors import compare, relative_errors
from dynid.evaluation.hypotheses.tried import MATTERS
from dynid.identification.filter_trials import MOST_COMPARED, FilterError, FilterTrials
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.pieces import usable_pieces
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import HIGHEST_CUTOFF, USUAL_CUTOFF_HZ, SignalSettings
from dynid.signals.signals import Signals
from dynid.text import percent

_RATIO_OF_EQUAL_CUTOFFS = 1.05  # ratio of cut-offs that count as one
_WORSE_AT_THE_END = 2  # cut-offs in succession
_LESS_ERROR = 0.99  # ratio of errors of a model that was fitted to other filters
_MUCH_BETTER = 0.8  # ratio of errors
_LONGEST_DELAY = 2.0  # sampling periods
_FAULTS = (-16.0, -8.0, -4.0, 4.0, 8.0, 16.0)  # sampling periods
_DELAY_RESOLUTION = 0.02  # sampling periods


@dataclass(frozen=True)
class TriedCutoff:
    """A cut-off [Hz], and the mean over joints of the relative error on data left out."""

    cutoff_hz: float
    error: float


@dataclass(frozen=True)
class FilterChoice:
    """The cut-offs that were tried, ascending, and the chosen ones [Hz].

    The chosen one is that nearest to the usual 10 Hz which is not significantly worse than the
    best. Torque and regressor pass the same low-pass (``parallel_hz``), or one of half its cut-off
    where that is significantly better: there the low-pass of positions, which torque does not
    pass, has a gain of 0.996 (order 4). Torque that is recorded ``torque_delay`` [s] later than its
    motion, by up to two sampling periods, is no fault but how a control cycle works. Differences
    are of order 6 where those of order 2 are significantly worse.
    """

    tried: tuple[TriedCutoff, ...]
    cutoff_hz: float
    parallel_hz: float
    torque_delay: float = 0.0
    difference_order: Literal[2, 6] = 2

    def error_at(self, cutoff_hz: float) -> float | None:
        """Return the error at a cut-off that was tried [Hz]; None: it was not."""
        near = [one.error for one in self.tried if _is_near(one.cutoff_hz, cutoff_hz)]
        return near[0] if near else None

    def note(self) -> str:
        """Return a sentence on the choice, with what half and double the cut-off would cost."""
        others = [
            f"{percent(error)} with {share} of it"
            for share, factor in (("half", 0.5), ("double", 2.0))
            if (error := self.error_at(factor * self.cutoff_hz)) is not None
        ]
        than = f", {' and '.join(others)}" if others else ""
        return (
            f"Positions pass a low-pass of {self.cutoff_hz:.3g} Hz, torque and regressor one of "
            f"{self.parallel_hz:.3g} Hz, chosen by the error of the unfiltered torque on parts "
            "left out once (mean over joints, plain terms): "
            f"{percent(self.error_at(self.cutoff_hz) or 0.0)}{than}."
            f"{self._order_note()}{self._delay_note()}"
        )

    def _order_note(self) -> str:
        if self.difference_order == 2:
            return ""
        return f" Velocity and acceleration are differences of order {self.difference_order}."

    def _delay_note(self) -> str:
        if self.torque_delay == 0:
            return ""
        when = "later" if self.torque_delay > 0 else "earlier"
        return (
            f" Torque is recorded {1e3 * abs(self.torque_delay):.3g} ms {when} than its motion, "
            "found by the same error; the motion was moved by this time."
        )


def filtered_pieces(
    robot: Robot,
    recordings: Sequence[Recording],
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Robot, list[Recording], FilterChoice | None]:
    """Return a robot whose filters are numbers, and the pieces that are long enough for them.

    Args:
        robot: with settings of the identification.
        recordings: of its joints.
        progress: called with the name of the step.

    Returns:
        The robot; the recordings or their pieces between gaps; and how the cut-off was chosen, or
        None where it was given or cannot be chosen: torque without its sign, or too little motion.

    Raises:
        PreprocessingError: of a recording with gaps not enough is left.
    """
    pieces = usable_pieces(recordings, robot)
    settings = robot.settings(IdentificationSettings)
    rate = min(piece.sampling_rate for piece in pieces)
    choice = None
    if settings.chooses_cutoff and not settings.unsigned_torque:
        progress("choosing the filters")
        choice = _choose(robot, pieces, settings.explicit(rate))
    if choice is None:
        return robot.with_settings(settings.explicit(rate)), pieces, None
    found = choice.cutoff_hz, choice.parallel_hz, choice.torque_delay, choice.difference_order
    robot = robot.with_settings(settings.explicit(rate, *found))
    return robot, usable_pieces(recordings, robot), choice


def lost_motion(
    robot: Robot, recordings: Sequence[Recording], signals: Sequence[Signals], model: Mechanism
) -> list[str]:
    """Return a sentence where a given cut-off of positions loses motion that the torque shows.

    Double the cut-off is tried, with the same torque, where it makes the model's error smaller.

    Args:
        robot: with explicit filters.
        recordings: of its joints, without gaps.
        signals: of the recordings, filtered.
        model: fitted to them.
    """
    settings = robot.settings(IdentificationSettings)
    given = settings.motion_cutoff_hz
    if given is None or settings.unsigned_torque:
        return []
    if 2 * given > HIGHEST_CUTOFF * min(recording.sampling_rate for recording in recordings):
        return []
    try:
        faster = robot.with_settings(settings.model_copy(update={"cutoff_hz": 2 * given}))
        with_more = [preprocess(recording, faster) for recording in recordings]
        if _unfiltered_error(model, with_more) >= _LESS_ERROR * _unfiltered_error(model, signals):
            return []
        trials = FilterTrials(robot, recordings, settings)
        error, doubled = trials.error(given), trials.error(2 * given)
    except (EstimationError, PreprocessingError):
        return []
    if doubled.mean > _MUCH_BETTER * error.mean or not error.is_worse_than(doubled):
        return []
    return [
        f"cutoff_hz = {given:g} Hz removes motion that the torque shows: the error of the "
        f"unfiltered torque on parts left out once is {percent(error.mean)}, with "
        f"{2 * given:g} Hz {percent(doubled.mean)}. Without identification.cutoff_hz the cut-off "
        "is chosen by the recordings."
    ]


def _unfiltered_error(model: Mechanism, signals: Sequence[Signals]) -> float:
    """Return the mean of the joints' relative errors, of some of the samples."""
    step = -(-sum(len(piece.time) for piece in signals) // MOST_COMPARED)
    some = [piece.every(step) for piece in signals]
    unfiltered = SignalSettings(parallel_filter=None)
    return float(relative_errors(compare(model, some, unfiltered)).mean())


def _choose(
    robot: Robot, recordings: Sequence[Recording], usual: IdentificationSettings
) -> FilterChoice | None:
    """Choose a cut-off, then delay and order; where they are not the usual, the cut-off again."""
    asked = robot.settings(IdentificationSettings)
    # torque that follows from commands of a servo is not measured
    measured = robot.drives.effort != "position_command"
    try:
        trials = FilterTrials(robot, recordings, usual)
        best, errors = _best_cutoff(trials, min(USUAL_CUTOFF_HZ, trials.highest))
        delay, order = 0.0, usual.decided_difference_order
        if asked.torque_delay == "auto" and measured:
            delay = trials.torque_delay = _torque_delay(trials, best, errors[best])
        if asked.difference_order == "auto":
            order = trials.difference_order = _difference_order(trials, best)
        if delay != 0 or order != usual.decided_difference_order:
            best, errors = _best_cutoff(trials, best)
        for beside in (best / 2, best * 2):  # what the choice is worth
            known = any(_is_near(beside, cutoff) for cutoff in errors)
            if trials.lowest <= beside <= trials.highest and not known:
                errors[beside] = trials.error(beside)
        half_is_better = errors[best].is_worse_than(trials.error(best, best / 2))
    except (EstimationError, PreprocessingError):
        return None
    tried = tuple(TriedCutoff(cutoff, errors[cutoff].mean) for cutoff in sorted(errors))
    parallel = best / 2 if half_is_better else best
    return FilterChoice(tried, best, parallel, delay, order)


def _best_cutoff(trials: FilterTrials, start: float) -> tuple[float, dict[float, FilterError]]:
    """Try cut-offs an octave apart, from ``start`` in both directions, then beside the best one.

    A direction ends where two cut-offs in succession are not better than all before.
    """
    errors = {start: trials.error(start)}
    for factor in (0.5, 2.0):
        cutoff, worse = start * factor, 0
        while worse < _WORSE_AT_THE_END and trials.lowest <= cutoff <= trials.highest:
            best = min(error.score for error in errors.values())
            errors[cutoff] = trials.error(cutoff)
            worse = 0 if errors[cutoff].score < best else worse + 1
            cutoff *= factor
    best = min(errors, key=lambda cutoff: errors[cutoff].score)
    for beside in (_rounded(best / np.sqrt(2)), _rounded(best * np.sqrt(2))):
        if trials.lowest <= beside <= trials.highest:
            errors[beside] = trials.error(beside)
    return _usual_of_the_best(errors), errors


def _difference_order(trials: FilterTrials, cutoff_hz: float) -> Literal[2, 6]:
    """Return 6 where differences of order 2 are significantly worse."""
    second, sixth = trials.error(cutoff_hz, order=2), trials.error(cutoff_hz, order=6)
    return 6 if second.is_worse_than(sixth) else 2


def _torque_delay(trials: FilterTrials, cutoff_hz: float, present: FilterError) -> float:
    """Return the delay [s] without which the error is much larger; 0 if there is none.

    One of more than two sampling periods is a fault, which the diagnosis looks for.
    """
    period = 1.0 / trials.rate

    def score(periods: float) -> float:
        return trials.error(cutoff_hz, delay=periods * period).score

    direction = min((1.0, -1.0), key=score)
    if score(direction) > present.score:
        return 0.0
    # the least squared error, by the parabola through these three
    here, near, far = np.exp([present.score, score(direction), score(-direction)])
    slope, curvature = (far - near) / 2, (far + near) / 2 - here
    if curvature > 0 and here - slope**2 / (4 * curvature) > here * np.exp(-MATTERS):
        return 0.0
    found = scipy.optimize.minimize_scalar(
        lambda periods: score(direction * periods),
        bounds=(0.0, _LONGEST_DELAY),
        method="bounded",
        options={"xatol": _DELAY_RESOLUTION},
    )
    delay = float(f"{direction * found.x * period:.2g}")
    error = trials.error(cutoff_hz, delay=delay)
    much_better = error.score < present.score - MATTERS and present.is_worse_than(error)
    at_end = found.x > _LONGEST_DELAY - 2 * _DELAY_RESOLUTION
    if at_end or not much_better or min(map(score, _FAULTS)) < error.score:
        return 0.0
    return delay


def _usual_of_the_best(errors: Mapping[float, FilterError]) -> float:
    """Return the cut-off nearest to the usual one that is not significantly worse than the best."""
    best = min(errors.values(), key=lambda error: error.score)
    good = [cutoff for cutoff, error in errors.items() if not error.is_worse_than(best)]
    return min(good, key=lambda cutoff: abs(np.log(cutoff / USUAL_CUTOFF_HZ)))


def _is_near(one: float, other: float) -> bool:
    return bool(abs(np.log(one / other)) < np.log(_RATIO_OF_EQUAL_CUTOFFS))


def _rounded(cutoff_hz: float) -> float:
    return float(f"{cutoff_hz:.2g}")
