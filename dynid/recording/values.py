"""Values that no sensor measures: told, counted, and never passed on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.errors import RecordingError

if TYPE_CHECKING:
    from dynid.recording.samples import Samples

LARGEST = 1e15
"""Beyond this a position, velocity or effort is no measurement, in whatever unit: encoders count
to 1e12 at most. And the squares of what is passed on must not overflow."""

_SIGNALS = ("position", "velocity", "effort")


def mark_impossible(samples: Samples) -> Samples:
    """The samples, with NaN for values beyond ``LARGEST``; infinite ones are invalid anyway."""
    for name in _SIGNALS:
        values = getattr(samples, name)
        if values is None:
            continue
        beyond = np.isfinite(values) & (np.abs(values) > LARGEST)
        count = int(beyond.sum())
        if count:
            changed: dict[str, Any] = {name: np.where(beyond, np.nan, values)}
            samples = replace(samples, **changed).noting(
                f"{count} of {values.size} {name} values were beyond {LARGEST:g}, which nothing "
                "measures, and count as missing."
            )
    return samples


def require_finite(samples: Samples) -> None:
    """Refuse what is not finite, whatever it comes from.

    Raises:
        RecordingError: naming the signal and the joint.
    """
    for name in _SIGNALS:
        values = getattr(samples, name)
        if values is None or np.isfinite(values).all():
            continue
        joint = samples.joint_names[int(np.argmax(~np.isfinite(values).all(axis=0)))]
        raise RecordingError(
            f"{samples.label}: the {name} of joint '{joint}' overflows while it is resampled; its "
            "values must be of a measurement."
        )
