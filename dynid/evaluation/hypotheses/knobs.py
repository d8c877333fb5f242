"""Continuous causes: a number that a refit finds, from the derivative of torque by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.hypotheses.refit import Data, Refit, residual
from dynid.evaluation.hypotheses.samples import TrialSamples
from dynid.evaluation.hypotheses.state import Hypothesis, of_joints, sides, without_backlash

_STEP = 1e-4  # of numerical derivatives [rad, m or m/s^2]
_LARGEST_STEP = {  # of an iteration
    "factor": 0.5,
    "zero": 0.3,
    "ratio": 0.2,
    "gear": 0.2,
    "delay": 0.03,
    "backlash": 0.05,
    "gravity": 3.0,
}


@dataclass(frozen=True, eq=False)
class Knob:
    """A number, or a few, by which a state may differ from the truth.

    Attributes:
        cause: key of the cause.
        kind: "factor", "ratio" or "gear" (logarithms), "zero", "delay", "backlash" or "gravity".
        joints: those concerned; all for a whole robot.
        recordings: those concerned.
        columns: (m, n, c) derivatives of the model's torque minus that of the measured one.
        moved: returns the state with (c,) added.
    """

    cause: str
    kind: str
    joints: tuple[int, ...]
    recordings: tuple[int, ...]
    columns: Callable[[], Array]
    moved: Callable[[Hypothesis, Array], Hypothesis]
    whole: bool = True  # whether all recordings are concerned


def limited(knob: Knob, step: Array) -> Array:
    """Return a Gauss-Newton step that linearisation can be trusted with."""
    size, most = float(np.abs(step).max()), _LARGEST_STEP[knob.kind]
    return step if size <= most else np.asarray(step * most / size)


class Derivatives:
    """Derivatives at a state, of the torque of base parameters; computed once for all knobs."""

    def __init__(self, samples: TrialSamples, data: Data, state: Hypothesis, refit: Refit) -> None:
        mechanism = data.mechanism
        self.data = data
        self.standard = data.base.lift(refit.base, mechanism.urdf_parameters)
        self._bodies = mechanism.torque(*data.motion, self.standard)
        self.model = data.torque - residual(data, refit)
        self._slope = of_joints(samples, state, "slope")
        self._sides = partial(sides, samples, state)
        self._zero: dict[int, Array] = {}

    def factor(self, joints: tuple[int, ...]) -> Array:
        """Return the column (m, n, 1) of the logarithm of joints' factor."""
        columns = np.zeros((*self.model.shape, 1))
        columns[:, joints, 0] = -self.model[:, joints]
        return columns

    def delay(self, joints: tuple[int, ...]) -> Array:
        """Return the column (m, n, 1) of a delay of joints' torque [s]."""
        columns = np.zeros((*self.model.shape, 1))
        columns[:, joints, 0] = -self._slope[:, joints]
        return columns

    def zero(self, joint: int) -> Array:
        """Return the column (m, n, 1) of a joint's position."""
        if joint not in self._zero:
            position, velocity, acceleration = self.data.motion
            moved = np.array(position)
            moved[:, joint] += _STEP
            torque = self.data.mechanism.torque(moved, velocity, acceleration, self.standard)
            self._zero[joint] = ((torque - self._bodies) / _STEP)[:, :, None]
        return self._zero[joint]

    def ratio(self, joint: int) -> Array:
        """Return the column (m, n, 1) of the logarithm of a joint's position over the recorded."""
        scale = np.where(np.arange(self.model.shape[1]) == joint, 1 + _STEP, 1.0)
        position, velocity, acceleration = (values * scale for values in self.data.motion)
        torque = self.data.mechanism.torque(position, velocity, acceleration, self.standard)
        return np.asarray((torque - self._bodies) / _STEP)[:, :, None]

    def gear(self, joint: int) -> Array:
        """Return the column (m, n, 1) of the logarithm of a position, and of 1 over its torque."""
        return self.ratio(joint) - self.factor((joint,))

    def backlash(self, joint: int) -> Array:
        """Return the column (m, n, 1) of a joint's play."""
        play = np.zeros_like(self.model)
        play[:, joint] = _STEP
        moved = without_backlash(self.data.motion, self._sides(), play)
        torque = self.data.mechanism.torque(*moved, self.standard)
        return np.asarray((torque - self._bodies) / _STEP)[:, :, None]

    def gravity(self) -> Array:
        """Return the columns (m, n, 2) of gravity's two directions at a right angle to it."""
        mechanism = self.data.mechanism
        present = np.asarray(mechanism.gravity)
        columns = []
        for axis in across(present):
            tilted = mechanism.with_gravity(present + _STEP * axis)
            torque = tilted.torque(*self.data.motion, self.standard)
            columns.append((torque - self._bodies) / _STEP)
        return np.stack(columns, axis=2)


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
    for joint in every:
        for kind in ("factor", "zero", "delay"):
            if joints > 1 or kind == "zero":
                yield knob_of(derivatives, samples, kind, (joint,))
        for kind in ("ratio", "gear", "backlash"):
            yield knob_of(derivatives, samples, kind, (joint,))
    for recording in range(recordings) if recordings > 1 else ():
        yield knob_of(derivatives, samples, "factor", every, (recording,))
        yield knob_of(derivatives, samples, "delay", every, (recording,))
        for joint in every:
            for kind in ("factor", "zero"):
                yield knob_of(derivatives, samples, kind, (joint,), (recording,))


