"""The cut-off of the filters, chosen by the error on data left out: ``cutoff_hz: auto``.

Every cut-off is judged by the same measured torque, which no filter has changed: a low cut-off
loses motion that the torque shows, a high one keeps noise that the model takes for motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError, PreprocessingError
from dynid.estimation.cross_validation import left_out_errors
from dynid.estimation.fitting import build_problem
from dynid.identification.friction.choose import mean_and_error
from dynid.identification.friction.reduced import averaged
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.pieces import usable_pieces
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import HIGHEST_CUTOFF, USUAL_CUTOFF_HZ, ParallelFilterSettings
from dynid.signals.signals import Signals
from dynid.text import percent

_LOWEST_HZ = 0.5
_FEWEST_PERIODS = 10  # of the lowest cut-off in a recording
_OCTAVE_BELOW, _OCTAVES_ABOVE = 5, 6  # of the usual cut-off
_FOLDS = 10
_SAMPLES_PER_PERIOD = 5  # of a cut-off of positions, in what is fitted
_MOST_SAMPLES = 200_000  # of all recordings; of longer ones the middle is used
_MOST_COMPARED = 20_000  # unfiltered samples of torque
_RATIO_OF_EQUAL_CUTOFFS = 1.05  # ratio of cut-offs that count as one
_MUCH_BETTER = 0.8  # ratio of errors
_SIGNIFICANT = 2.0  # standard errors of a difference


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
    pass, has a gain of 0.996 (order 4).
    """

    tried: tuple[TriedCutoff, ...]
    cutoff_hz: float
    parallel_hz: float

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
    robot = robot.with_settings(settings.explicit(rate, choice.cutoff_hz, choice.parallel_hz))
    return robot, usable_pieces(recordings, robot), choice


def lost_motion(robot: Robot, recordings: Sequence[Recording]) -> list[str]:
    """Return a sentence where a given cut-off of positions loses motion that the torque shows.

    Double the cut-off is tried, with the same torque.

    Args:
        robot: with explicit filters.
        recordings: of its joints, without gaps.
    """
    settings = robot.settings(IdentificationSettings)
    given = settings.motion_cutoff_hz
    if given is None or settings.unsigned_torque:
        return []
    try:
        comparison = _Comparison(robot, _limited(recordings), settings)
        if 2 * given > comparison.highest:
            return []
        error, doubled = comparison.error(given), comparison.error(2 * given)
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


def _choose(
    robot: Robot, recordings: Sequence[Recording], usual: IdentificationSettings
) -> FilterChoice | None:
    """Try cut-offs an octave apart, then beside the best one; ``usual`` are explicit settings."""
    try:
        comparison = _Comparison(robot, _limited(recordings), usual)
        errors = {cutoff: comparison.error(cutoff) for cutoff in comparison.octaves()}
        best = min(errors, key=lambda cutoff: errors[cutoff].score)
        for beside in (_rounded(best / np.sqrt(2)), _rounded(best * np.sqrt(2))):
            if comparison.lowest <= beside <= comparison.highest:
                errors[beside] = comparison.error(beside)
        best = _usual_of_the_best(errors)
        for beside in (best / 2, best * 2):  # what the choice is worth
            known = any(_is_near(beside, cutoff) for cutoff in errors)
            if comparison.lowest <= beside <= comparison.highest and not known:
                errors[beside] = comparison.error(beside)
        half_is_better = errors[best].is_worse_than(comparison.error(best, best / 2))
    except (EstimationError, PreprocessingError):
        return None
    tried = tuple(TriedCutoff(cutoff, errors[cutoff].mean) for cutoff in sorted(errors))
    return FilterChoice(tried, best, best / 2 if half_is_better else best)


def _usual_of_the_best(errors: Mapping[float, _CutoffError]) -> float:
    """Return the cut-off nearest to the usual one that is not significantly worse than the best."""
    best = min(errors.values(), key=lambda error: error.score)
    good = [cutoff for cutoff, error in errors.items() if not error.is_worse_than(best)]
    return min(good, key=lambda cutoff: abs(np.log(cutoff / USUAL_CUTOFF_HZ)))


def _is_near(one: float, other: float) -> bool:
    return bool(abs(np.log(one / other)) < np.log(_RATIO_OF_EQUAL_CUTOFFS))


def _rounded(cutoff_hz: float) -> float:
    return float(f"{cutoff_hz:.2g}")


def _limited(recordings: Sequence[Recording]) -> list[Recording]:
    """Return the middle of every recording, where all together are too long."""
    total = sum(len(recording.time) for recording in recordings)
    if total <= _MOST_SAMPLES:
        return list(recordings)
    share = _MOST_SAMPLES / total
    return [
        recording.cut(recording.duration * (1 - share) / 2, recording.duration * (1 + share) / 2)
        for recording in recordings
    ]


