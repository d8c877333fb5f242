"""The data and the model as a hypothesis sees them: what it would change, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.evaluation.hypotheses.measured import Measured, measured_columns
from dynid.evaluation.hypotheses.refit import Data
from dynid.evaluation.hypotheses.samples import TrialSamples


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """Changes of channels and model; R recordings, n joints.

    Attributes:
        position_of, torque_of: (n,) the channel from which a joint's position and torque are taken.
        direction: (n,) sign of a joint's position and torque, times the ratio of positions.
        factor: (R, n) of torque, sign included.
        zero: (R, n) added to positions [rad or m].
        delay: (R, n) by which torque was recorded later than the motion [s].
        excluded: spans (recording, start [s], stop [s]) that are not compared.
        backlash: (R, n) play of a gear between the measured position and the joint [rad or m].
        loaded: (R,) recordings with a payload of their own.
        rubbing: pairs (recording, joint) with friction and an offset of their own.
        coupled: pairs (driven, driving) of joints with a motor that moves both.
        measured: what torque sensors do besides a factor, or which recordings have all
            parameters of their own.
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
    loaded: NDArray[np.bool_]
    excluded: tuple[tuple[int, float, float], ...] = ()
    coupled: tuple[tuple[int, int], ...] = ()
    rubbing: tuple[tuple[int, int], ...] = ()
    measured: tuple[Measured, ...] = ()
    gravity: Array | None = None
    backwards: bool = False

    @classmethod
    def unchanged(cls, samples: TrialSamples) -> Hypothesis:
        """Return the state without a change."""
        recordings, joints = samples.recordings, samples.kept.shape[1]
        order = np.arange(joints)
        return cls(
            position_of=order,
            torque_of=order,
            direction=np.ones(joints),
            factor=np.ones((recordings, joints)),
            zero=np.zeros((recordings, joints)),
            delay=np.zeros((recordings, joints)),
            backlash=np.zeros((recordings, joints)),
            loaded=np.zeros(recordings, dtype=bool),
        )

    def with_change(self, before: Hypothesis, after: Hypothesis) -> Hypothesis:
        """Return this state with what changed between two others."""
        joint = np.argsort(before.position_of)
        torque = np.argsort(before.torque_of)
        same_gravity = before.gravity is not None and np.array_equal(
            np.asarray(after.gravity), before.gravity
        )
        return replace(
            self,
            position_of=self.position_of[joint[after.position_of]],
            torque_of=self.torque_of[torque[after.torque_of]],
            direction=self.direction * after.direction / before.direction,
            factor=self.factor * after.factor / before.factor,
            zero=self.zero + after.zero - before.zero,
            delay=self.delay + after.delay - before.delay,
            backlash=self.backlash + after.backlash - before.backlash,
            loaded=self.loaded | (after.loaded & ~before.loaded),
            excluded=(*self.excluded, *after.excluded[len(before.excluded) :]),
            coupled=(*self.coupled, *after.coupled[len(before.coupled) :]),
            rubbing=(*self.rubbing, *after.rubbing[len(before.rubbing) :]),
            measured=(*self.measured, *after.measured[len(before.measured) :]),
            gravity=self.gravity if same_gravity else after.gravity,
            backwards=self.backwards ^ after.backwards ^ before.backwards,
        )

    def with_swapped(self, joint: int, other: int, *, position: bool, torque: bool) -> Hypothesis:
        """Return the state with channels of two joints exchanged."""
        order = np.arange(len(self.direction))
        order[[joint, other]] = [other, joint]
        return replace(
            self,
            position_of=self.position_of[order] if position else self.position_of,
            torque_of=self.torque_of[order] if torque else self.torque_of,
        )

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
    kept = samples.kept[:, state.position_of] & samples.outside(state.excluded)[:, None]
    data = data.with_torque(torque, kept)
    blocks = [payload_columns(data, samples.recording == r) for r in np.flatnonzero(state.loaded)]
    blocks += [coupling_columns(data, *pair) for pair in state.coupled]
    blocks += [
        friction_columns(data, joint, samples.recording == recording, samples.time)
        for recording, joint in state.rubbing
    ]
    if state.measured:
        slope, number = of_joints(samples, state, "slope"), samples.recording
        blocks += [measured_columns(data, slope, number, one) for one in state.measured]
    return data.with_extra(blocks) if blocks else data


