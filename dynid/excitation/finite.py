"""Whether a motion can be computed at all, before anything is proven of it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import ExcitationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.arrays import Array
    from dynid.excitation.motion import Excitation

_QUANTITIES = ("position", "velocity", "acceleration")
_DERIVATIVES = ("velocity", "acceleration", "jerk", "snap")
_MOST_SAMPLES = 2e7  # instants at which a motion can be checked in the memory of a computer


def check_finite(excitation: Excitation, joints: Sequence[str]) -> None:
    """Raise unless a motion and the bounds on its derivatives are finite numbers.

    A comparison with NaN is false, so that a limit would seem kept.

    Args:
        excitation: The motion.
        joints: Names of its n joints.

    Raises:
        ExcitationError: a sentence on the first joint, or on times that cannot be sampled.
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
        message = (
            f"joint '{joints[j]}': the {name} of the motion is not a finite number, as positions, "
            "frequencies or times that describe it are too large or too small to compute with; "
            "give numbers that a robot can have."
        )
        raise ExcitationError(message)


def _check_times(excitation: Excitation, frequency: float = 0.0) -> None:
    """Raise unless breakpoints are increasing numbers that can be sampled at a frequency [Hz]."""
    ends = excitation.breakpoints
    shortest = min(stop - start for start, stop in pairwise(ends))
    if not (np.all(np.isfinite(ends)) and shortest > 0):
        message = (
            f"the motion lasts {ends[-1]:g} s, its shortest part {shortest:g} s; both must be "
            "finite numbers above 0."
        )
        raise ExcitationError(message)
    samples = 200 * ends[-1] * max(frequency, 1 / shortest)
    if not samples <= _MOST_SAMPLES:
        message = (
            f"the motion lasts {ends[-1]:g} s, with frequencies up to {frequency:g} Hz and parts "
            f"of {shortest:g} s: its check would need {samples:.2g} samples, at most "
            f"{_MOST_SAMPLES:g} are possible; make it shorter or slower."
        )
        raise ExcitationError(message)
