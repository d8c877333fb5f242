"""Record a simulated robot in the same form as a real one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynid.arguments import check_number
from dynid.arrays import Array
from dynid.errors import ExcitationError, SimulationError
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
    run = prepared_run(robot, excitation, control_rate=control_rate, seed=seed)
    if run.simulated.link_position is None:
        return recording_of(run, run.simulated.run(run.targets))
    states, links = [], []
    for target in run.targets:
        states.append(run.simulated.step(target))
        links.append(run.simulated.link_position)
    signals = (np.array(signal) for signal in zip(*states, strict=True))
    return replace(recording_of(run, DriveState(*signals)), link_position=np.array(links))


class PreparedRun(NamedTuple):
    """A robot at rest where its motion begins.

    Attributes:
        simulated: the robot.
        time: of each cycle (N,) [s].
        targets: of the drives (N, n), on their side.
        control_rate: cycles per second [Hz].
    """

    simulated: SimulatedRobot
    time: Array
    targets: Array
    control_rate: float


def prepared_run(
    robot: Robot, excitation: Excitation | None, *, control_rate: float, seed: int
) -> PreparedRun:
    """Return the simulated robot of a profile, at rest, and the targets of an excitation.

    Raises:
        DynidError: a setting or mechanism is not suitable.
    """
    motion = _motion(robot, excitation)
    simulated = SimulatedRobot(robot, control_rate=control_rate, seed=seed)
    rest = (robot.find(SimulationSettings) or SimulationSettings()).rest
    cycles = round((motion.duration + 2 * rest) * control_rate) + 1
    time = np.arange(cycles) / control_rate
    targets = simulated.commanded(motion.evaluate(time - rest).position)
    simulated.reset(targets[0])
    return PreparedRun(simulated, time, targets, control_rate)


def recording_of(run: PreparedRun, states: DriveState) -> Recording:
    """Return the recording of the states (N, n) in which a run was.

    Raises:
        SimulationError: the drives did not follow.
    """
    simulated = run.simulated
    if simulated.fault is not None:
        raise SimulationError(
            f"{simulated.fault} Check simulation.parameters and limits.torque_max, lower "
            "bandwidth_hz or raise integration_rate."
        )
    return Recording(
        time=run.time,
        position=states.position,
        velocity=states.velocity,
        effort=states.effort,
        joint_names=simulated.joints,
        sampling_rate=run.control_rate,
    )


def _motion(robot: Robot, excitation: Excitation | None) -> Excitation:
    """Return the excitation, or that of the profile's plan; it moves the robot's joints."""
    if excitation is None:
        excitation = make_plan(robot).excitation
    if excitation.joint_count != len(robot.joints):
        raise ExcitationError(
            f"the excitation moves {excitation.joint_count} joints, expected "
            f"{len(robot.joints)} as in profile '{robot.name}'."
        )
    return excitation
