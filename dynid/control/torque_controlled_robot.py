"""Simulated torque-controlled robots under the control law of torque mode."""

from __future__ import annotations

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.link_torque import with_exact_links
from dynid.control.torque_mode import torque_law
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, PlaybackError, SimulationError
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.trajectory import Trajectory
from dynid.robot.robot import Robot
from dynid.simulation.build import plant_arguments
from dynid.simulation.robot import DriveState, SimulatedRobot

_OTHER_STOP = (
    "The robot is too far from its command or too fast, or its feedback is missing "
    "(torque_control.position_error_max, torque_control.speed_max)."
)


class TorqueControlledRobot:
    """Control law and torque-driven bodies of a profile, cycle by cycle; at rest at a position.

    Where the damped stop has ended, the robot's own stop follows: its drives hold the position.

    Args:
        robot: with its limits, settings and, in ``simulation``, true parameters.
        model: with the identified parameters.
        position: where it starts (n,), at the commanded side [rad or m].
        control_rate: cycles per second [Hz].
        seed: of the sensors' noise.

    Attributes:
        law: the control law.
        plant: the simulated bodies and drives, for injections.

    Raises:
        ConfigurationError: the profile does not describe a robot that can move, or lacks what the
            control law needs.
        SimulationError: the law cannot start there.
    """

    def __init__(
        self,
        robot: Robot,
        model: Mechanism,
        position: Array,
        *,
        control_rate: float = 1000.0,
        seed: int = 0,
    ) -> None:
        self._robot, self._prismatic = robot, model.prismatic
        made = plant_arguments(robot, control_rate=control_rate, seed=seed)
        made.settings.mode = _drive_mode(robot)
        self._target = np.array(position, dtype=np.float64)  # which is not used in torque mode
        try:
            self.plant = _core.DrivePlant(
                made.mechanism.core_description, made.parameters, made.settings
            )
            self.plant.reset(self._target)
        except ValueError as error:
            raise ConfigurationError(f"simulation: {error}") from None
        self.law = torque_law(with_exact_links(robot), model, control_rate=control_rate)
        _start(self.law, self._target, robot, self._prismatic)

    @property
    def collision(self) -> str:
        """Why the robot stopped, as a sentence; empty where it did not."""
        return _collision(
            self.law, self._robot, self._prismatic, "the control law is started again"
        )

    def step(self, reference: _core.Reference, cycles: float = 1.0) -> Array:
        """Return the joints' true positions (n,) after one control cycle."""
        plant, law = self.plant, self.law
        feedback = _core.Feedback(plant.position, plant.velocity, plant.torque)
        feedback.link_position = plant.link_position
        law.update(reference, feedback, cycles)
        if law.phase == _core.TorquePhase.stopped:
            plant.trip()
        plant.step(self._target, law.torque_command)
        return plant.truth.position


