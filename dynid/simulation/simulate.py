"""Record a simulated robot in the same form as a real one."""

from __future__ import annotations

import numpy as np

from dynid.arguments import check_number
from dynid.arrays import Array
from dynid.errors import SimulationError
from dynid.excitation.checks import check_joints
from dynid.excitation.motion import Excitation
from dynid.playback.plan import make_plan
from dynid.plugins import HOOKS, load_plugin
from dynid.recording.model import Recording
from dynid.robot.recordings import with_servo_torque
from dynid.robot.robot import Robot
from dynid.simulation.robot import DriveState, SimulatedRobot
from dynid.simulation.settings import SimulationSettings


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
    if robot.servo is not None:
        record = load_plugin(
            HOOKS, "record_servos", f"the simulation of '{robot.name}' with 'servo'"
        )
        motion = _motion(robot, excitation)
        commanded: Recording = record(robot, motion, sampling_rate=control_rate, seed=seed)
        return with_servo_torque(commanded, robot)
    motion = _motion(robot, excitation)
    simulated = SimulatedRobot(robot, control_rate=control_rate, seed=seed)
    rest = (robot.find(SimulationSettings) or SimulationSettings()).rest
    time = np.arange(round((motion.duration + 2 * rest) * control_rate) + 1) / control_rate
    targets = simulated.commanded(motion.evaluate(time - rest).position)
    simulated.reset(targets[0])
    states, links = _followed(simulated, targets)
    if simulated.fault is not None:
        raise SimulationError(
            f"{simulated.fault} Check simulation.parameters and limits.torque_max, lower "
            "bandwidth_hz or raise integration_rate."
        )
    return Recording(
        time=time,
        **states._asdict(),
        joint_names=simulated.joints,
        sampling_rate=control_rate,
        link_position=links,
    )


def _followed(simulated: SimulatedRobot, targets: Array) -> tuple[DriveState, Array | None]:
    """Return the states of all cycles (N, n), and positions of links where they are measured."""
    if simulated.link_position is None:
        return simulated.run(targets), None
    states, links = [], []
    for target in targets:
        states.append(simulated.step(target))
        links.append(simulated.link_position)
    return DriveState(*(np.array(signal) for signal in zip(*states, strict=True))), np.array(links)


def _motion(robot: Robot, excitation: Excitation | None) -> Excitation:
    """Return the excitation, or that of the profile's plan; it moves the robot's joints."""
    if excitation is None:
        excitation = make_plan(robot).excitation
    check_joints(excitation, robot)
    return excitation
