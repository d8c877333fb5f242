"""Payloads picked up or dropped, told from torque that the model leaves."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.body import RADIUS, REACH

_BELIEF = 60.0  # [s] over which what is carried unchanged is known; older data are forgotten
_FITS = 4.0  # variance left over that of the model's errors, up to which a payload explains all
_TOLD = 3.0  # standard deviations that a mass must differ from 0 by to be told


@dataclass(frozen=True, eq=False)
class PayloadChange:
    """A payload was picked up or dropped, or something else changed.

    Attributes:
        time: since when [s].
        evidence: twice the logarithm of the odds for a change.
        variance_left: of torque errors after it, in units of those before it.
        parameters, covariance: (10,) and (10, 10) of the body that came; negative where one went.
    """

    time: float
    evidence: float
    variance_left: float
    parameters: Array
    covariance: Array

    @property
    def mass(self) -> float:
        """By how much the load grew [kg]; negative: shrank."""
        return float(self.parameters[0])

    @property
    def deviation(self) -> float:
        """Standard deviation of the mass [kg]."""
        return float(np.sqrt(self.covariance[0, 0]))

    @property
    def kind(self) -> Literal["picked up", "dropped", "other"]:
        """What happened; "other" where no payload explains it, or its mass is not told."""
        if self.variance_left > _FITS or abs(self.mass) < _TOLD * self.deviation:
            return "other"
        return "picked up" if self.mass > 0 else "dropped"

    def __str__(self) -> str:
        """Say it in a sentence."""
        if self.kind == "other":
            return (
                f"Torque has changed since {self.time:.1f} s in a way that no payload explains, or "
                f"that does not tell its mass ({self.mass:.3g} kg, standard deviation "
                f"{self.deviation:.2g} kg): look at friction, tool and contact."
            )
        return (
            f"A payload of {abs(self.mass):.3g} kg (standard deviation {self.deviation:.2g} kg) "
            f"was {self.kind} at {self.time:.1f} s."
        )


class _Block(NamedTuple):
    """Information of some rows on the body's ten parameters."""

    time: float  # at its begin
    matrix: Array  # (10, 10)
    vector: Array  # (10,)
    square: float  # of the errors, in their variances
    rows: float


class PayloadDetector:
    """Compares "the load is as before" with "it changed at s", for every s in a sliding window.

    What the model leaves of torque is e = W_b π + noise, with the ten columns W_b of the body that
    bears payloads. π as believed so far is normal; a change adds a draw from what payloads can be.
    Both hypotheses have a marginal likelihood in closed form; twice the logarithm of their ratio,
    at the most likely s, is the evidence (a generalised likelihood ratio with the ten parameters
    integrated out, so that they cost what they are free to fit). Beyond ``threshold`` there was a
    change; it is told when ``settle`` has passed since, so that its mass is known well.

    Args:
        variance: (n,) of the model's torque errors, times the rows that share one error.
        largest: what is large for a payload's mass [kg].
        threshold: of the evidence.
        window: longest time since a change that it is looked for in [s].
        settle: [s] from a change until it is told.
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
        spread = largest * np.array([1.0, *3 * [REACH], *6 * [REACH**2 + RADIUS**2]])
        self._change = np.diag(spread**2)
        self._threshold, self._window, self._settle = threshold, window, settle
        self._blocks: deque[_Block] = deque()
        # what is believed of the load: at first, that the model has it right to a hundredth
        self._matrix = np.diag((0.01 * spread) ** -2.0)
        self._vector = np.zeros(10)
        self.evidence = 0.0
        """For a change, as of the last rows."""

    def update(
        self, time: float, duration: float, error: Array, columns: Array, counted: Array
    ) -> PayloadChange | None:
        """Take in what the model leaves in the next rows, and return a change if one is certain.

        Args:
            time: when they begin [s].
            duration: [s].
            error: (m, n) measured less model torque.
            columns: (n, m, 10) of the body that bears payloads.
            counted: (m, n) 1.0 where a row counts.
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
            self._believe(self._blocks.popleft(), duration)
        return self._change_since(time + duration)

    def _believe(self, block: _Block, duration: float) -> None:
        kept = np.exp(-duration / _BELIEF)
        self._matrix = kept * self._matrix + block.matrix
        self._vector = kept * self._vector + block.vector

    def _change_since(self, now: float) -> PayloadChange | None:
        """The most likely change in the window, where it is certain and settled."""
        blocks = self._blocks
        matrices = np.stack([block.matrix for block in blocks])
        vectors = np.stack([block.vector for block in blocks])
        until, since = np.cumsum(matrices, axis=0), np.cumsum(matrices[::-1], axis=0)[::-1]
        before = self._matrix + until - matrices  # belief at the begin of each block
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
        # the change lies somewhere in the block, and filters smear it into the next
        clear = min(best + 2, len(blocks) - 1)
        known = fresh[best] + since[clear]
        found = np.linalg.solve(known, fresh_vector[best] + later[clear])
        left = _variance_left(list(blocks)[clear:], found)
        spread = np.linalg.inv(known) + np.linalg.inv(before[best])
        self._matrix, self._vector = known, known @ found
        began = blocks[best].time
        self._blocks.clear()
        difference = found - mean[best]
        return PayloadChange(began, self.evidence, left, difference, max(1.0, left) * spread)


def _likelihood(matrix: Array, vector: Array, added: Array, added_vector: Array) -> Array:
    """Twice the log marginal likelihood of information beyond a belief, less a constant; (s,)."""
    after, sums = matrix + added, vector + added_vector
    explained = np.einsum("si,si->s", sums, np.linalg.solve(after, sums[..., None])[..., 0])
    known = np.einsum("si,si->s", vector, np.linalg.solve(matrix, vector[..., None])[..., 0])
    occam = np.linalg.slogdet(after)[1] - np.linalg.slogdet(matrix)[1]
    return np.asarray(explained - known - occam)


def _variance_left(blocks: list[_Block], body: Array) -> float:
    """Mean square of what a body (10,) leaves of the errors, in their variances."""
    left = sum(b.square - 2 * body @ b.vector + body @ b.matrix @ body for b in blocks)
    return float(left / max(sum(b.rows for b in blocks), 1.0))