def of_joints(samples: TrialSamples, state: Hypothesis, values: str) -> Array:
    """Return the ``torque`` of joints, or its ``slope``, as a state has it (m, n).

    Channels are those of recorded effort, which has a factor of each joint.
    """
    channel = state.torque_of
    shift = state.delay[:, np.argsort(channel)]
    rows = samples.rows(values, shift=shift if np.any(shift) else None)
    factor = (state.direction * state.factor)[samples.recording]
    exchanged = samples.torque_per_effort / samples.torque_per_effort[channel]
    return np.asarray(rows[:, channel] * factor * exchanged)


def _moved(
    samples: TrialSamples, mechanism: Mechanism, base: BaseParameterization, state: Hypothesis
) -> Data:
    turned, order, number = state.direction, state.position_of, samples.recording
    position = samples.rows("position")[:, order] * turned + state.zero[number]
    velocity = samples.rows("velocity")[:, order] * (-turned if state.backwards else turned)
    acceleration = samples.rows("acceleration")[:, order] * turned
    motion = position, velocity, acceleration
    if state.backlash.any():
        motion = without_backlash(motion, sides(samples, state), state.backlash[number])
    moved = mechanism if state.gravity is None else mechanism.with_gravity(state.gravity)
    none = np.zeros((*position.shape, 0))
    return Data(moved, base, motion, np.zeros_like(position), none, samples.kept)


def sides(samples: TrialSamples, state: Hypothesis) -> Array:
    """Return the side of each gear's teeth (m, n, 3), with two derivatives."""
    sign = np.sign(state.direction * state.factor[samples.recording])
    return np.asarray(samples.rows("side")[:, state.torque_of] * sign[:, :, None])


def without_backlash(
    motion: tuple[Array, Array, Array], side: Array, backlash: Array
) -> tuple[Array, Array, Array]:
    """Return the motion behind gears with play (m, n): motors are ahead where they push."""
    position, velocity, acceleration = (
        part - backlash / 2 * side[:, :, number] for number, part in enumerate(motion)
    )
    return position, velocity, acceleration


def payload_columns(data: Data, instants: NDArray[np.bool_]) -> Array:
    """Return columns (m, n, 10) of a body carried by the payload's joint at some instants."""
    first = 10 * data.mechanism.payload_body
    columns = data.regressor[:, :, first : first + 10]
    return np.asarray(columns * instants[:, None, None])


def friction_columns(data: Data, joint: int, instants: NDArray[np.bool_], time: Array) -> Array:
    """Return columns (m, n, 4) of an offset, its growth, and dry and viscous friction.

    Of a joint, at some instants of a recording; its growth is over all of them.
    """
    velocity = data.motion[1][:, joint] * instants
    span = time[instants]
    growth = (time - span.mean()) / max(float(np.ptp(span)), 1e-9) * instants
    columns = np.zeros((*data.torque.shape, 4))
    columns[:, joint] = np.column_stack([instants, growth, np.sign(velocity), velocity])
    return columns


def coupling_columns(data: Data, driven: int, driving: int) -> Array:
    """Return columns (m, n, 5) of friction and rotor of a motor that moves two joints."""
    velocity, acceleration = data.motion[1], data.motion[2]
    first, other = velocity[:, driven], velocity[:, driving]
    columns = np.zeros((*velocity.shape, 5))
    columns[:, driven] = np.column_stack(
        [
            other,
            np.sign(other),
            np.sign(first + other),
            np.sign(first - other),
            acceleration[:, driving],
        ]
    )
    return columns
