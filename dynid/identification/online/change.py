"""Detection of payloads picked up or dropped, from the torque residual."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RADIUS, REACH

_FORGETTING = 60.0  # [s] time constant of the information on the present load
_FITS = 4.0  # largest residual variance, over that of the model's errors, with a payload
_SIGNIFICANT = 3.0  # standard deviations of a mass from 0


@dataclass(frozen=True, eq=False)
class PayloadChange:
    """A payload that was picked up or dropped, or another change.

    Attributes:
        time: of the change [s].
        evidence: twice the logarithm of the likelihood ratio for a change.
        variance_left: of torque errors after the change, over that before it.
        parameters, covariance: (10,) and (10, 10) of the added body; negative if dropped.
    """

    time: float
    evidence: float
    variance_left: float
    parameters: Array
    covariance: Array

    @property
    def mass(self) -> float:
        """Change of the load [kg]; negative if dropped."""
        return float(self.parameters[0])

    @property
    def mass_standard_deviation(self) -> float:
        """Standard deviation of the mass [kg]."""
        return float(np.sqrt(self.covariance[0, 0]))

    @property
    def kind(self) -> Literal["picked up", "dropped", "other"]:
        """Kind of change; "other" if no payload explains it, or its mass is not significant."""
        if (
            self.variance_left > _FITS
            or abs(self.mass) < _SIGNIFICANT * self.mass_standard_deviation
        ):
            return "other"
        return "picked up" if self.mass > 0 else "dropped"

    def to_dict(self) -> dict[str, Any]:
        """Return the change for JSON, in SI units; ``parameters`` are those of the added body."""
        return {
            "time": self.time,
            "kind": self.kind,
            "mass": self.mass,
            "mass_standard_deviation": self.mass_standard_deviation,
            "evidence": self.evidence,
            "parameters": self.parameters,
            "standard_deviations": np.sqrt(np.diag(self.covariance)),
            "sentence": str(self),
        }

    def __str__(self) -> str:
        """Return the change as a sentence."""
        if self.kind == "other":
            return (
                f"Torque changed at {self.time:.1f} s, but not because of a payload, or its mass "
                f"is not significant ({self.mass:.3g} kg, standard deviation "
                f"{self.mass_standard_deviation:.2g} kg); check friction, tool and contacts."
            )
        return (
            f"A payload of {abs(self.mass):.3g} kg (standard deviation "
            f"{self.mass_standard_deviation:.2g} kg) was {self.kind} at {self.time:.1f} s."
        )


def change_deviations(largest: float) -> Array:
    """Return standard deviations (10,) of a payload's parameters, from the scale of its mass."""
    return largest * np.array([1.0, *3 * [REACH], *6 * [REACH**2 + RADIUS**2]])


class _Block(NamedTuple):
    """Information in some rows on the ten parameters of the payload."""

    time: float  # at its begin
    matrix: Array  # (10, 10)
    vector: Array  # (10,)
    square: float  # of the errors, in their variances
    rows: float


