"""Proof that a motion is finite and within its limits, also between the samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import ExcitationError
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.limit_use import LimitUse, first_broken, limit_use
from dynid.excitation.motion import Excitation, Motion
from dynid.limits import MOTION_NUMBERS, MOTION_SECONDS
from dynid.robot.limits import Limits

_PER_CYCLE = 200
"""Grid points per period of the highest frequency: a sine's peak is missed by 0.012 % at most."""

_PER_RAMP = 200
"""Grid points on the shortest ramp, whose higher derivatives are large."""

_ROUNDING = 1e-9
_QUANTITIES = ("position", "velocity", "acceleration")
_PER_TIME = ("", "/s", "/s^2")  # of the unit of each
_DERIVATIVES = ("velocity", "acceleration", "jerk", "snap")


class Peaks(NamedTuple):
    """Sampled motion, and how far its extremes can exceed the samples.

    Attributes:
        time: (N,) [s].
        motion: arrays (N, n).
        slack: bound on position, velocity and acceleration beyond their samples, (3, n).
    """

    time: Array
    motion: Motion
    slack: Array


def check_finite(excitation: Excitation, joints: Sequence[str]) -> None:
    """Raise unless a motion and the bounds on its derivatives are finite numbers.

    A comparison with NaN is false, so that a limit would seem to be kept.

    Raises:
        ExcitationError: a joint's motion is not finite, or its times cannot be sampled.
    """
    with np.errstate(all="ignore"):
        _check_times(excitation)
        for order, name in enumerate(_DERIVATIVES, start=1):
            _check(excitation.derivative_bound(order), name, joints)
        _check_times(excitation, excitation.highest_frequency)
        ends = np.array(excitation.breakpoints)
        motion = excitation.evaluate(np.concatenate([ends, (ends[1:] + ends[:-1]) / 2]))
        for name, values in zip(_QUANTITIES, motion, strict=True):
            _check(np.abs(values).max(axis=0), name, joints)


def _check(sizes: Array, name: str, joints: Sequence[str]) -> None:
    """Raise unless sizes (n,) of a quantity are finite."""
    for j in np.flatnonzero(~np.isfinite(sizes)).tolist():
        raise ExcitationError(
            f"joint '{joints[j]}': the {name} of the motion is not a finite number, because its "
            "positions, frequencies or times are too large or too small; give values that are "
            "possible for a robot."
        )


def _check_times(excitation: Excitation, frequency: float = 0.0) -> None:
    """Raise unless breakpoints are increasing numbers that can be sampled at a frequency [Hz]."""
    ends = excitation.breakpoints
    shortest = min(stop - start for start, stop in pairwise(ends))
    if not (np.all(np.isfinite(ends)) and shortest > 0):
        raise ExcitationError(
            f"the motion lasts {ends[-1]:g} s, its shortest part {shortest:g} s; both must be "
            "finite numbers above 0."
        )
    check_duration(ends[-1])
    series = len(excitation.used_harmonics) if isinstance(excitation, FourierExcitation) else 0
    columns = max(excitation.joint_count, series)
    numbers = 200 * ends[-1] * max(frequency, 1 / shortest) * columns
    MOTION_NUMBERS.check(
        numbers,
        f"the motion lasts {ends[-1]:g} s, with frequencies up to {frequency:g} Hz and parts of "
        f"{shortest:g} s: its check would need {numbers:.2g} numbers",
        ExcitationError,
    )


def check_duration(seconds: float) -> None:
    """Raise an ExcitationError where a motion lasts longer [s] than can be sampled and played."""
    MOTION_SECONDS.check(seconds, f"the motion lasts {seconds:g} s", ExcitationError)


def sample_peaks(excitation: Excitation) -> Peaks:
    """Sample an excitation so densely that its extremes are bounded tightly.

    Between two points a step h apart, a function exceeds the larger of its values there by at most
    h^2 / 8 times the largest size of its second derivative.
    """
    pieces = list(pairwise(excitation.breakpoints))
    shortest = min(stop - start for start, stop in pieces)
    spacing = min(1 / (_PER_CYCLE * excitation.highest_frequency), shortest / _PER_RAMP)
    grids = [
        np.linspace(start, stop, int(np.ceil((stop - start) / spacing)) + 1)
        for start, stop in pieces
    ]
    time = np.concatenate(grids)
    bounds = np.array([excitation.derivative_bound(order) for order in (2, 3, 4)])
    return Peaks(time, excitation.evaluate(time), spacing**2 / 8 * bounds)


def check_limits(
    excitation: Excitation,
    limits: Limits,
    joints: Sequence[str],
    *,
    margin: float = 1.0,
    prismatic: Sequence[str] = (),
) -> None:
    """Raise unless position, velocity and acceleration are within limits at every instant.

    Args:
        excitation: the motion to check.
        limits: of the robot; absent limits are not checked.
        joints: names of the n joints.
        margin: fraction of the velocity and acceleration limits that may be used, and of the
            distance from the middle of the position limits.
        prismatic: names of the prismatic joints, for units in messages.

    Raises:
        ExcitationError: a sentence on the first violation: joint, time and amount.
    """
    uses = limit_uses(excitation, limits, joints, margin=margin, prismatic=prismatic)
    broken = first_broken(uses)
    if broken is not None:
        raise ExcitationError(broken.sentence())


def limit_uses(
    excitation: Excitation,
    limits: Limits,
    joints: Sequence[str],
    *,
    margin: float = 1.0,
    prismatic: Sequence[str] = (),
) -> list[LimitUse]:
    """Return how much of each joint's limits on position, velocity, acceleration a motion uses.

    The bound on what a quantity can exceed between samples is added to it. The arguments are those
    of :func:`check_limits`.
    """
    peaks = sample_peaks(excitation)
    uses = []
    bounds = limits.of_joints(len(joints)).within(margin)
    highest = (bounds.high, bounds.velocity, bounds.acceleration)
    lowest = (bounds.low, -bounds.velocity, -bounds.acceleration)
    for order, quantity in enumerate(_QUANTITIES):
        if getattr(limits, quantity) is None:
            continue
        values, slack = peaks.motion[order], peaks.slack[order]
        for j, name in enumerate(joints):
            low, high = float(lowest[order][j]), float(highest[order][j])
            upper = values[:, j] > (low + high) / 2
            beyond = np.where(upper, values[:, j] - high, low - values[:, j]) + slack[j]
            unit = ("m" if name in prismatic else "rad") + _PER_TIME[order]
            use = limit_use(
                (quantity, f"joint '{name}'", unit),
                peaks.time,
                values[:, j],
                np.where(upper, high, low),
                beyond,
                tolerance=_ROUNDING * (high - low),
            )
            uses.append(use._replace(used=1 + 2 * use.most.beyond / (high - low)))
    return uses


def check_rest(excitation: Excitation, joints: Sequence[str]) -> None:
    """Raise an ExcitationError unless the motion starts and ends at rest."""
    ends = excitation.evaluate([0.0, excitation.duration])
    for quantity, order in (("velocity", 1), ("acceleration", 2)):
        values = np.abs(ends[order])
        allowed = 1e-6 * np.maximum(excitation.derivative_bound(order), 1e-12)
        for end, j in zip(*np.nonzero(~(values <= allowed)), strict=True):
            raise ExcitationError(
                f"joint '{joints[j]}': {quantity} is {values[end, j]:.3g} at the "
                f"{('start', 'end')[end]} of the motion instead of 0; give it a ramp."
            )
