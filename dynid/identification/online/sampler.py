"""Uniform samples from messages that are late, repeated, out of order or missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array

_LONGEST_GAP = 5.5  # sampling periods between two messages; after a longer gap the series restarts


@dataclass
class MessageCounts:
    """Counts of messages.

    Attributes:
        taken: all messages.
        not_finite: messages with a value that is not finite.
        stale: messages not newer than the one before.
        gaps: messages too long after the one before.
    """

    taken: int = 0
    not_finite: int = 0
    stale: int = 0
    gaps: int = 0

    @property
    def too_rare(self) -> bool:
        """Whether most messages come after too long a gap."""
        return self.gaps > max(10, self.taken // 2)


class Sampler:
    """Linear interpolation between messages at a uniform rate.

    Messages that are not newer than the last one, or contain values that are not finite, are
    ignored. After a long gap a new series begins.

    Args:
        sampling_rate: of the series [Hz].
    """

    def __init__(self, sampling_rate: float) -> None:
        self._period = 1 / sampling_rate
        self.messages = MessageCounts()
        self._time = np.nan
        self._values: Array | None = None
        self._next = 0.0
        self._begun = 0.0

    def __call__(self, time: float, values: Array) -> tuple[Array, bool]:
        """Process a message; return the completed samples (N, c), and whether a series begins.

        Args:
            time: of the message [s].
            values: (c,).
        """
        self.messages.taken += 1
        none = np.zeros((0, len(values)))
        if not (np.isfinite(time) and np.isfinite(values).all()):
            self.messages.not_finite += 1
            return none, False
        before, since = self._values, time - self._time
        if before is not None and since <= 0 and since > -1.0:
            self.messages.stale += 1
            return none, False
        if before is None or not 0 < since <= _LONGEST_GAP * self._period:
            # also after a clock was set back, such as that of a bag played again
            self.messages.gaps += before is not None
            self._time, self._values = time, values
            self._begun, self._next = time, 1.0
            return values[None], True
        last = np.floor((time - self._begun) / self._period + 1e-3)
        instants = self._begun + self._period * np.arange(self._next, last + 1)
        share = ((instants - self._time) / since)[:, None]
        samples = before + np.minimum(share, 1.0) * (values - before)
        self._time, self._values, self._next = time, values, max(self._next, last + 1)
        return samples, False
