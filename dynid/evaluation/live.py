"""The torque error of a running robot, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.evaluation.settings import EvaluationSettings
from dynid.recording.settings import RecordingSettings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.robot import Robot


_STAGES = 3
_ALL_STAGES = 6
_SLOWEST_SPEED = 0.02  # [rad/s or m/s] if the profile has no velocity limit
_TIME_CONSTANTS_TO_SETTLE = 10.0  # time constants after which the filter has settled
_LONGEST_GAP = 2.0  # time constants without a sample after which the filter is reset


@dataclass(frozen=True)
class LiveState:
    """State of the filters.

    Attributes:
        started: time of the first sample [s].
        time: of the last sample [s].
        stages: (7, 2 n) the input and the output of each stage; positions, then torques. Those
            after the third only show how long a joint has kept its direction.
        error: (n,) the torque error [N m or N].
        past: state of the model's terms with memory.
    """

    started: float
    time: float
    stages: Array
    error: Array
    past: Array


class LiveTorqueError:
    """Model torque minus measured torque of a running robot.

    Positions and measured torques pass the same three first-order low-passes, τ x' = u - x. The
    derivatives of the low-passes are the velocity and acceleration of the filtered position, so all
    signals have the same delay: ``delay`` = 3 τ with τ = 1 / (2π cutoff_hz), 48 ms at 10 Hz.

    At rest, static friction can have any value between the friction of slow motion in both
    directions, and at a reversal the filter smooths the jump of friction. For a joint that is
    slower than the profile's velocity threshold (its ``fraction`` of the velocity limit, or the
    ``absolute`` one), or reversed less than about 6 τ ago, the error is therefore the distance of
    the torque from that range of friction.

    Args:
        robot: gives units and side of positions and efforts.
        model: the mechanism with its parameters.
        cutoff_hz: of each low-pass [Hz].
    """

    def __init__(self, robot: Robot, model: Mechanism, *, cutoff_hz: float = 10.0) -> None:
        if not cutoff_hz > 0:
            message = f"cutoff_hz must be positive, got {cutoff_hz:g}"
            raise ValueError(message)
        self._model = model
        self._torque_factor = robot.drives.torque_factor(len(robot.joints))
        at_motors = robot.settings(RecordingSettings).side == "motor"
        self._coupling = model.coupling if at_motors else np.eye(len(robot.joints))
        self._lag = 1 / (2 * np.pi * cutoff_hz)
        self._slowest = slowest_motion(robot)

    @property
    def delay(self) -> float:
        """Delay of the error [s]."""
        return _STAGES * self._lag

    def step(
        self, state: LiveState | None, time: float, position: ArrayLike, effort: ArrayLike
    ) -> LiveState:
        """Process a sample and return the next state.

        Args:
            state: the result of the last step; None to begin.
            time: of the sample [s].
            position: (n,) as recorded [rad or m].
            effort: (n,) as recorded, in the effort unit of the profile.
        """
        at_joints = self._coupling @ np.asarray(position, dtype=np.float64)
        torque = np.linalg.solve(
            self._coupling.T, self._torque_factor * np.asarray(effort, dtype=np.float64)
        )
        sample = np.concatenate([at_joints, torque])
        if state is None or not 0 <= time - state.time <= _LONGEST_GAP * self._lag:
            return self._begin(time, sample)
        if time == state.time:  # a repeated sample
            return state
        weight = (time - state.time) / (2 * self._lag + (time - state.time))
        stages = np.empty_like(state.stages)
        stages[0] = sample
        for stage in range(1, _ALL_STAGES + 1):  # each by the trapezoidal rule
            given = state.stages[stage - 1] + stages[stage - 1]
            stages[stage] = state.stages[stage] + weight * (given - 2 * state.stages[stage])
        past = state.past.copy()
        return LiveState(state.started, time, stages, self._error(stages, past), past)

    def settled(self, state: LiveState) -> bool:
        """Whether the filter has settled."""
        return state.time - state.started > _TIME_CONSTANTS_TO_SETTLE * self._lag

    def _begin(self, time: float, sample: Array) -> LiveState:
        stages = np.tile(sample, (_ALL_STAGES + 1, 1))
        past = self._model.new_past()
        return LiveState(time, time, stages, self._error(stages, past), past)

    def _error(self, stages: Array, past: Array) -> Array:
        """Model minus measured torque after the third stage (n,)."""
        joints = len(self._torque_factor)
        position, measured = stages[_STAGES, :joints], stages[_STAGES, joints:]
        velocities = -np.diff(stages[:, :joints], axis=0) / self._lag  # of the stages 1 to 6
        velocity = velocities[_STAGES - 1]
        acceleration = (velocities[_STAGES - 2] - velocity) / self._lag
        steady = (velocities > self._slowest).all(axis=0) | (velocities < -self._slowest).all(
            axis=0
        )
        speeds = np.array([velocity, velocity, velocity])
        either = np.maximum(np.abs(velocity), self._slowest)[~steady]
        speeds[1:, ~steady] = [-either, either]
        model, same = self._model, np.ones((3, 1))
        torques = model.torque(same * position, speeds, same * acceleration, model.parameters, past)
        nearest = np.clip(measured, torques[1:].min(axis=0), torques[1:].max(axis=0))
        return np.asarray(np.where(steady, torques[0], nearest) - measured)


def slowest_motion(robot: Robot) -> Array:
    """Return the speed below which a joint counts as at rest; (n,) [rad/s or m/s]."""
    threshold, joints = robot.settings(EvaluationSettings).velocity_threshold, len(robot.joints)
    if threshold.absolute is not None:
        return np.array(np.broadcast_to(threshold.absolute, joints), dtype=np.float64)
    if robot.limits.velocity is None:
        return np.full(joints, _SLOWEST_SPEED)
    return threshold.fraction * per_joint(robot.limits.velocity, joints, "velocity")
