"""A simulated torque-controlled robot under the control law of torque mode."""

from __future__ import annotations

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.link_torque import with_exact_links
from dynid.control.torque_mode import torque_law
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, SimulationError
from dynid.robot.robot import Robot
from dynid.simulation.build import plant_arguments

UNTIL = "the control law is started again"


def torque_mode(robot: Robot) -> _core.DriveMode:
    """Return the mode of drives that are commanded torque, with or without the robot's gravity."""
    by_robot = robot.settings(TorqueControlSettings).gravity == "by_robot"
    return _core.DriveMode.torque_and_gravity if by_robot else _core.DriveMode.torque


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
        self._robot = robot
        self._prismatic = model.prismatic
        made = plant_arguments(robot, control_rate=control_rate, seed=seed)
        made.settings.mode = torque_mode(robot)
        self._target = np.array(position, dtype=np.float64)  # which is not used in torque mode
        try:
            self.plant = _core.DrivePlant(
                made.mechanism.core_description, made.parameters, made.settings
            )
            self.plant.reset(self._target)
        except ValueError as error:
            raise ConfigurationError(f"simulation: {error}") from None
        self.law = torque_law(with_exact_links(robot), model, control_rate=control_rate)
        start = self.law.start(self._target)
        if not start:
            raise SimulationError(_core.describe_torque_start(start, robot.joints, model.prismatic))

    @property
    def collision(self) -> str:
        """Why the robot stopped, as a sentence; empty where it did not."""
        collision = self.law.law.detector.collision
        if collision.cause == _core.CollisionCause.none:
            return ""
        return _core.describe_collision(collision, self._robot.joints, self._prismatic, until=UNTIL)

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
