"""Spikes: a few samples of torque far from those before and after."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from dynid.arrays import Array, runs

_SPIKE_DEVIATIONS = 8.0  # standard deviations of the noise: none in 10^15 normal values
_AROUND = 8  # longest spikes to either side that show the noise there, such as a drive's ripple
_THIRD_QUARTILE = 1.1503  # of the absolute value of a normal distribution
_LARGE_SPIKE = 0.2  # of the joint's torque (rms about its mean): smaller ones do not matter
_JUMP = 0.6  # of a spike's size, from one sample to the next at either side
# [s]: no joint follows a torque that ends sooner, and no filter of its motion would show it
_BEFORE_MOTION = 0.005


def from_median(values: Array, longest: int) -> Array:
    """Return the distance of values (N,) from their running median, which follows steps.

    Args:
        values: (N,).
        longest: samples of the longest spike, of whose window most samples are none.
    """
    window = 2 * (2 * longest + 1) + 1
    return np.asarray(values - scipy.ndimage.median_filter(values, size=window, mode="nearest"))


def is_far(distance: Array, scale: float, longest: int) -> NDArray[np.bool_]:
    """Return where a distance from the running median (N,) is neither noise nor ripple.

    Args:
        distance: (N,) [N m or N].
        scale: rms of the joint's torque about its mean [N m or N].
        longest: samples of the longest spike.
    """
    size = np.abs(distance)
    far = size > _LARGE_SPIKE * scale
    if far.any():
        far &= size > _SPIKE_DEVIATIONS * 1.4826 * float(np.median(size))
    at = np.flatnonzero(far)
    far[at] = size[at] > _SPIKE_DEVIATIONS * _noise_around(size, at, _AROUND * longest)
    return far


def isolated(
    flags: NDArray[np.bool_], torque: Array, size: Array, longest: int
) -> NDArray[np.bool_]:
    """Return which flags (N,) belong to a spike: a short run, entered and left by a jump.

    A vibration reaches its peak, and leaves it, over several samples.

    Args:
        flags: (N,), see ``is_far``.
        torque: (N,) [N m or N].
        size: (N,) of the distance from the running median [N m or N].
        longest: samples of the longest spike.
    """
    jump = np.abs(np.diff(torque, prepend=torque[0], append=torque[-1]))
    kept = np.zeros_like(flags)
    for first, past in runs(flags):
        sharp = min(jump[first], jump[past]) > _JUMP * size[first:past].max()
        kept[first:past] = sharp and past - first <= longest
    return kept


def has_jump(torque: Array, scale: float) -> bool:
    """Return whether torque (N,) jumps anywhere as far as at either side of a spike."""
    return float(np.abs(np.diff(torque)).max(initial=0.0)) > _JUMP * _LARGE_SPIKE * scale


def brief_spikes(
    torque: Array, missing: NDArray[np.bool_] | None, sampling_rate: float
) -> NDArray[np.bool_]:
    """Return the samples (N,) in spikes of any joint that end before a motion follows them.

    Such a torque may be real, as where a drive answers a command that came late, or an error of the
    measurement. Either way it belongs to no motion that the samples show, and bodies that move
    together feel it at all joints.

    Args:
        torque: (N, n) [N m or N].
        missing: (N,) samples that were interpolated; None: none was.
        sampling_rate: [Hz].
    """
    measured = np.arange(len(torque)) if missing is None else np.flatnonzero(~missing)
    found = np.zeros(len(torque), dtype=bool)
    longest = int(_BEFORE_MOTION * sampling_rate)
    if longest == 0 or len(measured) == 0:
        return found
    for column in torque[measured].T:
        scale = float(column.std())
        if has_jump(column, scale):
            distance = from_median(column, longest)
            far = is_far(distance, scale, longest)
            found[measured[isolated(far, column, np.abs(distance), longest)]] = True
    return found


def bridged(torque: Array, missing: NDArray[np.bool_]) -> Array:
    """Return torque (N, n) with straight lines over missing samples (N,)."""
    number = np.arange(len(torque))
    known = number[~missing]
    return np.column_stack([np.interp(number, known, column[known]) for column in torque.T])


def _noise_around(size: Array, at: NDArray[np.intp], reach: int) -> Array:
    """Return the standard deviation of the noise at samples, on the side where it is larger.

    It is found from the third quartile, as a ripple may be large in each third sample only.
    """
    windows = sliding_window_view(np.pad(size, reach, mode="symmetric"), 2 * reach + 1)[at]
    sides = windows[:, :reach], windows[:, -reach:]
    return np.maximum(*(np.quantile(side, 0.75, axis=1) for side in sides)) / _THIRD_QUARTILE
