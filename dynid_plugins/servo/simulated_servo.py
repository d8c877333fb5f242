"""Simulated servos: bodies and friction under the law of the profile's ``servo``."""

from __future__ import annotations

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError, SimulationError
from dynid.excitation.motion import Excitation
from dynid.recording.model import Recording
from dynid.robot.drives import encoder_step
from dynid.robot.robot import Robot
from dynid.simulation.build import plant_arguments
from dynid.simulation.settings import SimulationSettings
from dynid_plugins.servo.servo_torque import law_of


class SimulatedServos:
    """The simulated robot of a profile with servos, stepped by cycles of their position loops.

    The loops and the recordings use the same encoders, in whole steps (``drives.encoder_counts``,
    or ``simulation.position_resolution`` where it is given). With ``simulation.backlash``, the
    encoder's shaft follows the joint with a play. Back-EMF is that of the true velocity in the
    middle of a cycle.

    Args:
        robot: with ``servo`` and, in ``simulation``, true parameters.
        rate: of the loops [Hz]; None: that of the profile's ``servo``.
        seed: of the sensors' noise.

    Attributes:
        law: of the servos.

    Raises:
        ConfigurationError: the profile does not describe a valid robot.
        MechanismError: profile and URDF do not match.
    """

    def __init__(self, robot: Robot, *, rate: float | None = None, seed: int = 0) -> None:
        self.law = law_of(robot)
        n = len(robot.joints)
        simulation = robot.settings(SimulationSettings)
        given = per_joint(simulation.position_resolution, n, "position_resolution")
        self._step = np.where(given > 0, given, encoder_step(robot.drives, n))
        self._play = per_joint(simulation.backlash, n, "backlash") / 2
        control_rate = rate or self.law.loop_rate
        self._half_cycle = 0.5 / control_rate  # [s]
        made = plant_arguments(robot, control_rate=control_rate, seed=seed)
        if np.isfinite(made.settings.joint_stiffness).any():
            raise ConfigurationError(
                f"profile '{robot.name}': a robot with 'servo' cannot have elastic joints in "
                "simulation; remove elastic.stiffness, and give play as simulation.backlash."
            )
        made.settings.mode = _core.DriveMode.torque
        made.settings.command_delay = 0
        made.settings.torque_max = np.full(n, np.inf)  # the law limits it
        try:
            self._plant = _core.DrivePlant(
                made.mechanism.core_description, made.parameters, made.settings
            )
        except ValueError as error:
            raise ConfigurationError(f"simulation: {error}") from None
        self._shaft = np.zeros(n)
        self.reset(np.zeros(n))

    @property
    def truth(self) -> _core.PlantTruth:
        """The joints' true state."""
        return self._plant.truth

    def reset(self, position: Array) -> None:
        """Put the robot to rest at a position (n,) [rad or m]."""
        self._target = np.array(position, dtype=np.float64)
        self._shaft = self._target.copy()
        self._plant.reset(self._target)

    def encoders(self) -> Array:
        """Return the measured positions (n,) [rad or m]."""
        step = np.where(self._step > 0, self._step, 1.0)
        counted = np.round(self._shaft / step) * step
        return np.where(self._step > 0, counted, self._shaft)

    def step(self, command: Array) -> None:
        """Run one cycle of the position loops with an acting command (n,) [rad or m].

        Raises:
            SimulationError: the motion became infinite.
        """
        truth = self._plant.truth
        velocity = np.array(truth.velocity)
        output = self.law.output(command, self.encoders(), velocity)
        # the loop holds its output for a cycle, but the back-EMF goes on with the velocity
        middle = velocity + self._half_cycle * np.array(truth.acceleration)
        self.drive(self.law.torque(output, middle))

    def drive(self, torque: Array) -> None:
        """Run one cycle with the motors' torque (n,) [N m or N] in place of the position loops.

        Raises:
            SimulationError: the motion became infinite.
        """
        self._plant.step(self._target, torque)
        if self._plant.fault.reason != _core.FaultReason.none:
            raise SimulationError(
                "The simulated servos diverge; lower servo.position_gain, or give the joints the "
                "rotor inertia of their motors in simulation.parameters."
            )
        position = np.array(self._plant.truth.position)
        self._shaft = np.clip(self._shaft, position - self._play, position + self._play)


def record_servos(
    robot: Robot, excitation: Excitation, *, sampling_rate: float = 50.0, seed: int = 0
) -> Recording:
    """Record commands and encoder positions of simulated servos while they follow an excitation.

    The result is what a program at the host records: at each of its cycles the position and the
    command that it then sends, in place of effort. The robot rests for ``simulation.rest`` before
    and after. Use :func:`~dynid_plugins.servo.servo_torque.with_servo_torque` for the torque.

    Args:
        robot: with ``servo`` and ``simulation``; its own bodies without the latter.
        excitation: of the joints.
        sampling_rate: commands per second [Hz].
        seed: of the sensors' noise.

    Raises:
        ConfigurationError: the profile does not describe a valid robot.
        SimulationError: the servos diverge.
    """
    law = law_of(robot)
    cycles = max(1, round(law.loop_rate / sampling_rate))  # of the loop per sample
    loop_rate = sampling_rate * cycles
    servos = SimulatedServos(robot, rate=loop_rate, seed=seed)
    rest = robot.settings(SimulationSettings).rest
    samples = round((excitation.duration + 2 * rest) * sampling_rate) + 1
    time = np.arange(samples) / sampling_rate
    commands = excitation.evaluate(time - rest).position
    delay = round(law.delay * loop_rate)
    servos.reset(commands[0])
    _settle(servos, commands[0], loop_rate)
    positions = np.empty_like(commands)
    for cycle in range(samples * cycles):
        sample, part = divmod(cycle, cycles)
        if part == 0:
            positions[sample] = servos.encoders()
        servos.step(commands[max(0, (cycle - delay) // cycles)])
    return Recording(
        time=time,
        position=positions,
        velocity=None,
        effort=commands,
        joint_names=robot.joints,
        sampling_rate=sampling_rate,
        position_step=encoder_step(robot.drives, len(robot.joints)),
    )


def _settle(servos: SimulatedServos, command: Array, rate: float) -> None:
    """Let the robot sag to where its servos hold it."""
    for _ in range(round(rate)):
        servos.step(command)
