"""Motion for the benchmarks: every joint follows a random sum of five sines."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array


class Swing:
    """Sines below ``highest_hz``, each with a peak velocity between 0.2 and 0.6 rad/s."""

    def __init__(self, joints: int, highest_hz: float) -> None:
        random = np.random.default_rng(0)
        self._omega = 2 * np.pi * random.uniform(0.1 * highest_hz, highest_hz, (1, joints, 5))
        self._amplitude = random.uniform(0.2, 0.6, (1, joints, 5)) / self._omega

    def at(self, time: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration, each (N, n), at ``time`` (N,) [s]."""
        phase = self._omega * time[:, None, None]
        q = (self._amplitude * np.sin(phase)).sum(axis=2)
        dq = (self._amplitude * self._omega * np.cos(phase)).sum(axis=2)
        ddq = -(self._amplitude * self._omega**2 * np.sin(phase)).sum(axis=2)
        return q, dq, ddq
