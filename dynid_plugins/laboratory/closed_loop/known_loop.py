"""Control loop of a simulated robot, with known commands and gains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dynid import _core
from dynid.arrays import Array
from dynid.excitation.motion import Excitation
from dynid.robot.robot import Robot
from dynid.simulation.build import plant_arguments
from dynid.simulation.settings import SimulationSettings
from dynid_plugins.laboratory.closed_loop.loop import CommandedLoop


def simulated_loop(
    robot: Robot, excitations: Sequence[Excitation], *, control_rate: float = 1000.0
) -> CommandedLoop:
    """Return the control loops of the robot that :func:`dynid.simulation.simulate` records.

    Raises:
        ConfigurationError: the profile's ``simulation`` does not match its robot.
        MechanismError: profile and URDF do not match.
    """
    settings = plant_arguments(robot, control_rate=control_rate).settings
    cycles = sum(
        _core.delay_cycles(delay, control_rate)
        for delay in (settings.command_delay, settings.feedback_delay)
    )
    rest = robot.settings(SimulationSettings).rest

    def commands(excitation: Excitation) -> Callable[[Array], Array]:
        return lambda time: excitation.evaluate(time - rest).position

    return CommandedLoop(
        references=tuple(commands(excitation) for excitation in excitations),
        delay=cycles / control_rate,
        bandwidth_hz=settings.bandwidth_hz,
        damping_ratio=settings.damping_ratio,
        integral_time=settings.integral_time,
        lower=settings.lower,
        upper=settings.upper,
    )
