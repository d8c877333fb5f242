"""State-variable filters: a signal and its derivatives through one low-pass, without a lead."""

from __future__ import annotations

from math import comb

import numpy as np
from scipy import signal

from dynid.arrays import Array


class StateVariableFilter:
    """Low-pass G0 = 1 / (1 + τ s)^m of signals, and with it s G0, s^2 G0 … of the same phase.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (18), (20), (21): m = 3 where only positions are
    measured (G0, G1, G2), m = 2 with velocities (G0, G1). The bilinear rule s = 2/T (z - 1)/(z + 1)
    makes them discrete.

    They are m equal stages L = 1 / (1 + τ s), one behind the other: as s L = (1 - L) / τ,
    derivative k is (1 - L)^k L^(m-k) / τ^k, differences of what the stages give. That stays exact
    where a direct form's m-fold pole near 1 does not.

    Signals are filtered a sample, a block, or a whole recording at a time; the state goes on. It
    begins as if the first sample had been there forever, with derivatives 0.

    Args:
        time_constant: τ [s].
        order: m, the number of stages; m - 1 derivatives are given besides the signal.
        sampling_rate: 1 / T [Hz].

    Raises:
        ValueError: one is not positive.
    """

    def __init__(self, time_constant: float, order: int, sampling_rate: float) -> None:
        if not (time_constant > 0 and order > 0 and sampling_rate > 0):
            message = f"impossible filter: {time_constant = }, {order = }, {sampling_rate = }"
            raise ValueError(message)
        self._lag, self._order = time_constant, order
        steps = 2 * time_constant * sampling_rate
        self._numerator = np.array([1.0, 1.0]) / (1 + steps)
        self._denominator = np.array([1.0, (1 - steps) / (1 + steps)])
        self._state: Array | None = None  # (m, 1, …)

    @property
    def delay(self) -> float:
        """By how much slow signals are late [s]."""
        return self._order * self._lag

    def reset(self) -> None:
        """Begin afresh with the next sample."""
        self._state = None

    def __call__(self, values: Array) -> Array:
        """Return the filtered signals and their derivatives, (m, N, …), of the next N samples.

        Args:
            values: (N, …), time along axis 0.
        """
        if len(values) == 0:
            return np.zeros((self._order, *values.shape))
        if self._state is None:
            # of a section b0 (1 + 1/z) / (1 + a1/z) at rest at u: u - b0 u
            rest = (1 - self._numerator[0]) * values[:1]
            self._state = np.repeat(rest[None], self._order, axis=0)
        stages = [values]
        for stage in range(self._order):
            filtered, self._state[stage] = signal.lfilter(
                self._numerator, self._denominator, stages[-1], axis=0, zi=self._state[stage]
            )
            stages.append(filtered)
        return np.stack([self._derivative(stages, k) for k in range(self._order)])

    def _derivative(self, stages: list[Array], k: int) -> Array:
        """(1 - L)^k L^(m-k) / τ^k, from what the stages give."""
        first = self._order - k
        terms = [(-1) ** i * comb(k, i) * stages[first + i] for i in range(k + 1)]
        return np.asarray(sum(terms)) / self._lag**k
