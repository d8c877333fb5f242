"""The motion that a simulated loop shall follow, from positions measured with noise."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from dynid.arrays import Array
from dynid.errors import EstimationError, PreprocessingError
from dynid.signals.kalman_smoother import KalmanSmoother
from dynid.signals.signals import Signals

_RUN_IN = 0.25  # [s] from rest to the first sample's motion
_UNSURE = 2.0  # periods of the motion's band width at either end
_MOST_UNSURE = 0.1  # share of the samples


class Reference(NamedTuple):
    """Positions (M, n) at the loop's rate, of which the first ``run_in`` come before the signals'.

    ``step`` of them make one sample of the signals, of which ``unsure`` at either end may be off:
    a smoother has seen only one side of them.
    """

    position: Array
    run_in: int
    step: int
    unsure: int


def measured_reference(signals: Signals, step: int) -> Reference:
    """The measured motion without its noise, ``step`` positions a sample, reached from rest.

    A Kalman smoother finds the motion's band width and its noise by itself, whatever filters
    velocity and acceleration were worked out with.

    Raises:
        EstimationError: too few samples.
    """
    rate = signals.sampling_rate
    filters = signals.motion_filter
    try:
        smoother = KalmanSmoother.tuned(
            signals.raw_position, rate, periodic=filters is not None and filters.periodic
        )
    except PreprocessingError:
        raise EstimationError(
            f"a recording of {len(signals.time)} samples is too short to be simulated; use another "
            "estimator, such as wls."
        ) from None
    position, velocity, acceleration = smoother.motion(signals.raw_position)
    samples = len(position)
    inner = CubicSpline(np.arange(samples), position)(np.arange((samples - 1) * step + 1) / step)
    run_in = ceil(_RUN_IN * rate * step)
    time = np.arange(run_in) / (rate * step)
    before = _from_rest(position[0], velocity[0], acceleration[0], time, run_in / (rate * step))
    unsure = min(ceil(_UNSURE * rate / smoother.bandwidth_hz.min()), int(_MOST_UNSURE * samples))
    return Reference(np.concatenate([before, inner]), run_in, step, unsure)


def _from_rest(
    position: Array, velocity: Array, acceleration: Array, time: Array, end: float
) -> Array:
    """Positions (M, n) at ``time`` that reach a motion (n,) at ``end`` from rest at time 0."""
    share = (time / end)[:, None]
    square = 3 * velocity - acceleration * end  # of v = square share^2 + cube share^3
    cube = acceleration * end - 2 * velocity
    covered = end * (square * (share**3 - 1) / 3 + cube * (share**4 - 1) / 4)
    return np.asarray(position + covered)
