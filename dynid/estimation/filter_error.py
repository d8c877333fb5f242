"""Uncertainty of parameters from what the low-pass of positions removed from the motion.

A joint that reverses against dry friction sticks for a moment, and its acceleration jumps. A
low-pass smooths both, and friction and inertia are fitted to another motion than the real one. The
error repeats at each reversal, so that residuals of the fit do not show all of it.

Filtering the filtered motion once more shows what the filter does to it. Its gain at a frequency f
is H = 1 / (1 + (f / f_c)^p). At a jump of the acceleration the spectrum of the velocity falls with
f², and the first pass changes the velocity by the integral of (1 - H) / f², the second by that of
(1 - H) H / f². Their ratio is

    B(1 - 1/p, 1/p) / B(1 - 1/p, 1 + 1/p) = p,

with the beta function B: the error of the first pass is p times that of the second.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.estimation.fitted_samples import near_rest, settling_samples
from dynid.estimation.regression import Problem, Rows, unfiltered_torque
from dynid.signals.motion_filter import MotionFilter

_PERIODS_TO_SETTLE = 2.0  # periods of the cut-off frequency at an end, where filters extrapolate


def filter_error(problem: Problem, rows: Rows, base: Array, model: Array) -> Array:
    """Return the torque (m, n) of the model that the filter of positions removed, at each row.

    It is 0 if velocities were measured, or positions are not filtered.

    Args:
        problem: that was solved.
        rows: of one of its recordings.
        base: (k,) base parameters.
        model: (m, n) their torque W b at the rows [N m or N].
    """
    signals, parallel = rows.signals, rows.parallel_filter
    filters = signals.motion_filter
    if filters is None or not np.isfinite(filters.bandwidth_hz).all():
        return np.zeros_like(rows.torque)
    once = (signals.position, signals.velocity, signals.acceleration)
    times = _times_larger(rows, filters)
    position, velocity, acceleration = (
        own + times * (own - again)
        for own, again in zip(once, filters.motion(signals.position), strict=True)
    )
    other = replace(signals, position=position, velocity=velocity, acceleration=acceleration)
    standard = problem.base.lift(base, np.zeros(len(problem.mechanism.parameter_names)))
    torque = unfiltered_torque(problem.mechanism, other, standard)
    if parallel.passes_through:
        return torque - model
    # a difference, so not from the rows, whose filter is cut off at the ends of blocks
    lost = torque - unfiltered_torque(problem.mechanism, signals, standard)
    return parallel.decimate(parallel.smooth(lost))


def _times_larger(rows: Rows, filters: MotionFilter) -> Array:
    """Return the error of the first pass over that of the second (N, n)."""
    signals = rows.signals
    times = np.ones_like(signals.position)
    exponent = np.broadcast_to(filters.exponent, times.shape[1])
    distance = settling_samples(signals, rows.parallel_filter)
    for joint in np.flatnonzero(rows.fitted.all(axis=0)).tolist():
        times[near_rest(signals, joint, distance[joint]), joint] = exponent[joint]
    extrapolated = int(_PERIODS_TO_SETTLE * signals.sampling_rate / filters.bandwidth_hz.min())
    if not filters.periodic:
        times[:extrapolated] = 0.0
        times[-extrapolated:] = 0.0
    return times
