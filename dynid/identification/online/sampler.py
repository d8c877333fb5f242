"""Samples at equal distances from messages that come late, twice, in disorder, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array

_LONGEST = 5.5  # sampling periods that may lie between two messages; beyond, all begins afresh


@dataclass
class Messages:
    """Messages counted, and what was wrong with some.

    Attributes:
        taken: all of them.
        not_finite: held something that is no number.
        stale: were no newer than the one before.
        gaps: came too long after the one before.
    """

    taken: int = 0
    not_finite: int = 0
    stale: int = 0
    gaps: int = 0

    @property
    def too_rare(self) -> bool:
        """Whether most messages come so late after the one before that nothing can be made."""
        return self.gaps > max(10, self.taken // 2)


class Sampler:
    """Reads what was measured off at equal distances, on straight lines between the messages.

    A message no newer than the last is stale, or out of order: what it tells of is over, and it is
    left out. So is one that holds no number. After a longer gap nothing is known of what lies in
    between, and a new series begins.

    Args:
        sampling_rate: of the series [Hz].
    """

    def __init__(self, sampling_rate: float) -> None:
        self._period = 1 / sampling_rate
        self.messages = Messages()
        self._time = np.nan
        self._values: Array | None = None
        self._next = 0.0
        self._begun = 0.0

    def __call__(self, time: float, values: Array) -> tuple[Array, bool]:
        """Take in a message, and return the samples (N, c) it completes, and whether they begin.

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
        if before is None or not 0 < since <= _LONGEST * self._period:
            # as also when a clock was set back, such as that of a bag played again
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
