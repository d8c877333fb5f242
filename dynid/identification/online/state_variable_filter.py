"""State-variable filters: a signal and its derivatives with the same low-pass and phase."""

from __future__ import annotations

from math import comb

import numpy as np
import scipy

from dynid.arrays import Array


class StateVariableFilter:
    """Low-pass G0 = 1 / (1 + τ s)^m of signals, and s G0, s^2 G0 … with the same delay.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (18), (20), (21): m = 3 if only positions are
    measured (G0, G1, G2), m = 2 with velocities (G0, G1). They are discretised by the bilinear
    transform s = 2/T (z - 1)/(z + 1).

    The filter consists of m equal stages L = 1 / (1 + τ s) in series. As s L = (1 - L) / τ,
    derivative k is (1 - L)^k L^(m-k) / τ^k, a sum of differences of stage outputs. This is accurate
    also for poles close to 1, unlike a direct form with an m-fold pole.

    Signals are filtered by sample, by block or as a whole; the state is kept. Initially it is the
    steady state of the first sample, with derivatives 0.

    Args:
        time_constant: τ [s].
        order: m, the number of stages; m - 1 derivatives are returned with the signal.
        sampling_rate: 1 / T [Hz].

    Raises:
        ValueError: an argument is not positive.
    """

    def __init__(self, time_constant: float, order: int, sampling_rate: float) -> None:
        if not (time_constant > 0 and order > 0 and sampling_rate > 0):
            message = f"must be positive: {time_constant = }, {order = }, {sampling_rate = }"
            raise ValueError(message)
        self._lag, self._order = time_constant, order
        steps = 2 * time_constant * sampling_rate
        self._numerator = np.array([1.0, 1.0]) / (1 + steps)
        self._denominator = np.array([1.0, (1 - steps) / (1 + steps)])
        self._state: Array | None = None  # (m, 1, …)

    @property
    def delay(self) -> float:
        """Delay of slow signals [s]."""
        return self._order * self._lag

    def reset(self) -> None:
        """Restart with the next sample."""
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
            filtered, self._state[stage] = scipy.signal.lfilter(
                self._numerator, self._denominator, stages[-1], axis=0, zi=self._state[stage]
            )
            stages.append(filtered)
        return np.stack([self._derivative(stages, k) for k in range(self._order)])

    def _derivative(self, stages: list[Array], k: int) -> Array:
        """Return (1 - L)^k L^(m-k) / τ^k from the outputs of the stages."""
        first = self._order - k
        terms = [(-1) ** i * comb(k, i) * stages[first + i] for i in range(k + 1)]
        return np.asarray(sum(terms)) / self._lag**k
