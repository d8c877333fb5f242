"""The data and the model as a hypothesis sees them: what it would change, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.evaluation.hypotheses.refit import Data
from dynid.evaluation.hypotheses.relations import Context, Relation, relation_columns
from dynid.evaluation.hypotheses.samples import TrialSamples

_Number = TypeVar("_Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """Changes of channels and model; R recordings, n joints.

    Attributes:
        position_of, torque_of: (R, n) the channel from which a joint's position and torque are
            taken.
        direction: (n,) sign of a joint's position and torque, times the ratio of positions.
        factor: (R, n) of torque, sign included.
        zero: (R, n) added to positions [rad or m].
        delay: (R, n) by which torque was recorded later than the motion [s].
        excluded: spans (recording, start [s], stop [s]) that are not compared.
        backlash: (R, n) play of a gear between the measured position and the joint [rad or m].
        clock: (R,) factor of velocities, that of a clock which runs as much too fast.
        relations: what acts besides the model, and what torque sensors do besides a factor.
        gravity: (3,) [m/s^2]; None: the mechanism's.
        backwards: whether time runs backwards: velocities have the other sign, accelerations and
            torques have not.
    """

    position_of: NDArray[np.intp]
    torque_of: NDArray[np.intp]
    direction: Array
    factor: Array
    zero: Array
    delay: Array
    backlash: Array
    clock: Array
    excluded: tuple[tuple[int, float, float], ...] = ()
    relations: tuple[Relation, ...] = ()
    gravity: Array | None = None
    backwards: bool = False

    @classmethod
    def unchanged(cls, samples: TrialSamples) -> Hypothesis:
        """Return the state without a change."""
        recordings, joints = samples.recordings, samples.kept.shape[1]
        order = np.tile(np.arange(joints), (recordings, 1))
        return cls(
            position_of=order,
            torque_of=order,
            direction=np.ones(joints),
            factor=np.ones((recordings, joints)),
            zero=np.zeros((recordings, joints)),
            delay=np.zeros((recordings, joints)),
            backlash=np.zeros((recordings, joints)),
            clock=np.ones(recordings),
        )

    def with_change(self, before: Hypothesis, after: Hypothesis) -> Hypothesis:
        """Return this state with what changed between two others."""
        joint, torque = (np.argsort(order) for order in (before.position_of, before.torque_of))
        same_gravity = before.gravity is not None and np.array_equal(
            np.asarray(after.gravity), before.gravity
        )
        return replace(
            self,
            position_of=_taken(self.position_of, _taken(joint, after.position_of)),
            torque_of=_taken(self.torque_of, _taken(torque, after.torque_of)),
            direction=self.direction * after.direction / before.direction,
            factor=self.factor * after.factor / before.factor,
            zero=self.zero + after.zero - before.zero,
            delay=self.delay + after.delay - before.delay,
            backlash=self.backlash + after.backlash - before.backlash,
            clock=self.clock * after.clock / before.clock,
            excluded=(*self.excluded, *after.excluded[len(before.excluded) :]),
            relations=(*self.relations, *after.relations[len(before.relations) :]),
            gravity=self.gravity if same_gravity else after.gravity,
            backwards=self.backwards ^ after.backwards ^ before.backwards,
        )

    def with_swapped(
        self,
        joint: int,
        other: int,
        *,
        position: bool,
        torque: bool,
        recordings: Sequence[int] = (),
    ) -> Hypothesis:
        """Return the state with channels of two joints exchanged in some recordings; (): in all."""
        order = np.tile(np.arange(len(self.direction)), (len(self.position_of), 1))
        rows = np.array(recordings or range(len(order)))[:, None]
        order[rows, [joint, other]] = [other, joint]
        return replace(
            self,
            position_of=_taken(self.position_of, order) if position else self.position_of,
            torque_of=_taken(self.torque_of, order) if torque else self.torque_of,
        )

    def related(self, *relations: Relation) -> Hypothesis:
        """Return the state with more relations."""
        return replace(self, relations=(*self.relations, *relations))

    def reversed_at(self, joint: int) -> Hypothesis:
        """Return the state with position and torque of a joint reversed."""
        turned = self._only_at(joint, -1.0)
        return replace(self, direction=self.direction * turned, zero=self.zero * turned)

    def stretched_at(self, joint: int, ratio: float) -> Hypothesis:
        """Return the state with a joint's position multiplied by ``ratio``, not its torque."""
        turned = self._only_at(joint, ratio)
        return replace(
            self,
            direction=self.direction * turned,
            zero=self.zero * turned,
            factor=self.factor / turned,
        )

    def scaled(self, factor: Array) -> Hypothesis:
        """Return the state with torque multiplied by ``factor``, that broadcasts to (R, n)."""
        return replace(self, factor=self.factor * factor)

    def scaled_at(self, joint: int, factor: float) -> Hypothesis:
        """Return the state with a joint's torque multiplied by ``factor``."""
        return self.scaled(self._only_at(joint, factor))

    def moves_like(self, other: Hypothesis) -> bool:
        """Return whether bodies move in the same way under the same gravity."""
        names = ["position_of", "direction", "zero", "backlash", "gravity", "backwards"]
        names.append("clock")
        if self.backlash.any():  # the side of the teeth is that of torque
            names += ["torque_of", "factor"]
        return all(np.array_equal(getattr(self, n), getattr(other, n)) for n in names)

    def _only_at(self, joint: int, factor: float) -> Array:
        """Return factors (n,) that are 1 at the other joints."""
        return np.where(np.arange(len(self.direction)) == joint, factor, 1.0)


