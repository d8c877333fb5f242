"""Impossible values, which are counted and treated as missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.errors import RecordingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dynid.recording.samples import Samples

LARGEST = 1e15
"""Largest possible position, velocity or effort in any unit: encoders count to 1e12 at most. The
squares of values must not overflow."""

_BLOCK = 2**16  # samples
_SIGNALS = ("position", "velocity", "effort")


def mark_impossible(samples: Samples) -> Samples:
    """Replace values beyond ``LARGEST`` by NaN; infinite ones are invalid anyway."""
    for name in _SIGNALS:
        values = getattr(samples, name)
        if values is None or not _any_beyond(values):
            continue
        beyond = np.isfinite(values) & (np.abs(values) > LARGEST)
        changed: dict[str, Any] = {name: np.where(beyond, np.nan, values)}
        samples = replace(samples, **changed).noting(
            f"{int(beyond.sum())} of {values.size} {name} values were beyond {LARGEST:g}, which is "
            "impossible, and count as missing."
        )
    return samples


def _any_beyond(values: NDArray[np.float64]) -> bool:
    """Return whether a finite value is beyond ``LARGEST``, without copies of a long recording."""
    parts = (values[first : first + _BLOCK] for first in range(0, len(values), _BLOCK))
    return any(bool((np.isfinite(part) & (np.abs(part) > LARGEST)).any()) for part in parts)


def require_finite(samples: Samples) -> None:
    """Refuse values that are not finite.

    Raises:
        RecordingError: a value is not finite.
    """
    for name in _SIGNALS:
        values = getattr(samples, name)
        if values is None or np.isfinite(values).all():
            continue
        joint = samples.joint_names[int(np.argmax(~np.isfinite(values).all(axis=0)))]
        raise RecordingError(
            f"{samples.label}: the {name} of joint '{joint}' overflows during resampling; check "
            "its values."
        )