@dataclass(frozen=True)
class _CutoffError:
    """Squared errors (F, n) of folds left out, and squared torque (n,), of joints that move."""

    squares: Array
    torque: Array

    @property
    def mean(self) -> float:
        """Mean of the relative errors."""
        return float(np.sqrt(self.squares.sum(axis=0) / self.torque).mean())

    @property
    def score(self) -> float:
        """Mean of the logarithms of the squared errors, so that every joint counts alike."""
        return float(np.log(self.squares.sum(axis=0)).mean())

    def is_worse_than(self, best: _CutoffError) -> bool:
        """Whether the error is larger by more than the scatter between folds explains."""
        of_folds = ((self.squares - best.squares) / best.squares.sum(axis=0)).mean(axis=1)
        mean, error = mean_and_error(of_folds, np.full(len(of_folds), 1 / len(of_folds)))
        return mean > _SIGNIFICANT * error


class _Comparison:
    """Errors on data left out, of the samples between which the robot moves."""

    def __init__(
        self, robot: Robot, recordings: Sequence[Recording], usual: IdentificationSettings
    ) -> None:
        self._robot = robot.with_explicit_terms()
        self._recordings = recordings
        self._mechanism: Mechanism = self._robot.mechanism()
        self._base: BaseParameterization = base_parameterization(self._mechanism)
        physical = usual.physical.model_copy(update={"enabled": False})
        plain = {"estimator": "wls", "physical": physical, "folds": _FOLDS, "filter_torque": False}
        self._settings = usual.model_copy(update=plain)
        as_usual = [preprocess(one, self._robot.with_settings(usual)) for one in recordings]
        self._spans = [(signals.time[0], signals.time[-1]) for signals in as_usual]
        self._moves = np.any([signals.moving.any(axis=0) for signals in as_usual], axis=0)
        rate = min(recording.sampling_rate for recording in recordings)
        longest = max(recording.duration for recording in recordings)
        self.highest = HIGHEST_CUTOFF * rate
        self.lowest = max(_LOWEST_HZ, _FEWEST_PERIODS / longest)
        if any(recording.piece is not None for recording in recordings):
            self.lowest = max(self.lowest, USUAL_CUTOFF_HZ)  # or pieces would be too short

    def octaves(self) -> list[float]:
        """Return the cut-offs to try first [Hz]."""
        all_octaves = USUAL_CUTOFF_HZ * 2.0 ** np.arange(-_OCTAVE_BELOW, _OCTAVES_ABOVE)
        inside = [float(f) for f in all_octaves if self.lowest <= f <= self.highest]
        return inside or [min(USUAL_CUTOFF_HZ, self.highest)]

    def error(self, cutoff_hz: float, parallel_hz: float | None = None) -> _CutoffError:
        """Return the errors of the unfiltered torque with cut-offs [Hz]; None: the same."""
        explicit = self._settings.model_copy(
            update={
                "cutoff_hz": cutoff_hz,
                "parallel_filter": ParallelFilterSettings(cutoff_hz=parallel_hz or cutoff_hz),
                "trim_rest": self._settings.trim_rest and self._settings.period is not None,
                "border": 0.0,
            }
        )
        robot = self._robot.with_settings(explicit)
        signals = [
            _between(preprocess(recording, robot, unsettled=True), *span)
            for recording, span in zip(self._recordings, self._spans, strict=True)
        ]
        total = sum(len(piece.time) for piece in signals)
        compared = [piece.every(-(-total // _MOST_COMPARED)) for piece in signals]
        fitted = [
            averaged(piece, max(1, int(piece.sampling_rate / (_SAMPLES_PER_PERIOD * cutoff_hz))))
            for piece in signals
        ]
        base, mechanism = self._base, self._mechanism
        found = build_problem(mechanism, base, fitted, explicit).normal_equations()
        unfiltered = explicit.model_copy(update={"parallel_filter": None})
        seen = build_problem(mechanism, base, compared, unfiltered).normal_equations(at_rest=True)
        nothing = np.zeros((len(signals), len(self._moves)), dtype=bool)
        start = base.project(mechanism.urdf_parameters)
        squares = left_out_errors(found, seen, start, 0.0, nothing).blocks
        known = self._moves & (seen.squared_torque > 0) & (squares.sum(axis=0) > 0)
        if not known.any():
            raise EstimationError("no joint with torque moves.")
        return _CutoffError(squares[:, known], seen.squared_torque[known])


def _between(signals: Signals, start: float, stop: float) -> Signals:
    first, last = np.searchsorted(signals.time, [start, stop + 0.5 / signals.sampling_rate])
    return signals.part(slice(int(first), int(last)))
