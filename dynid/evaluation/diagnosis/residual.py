"""The torque residual of each joint, and the share of it that a signal explains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm, TermKind, term_kinds
from dynid.evaluation.diagnosis.case import Case, without
from dynid.evaluation.settings import EvaluationSettings
from dynid.signals.filters import ParallelFilter

_ENOUGH = 5_000  # samples examined
_STRIBECK = (0.02, 0.05, 0.1, 0.2)  # Stribeck velocities tried, over the peak speed
_CHANCE = 3.0  # times the share that unrelated signals explain on average


class Residual:
    """Torque errors along the longest recording, after the filter of the fit.

    Attributes:
        signals: of that recording.
        error: (m, n) measured minus model torque [N m or N].
        torque: (m, n) measured, filtered [N m or N].
        velocity: (m, n) not filtered, for plots [rad/s or m/s].
        time: (m,) [s].
    """

    def __init__(self, case: Case) -> None:
        compared = max(case.comparisons, key=lambda c: len(c.measured))
        settings, self.signals = case.robot.settings(EvaluationSettings), compared.signals
        rate = self.signals.sampling_rate
        self._filter = ParallelFilter.from_settings(settings.parallel_filter, rate)
        step = max(1, len(compared.measured) // _ENOUGH)
        self._kept = slice(None, None, step)
        self.error: Array = (compared.measured - compared.model)[self._kept]
        self.torque: Array = compared.measured[self._kept]
        self.velocity: Array = self.signals.velocity[self._kept]
        self.time: Array = self.signals.time[self._kept]
        # a signal of bandwidth f has 2 f independent values per second
        band = min(self._filter.cutoff_hz or rate, settings.cutoff_hz or rate, rate / 2)
        self._values = 2 * band * float(self.signals.time[-1] - self.signals.time[0])
        self._model = case.model or case.mechanism
        self._was_fitted = case.fit is not None

    @cached_property
    def _gravity_torque(self) -> Array:
        return self._model.gravity_torque(self.signals.position)

    def exceeds(self, joint: int, effect: float) -> bool:
        """Whether a joint's error over its torque is larger than ``effect``."""
        error, torque = (np.linalg.norm(v[:, joint]) for v in (self.error, self.torque))
        return bool(error > effect * torque)

    def filtered(self, columns: Sequence[Array]) -> Array:
        """Filter and decimate signals of the recording, each (N,); (m, c)."""
        return np.asarray(self._filter.smooth(np.column_stack(columns))[self._kept])

    def kinds(self, joint: int) -> set[TermKind]:
        """Kinds of terms of a joint in the model."""
        return {term.traits for term in self._model.terms if term.joint == joint}

    def fitted(self, joint: int) -> set[TermKind]:
        """Kinds of terms of a joint that were fitted; none if the model was given."""
        return self.kinds(joint) if self._was_fitted else set()

    def plain(self, joint: int) -> Array:
        """Signals of an offset and of the joint's terms of the plainest kinds, (m, c)."""
        velocity = self.signals.velocity[:, joint]
        acceleration = self.signals.acceleration[:, joint]
        used = {kind.name for kind in self.fitted(joint) if kind.plain}
        chosen = [
            JointTerm(kind.name, joint).column(velocity=velocity, acceleration=acceleration)
            for kind in term_kinds()
            if kind.name in used
        ]
        return self.filtered([np.ones_like(velocity), *chosen])

    def friction(self, joint: int) -> dict[str, list[Array]]:
        """Signals (N,) of every kind of friction, some with several scales."""
        velocity = self.signals.velocity[:, joint]
        weight = self._gravity_torque[:, joint]
        top = max(float(np.abs(velocity).max()), 1e-300)
        found: dict[str, list[Array]] = {}
        for kind in term_kinds():
            if not kind.missing or kind.has_memory:
                continue
            scales = [share * top for share in _STRIBECK] if kind.scaled else [0.0]
            terms = [JointTerm(kind.name, joint, scale=scale) for scale in scales]
            found[kind.name] = [term.column(velocity=velocity, load=weight) for term in terms]
            if kind.mirror:  # difference of both directions
                other = JointTerm(kind.mirror, joint).column(velocity=velocity, load=weight)
                found[kind.name] = [column - other for column in found[kind.name]]
        return found

    def explained(self, joint: int, columns: Array, own: Array) -> tuple[float, float]:
        """Return the part of a joint's error that ``columns`` explain in addition to ``own``.

        Args:
            joint: number of the joint.
            columns: (m, c) filtered signals.
            own: (m, k) filtered signals that take precedence.

        Returns:
            Its share of the squared error, minus the share expected by chance, and its size over
            that of the joint's torque.
        """
        error, torque = self.error[:, joint], float(np.linalg.norm(self.torque[:, joint]))
        before = without(error, own)
        after = without(before, without(columns, own))
        left, whole = float(before @ before), float(error @ error)
        if left == 0 or torque == 0:
            return 0.0, 0.0
        chance = min(_CHANCE * columns.shape[1] / self._values, 1.0)
        gained = max(0.0, left - float(after @ after) - chance * left)
        return gained / whole, float(np.sqrt(gained)) / torque
