"""What the model leaves over of each joint's torque, and what of it some signal explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm, TermKind, term_kinds
from dynid.evaluation.diagnosis.case import Case, without
from dynid.evaluation.settings import EvaluationSettings
from dynid.signals.filters import ParallelFilter

_ENOUGH = 5_000  # samples looked at
_STRIBECK = (0.02, 0.05, 0.1, 0.2)  # of the peak speed: Stribeck velocities tried
_CHANCE = 3.0  # times what unrelated signals explain on average


class Leftover:
    """Torque errors along the longest recording, through the filter that the fit looks through.

    Attributes:
        signals: of that recording.
        error: (m, n) measured minus model.
        torque: (m, n) measured, through the same filter.
        velocity: (m, n) as it is, for drawing.
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
        # a signal below f has 2 f values a second that are its own
        band = min(self._filter.cutoff_hz or rate, settings.cutoff_hz or rate, rate / 2)
        self._values = 2 * band * float(self.signals.time[-1] - self.signals.time[0])
        self._model = case.model or case.mechanism
        self._was_fitted = case.fit is not None

    def may_show(self, joint: int, effect: float) -> bool:
        """Whether a joint's error is large enough for a part of it to be ``effect`` of torque."""
        error, torque = (np.linalg.norm(v[:, joint]) for v in (self.error, self.torque))
        return bool(error > effect * torque)

    def seen(self, columns: Sequence[Array]) -> Array:
        """Signals at every sample of the recording, each (N,), through the same filter; (m, c)."""
        return np.asarray(self._filter.smooth(np.column_stack(columns))[self._kept])

    def kinds(self, joint: int) -> set[TermKind]:
        """Kinds of terms that the model gives to a joint."""
        return {term.traits for term in self._model.terms if term.joint == joint}

    def fitted(self, joint: int) -> set[TermKind]:
        """Kinds of terms that are as good as they can be: none where the model was given."""
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
        return self.seen([np.ones_like(velocity), *chosen])

    def friction(self, joint: int) -> dict[str, list[Array]]:
        """Signals (N,) of every kind of friction a joint may have, some with several scales."""
        velocity = self.signals.velocity[:, joint]
        weight = self._model.gravity_torque(self.signals.position)[:, joint]
        top = max(float(np.abs(velocity).max()), 1e-300)
        found: dict[str, list[Array]] = {}
        for kind in term_kinds():
            if not kind.missing or kind.has_memory:
                continue
            scales = [share * top for share in _STRIBECK] if kind.scaled else [0.0]
            terms = [JointTerm(kind.name, joint, scale=scale) for scale in scales]
            found[kind.name] = [term.column(velocity=velocity, load=weight) for term in terms]
            if kind.mirror:  # the difference between both directions
                other = JointTerm(kind.mirror, joint).column(velocity=velocity, load=weight)
                found[kind.name] = [column - other for column in found[kind.name]]
        return found

    def explained(self, joint: int, columns: Array, own: Array) -> tuple[float, float]:
        """What ``columns`` (m, c) explain of a joint's error that ``own`` (m, k) does not.

        Returns:
            Their share of the whole squared error, without what chance may bring about; and the
            size of what they explain over that of the joint's torque.
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
