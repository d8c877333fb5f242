"""Samples of a file before any repair, with arbitrary stamps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.joint_names import missing_joint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dynid.recording.model import Source
    from dynid.recording.temperature import TemperatureSamples

NANOSECONDS = 1e9
"""Stamps are integer nanoseconds, as in ROS, so that differences are exact."""

# int64 nanoseconds end near 9.2e9 s, and a difference of two times must be in range too
_LARGEST_SECONDS = 4.5e9


class Flaw(NamedTuple):
    """An unreadable place in a source.

    Attributes:
        stamp: [ns] of its sample, or of the sample before if it has none.
        sentence: description of the problem.
    """

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

    @property
    def signals(self) -> tuple[NDArray[np.float64], ...]:
        """Position, effort, and velocity where there is one, each (N, n)."""
        measured = (self.position, self.effort)
        return measured if self.velocity is None else (*measured, self.velocity)

    @property
    def label(self) -> str:
        """Name of the source in messages."""
        return self.sources[0].name

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Samples:
        """Return the given rows in the given order."""
        return replace(
            self,
            stamps=self.stamps[rows],
            position=self.position[rows],
            velocity=None if self.velocity is None else self.velocity[rows],
            effort=self.effort[rows],
        )

    def noting(self, sentence: str) -> Samples:
        """Return the samples with one more repair noted."""
        return replace(self, repairs=(*self.repairs, sentence))


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


def require_joints(wanted: Sequence[str], available: Sequence[str], where: str) -> None:
    """Check that every wanted joint is available.

    Raises:
        RecordingError: a joint is missing.
    """
    if not set(wanted) <= set(available):
        raise RecordingError(missing_joint(where, wanted, available))
