"""Temperatures of the joints, which change slowly and need no uniform time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SPACING = 0.1
"""[s] Of the temperatures within this time the first is kept."""


@dataclass(frozen=True, eq=False)
class Temperature:
    """Temperatures along a recording.

    Attributes:
        time: (M,) [s], increasing, on the time axis of the recording.
        celsius: (M, n) of each joint or its motor [°C]; NaN where not measured.
    """

    time: NDArray[np.float64]
    celsius: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Copy the arrays as read-only."""
        for name in ("time", "celsius"):
            array = np.array(getattr(self, name), np.float64, order="C")
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.celsius.ndim != 2 or self.celsius.shape[0] != len(self.time):
            raise ValueError(
                f"celsius has shape {self.celsius.shape}, expected ({len(self.time)}, n)"
            )

    @property
    def mean(self) -> float | None:
        """Mean over the joints of their means [°C]; None if nothing was measured."""
        known = np.isfinite(self.celsius)
        measured = known.any(axis=0)
        if not measured.any():
            return None
        sums = np.where(known, self.celsius, 0.0).sum(axis=0)[measured]
        return float(np.mean(sums / known.sum(axis=0)[measured]))

    def cut(self, start: float, stop: float) -> Temperature | None:
        """Return those from ``start`` to ``stop`` [s], with time counted from ``start``."""
        inside = (self.time >= start) & (self.time <= stop)
        if not inside.any():
            return None
        return Temperature(self.time[inside] - start, self.celsius[inside])

    def at(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Interpolate linearly to times (N,) [s].

        Returns:
            (N, n) [°C]; the first and last value beyond the ends, NaN for a joint without any.
        """
        temperatures = np.full((len(time), self.celsius.shape[1]), np.nan)
        for joint, values in enumerate(self.celsius.T):
            known = np.isfinite(values)
            if known.any():
                temperatures[:, joint] = np.interp(time, self.time[known], values[known])
        return temperatures


@dataclass(frozen=True, eq=False)
class TemperatureSamples:
    """Temperatures as read.

    Attributes:
        stamps: (M,) int64 [ns], of the clock of the samples, in the order of the source.
        celsius: (M, n) [°C]; NaN where a value is missing.
        where: the source in messages.
        required: whether the user has named the source, so that unusable values are refused;
            otherwise they are left out with a note.
    """

    stamps: NDArray[np.int64]
    celsius: NDArray[np.float64]
    where: str
    required: bool = True
