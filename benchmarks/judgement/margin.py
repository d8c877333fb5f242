"""Whether a fault matters, and whether recordings contradict every model: by plain least squares.

No code of dynid's estimation is in it, so that a case is kept or dropped by another judge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array

from .cases import JudgedCase
from .kinds import KINDS
from .plant import MeasuredMotion
from .tree import PinocchioTree

_CUTOFF = 6.0  # [Hz]
_RATE = 25.0  # [Hz] of the samples that are fitted
_COARSE_RATE = 8.0  # [Hz] of the same where many faults are tried
_BORDER = 0.6  # [s] left out at either end
_WORSE, _TIMES_WORSE = 0.03, 1.5  # by which a model is clearly worse: of torque, a factor
_MORE_RESIDUAL, _LEAST_RESIDUAL = 1.3, 0.01  # by which a fit is worse: a factor, of torque


@dataclass(frozen=True)
class Margin:
    """How large a fault's effect is.

    Attributes:
        clean, faulty: relative error of a joint on another motion without faults, of the models
            that the recordings give without and with faults; of the joint where they differ most.
        clean_fit, faulty_fit: the same of these models on their own recordings, of the joint where
            they differ most.
        whole_clean_fit: mean of the relative residuals of all joints without faults.
    """

    clean: float
    faulty: float
    clean_fit: float
    faulty_fit: float
    whole_clean_fit: float

    @property
    def matters(self) -> bool:
        """Whether the model is clearly worse."""
        return self.faulty > self.clean + _WORSE and self.faulty > _TIMES_WORSE * self.clean

    @property
    def contradicts(self) -> bool:
        """Whether no model explains the recordings as well as without the fault."""
        return (
            self.faulty_fit > _MORE_RESIDUAL * self.clean_fit
            and self.faulty_fit > self.clean_fit + _LEAST_RESIDUAL
        )


def reason_to_drop(case: JudgedCase, margin: Margin) -> str:
    """Return why a case is no test of the diagnosis; empty for one that is kept."""
    seen = {KINDS[fault.kind].seen for fault in case.faults}
    if not seen or seen & {"redundancy", "nowhere"}:
        return ""
    if not margin.matters:
        return "too small"
    return "" if "physics" in seen or margin.contradicts else "not visible"


def margin_of(case: JudgedCase) -> Margin:
    """Fit the recordings of a case with and without faults, and compare the models."""
    truth = case.plant.tree
    clean = _Fit(truth, case, case.clean, missing=False, rate=_RATE)
    faulty = _faulty_fit(case, _RATE)
    errors = clean.error_on(case.unseen, truth), faulty.error_on(case.unseen, truth)
    worse = int(np.argmax(errors[1] - errors[0]))
    position = int(np.argmax(faulty.residual - clean.residual))
    return Margin(
        clean=float(errors[0][worse]),
        faulty=float(errors[1][worse]),
        clean_fit=float(clean.residual[position]),
        faulty_fit=float(faulty.residual[position]),
        whole_clean_fit=float(clean.residual.mean()),
    )


def relative_residual(case: JudgedCase) -> float:
    """Return the mean relative residual of all joints of the recordings with faults, coarsely."""
    return float(np.mean(_faulty_fit(case, _COARSE_RATE).residual))


def _faulty_fit(case: JudgedCase, rate: float) -> _Fit:
    missing = any(fault.kind == "missing_friction" for fault in case.faults)
    return _Fit(case.profile_tree, case, case.faulty, missing=missing, rate=rate)


class _Fit:
    """A model by weighted least squares, with each joint's relative residual (n,)."""

    def __init__(
        self,
        tree: PinocchioTree,
        case: JudgedCase,
        motions: tuple[MeasuredMotion, ...],
        *,
        missing: bool,
        rate: float,
    ) -> None:
        self._case, self._missing, self._rate = case, missing, rate
        parts = [self._rows(tree, motion) for motion in motions]
        rows = np.concatenate([part[0] for part in parts])
        torque = np.concatenate([part[1] for part in parts])
        size = np.sqrt(np.mean(torque**2, axis=0)) + 1e-12
        weight, spread = 1 / size, size
        for _ in range(2):
            weighted = (rows * weight[:, None]).reshape(-1, rows.shape[2])
            self._parameters = np.linalg.lstsq(weighted, (torque * weight).ravel(), rcond=1e-8)[0]
            spread = np.std(rows @ self._parameters - torque, axis=0)
            weight = 1 / np.maximum(spread, 1e-4 * size)
        self.residual: Array = spread / size

    def error_on(self, motion: MeasuredMotion, tree: PinocchioTree) -> Array:
        """Return the relative error of each joint on a motion, (n,)."""
        rows, torque = self._rows(tree, motion)
        error = np.sqrt(np.mean((rows @ self._parameters - torque) ** 2, axis=0))
        return np.asarray(error / (np.sqrt(np.mean(torque**2, axis=0)) + 1e-12))

    def _rows(self, tree: PinocchioTree, motion: MeasuredMotion) -> tuple[Array, Array]:
        """Return the regressor (N, n, p) and torque (N, n) of a filtered motion."""
        position = _low_passed(motion.position, motion.rate)
        velocity = np.gradient(position, 1 / motion.rate, axis=0)
        acceleration = np.gradient(velocity, 1 / motion.rate, axis=0)
        border = round(_BORDER * motion.rate)
        chosen = slice(border, len(position) - border, max(1, round(motion.rate / self._rate)))
        q, dq, ddq = position[chosen], velocity[chosen], acceleration[chosen]
        bodies = tree.regressor(q, dq, ddq)
        friction, count = self._case.plant.friction, q.shape[1]
        columns = [dq, np.ones_like(dq), ddq]
        if not self._missing:
            columns.append(_low_passed(friction.sign(velocity), motion.rate)[chosen])
            excess = np.exp(-((velocity / friction.stribeck_velocity) ** 2))
            columns.append(_low_passed(excess * friction.sign(velocity), motion.rate)[chosen])
        drives = np.zeros((len(q), count, len(columns) * count))
        each = np.arange(count)
        for number, column in enumerate(columns):
            drives[:, each, number * count + each] = column
        torque = _low_passed(motion.torque, motion.rate)[chosen]
        return np.concatenate([bodies, drives], axis=2), torque


def _low_passed(values: Array, rate: float) -> Array:
    """Filter each column without phase by a Gaussian low-pass, mirrored at the ends; (N, n)."""
    first, last = values[:1], values[-1:]
    mirrored = np.concatenate([2 * first - values[:0:-1], values, 2 * last - values[-2::-1]])
    spectrum = np.fft.rfft(mirrored, axis=0)
    frequency = np.fft.rfftfreq(len(mirrored), 1 / rate)
    gain = np.exp(-0.5 * np.log(2) * (frequency / _CUTOFF) ** 2)
    filtered = np.fft.irfft(spectrum * gain[:, None], n=len(mirrored), axis=0)
    count = len(values)
    return np.asarray(filtered[count - 1 : 2 * count - 1])