class TorqueFollowingRobot:
    """joint_trajectory_controller, TorqueController and drives in torque mode, cycle by cycle.

    It follows trajectories in the cycle of a ros2_control cell. After a damped stop the robot's own
    stop follows: its drives are in fault, and hold their position until :meth:`clear_fault`.

    Args:
        robot: with its limits and settings.
        model: with the identified parameters, whose torque holds the robot.
        control_rate: cycles per second [Hz].
        seed: of the sensors' noise.

    Attributes:
        robot: its drives and bodies, for injections.
        law: the control law.

    Raises:
        ConfigurationError: the profile does not describe a robot that can move, or lacks what the
            control law needs.
        MechanismError: profile and URDF do not match.
        SimulationError: the law cannot start at the robot's home.
    """

    _released: bool  # by a hand, in the damped stop
    _follower: TrajectoryFollower

    def __init__(
        self, robot: Robot, model: Mechanism, *, control_rate: float = 1000.0, seed: int = 0
    ) -> None:
        self._robot, self._prismatic = robot, model.prismatic
        self.robot = SimulatedRobot(
            robot, control_rate=control_rate, seed=seed, mode=_drive_mode(robot)
        )
        self.law = torque_law(with_exact_links(robot), model, control_rate=control_rate)
        self._factor = robot.drives.torque_factor(len(robot.joints))
        rest, home = np.zeros(len(robot.joints)), self.robot.home
        self._feedback = _core.Feedback(home, rest, rest)
        self._restart(home)

    @property
    def end_ns(self) -> int:
        """Instant from which on the reference is at rest [ns]."""
        return self._follower.end_ns

    @property
    def latched(self) -> bool:
        """Whether a stop holds the robot, damped or by its drives."""
        return self.law.phase in (_core.TorquePhase.stopping, _core.TorquePhase.stopped)

    @property
    def guided(self) -> bool:
        """Whether a hand guides the robot."""
        return self.law.phase == _core.TorquePhase.guided

    @property
    def stop_reason(self) -> str:
        """Why the robot stops, as a sentence; empty where it does not, or a hand let it go."""
        if not self.latched or self._released:
            return ""
        return _collision(self.law, self._robot, self._prismatic, "~/clear_fault") or _OTHER_STOP

    def accept(self, trajectory: Trajectory, start_ns: int, now_ns: int) -> None:
        """Follow a trajectory from now on instead of any other; see TrajectoryFollower.accept.

        Raises:
            PlaybackError: it is impossible, a stop holds the robot, or a hand guides it.
        """
        if self.latched and not self._released:
            raise PlaybackError(f"{self.stop_reason} Clear the fault before the next trajectory.")
        if self.guided or self._released:
            raise PlaybackError("the robot is guided by hand; let go before the next trajectory.")
        self._follower.accept(trajectory, start_ns, now_ns)

    def step(self, now_ns: int) -> DriveState:
        """Return the state after the control cycle of an instant [ns]."""
        reference = _core.Reference(*self._follower.state(now_ns))
        self.law.update(reference, self._feedback)
        if self._released and self.law.phase == _core.TorquePhase.following:
            self._released = False
            self._follower = TrajectoryFollower(self._robot.joints, self._feedback.position)
        if self.law.phase == _core.TorquePhase.stopped and self.robot.fault is None:
            self._released = False
            self.robot.trip()
        state = self.robot.step(self._feedback.position, self.law.torque_command)
        self._feedback.position, self._feedback.velocity = state.position, state.velocity
        self._feedback.torque = state.effort * self._factor
        if (links := self.robot.link_position) is not None:
            self._feedback.link_position = links
        return state

    def stop(self) -> None:
        """Begin a damped stop."""
        self.law.stop()

    def guide(self) -> None:
        """Let a hand guide the robot until :meth:`release`, which must follow when it lets go.

        Raises:
            SimulationError: the robot moves, a stop holds it, or it could move by itself.
        """
        start = self.law.guide()
        if not start:
            raise SimulationError(
                _core.describe_guide_start(start, self._robot.joints, self._prismatic)
            )

    def release(self) -> None:
        """End that by a damped stop, after which the robot is held where it came to rest."""
        if self.guided:
            self._released = True
            self.law.stop()

    def clear_fault(self) -> None:
        """Control torque again, from where the drives hold the robot."""
        self._restart(np.array(self._feedback.position))
        self.robot.clear_fault()

    def _restart(self, position: Array) -> None:
        self._released = False
        self._follower = TrajectoryFollower(self._robot.joints, position)
        _start(self.law, position, self._robot, self._prismatic)


def _drive_mode(robot: Robot) -> _core.DriveMode:
    """Return the mode of drives that are commanded torque, with or without the robot's gravity."""
    by_robot = robot.settings(TorqueControlSettings).gravity == "by_robot"
    return _core.DriveMode.torque_and_gravity if by_robot else _core.DriveMode.torque


def _start(
    law: _core.TorqueLaw, position: Array, robot: Robot, prismatic: tuple[bool, ...]
) -> None:
    """Start a law at a position (n,), or raise a SimulationError where torque cannot hold it."""
    start = law.start(position)
    if not start:
        raise SimulationError(_core.describe_torque_start(start, robot.joints, prismatic))


def _collision(law: _core.TorqueLaw, robot: Robot, prismatic: tuple[bool, ...], until: str) -> str:
    """Return a sentence on a law's collision, which holds ``until`` something; empty: none."""
    collision = law.law.detector.collision
    if collision.cause == _core.CollisionCause.none:
        return ""
    return _core.describe_collision(collision, robot.joints, prismatic, until=until)
