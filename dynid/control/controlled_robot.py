"""The simulated robot under the control law, with the cycle of a ros2_control cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import (
    collision_settings,
    control_law,
    control_model,
    simulated_extrapolation,
)
from dynid.control.link_torque import with_exact_links
from dynid.control.model_updates import UpdatedModel, UpdateLimits
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import PlaybackError, SimulationError
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.trajectory import Trajectory
from dynid.robot.robot import Robot
from dynid.simulation.robot import DriveState, SimulatedRobot


class ControlledRobot:
    """joint_trajectory_controller, feedforward_controller and the drives, cycle by cycle.

    After a collision the robot is held until :meth:`reset`.

    Args:
        robot: with its limits and settings.
        control_rate: cycles per second [Hz].
        seed: of the sensors' noise.
        feedforward: whether the control law is between trajectories and drives; otherwise the
            drives get the positions directly.
        uneven: whether cycles may come late, as under a controller_manager; the drives' own cycles
            stay even, as those of dynid/SimulatedDrives.

    Attributes:
        robot: its drives and bodies, for injections.
        law: the control law, or None.
        updates: of the model of the law, where :meth:`use` enabled them, else None.
        sliding: which joints are prismatic.
        reference: of the last cycle.
        feedback: of the last cycle.

    Raises:
        ConfigurationError: the profile does not describe a robot that can move, or lacks what the
            control law needs.
        MechanismError: profile and URDF do not match.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        control_rate: float = 1000.0,
        seed: int = 0,
        feedforward: bool = True,
        uneven: bool = False,
    ) -> None:
        self._robot, self._rate = robot, control_rate
        self._line = _core.TargetLine(len(robot.joints)) if uneven else None
        self.updates: UpdatedModel | None = None
        self.robot = SimulatedRobot(robot, control_rate=control_rate, seed=seed)
        self.law = None
        if feedforward:
            extrapolation = simulated_extrapolation(control_rate) if uneven else None
            self.law = control_law(
                with_exact_links(robot), control_rate=control_rate, extrapolation_time=extrapolation
            )
        self.sliding = robot.mechanism().prismatic
        self._factor = robot.drives.torque_factor(len(robot.joints))
        self._rest = np.zeros(len(robot.joints))
        self._state = DriveState(self.robot.home, self._rest, self._rest)
        self.reference = _core.Reference(self.robot.home, self._rest, self._rest)
        self.feedback = _core.Feedback(self.robot.home, self._rest, self._rest)
        self._hold(self.robot.home)

    @property
    def end_ns(self) -> int:
        """Instant from which on the reference is at rest [ns]."""
        return self._follower.end_ns

    @property
    def latched(self) -> bool:
        """Whether a collision holds the robot."""
        return self.law is not None and self.law.latched

    @property
    def collision(self) -> str:
        """The collision as a sentence; empty where there was none."""
        if self.law is None or not self.latched:
            return ""
        return _core.describe_collision(
            self.law.detector.collision, self._robot.joints, self.sliding
        )

    def use(
        self,
        mechanism: Mechanism | None,
        updates: UpdateLimits | None = None,
        *,
        error: Sequence[float] = (),
    ) -> None:
        """Use the torque of a model, or none.

        Args:
            mechanism: with the identified parameters.
            updates: the limits of updates while the robot works; None: there are none.
            error: r.m.s. torque error that the model had in its identification (n,) [N m or N];
                empty: not known.

        Raises:
            ConfigurationError: the profile's settings do not match it.
        """
        self.updates = None
        if self.law is None:
            return
        if mechanism is not None and updates is not None:
            self.updates = UpdatedModel(
                self._robot, self.law, mechanism, control_rate=self._rate, limits=updates
            )
            return
        model = None
        if mechanism is not None:
            model = control_model(self._robot, mechanism)
            model.set_error(np.array(error))
        self.law.use(model)

    def detect_with(self, robot: Robot) -> None:
        """Detect collisions by the settings ``collision`` of another profile of this robot.

        Raises:
            ConfigurationError: they do not match the joints.
        """
        if self.law is not None:
            self.law.set_collision(collision_settings(robot, control_rate=self._rate))

    def accept(self, trajectory: Trajectory, start_ns: int, now_ns: int) -> None:
        """Follow a trajectory from now on instead of any other; see TrajectoryFollower.accept.

        Raises:
            PlaybackError: it is impossible, or a collision holds the robot.
        """
        if self.latched:
            raise PlaybackError(f"{self.collision} Reset the collision before the next trajectory.")
        self._follower.accept(trajectory, start_ns, now_ns)

    def step(self, now_ns: int, cycles: float = 1.0, law_cycles: float | None = None) -> DriveState:
        """Return the state after the control cycle of an instant [ns].

        Args:
            now_ns: the instant of the reference.
            cycles: time since the drives' last one in nominal cycles, for a robot with uneven
                cycles.
            law_cycles: the same that the law measures; None: the same.
        """
        drive_cycles = None
        if self._line is not None:
            drive_cycles = self._line.pass_time(cycles, self.law is not None)
            while self._line.overdue:
                self._receive(self.robot.step(self._line.next(), self._offset()))
        if self.law is None:
            target = self._follower.reference(now_ns)
        else:
            self._update_reference(now_ns)
            measured = cycles if law_cycles is None else law_cycles
            self.law.update(self.reference, self.feedback, measured, drive_cycles)
            target = self.law.position_command
        if self._line is None:
            return self._receive(self.robot.step(target, self._offset()))
        self._line.give(target)
        while self._line.due:
            self._receive(self.robot.step(self._line.next(), self._offset()))
        return self._state

    def _offset(self) -> Array | None:
        return None if self.law is None else self.law.torque_offset

    def _receive(self, state: DriveState) -> DriveState:
        """Take over the feedback of a cycle of the drives."""
        self._state = state
        self.feedback.position = state.position
        if self.law is not None:
            self.feedback.velocity = state.velocity
            self.feedback.torque = state.effort * self._factor
            if (links := self.robot.link_position) is not None:
                self.feedback.link_position = links
            if self.updates is not None:
                self.updates.step(self.feedback.torque)
        return state

    def reset(self) -> str:
        """Follow trajectories again after a collision, and return a sentence.

        Raises:
            SimulationError: there is no collision, or the robot still moves.
        """
        if self.law is None:
            raise SimulationError("The robot has no collision detection.")
        report = self.law.reset()
        sentence = _core.describe_reset(report, self._robot.joints, self.sliding)
        if report.answer != _core.ResetAnswer.done:
            raise SimulationError(sentence)
        self._follower = TrajectoryFollower(self._robot.joints, self.law.position_command)
        return sentence

    def clear_fault(self) -> None:
        """Let the drives follow again, from where they hold the robot; clear collisions."""
        self._hold(self.feedback.position)
        self.robot.clear_fault()

    def _update_reference(self, now_ns: int) -> None:
        reference = self.reference
        if self.law is not None and self.law.latched:
            # as a trajectory controller that aborts holds the robot's position
            reference.position = self.law.position_command
            reference.velocity = reference.acceleration = self._rest
        else:
            position, velocity, acceleration = self._follower.state(now_ns)
            reference.position, reference.velocity = position, velocity
            reference.acceleration = acceleration

    def _hold(self, position: Array) -> None:
        self._follower = TrajectoryFollower(self._robot.joints, position)
        if self._line is not None:
            self._line.rest_at(position)
        if self.law is not None:
            self.law.start(position)
