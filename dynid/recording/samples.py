"""Samples of a file before any repair, with arbitrary stamps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynid.arrays import pieces
from dynid.errors import RecordingError
from dynid.recording.joint_names import missing_joint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dynid.recording.model import Source
    from dynid.recording.temperature import TemperatureSamples

NANOSECONDS = 1e9
"""Stamps are integer nanoseconds, as in ROS, so that differences are exact."""

LARGEST = 1e15
"""Largest possible position, velocity or effort in any unit: encoders count to 1e12 at most. The
squares of values must not overflow."""
_BESIDE = 10
"""Samples beside several with impossible values that are not trusted: where a reader has lost the
beginning of its messages, about every second sample still looks possible."""

LATEST_STAMP = 2**63 - 1
"""[ns] End of the range of stamps; a damaged one may be later."""
MEMORY_CHECK_INTERVAL = 10_000
"""Messages between checks of the memory."""

# int64 nanoseconds end near 9.2e9 s, and a difference of two times must be in range too
_LARGEST_SECONDS = 4.5e9


class Flaw(NamedTuple):
    """An unreadable place in a source: stamp of its sample, or else of that before [ns]."""

    stamp: int
    sentence: str


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples as read.

    Attributes:
        stamps: (N,) int64 [ns], in the order of the file.
        position: (N, n).
        velocity: (N, n) or None.
        effort: (N, n).
        joint_names: n names.
        sources: the files that were read.
        repairs: sentences on repairs by the reader.
        nominal_rate: [Hz], if the source has a rate instead of times.
        damage: those of the repairs about data lost in a damaged file.
        flaws: unreadable places; a recording that includes one is refused.
        temperature: of the joints, with stamps of their own; None if not recorded.
    """

    stamps: NDArray[np.int64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64] | None
    effort: NDArray[np.float64]
    joint_names: tuple[str, ...]
    sources: tuple[Source, ...]
    repairs: tuple[str, ...] = ()
    nominal_rate: float | None = None
    damage: tuple[str, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    temperature: TemperatureSamples | None = None

    def __len__(self) -> int:
        """Return the number of samples N."""
        return len(self.stamps)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Time since the first sample (N,) [s]."""
        return np.asarray((self.stamps - self.stamps[0]) / NANOSECONDS, dtype=np.float64)

    def measured(self) -> dict[str, NDArray[np.float64]]:
        """Return position, velocity where there is one, and effort (N, n) by name."""
        signals = {"position": self.position, "velocity": self.velocity, "effort": self.effort}
        return {name: values for name, values in signals.items() if values is not None}

    @property
    def label(self) -> str:
        """Name of the source in messages."""
        return self.sources[0].name

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Samples:
        """Return the given rows in the given order."""
        taken: dict[str, Any] = {name: values[rows] for name, values in self.measured().items()}
        return replace(self, stamps=self.stamps[rows], **taken)

    def noting(self, *sentences: str) -> Samples:
        """Return the samples with more repairs noted."""
        return replace(self, repairs=(*self.repairs, *sentences))


def nanoseconds(seconds: NDArray[np.float64], label: str) -> NDArray[np.int64]:
    """Convert times [s] to integer nanoseconds.

    Raises:
        RecordingError: a time is not finite, or too large to be in seconds.
    """
    bad = unusable_times(seconds)
    if bad.any():
        raise RecordingError(no_time(seconds, int(np.argmax(bad)), label))
    return np.rint(seconds * NANOSECONDS).astype(np.int64)


def unusable_times(seconds: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which times [s] are not finite, or too large to be in seconds."""
    with np.errstate(invalid="ignore"):
        return np.asarray(~(np.abs(seconds) <= _LARGEST_SECONDS))


def no_time(seconds: NDArray[np.float64], row: int, label: str) -> str:
    """Return a sentence on an unusable time."""
    return (
        f"{label}: the time of sample {row + 1} is {seconds[row]:g} s; expected a finite "
        "time in seconds (a factor can convert it)."
    )


def choose_joints(
    wanted: Sequence[str] | None, available: Sequence[str], where: str
) -> tuple[tuple[str, ...], list[int]]:
    """Return the wanted joints, all of them if None, and their places among the available ones.

    Raises:
        RecordingError: a joint is missing.
    """
    names = tuple(available if wanted is None else wanted)
    if not set(names) <= set(available):
        raise RecordingError(missing_joint(where, names, available))
    return names, [available.index(joint) for joint in names]


def mark_impossible(samples: Samples) -> Samples:
    """Replace values beyond ``LARGEST`` by NaN; infinite ones are invalid anyway.

    Where samples near each other have such values in more than one signal, all of that stretch is
    replaced.
    """
    impossible = np.zeros(len(samples), dtype=np.intp)  # a bit for each signal with such a value
    for number, (name, values) in enumerate(samples.measured().items()):
        if not _any_beyond(values):
            continue
        beyond = np.isfinite(values) & (np.abs(values) > LARGEST)
        impossible += beyond.any(axis=1) << number
        changed: dict[str, Any] = {name: np.where(beyond, np.nan, values)}
        samples = replace(samples, **changed).noting(
            f"{int(beyond.sum())} of {values.size} {name} values were beyond {LARGEST:g}, which is "
            "impossible, and count as missing."
        )
    return _without_stretches(samples, impossible)


def _without_stretches(samples: Samples, impossible: NDArray[np.intp]) -> Samples:
    """Replace all values beside impossible ones of several signals by NaN, where these are near.

    ``impossible`` (N,) has a bit for each signal with an impossible value.
    """
    damaged = np.zeros(len(samples), dtype=bool)
    rows = np.flatnonzero(impossible)
    for group in np.split(rows, np.flatnonzero(np.diff(rows) > 2 * _BESIDE) + 1):
        signals = int(np.bitwise_or.reduce(impossible[group], initial=0))
        if len(group) > 1 and signals.bit_count() > 1:
            damaged[max(group[0] - _BESIDE, 0) : group[-1] + _BESIDE + 1] = True
    if not damaged.any():
        return samples
    changed: dict[str, Any] = {
        name: np.where(damaged[:, None], np.nan, values)
        for name, values in samples.measured().items()
    }
    return replace(samples, **changed).noting(
        f"All values of {int(damaged.sum())} samples in which or beside which impossible ones "
        "follow each other count as missing: their messages were damaged."
    )


def _any_beyond(values: NDArray[np.float64]) -> bool:
    """Return whether a finite value is beyond ``LARGEST``, without copies of a long recording."""
    parts = (values[piece] for piece in pieces(*values.shape))
    return any(bool((np.isfinite(part) & (np.abs(part) > LARGEST)).any()) for part in parts)


def require_finite(samples: Samples) -> None:
    """Refuse values that are not finite, with a RecordingError."""
    for name, values in samples.measured().items():
        if np.isfinite(values).all():
            continue
        joint = samples.joint_names[int(np.argmax(~np.isfinite(values).all(axis=0)))]
        raise RecordingError(
            f"{samples.label}: the {name} of joint '{joint}' overflows during resampling; check "
            "its values."
        )