def modified(
    samples: TrialSamples,
    mechanism: Mechanism,
    base: BaseParameterization,
    state: Hypothesis,
    alike: Data | None = None,
) -> Data:
    """Return the data that a state makes of samples.

    Args:
        samples: of the recordings.
        mechanism: of the model.
        base: its base parameters.
        state: the changes.
        alike: data of a state that moves like this one, whose regressor serves again; None: none.
    """
    data = alike or _moved(samples, mechanism, base, state)
    torque = of_joints(samples, state, "torque")
    kept = _taken(samples.kept, state.position_of[samples.recording])
    data = data.with_torque(torque, kept & samples.outside(state.excluded)[:, None])
    if not state.relations:
        return data
    signals = partial(of_joints, samples, state)
    context = Context(data, signals, samples.time, samples.recording)
    blocks = [relation_columns(context, one) for one in state.relations]
    return data.with_extra(blocks)


def _taken(values: NDArray[_Number], order: NDArray[np.intp]) -> NDArray[_Number]:
    """Return values (m, n, …) of joints in the order (m, n) of each row."""
    taken: NDArray[_Number] = values[np.arange(len(values))[:, None], order]
    return taken


def of_joints(samples: TrialSamples, state: Hypothesis, values: str) -> Array:
    """Return the ``torque`` of joints, or what follows from it, as a state has it (m, n, …).

    Channels are those of recorded effort, which has a factor of each joint.
    """
    channel = state.torque_of
    shift = _taken(state.delay, np.argsort(channel))
    rows = samples.rows(values, shift=shift if np.any(shift) else None)
    exchanged = samples.torque_per_effort / samples.torque_per_effort[channel]
    factor = (state.direction * state.factor * exchanged)[samples.recording]
    taken = _taken(rows, channel[samples.recording])
    return np.asarray(taken * factor.reshape(*factor.shape, *[1] * (taken.ndim - 2)))


def _moved(
    samples: TrialSamples, mechanism: Mechanism, base: BaseParameterization, state: Hypothesis
) -> Data:
    motion = motion_of(samples, state)
    moved = mechanism if state.gravity is None else mechanism.with_gravity(state.gravity)
    none = np.zeros((*motion[0].shape, 0))
    return Data(moved, base, motion, np.zeros_like(motion[0]), none, samples.kept)


def motion_of(samples: TrialSamples, state: Hypothesis) -> tuple[Array, Array, Array]:
    """Return position, velocity and acceleration (m, n) of joints, as a state has them."""
    number = samples.recording
    position, velocity, acceleration = (
        _taken(samples.rows(name), state.position_of[number]) * state.direction
        for name in ("position", "velocity", "acceleration")
    )
    clock = state.clock[number, None]
    velocity *= -clock if state.backwards else clock
    motion = position + state.zero[number], velocity, acceleration * clock**2
    if not state.backlash.any():
        return motion
    return _without_backlash(motion, _sides(samples, state), state.backlash[number])


def _sides(samples: TrialSamples, state: Hypothesis) -> Array:
    """Return the side of each gear's teeth (m, n, 3), with two derivatives."""
    sign = np.sign(state.direction * state.factor)[samples.recording]
    side = _taken(samples.rows("side"), state.torque_of[samples.recording])
    return np.asarray(side * sign[:, :, None])


def _without_backlash(
    motion: tuple[Array, Array, Array], side: Array, backlash: Array
) -> tuple[Array, Array, Array]:
    """Return the motion behind gears with play (m, n): motors are ahead where they push."""
    position, velocity, acceleration = (
        part - backlash / 2 * side[:, :, number] for number, part in enumerate(motion)
    )
    return position, velocity, acceleration
