"""Interpolation of samples at uneven times to a uniform grid, by the method that predicts best."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.recording.gaps import Bridging, cubic_weights

_PENALTIES = (1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4)  # of squared second differences on the grid
_EXAMINED = 20_000  # samples in the middle, of which some are left out
_LEFT_OUT = 7  # every so many samples, besides stretches as long as those that are missing
_TIMES_BETTER = 2.0  # squared error of the cubic spline over that of a method that replaces it
_CURVATURE = (1.0, -2.0, 1.0)

Method = Callable[[Array, Array, Array], Array]
"""From times (N,) [s] and values (N, n) to values (M, n) at other times (M,)."""


class Interpolated(NamedTuple):
    """Positions (count, n) on a grid, and the rms error (n,) of samples left out [rad or m]."""

    position: Array
    error: Array


def interpolate_position(
    times: Array, position: Array, grid: Array, bridging: Bridging
) -> Interpolated:
    """Interpolate positions to a uniform grid, linearly in gaps.

    A cubic spline passes through each sample: beside missing ones, and between samples that follow
    each other closely, it amplifies their noise. Splines that are penalised for their curvature do
    not. All of them predict samples that are left out, among them stretches like those that are
    missing; the cubic spline is replaced where its squared error is twice as large.

    Args:
        times: (N,) increasing times of the samples [s].
        position: (N, n) [rad or m].
        grid: (count,) times [s].
        bridging: of the points of the grid.
    """
    step, in_gaps = float(grid[-1]) / max(len(grid) - 1, 1), bridging.in_gaps
    if in_gaps.any():
        points = grid[in_gaps][np.isin(grid[in_gaps], times, invert=True)]
        position = np.concatenate([position, linear(times, position, points)])
        times = np.concatenate([times, points])
        order = np.argsort(times, kind="stable")
        times, position = times[order], position[order]
    examined = slice(max(0, len(times) - _EXAMINED) // 2, (len(times) + _EXAMINED) // 2)
    left_out = _left_out(times / step, bridging.missing & ~in_gaps)[examined]
    samples = times[examined] - times[examined.start], position[examined], left_out
    best, least = spline, _errors(spline, *samples)
    replaced = least / _TIMES_BETTER**0.5
    for penalty in _PENALTIES:
        method = partial(_penalised, penalty=penalty, step=step)
        errors = _errors(method, *samples)
        if np.log(errors / replaced).mean() < 0:
            best, least, replaced = method, errors, errors
    return Interpolated(best(times, position, grid), least)


def spline(times: Array, values: Array, at: Array) -> Array:
    """Interpolate values (N, n) by a cubic spline, whose second derivative is continuous."""
    at, interpolated = np.minimum(at, times[-1]), np.empty((len(at), values.shape[1]))
    # joint by joint: the coefficients of all splines are four times as large as the samples
    for joint, column in enumerate(values.T):
        interpolated[:, joint] = scipy.interpolate.CubicSpline(times, column)(at)
    return interpolated


def linear(times: Array, values: Array, at: Array) -> Array:
    """Interpolate values (N, n) linearly."""
    interpolated = np.empty((len(at), values.shape[1]))
    for joint, column in enumerate(values.T):
        interpolated[:, joint] = np.interp(at, times, column)
    return interpolated


def _penalised(times: Array, values: Array, at: Array, *, penalty: float, step: float) -> Array:
    """Interpolate by the points of a grid with the least penalised sum of squared errors.

    Values between the points are those of the cubic through four of them. Second differences of the
    points are penalised.
    """
    count = max(len(_CURVATURE) + 1, int(np.ceil(max(times[-1], at[-1]) / step - 1e-6)) + 1)
    first, weights = _cubic(times / step, count)
    bands, right = np.zeros((4, count)), np.zeros((count, values.shape[1]))
    for row in range(4):
        for joint, of_joint in enumerate(values.T):
            right[:, joint] += np.bincount(first + row, weights[:, row] * of_joint, count)
        for other in range(row + 1):
            product = weights[:, row] * weights[:, other]
            bands[row - other] += np.bincount(first + other, product, count)
    for row in range(3):
        for column in range(row + 1):
            curvature = penalty * _CURVATURE[row] * _CURVATURE[column]
            bands[row - column, column : column + count - 2] += curvature
    grid = scipy.linalg.solveh_banded(bands, right, lower=True)
    first, weights = _cubic(at / step, count)
    return np.asarray(sum(weights[:, k, None] * grid[first + k] for k in range(4)))


def _cubic(ticks: Array, count: int) -> tuple[NDArray[np.intp], Array]:
    """Return the first of four points of the grid for each tick (N,), and their weights (N, 4)."""
    first = np.clip(np.floor(ticks).astype(np.intp) - 1, 0, count - 4)
    return first, cubic_weights(ticks - first)


def _left_out(ticks: Array, missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the samples (N,) to predict: every few, and stretches like those that are missing."""
    elsewhere = np.roll(missing, len(missing) // 2)
    left_out = elsewhere[np.clip(np.rint(ticks), 0, len(missing) - 1).astype(np.intp)]
    left_out[::_LEFT_OUT] = True
    return left_out


def _errors(method: Method, times: Array, position: Array, left_out: NDArray[np.bool_]) -> Array:
    """Return the root mean square error (n,) of the samples that are left out, never 0."""
    left_out = left_out.copy()
    left_out[[0, 1, -2, -1]] = False  # nothing is extrapolated
    predicted = method(times[~left_out], position[~left_out], times[left_out])
    square = np.mean((predicted - position[left_out]) ** 2, axis=0)
    return np.asarray(np.sqrt(square) + 1e-12 * (1 + np.ptp(position, axis=0)))
