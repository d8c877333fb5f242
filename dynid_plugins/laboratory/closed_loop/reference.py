"""Reference motion of a simulated loop, from noisy measured positions."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import EstimationError, PreprocessingError
from dynid.signals.kalman_smoother import KalmanSmoother
from dynid.signals.signals import Signals

_RUN_IN = 0.25  # [s] from rest to the first sample's motion
_UNRELIABLE = 2.0  # periods of the motion's bandwidth at each end
_MOST_UNRELIABLE = 0.1  # share of the samples


class Reference(NamedTuple):
    """Reference positions at the loop's rate.

    Attributes:
        position: (M, n) [rad or m].
        run_in: number of positions before the first sample of the signals.
        step: positions per sample.
        unreliable: samples at each end that may be inaccurate, as a smoother has data on one side
            only.
    """

    position: Array
    run_in: int
    step: int
    unreliable: int


def measured_reference(signals: Signals, step: int) -> Reference:
    """Smooth the measured motion, interpolate ``step`` positions per sample, and begin at rest.

    A Kalman smoother estimates the motion's bandwidth and noise, independently of the filters that
    velocity and acceleration come from.

    Raises:
        EstimationError: there are too few samples.
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
    spline = scipy.interpolate.CubicSpline(np.arange(samples), position)
    inner = spline(np.arange((samples - 1) * step + 1) / step)
    run_in = ceil(_RUN_IN * rate * step)
    time = np.arange(run_in) / (rate * step)
    before = _from_rest(position[0], velocity[0], acceleration[0], time, run_in / (rate * step))
    unreliable = min(
        ceil(_UNRELIABLE * rate / smoother.bandwidth_hz.min()), int(_MOST_UNRELIABLE * samples)
    )
    return Reference(np.concatenate([before, inner]), run_in, step, unreliable)


def _from_rest(
    position: Array, velocity: Array, acceleration: Array, time: Array, end: float
) -> Array:
    """Positions (M, n) at ``time`` from rest at time 0 to a given motion (n,) at ``end``."""
    share = (time / end)[:, None]
    square = 3 * velocity - acceleration * end  # of v = square share^2 + cube share^3
    cube = acceleration * end - 2 * velocity
    covered = end * (square * (share**3 - 1) / 3 + cube * (share**4 - 1) / 4)
    return np.asarray(position + covered)
