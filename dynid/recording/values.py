"""Impossible values, which are counted and treated as missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.errors import RecordingError

if TYPE_CHECKING:
    from dynid.recording.samples import Samples

LARGEST = 1e15
"""Largest possible position, velocity or effort in any unit: encoders count to 1e12 at most. The
squares of values must not overflow."""

_SIGNALS = ("position", "velocity", "effort")


def mark_impossible(samples: Samples) -> Samples:
    """Replace values beyond ``LARGEST`` by NaN; infinite ones are invalid anyway."""
    for name in _SIGNALS:
        values = getattr(samples, name)
        if values is None:
            continue
        beyond = np.isfinite(values) & (np.abs(values) > LARGEST)
        count = int(beyond.sum())
        if count:
            changed: dict[str, Any] = {name: np.where(beyond, np.nan, values)}
            samples = replace(samples, **changed).noting(
                f"{count} of {values.size} {name} values were beyond {LARGEST:g}, which is "
                "impossible, and count as missing."
            )
    return samples


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
