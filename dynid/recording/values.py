"""Impossible values, and samples between them, which are counted and treated as missing."""

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
_BESIDE = 10
"""Samples beside several with impossible values that are not trusted: where a reader has lost the
beginning of its messages, about every second sample still looks possible."""
_SIGNALS = ("position", "velocity", "effort")


def mark_impossible(samples: Samples) -> Samples:
    """Replace values beyond ``LARGEST`` by NaN; infinite ones are invalid anyway.

    Where samples near each other have such values in more than one signal, all of that stretch is
    replaced.
    """
    impossible = np.zeros(len(samples), dtype=np.intp)  # signals with such a value
    for name in _SIGNALS:
        values = getattr(samples, name)
        if values is None or not _any_beyond(values):
            continue
        beyond = np.isfinite(values) & (np.abs(values) > LARGEST)
        impossible += beyond.any(axis=1) << _SIGNALS.index(name)
        changed: dict[str, Any] = {name: np.where(beyond, np.nan, values)}
        samples = replace(samples, **changed).noting(
            f"{int(beyond.sum())} of {values.size} {name} values were beyond {LARGEST:g}, which is "
            "impossible, and count as missing."
        )
    return _without_stretches(samples, impossible)


def _without_stretches(samples: Samples, impossible: NDArray[np.intp]) -> Samples:
    """Replace all values beside impossible ones of several signals by NaN, where these are near.

    Args:
        samples: the N samples.
        impossible: (N,) a bit for each signal with an impossible value.
    """
    damaged = np.zeros(len(samples), dtype=bool)
    rows = np.flatnonzero(impossible)
    for group in np.split(rows, np.flatnonzero(np.diff(rows) > 2 * _BESIDE) + 1):
        if len(group) > 1 and int(np.bitwise_or.reduce(impossible[group])).bit_count() > 1:
            damaged[max(group[0] - _BESIDE, 0) : group[-1] + _BESIDE + 1] = True
    if not damaged.any():
        return samples
    changed: dict[str, Any] = {
        name: np.where(damaged[:, None], np.nan, values)
        for name in _SIGNALS
        if (values := getattr(samples, name)) is not None
    }
    return replace(samples, **changed).noting(
        f"All values of {int(damaged.sum())} samples in which or beside which impossible ones "
        "follow each other count as missing: their messages were damaged."
    )


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