class PayloadDetector:
    """Test of the hypothesis "the load changed at s" for every s in a sliding window.

    The torque residual is e = W_b π + noise, with the ten columns W_b of the body that carries
    payloads. The prior of π is normal; a change adds a sample of the distribution of payloads. Both
    hypotheses have a marginal likelihood in closed form. Twice the logarithm of their ratio at the
    most likely s is the evidence: a generalised likelihood ratio with the ten parameters integrated
    out, which penalises their flexibility. A change is detected if the evidence exceeds
    ``threshold``; it is reported ``settle`` seconds later, when its mass is accurate.

    Args:
        variance: (n,) of the model's torque errors, times their correlation time [rows].
        largest: typical upper bound of a payload's mass [kg].
        threshold: of the evidence.
        window: longest time since a change [s].
        settle: time from a change to its report [s].
    """

    def __init__(
        self,
        variance: Array,
        *,
        largest: float = 10.0,
        threshold: float = 100.0,
        window: float = 6.0,
        settle: float = 2.0,
    ) -> None:
        self._variance = np.asarray(variance, dtype=np.float64)
        spread = change_deviations(largest)
        self._change = np.diag(spread**2)
        self._threshold, self._window, self._settle = threshold, window, settle
        self._blocks: deque[_Block] = deque()
        # prior of the load: the model's, with a standard deviation of 1 %
        self._matrix = np.diag((0.01 * spread) ** -2.0)
        self._vector = np.zeros(10)
        self.evidence = 0.0
        """Evidence for a change after the last rows."""

    def update(
        self, time: float, duration: float, error: Array, columns: Array, counted: Array
    ) -> PayloadChange | None:
        """Process the residual of the next rows; return a change if one is detected.

        Args:
            time: of the first row [s].
            duration: of the rows [s].
            error: (m, n) measured minus model torque [N m or N].
            columns: (n, m, 10) of the body that carries payloads.
            counted: (m, n) 1.0 where a row counts, else 0.0.
        """
        weight = counted.T / self._variance[:, None]
        block = _Block(
            time,
            np.einsum("jm,jmi,jmk->ik", weight, columns, columns),
            np.einsum("jm,jmi,mj->i", weight, columns, error),
            float(np.sum(weight * error.T**2)),
            float(counted.sum()),
        )
        self._blocks.append(block)
        while time - self._blocks[0].time > self._window:
            self._update_prior(self._blocks.popleft(), duration)
        return self._change_since(time + duration)

    def _update_prior(self, block: _Block, duration: float) -> None:
        kept = np.exp(-duration / _FORGETTING)
        self._matrix = kept * self._matrix + block.matrix
        self._vector = kept * self._vector + block.vector

    def _change_since(self, now: float) -> PayloadChange | None:
        """Return the most likely change in the window if it is significant and settled."""
        blocks = self._blocks
        matrices = np.stack([block.matrix for block in blocks])
        vectors = np.stack([block.vector for block in blocks])
        until, since = np.cumsum(matrices, axis=0), np.cumsum(matrices[::-1], axis=0)[::-1]
        before = self._matrix + until - matrices  # information at the beginning of each block
        vector = self._vector + np.cumsum(vectors, axis=0) - vectors
        later = np.cumsum(vectors[::-1], axis=0)[::-1]
        mean = np.linalg.solve(before, vector[..., None])[..., 0]
        fresh = np.linalg.inv(self._change + np.linalg.inv(before))
        fresh_vector = (fresh @ mean[..., None])[..., 0]
        gain = _likelihood(fresh, fresh_vector, since, later)
        gain -= _likelihood(before, vector, since, later)
        best = int(np.argmax(gain))
        self.evidence = float(gain[best])
        if self.evidence < self._threshold or now - blocks[best].time < self._settle:
            return None
        # the change is anywhere in the block, and filters spread it into the next
        clear = min(best + 2, len(blocks) - 1)
        known = fresh[best] + since[clear]
        parameters = np.linalg.solve(known, fresh_vector[best] + later[clear])
        left = _variance_left(list(blocks)[clear:], parameters)
        spread = np.linalg.inv(known) + np.linalg.inv(before[best])
        self._matrix, self._vector = known, known @ parameters
        began = blocks[best].time
        self._blocks.clear()
        difference = parameters - mean[best]
        return PayloadChange(began, self.evidence, left, difference, max(1.0, left) * spread)


def _likelihood(matrix: Array, vector: Array, added: Array, added_vector: Array) -> Array:
    """Return twice the log marginal likelihood of added information, up to a constant; (s,)."""
    after, sums = matrix + added, vector + added_vector
    explained = np.einsum("si,si->s", sums, np.linalg.solve(after, sums[..., None])[..., 0])
    known = np.einsum("si,si->s", vector, np.linalg.solve(matrix, vector[..., None])[..., 0])
    penalty = np.linalg.slogdet(after)[1] - np.linalg.slogdet(matrix)[1]
    return np.asarray(explained - known - penalty)


def _variance_left(blocks: list[_Block], body: Array) -> float:
    """Return the mean squared residual with a body (10,), over the variance of the errors."""
    left = sum(b.square - 2 * body @ b.vector + body @ b.matrix @ body for b in blocks)
    return float(left / max(sum(b.rows for b in blocks), 1.0))
