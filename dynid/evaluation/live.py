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
_SLOWEST = 0.02  # [rad/s or m/s] where a profile has no velocity limit
_SETTLED = 10.0  # time constants after which the start shows no more
_LONGEST_GAP = 2.0  # time constants without a sample after which all begins afresh


@dataclass(frozen=True)
class LiveState:
    """Position and torque on their way through the filter.

    Attributes:
        started: time of the first sample [s].
        time: of the last sample [s].
        stages: (7, 2 n) the input and what each stage made of it; positions, then torques. Those
            behind the third only tell for how long a joint has kept its direction.
        error: (n,) the torque error [N m or N].
        past: of the model's terms with memory.
    """

    started: float
    time: float
    stages: Array
    error: Array
    past: Array


class LiveTorqueError:
    """Model torque minus measured torque, from what a robot reports now.

    Positions and measured torques pass the same three first-order low-passes, τ x' = u - x. Their
    own slopes are the velocity and acceleration that belong to the filtered position, so neither
    is measured, nor leads the other. Everything is ``delay`` = 3 τ late, τ = 1 / (2π cutoff_hz):
    48 ms at 10 Hz.

    At rest friction can have any size up to that of slow motion, in either direction; and where a
    joint turns back, the filter smears the jump of friction that a model has at once. So of a joint
    that is slower than the profile's velocity threshold (its ``fraction`` of the velocity limit, or
    the ``absolute`` one), or changed its direction less than about 6 τ ago, only that counts which
    friction in neither direction explains.

    Args:
        robot: says what recorded positions and efforts mean.
        model: carries the parameters.
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
        """How old what the error tells of is [s]."""
        return _STAGES * self._lag

    def step(
        self, state: LiveState | None, time: float, position: ArrayLike, effort: ArrayLike
    ) -> LiveState:
        """Take a sample in, and return what follows the state.

        Args:
            state: what the last step returned; None to begin.
            time: of the sample [s].
            position: (n,) as recorded [rad or m].
            effort: (n,) as recorded, in the unit of the profile's drives.
        """
        at_joints = self._coupling @ np.asarray(position, dtype=np.float64)
        torque = np.linalg.solve(
            self._coupling.T, self._torque_factor * np.asarray(effort, dtype=np.float64)
        )
        sample = np.concatenate([at_joints, torque])
        if state is None or not 0 <= time - state.time <= _LONGEST_GAP * self._lag:
            return self._begin(time, sample)
        if time == state.time:  # the same sample once more
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
        """Whether the filter has forgotten how it began."""
        return state.time - state.started > _SETTLED * self._lag

    def _begin(self, time: float, sample: Array) -> LiveState:
        stages = np.tile(sample, (_ALL_STAGES + 1, 1))
        past = self._model.new_past()
        return LiveState(time, time, stages, self._error(stages, past), past)

    def _error(self, stages: Array, past: Array) -> Array:
        """Model minus measured torque behind the third stage; (n,)."""
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
    """Speed below which a joint counts as at rest; (n,) [rad/s or m/s]."""
    threshold, joints = robot.settings(EvaluationSettings).velocity_threshold, len(robot.joints)
    if threshold.absolute is not None:
        return np.array(np.broadcast_to(threshold.absolute, joints), dtype=np.float64)
    if robot.limits.velocity is None:
        return np.full(joints, _SLOWEST)
    return threshold.fraction * per_joint(robot.limits.velocity, joints, "velocity")