_CAUSES = {
    "factor": "torque_factor",
    "zero": "encoder_zero",
    "ratio": "position_factor",
    "gear": "position_factor",
    "delay": "time_shift",
    "backlash": "backlash",
    "gravity": "wrong_gravity",
}


def knob_of(
    derivatives: Derivatives,
    samples: TrialSamples,
    kind: str,
    joints: tuple[int, ...],
    recordings: tuple[int, ...] = (),
) -> Knob:
    """Return a knob of some joints in some recordings; (): in all."""
    recordings = recordings or tuple(range(samples.recordings))

    def columns() -> Array:
        if kind == "gravity":
            return derivatives.gravity()
        of_joint = {
            "zero": derivatives.zero,
            "ratio": derivatives.ratio,
            "gear": derivatives.gear,
            "backlash": derivatives.backlash,
        }
        of_joints = derivatives.factor if kind == "factor" else derivatives.delay
        column = of_joint[kind](joints[0]) if kind in of_joint else of_joints(joints)
        return column * np.isin(samples.recording, recordings)[:, None, None]

    def moved(state: Hypothesis, step: Array) -> Hypothesis:
        if kind == "gravity":
            return _tilted(state, np.asarray(derivatives.data.mechanism.gravity), step)
        if kind in ("ratio", "gear"):
            ratio = float(np.exp(step[0]))
            stretched = state.stretched_at(joints[0], ratio)
            return stretched.scaled_at(joints[0], 1 / ratio) if kind == "gear" else stretched
        change = np.zeros_like(state.zero)
        change[np.ix_(recordings, joints)] = step[0]
        if kind == "factor":
            return replace(state, factor=state.factor * np.exp(change))
        if kind == "zero":
            return replace(state, zero=state.zero + change)
        if kind == "backlash":
            return replace(state, backlash=np.maximum(state.backlash + change, 0.0))
        return replace(state, delay=state.delay + change)

    whole = len(recordings) == samples.recordings
    cause = _CAUSES[kind] if whole else "recordings_differ"
    return Knob(cause, kind, joints, recordings, columns, moved, whole)


def _tilted(state: Hypothesis, present: Array, step: Array) -> Hypothesis:
    gravity = present + step @ across(present)
    size = float(np.linalg.norm(present))
    return replace(state, gravity=gravity * size / float(np.linalg.norm(gravity)))
