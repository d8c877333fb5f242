"""Record a simulated robot in the same form as a real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arguments import check_number
from dynid.errors import ExcitationError, SimulationError
from dynid.playback.plan import make_plan
from dynid.plugins import HOOKS, load_plugin
from dynid.recording.model import Recording
from dynid.robot.recordings import with_servo_torque
from dynid.robot.robot import Robot
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings

if TYPE_CHECKING:
    from dynid.excitation.motion import Excitation


def simulate(
    robot: Robot,
    excitation: Excitation | None = None,
    *,
    control_rate: float = 1000.0,
    seed: int = 0,
) -> Recording:
    """Record the simulated robot of a profile, each control cycle, while it follows an excitation.

    ``dynid.simulate`` takes files as well, and describes the arguments.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    check_number("simulate(): seed", seed, least=0)
    if excitation is None:
        excitation = make_plan(robot).excitation
    if excitation.joint_count != len(robot.joints):
        message = (
            f"the excitation moves {excitation.joint_count} joints, expected "
            f"{len(robot.joints)} as in profile '{robot.name}'."
        )
        raise ExcitationError(message)
    if robot.servo is not None:
        record = load_plugin(
            HOOKS, "record_servos", f"the simulation of '{robot.name}' with 'servo'"
        )
        commanded: Recording = record(robot, excitation, sampling_rate=control_rate, seed=seed)
        return with_servo_torque(commanded, robot)
    simulated = SimulatedRobot(robot, control_rate=control_rate, seed=seed)
    rest = (robot.find(SimulationSettings) or SimulationSettings()).rest
    cycles = round((excitation.duration + 2 * rest) * control_rate) + 1
    time = np.arange(cycles) / control_rate
    targets = simulated.commanded(excitation.evaluate(time - rest).position)
    simulated.reset(targets[0])
    state = simulated.run(targets)
    if simulated.fault is not None:
        message = (
            f"{simulated.fault} Check simulation.parameters and limits.torque_max, lower "
            "bandwidth_hz or raise integration_rate."
        )
        raise SimulationError(message)
    return Recording(
        time=time,
        position=state.position,
        velocity=state.velocity,
        effort=state.effort,
        joint_names=robot.joints,
        sampling_rate=control_rate,
    )
