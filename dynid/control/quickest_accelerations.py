"""Accelerations within linear bounds with which random moves take the least time on average."""

from __future__ import annotations

import clarabel
import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import EstimationError

_BOUND_TOLERANCE = 1e-6  # by which a bound may be exceeded before it is added to the problem
_ROUNDS = 8
_LEAST_WEIGHT = 0.01
_SOLVED = ("Solved", "AlmostSolved")


def move_times(distances: Array, velocity: Array, acceleration: Array) -> Array:
    """Return durations (N,) [s] of straight moves in joint space, with trapezoids of velocity.

    Args:
        distances: of the joints, (N, n) [rad or m].
        velocity: largest (n,) [rad/s or m/s].
        acceleration: largest (n,) [rad/s^2 or m/s^2].
    """
    size = np.abs(distances)
    speed = 1 / np.max(size / velocity, axis=1)  # of the whole move, which has the length 1
    rate = 1 / np.max(size / acceleration, axis=1)
    return np.asarray(np.where(speed**2 < rate, 1 / speed + speed / rate, 2 / np.sqrt(rate)))


def quickest_accelerations(rows: Array, most: Array, distances: Array, velocity: Array) -> Array:
    """Return accelerations a (n,) with ``rows a <= 1`` and the shortest moves on average.

    The weighted product of accelerations is maximised, a concave problem. The weight of a joint is
    the derivative of the mean duration by the logarithm of its acceleration, found again in each
    round, which is a sequence of convex approximations of the mean duration.

    Args:
        rows: bounds (N, n), not negative.
        most: largest accelerations of all (n,) [rad/s^2 or m/s^2].
        distances: of moves (K, n) [rad or m].
        velocity: largest (n,) [rad/s or m/s].

    Raises:
        EstimationError: the solver fails.
    """
    rows = np.concatenate([np.diag(1 / most), rows])
    scale = 1 / rows.max(axis=0)  # of each joint alone
    rows = rows * scale
    weight = np.ones(len(most))
    best, shortest = 0 * scale, np.inf
    for _ in range(_ROUNDS):
        accelerations = scale * _largest_product(rows, weight / weight.sum())
        times = move_times(distances, velocity, accelerations)
        if times.mean() < shortest:
            best, shortest = accelerations, float(times.mean())
        weight = np.sqrt(weight / weight.sum() * _weight(distances, velocity, accelerations))
    return np.asarray(best)


def _weight(distances: Array, velocity: Array, acceleration: Array) -> Array:
    """Return the derivative of the mean duration by each logarithm (n,), up to its sign; sum 1."""
    size = np.abs(distances)
    speed = 1 / np.max(size / velocity, axis=1)
    rate = 1 / np.max(size / acceleration, axis=1)
    ramps = np.where(speed**2 < rate, speed / rate, 1 / np.sqrt(rate))
    limiting = np.argmax(size / acceleration, axis=1)
    total = np.bincount(limiting, weights=ramps, minlength=len(velocity))
    return np.asarray(np.maximum(total / total.sum(), _LEAST_WEIGHT))


def _largest_product(rows: Array, weight: Array) -> Array:
    """Return x (n,) above 0 with the largest weighted product and ``rows x <= 1``."""
    n = rows.shape[1]
    chosen = rows[rows.argmax(axis=0)]
    x = _solve(chosen, weight)
    # few of the many rows matter, and the solver fails with all of them
    while (rows @ x).max() > 1 + _BOUND_TOLERANCE:
        chosen = np.concatenate([chosen, rows[np.argsort(rows @ x)[-n:]]])
        x = _solve(chosen, weight)
    return np.asarray(x / (rows @ x).max())


def _solve(rows: Array, weight: Array) -> Array:
    count, n = rows.shape
    # variables x, t; maximise weight t with (t_j, 1, x_j) in the exponential cone: t_j <= log x_j
    cone = scipy.sparse.lil_matrix((3 * n, 2 * n))
    for joint in range(n):
        cone[3 * joint, n + joint] = cone[3 * joint + 2, joint] = -1.0
    block = scipy.sparse.vstack(
        [scipy.sparse.csc_matrix(np.hstack([rows, 0 * rows])), cone], format="csc"
    )
    bounds = np.concatenate([np.ones(count), np.tile([0.0, 1.0, 0.0], n)])
    cones = [clarabel.NonnegativeConeT(count), *n * [clarabel.ExponentialConeT()]]
    options = clarabel.DefaultSettings()
    options.verbose = False
    cost, nothing = np.concatenate([0 * weight, -weight]), scipy.sparse.csc_matrix((2 * n, 2 * n))
    solution = clarabel.DefaultSolver(nothing, cost, block, bounds, cones, options).solve()
    if str(solution.status) not in _SOLVED:
        raise EstimationError(
            "no accelerations were found that keep the torques within their limits; reduce the "
            "speed with --velocity-scale."
        )
    return np.array(solution.x)[:n]
