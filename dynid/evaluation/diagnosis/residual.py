"""The torque residual of each joint, and the share of it that a signal explains."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm, TermKind, term_kind, term_kinds
from dynid.dynamics.torque_parts import torque_of_kinds
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.projection import of_unit_norm, products_beyond
from dynid.evaluation.settings import EvaluationSettings
from dynid.signals.filters import ParallelFilter

_EXAMINED_SAMPLES = 5_000  # samples examined
_STRIBECK = (0.02, 0.05, 0.1, 0.2)  # Stribeck velocities tried, over the peak speed
_RATIO_TO_UNRELATED_SHARE = 3.0  # times the share that unrelated signals explain on average


class TorqueResidual:
    """Torque errors along the longest recording, after the filter of the fit.

    Attributes:
        whole: signals of that recording.
        signals: the samples of it from which columns are made: every k-th, or all if a filter
            needs them.
        error: (m, n) measured minus model torque [N m or N].
        torque: (m, n) measured, filtered [N m or N].
        velocity: (m, n) not filtered, for plots [rad/s or m/s].
        time: (m,) [s].
    """

    def __init__(self, case: Case) -> None:
        compared = max(case.comparisons, key=lambda c: len(c.measured))
        settings, self.whole = case.robot.settings(EvaluationSettings), compared.signals
        rate = self.whole.sampling_rate
        self._filter = ParallelFilter.of(settings, rate)
        step = max(1, len(compared.measured) // _EXAMINED_SAMPLES)
        self._early = step if self._filter.passes_through else 1
        self._late = step // self._early
        self.signals = self.whole.every(self._early)
        self.error: Array = compared.measured[::step] - compared.model[::step]
        self.torque: Array = compared.measured[::step]
        self.velocity: Array = self.whole.velocity[::step]
        self.time: Array = self.whole.time[::step]
        # a signal of bandwidth f has 2 f independent values per second
        band = min(self._filter.cutoff_hz or rate, settings.motion_cutoff_hz or rate, rate / 2)
        self._values = 2 * band * float(self.whole.time[-1] - self.whole.time[0])
        self._model = case.model or case.mechanism
        self._was_fitted = case.fit is not None
        self._peak = np.maximum(np.abs(self.whole.velocity).max(axis=0), 1e-300)
        self._filtered_friction: dict[int, dict[str, Array]] = {}

    @classmethod
    def of(cls, case: Case) -> TorqueResidual:
        """Return the residual of a case, the same one for all causes."""
        return case.derived("residual", lambda: cls(case))

    @cached_property
    def _gravity_torque(self) -> Array:
        return self._model.gravity_torque(self.signals.position)

    def exceeds(self, joint: int, effect: float) -> bool:
        """Whether a joint's error over its torque is larger than ``effect``."""
        error, torque = (np.linalg.norm(v[:, joint]) for v in (self.error, self.torque))
        return bool(error > effect * torque)

    def filtered(self, columns: Sequence[Array]) -> Array:
        """Filter and decimate columns of ``signals``, each (N,); (m, c)."""
        smooth = self._filter.smooth(np.column_stack(columns))
        return smooth if self._late == 1 else smooth[:: self._late].copy()

    def torque_of_kinds(self, kinds: Collection[str]) -> Array:
        """Return the filtered torque of the model's terms of some kinds (m, n) [N m or N]."""
        memory = any(term_kind(kind).has_memory for kind in kinds)
        signals = self.whole if memory else self.signals
        motion = signals.motion
        torque = torque_of_kinds(self._model, *motion, kinds)
        return self.filtered(list(torque[:: self._early if memory else 1].T))

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

    def filtered_friction(self, joint: int) -> dict[str, Array]:
        """Return filtered signals (m, c) of every kind of friction, c scales each."""
        if joint not in self._filtered_friction:
            columns = self.friction(joint)
            self._filtered_friction[joint] = {k: self.filtered(c) for k, c in columns.items()}
        return self._filtered_friction[joint]

    def friction(self, joint: int, at: NDArray[np.intp] | None = None) -> dict[str, list[Array]]:
        """Return signals (N,) of every kind of friction, some with several scales.

        Args:
            joint: number of the joint.
            at: (N,) samples of ``whole``; None: those of ``signals``.
        """
        if at is None:
            velocity, weight = self.signals.velocity[:, joint], self._gravity_torque[:, joint]
        else:
            velocity = self.whole.velocity[at, joint]
            weight = self._model.gravity_torque(self.whole.position[at])[:, joint]
        top = float(self._peak[joint])
        columns: dict[str, list[Array]] = {}
        for kind in term_kinds():
            if not kind.missing or kind.has_memory:
                continue
            scales = [share * top for share in _STRIBECK] if kind.scaled else [0.0]
            terms = [JointTerm(kind.name, joint, scale=scale) for scale in scales]
            columns[kind.name] = [term.column(velocity=velocity, load=weight) for term in terms]
            if kind.mirror:  # difference of both directions
                other = JointTerm(kind.mirror, joint).column(velocity=velocity, load=weight)
                columns[kind.name] = [column - other for column in columns[kind.name]]
        return columns

    def explained(self, joint: int, columns: Array, joint_columns: Array) -> tuple[float, float]:
        """Return the part of a joint's error that ``columns`` explain beyond ``joint_columns``.

        Args:
            joint: number of the joint.
            columns: (m, c) filtered signals.
            joint_columns: (m, k) filtered signals that take precedence.

        Returns:
            Its share of the squared error, minus the share expected by chance, and its size over
            that of the joint's torque.
        """
        error, torque = self.error[:, joint], float(np.linalg.norm(self.torque[:, joint]))
        rows = np.column_stack([joint_columns, columns, error])
        products, norms = of_unit_norm(rows.T @ rows)
        beyond_own = products_beyond(products, joint_columns.shape[1])
        left = float(beyond_own[-1, -1])
        if norms[-1] == 0 or left <= 0 or torque == 0:
            return 0.0, 0.0
        after = float(products_beyond(beyond_own, columns.shape[1])[-1, -1])
        chance = min(_RATIO_TO_UNRELATED_SHARE * columns.shape[1] / self._values, 1.0)
        gained = max(0.0, left - after - chance * left)
        return gained, float(np.sqrt(gained) * norms[-1]) / torque
