"""Check that a motion has finite values, before its limits are checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dynid.arrays import Array
from dynid.errors import ExcitationError
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.motion import Excitation
from dynid.limits import MOTION_NUMBERS, MOTION_SECONDS

_QUANTITIES = ("position", "velocity", "acceleration")
_DERIVATIVES = ("velocity", "acceleration", "jerk", "snap")


def check_finite(excitation: Excitation, joints: Sequence[str]) -> None:
    """Raise unless a motion and the bounds on its derivatives are finite numbers.

    A comparison with NaN is false, so that a limit would seem to be kept.

    Args:
        excitation: the motion.
        joints: names of its n joints.

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
