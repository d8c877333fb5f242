"""Errors of torque on data left out, with filters of several cut-offs and delays of the torque."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.cross_validation import left_out_errors
from dynid.estimation.fitting import build_problem
from dynid.estimation.regression import Problem
from dynid.estimation.row_memory import RowMemory
from dynid.identification.friction.reduced import averaged
from dynid.identification.held_out import is_worse
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.repetition import folds_of_motion
from dynid.signals.settings import HIGHEST_CUTOFF, USUAL_CUTOFF_HZ, ParallelFilterSettings
from dynid.signals.signals import Signals

_LOWEST_HZ = 0.5
_FEWEST_PERIODS = 10  # of the lowest cut-off in a recording
_OCTAVE_BELOW, _OCTAVES_ABOVE = 5, 6  # of the usual cut-off
_FOLDS = 10
_SAMPLES_PER_PERIOD = 5  # of a cut-off of positions, in what is fitted
_MOST_SAMPLES = 200_000  # of all recordings; of longer ones the middle is used
MOST_COMPARED = 20_000  # unfiltered samples of torque
_SIGNIFICANT = 2.0  # standard errors of a difference


@dataclass(frozen=True)
class FilterError:
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

    def is_worse_than(self, best: FilterError) -> bool:
        """Whether the error is larger by more than chance explains."""
        of_folds = ((self.squares - best.squares) / best.squares.sum(axis=0)).mean(axis=1)
        return is_worse(of_folds, _SIGNIFICANT)


class FilterTrials:
    """Errors on data left out, of the samples between which the robot moves."""

    def __init__(
        self, robot: Robot, recordings: Sequence[Recording], usual: IdentificationSettings
    ) -> None:
        recordings = _limited(recordings)
        self._robot = robot.with_explicit_terms()
        self._recordings = recordings
        self._mechanism: Mechanism = self._robot.mechanism()
        self._base: BaseParameterization = base_parameterization(self._mechanism)
        physical = usual.physical.model_copy(update={"enabled": False})
        plain = {"estimator": "wls", "physical": physical, "folds": _FOLDS, "filter_torque": False}
        self._settings = usual.model_copy(update=plain)
        as_usual = [preprocess(one, self._robot.with_settings(usual)) for one in recordings]
        # the same for all cut-offs
        self._times = [signals.time for signals in as_usual]
        self._folds = [folds_of_motion(one, _FOLDS, 1 / USUAL_CUTOFF_HZ) for one in as_usual]
        self._moves = np.any([signals.moving.any(axis=0) for signals in as_usual], axis=0)
        self.rate = rate = min(recording.sampling_rate for recording in recordings)
        self.torque_delay = usual.decided_torque_delay
        self.difference_order: Literal[2, 6] = usual.decided_difference_order
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

    def error(
        self,
        cutoff_hz: float,
        parallel_hz: float | None = None,
        *,
        delay: float | None = None,
        order: Literal[2, 6] | None = None,
    ) -> FilterError:
        """Return the errors of the unfiltered torque.

        Args:
            cutoff_hz: of positions [Hz].
            parallel_hz: of torque and regressor [Hz]; None: the same.
            delay: of the torque [s]; None: as decided.
            order: of the differences; None: as decided.
        """
        explicit = self._settings.model_copy(
            update={
                "cutoff_hz": cutoff_hz,
                "parallel_filter": ParallelFilterSettings(cutoff_hz=parallel_hz or cutoff_hz),
                "trim_rest": self._settings.trim_rest and self._settings.period is not None,
                "border": 0.0,
                "torque_delay": self.torque_delay if delay is None else delay,
                "difference_order": order or self.difference_order,
            }
        )
        robot = self._robot.with_settings(explicit)
        total = sum(map(len, self._times))
        compared, fitted = [], []
        for recording, times in zip(self._recordings, self._times, strict=True):
            piece = _between(preprocess(recording, robot, unsettled=True), times[0], times[-1])
            compared.append(piece.every(-(-total // MOST_COMPARED)))
            rate = _SAMPLES_PER_PERIOD * cutoff_hz
            fitted.append(averaged(piece, max(1, int(piece.sampling_rate / rate))))
            del piece  # of all samples
        base, mechanism = self._base, self._mechanism
        found = self._problem(fitted, explicit).normal_equations()
        unfiltered = explicit.model_copy(update={"parallel_filter": None})
        seen = self._problem(compared, unfiltered).normal_equations(at_rest=True)
        nothing = np.zeros((len(self._recordings), len(self._moves)), dtype=bool)
        start = base.project(mechanism.urdf_parameters)
        squares = left_out_errors(found, seen, start, 0.0, nothing).blocks
        known = self._moves & (seen.squared_torque > 0) & (squares.sum(axis=0) > 0)
        if not known.any():
            raise EstimationError("no joint with torque moves.")
        return FilterError(squares[:, known], seen.squared_torque[known])

    def _problem(self, signals: Sequence[Signals], settings: IdentificationSettings) -> Problem:
        folds = [
            fold[np.searchsorted(times, piece.time).clip(max=len(fold) - 1)]
            for piece, times, fold in zip(signals, self._times, self._folds, strict=True)
        ]
        problem = build_problem(self._mechanism, self._base, signals, settings, folds)
        return replace(problem, memory=RowMemory(0))  # its rows are used once


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


def _between(signals: Signals, start: float, stop: float) -> Signals:
    first, last = np.searchsorted(signals.time, [start, stop + 0.5 / signals.sampling_rate])
    return signals.part(slice(int(first), int(last)))
