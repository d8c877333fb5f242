"""Continuous causes: a number that a refit finds, from the derivative of torque by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.hypotheses.kinds import KINDS
from dynid.evaluation.hypotheses.refit import Data, Refit, residual
from dynid.evaluation.hypotheses.samples import TrialSamples
from dynid.evaluation.hypotheses.state import Hypothesis, motion_of, of_joints

_STEP = 1e-4  # of numerical derivatives [rad, m or m/s^2]


@dataclass(frozen=True, eq=False)
class Knob:
    """A number, or a few, by which a state may differ from the truth.

    Attributes:
        kind: a key of ``KINDS``.
        joints: those concerned; all for a whole robot.
        recordings: those concerned; (): all.
        columns: (m, n, c) derivatives of the model's torque minus that of the measured one.
        moved: returns the state with (c,) added.
    """

    kind: str
    joints: tuple[int, ...]
    recordings: tuple[int, ...]
    columns: Callable[[], Array]
    moved: Callable[[Hypothesis, Array], Hypothesis]


def limited(knob: Knob, step: Array) -> Array:
    """Return a Gauss-Newton step that linearisation can be trusted with."""
    size, most = float(np.abs(step).max()), KINDS[knob.kind].largest_step
    return step if size <= most else np.asarray(step * most / size)


class Derivatives:
    """Derivatives at a state, of the torque of base parameters; computed once for all knobs."""

    def __init__(self, samples: TrialSamples, data: Data, state: Hypothesis, refit: Refit) -> None:
        self.data, self.state = data, state
        self.standard = data.base.lift(refit.base, data.mechanism.urdf_parameters)
        self.model = data.torque - residual(data, refit)
        self._samples = samples
        self._bodies = data.mechanism.torque(*data.motion, self.standard)
        self._known: dict[tuple[str, tuple[int, ...]], Array] = {}

    def columns(self, kind: str, joints: tuple[int, ...]) -> Array:
        """Return the columns (m, n, c) of a kind of knob, of joints in all recordings."""
        if (kind, joints) not in self._known:
            self._known[kind, joints] = self._columns(kind, joints)
        return self._known[kind, joints]

    def _columns(self, kind: str, joints: tuple[int, ...]) -> Array:
        if kind in ("factor", "delay"):
            slope = (
                self.model if kind == "factor" else of_joints(self._samples, self.state, "slope")
            )
            columns = np.zeros((*slope.shape, 1))
            columns[:, joints, 0] = -slope[:, joints]
            return columns
        if kind == "gear":
            return self.columns("ratio", joints) - self.columns("factor", joints)
        steps = _STEP * np.eye(2 if kind == "gravity" else 1)
        every = tuple(range(self._samples.recordings))
        states = [stepped(self.state, kind, joints, every, step, self.gravity) for step in steps]
        return np.stack([(self._torque(one) - self._bodies) / _STEP for one in states], axis=2)

    @property
    def gravity(self) -> Array:
        """Gravity (3,) at the state [m/s^2]."""
        return np.asarray(self.data.mechanism.gravity)

    def _torque(self, state: Hypothesis) -> Array:
        mechanism = self.data.mechanism
        if state.gravity is not None:
            mechanism = mechanism.with_gravity(state.gravity)
        return mechanism.torque(*motion_of(self._samples, state), self.standard)


def stepped(
    state: Hypothesis,
    kind: str,
    joints: tuple[int, ...],
    recordings: tuple[int, ...],
    step: Array,
    gravity: Array,
) -> Hypothesis:
    """Return a state with a step (c,) of a kind of knob; ``gravity`` (3,) is the present one."""
    if kind == "gravity":
        size, turned = float(np.linalg.norm(gravity)), gravity + step @ across(gravity)
        return replace(state, gravity=turned * size / float(np.linalg.norm(turned)))
    if kind in ("ratio", "gear"):
        ratio = float(np.exp(step[0]))
        stretched = state.stretched_at(joints[0], ratio)
        return stretched.scaled_at(joints[0], 1 / ratio) if kind == "gear" else stretched
    change = np.zeros_like(state.zero)
    change[np.ix_(recordings, joints)] = step[0]
    if kind == "clock":
        return replace(state, clock=state.clock * np.exp(change[:, 0]))
    if kind == "factor":
        return replace(state, factor=state.factor * np.exp(change))
    if kind == "backlash":
        return replace(state, backlash=np.maximum(state.backlash + change, 0.0))
    return replace(state, **{kind: getattr(state, kind) + change})


def across(gravity: Array) -> Array:
    """Return two unit vectors (2, 3) at a right angle to gravity (3,)."""
    return np.asarray(np.linalg.svd(gravity[None, :])[2][1:])


def knobs(derivatives: Derivatives, samples: TrialSamples) -> Iterator[Knob]:
    """Yield every knob at a state: of all recordings together, then of each alone."""
    joints, recordings = derivatives.model.shape[1], samples.recordings
    every = tuple(range(joints))
    yield knob_of(derivatives, samples, "delay", every)
    if np.linalg.norm(derivatives.data.mechanism.gravity) > 0:
        yield knob_of(derivatives, samples, "gravity", every)
        if joints > 1:  # bodies that have weight and inertia show how fast time runs
            yield knob_of(derivatives, samples, "clock", every)
    for joint in every:
        for kind in ("factor", "zero", "delay"):
            if joints > 1 or kind == "zero":
                yield knob_of(derivatives, samples, kind, (joint,))
        for kind in ("ratio", "gear", "backlash"):
            yield knob_of(derivatives, samples, kind, (joint,))
    for recording in range(recordings) if recordings > 1 else ():
        yield knob_of(derivatives, samples, "factor", every, (recording,))
        yield knob_of(derivatives, samples, "delay", every, (recording,))
        yield knob_of(derivatives, samples, "clock", every, (recording,))
        for joint in every:
            for kind in ("factor", "zero"):
                yield knob_of(derivatives, samples, kind, (joint,), (recording,))


def knob_of(
    derivatives: Derivatives,
    samples: TrialSamples,
    kind: str,
    joints: tuple[int, ...],
    recordings: tuple[int, ...] = (),
) -> Knob:
    """Return a knob of some joints in some recordings; (): in all."""
    numbers = recordings or tuple(range(samples.recordings))
    gravity = derivatives.gravity

    def columns() -> Array:
        every = derivatives.columns(kind, joints)
        if not recordings:
            return every
        return every * np.isin(samples.recording, recordings)[:, None, None]

    def moved(state: Hypothesis, step: Array) -> Hypothesis:
        return stepped(state, kind, joints, numbers, step, gravity)

    return Knob(kind, joints, recordings, columns, moved)
