"""Resampling to a uniform time axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicSpline

from dynid.recording.limits import check_memory
from dynid.recording.samples import NANOSECONDS, Samples

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Interpolation = Callable[[NDArray[np.float64]], NDArray[np.float64]]

JITTER = 0.01
"""Largest distance of stamps from a uniform grid, over the step."""

# relative distance within which a rate is rounded to an integer number of hertz
_ROUND = 1e-3


def place_on_grid(samples: Samples, sampling_rate: float | None) -> tuple[Samples, float]:
    """Return samples at steps of ``1 / rate`` from the first one, and the rate [Hz].

    Samples on such a grid (within ``JITTER`` of a step) keep their exact values, and only missing
    ones are interpolated. Otherwise position is interpolated by a cubic spline, whose acceleration
    is continuous, velocity and effort linearly.

    Args:
        samples: with strictly increasing stamps and finite values.
        sampling_rate: [Hz]; None: the rate of the stamps.

    Raises:
        RecordingError: there would be too many samples.
    """
    seconds = samples.seconds
    shown = usual_rate(seconds)
    fastest = max(shown, sampling_rate or 0.0, samples.nominal_rate or 0.0)
    # a few steps of a nanosecond could multiply the number of samples by a million
    most = int(min(seconds[-1] * fastest, 1e18)) + 1
    check_memory(most, len(samples.joint_names), samples.label)
    for rate in _candidates(seconds, shown, samples.nominal_rate, sampling_rate):
        ticks = seconds * rate
        places = np.rint(ticks).astype(np.int64)
        if np.abs(ticks - places).max() <= JITTER and (np.diff(places) > 0).all():
            return _fill_holes(samples, places, rate), rate
    rate = sampling_rate or _rounded(shown)
    return _resample(samples, rate, given=sampling_rate is not None), rate


def usual_rate(seconds: NDArray[np.float64]) -> float:
    """Return the rate [Hz] of strictly increasing times [s]: one over their median step.

    The mean step is used if it is far from the median, as for stamps in bursts.
    """
    steps = np.diff(seconds)
    median = float(np.median(steps))
    mean = float(seconds[-1] / len(steps))
    return 1.0 / (median if 0.5 * mean < median < 2.0 * mean else mean)


def _candidates(
    seconds: NDArray[np.float64], shown: float, nominal: float | None, given: float | None
) -> list[float]:
    """Return possible rates of the stamps, the roundest number first."""
    if given is not None:
        return [given]
    places = np.cumsum(np.concatenate([[0.0], np.rint(np.diff(seconds) * shown)]))
    candidates = [nominal] if nominal is not None else []
    if places[-1] > 0 and places @ seconds > 0:
        # least squares through the first sample
        fitted = float((places @ places) / (places @ seconds))
        candidates += [_rounded(fitted), fitted]
    return candidates


def _rounded(rate: float) -> float:
    whole = float(round(rate))
    return whole if abs(whole - rate) <= _ROUND * rate else float(f"{rate:.6g}")


def _fill_holes(samples: Samples, places: NDArray[np.int64], rate: float) -> Samples:
    count = int(places[-1]) + 1
    missing = count - len(places)
    if not missing:
        return samples
    filled = _interpolate(samples, places / rate, np.arange(count) / rate)
    for name in ("position", "velocity", "effort"):
        values = getattr(filled, name)
        if values is not None:
            values[places] = getattr(samples, name)
    return filled.noting(f"{missing} of {count} samples were missing and were interpolated.")


def _resample(samples: Samples, rate: float, *, given: bool) -> Samples:
    seconds = samples.seconds
    steps = np.diff(seconds)
    # the last instant may be past the last sample by a rounding error
    count = int(np.floor(seconds[-1] * rate + 1e-6)) + 1
    times = np.minimum(np.arange(count) / rate, seconds[-1])
    reason = (
        f"the requested {rate:g} Hz differ from the recorded steps"
        if given and np.ptp(steps) < 2 * JITTER * np.median(steps)
        else f"steps were uneven ({1e3 * steps.min():.4g} to {1e3 * steps.max():.4g} ms)"
    )
    resampled = _interpolate(samples, seconds, times).noting(
        f"{len(samples)} samples were resampled to {count} at {rate:g} Hz because {reason}."
    )
    if rate < 0.75 * len(steps) / seconds[-1]:
        resampled = resampled.noting(
            f"The requested rate of {rate:g} Hz is below the recorded one: motion above "
            f"{rate / 2:g} Hz causes aliasing; filter and decimate instead."
        )
    return resampled


def _interpolate(samples: Samples, old: NDArray[np.float64], new: NDArray[np.float64]) -> Samples:
    def smooth(column: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(CubicSpline(old, column)(new))

    def linear(column: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.interp(new, old, column)

    # joint by joint: the coefficients of all splines are four times as large as the samples
    def each(values: NDArray[np.float64], at: Interpolation) -> NDArray[np.float64]:
        found = np.empty((len(new), values.shape[1]))
        for joint, column in enumerate(values.T):
            found[:, joint] = at(column)
        return found

    return replace(
        samples,
        stamps=samples.stamps[0] + np.rint(new * NANOSECONDS).astype(np.int64),
        position=each(samples.position, smooth),
        velocity=None if samples.velocity is None else each(samples.velocity, linear),
        effort=each(samples.effort, linear),
    )
