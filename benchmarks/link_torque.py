"""Collision detection by the torque of motors and by that in gears, on a simulated elastic arm.

    OMP_NUM_THREADS=1 python benchmarks/link_torque.py [--pushes 6] [--resolution 6e-6]

The PUMA 560 with gears of 30 and 60 kN m/rad at joints 1 to 3, without constant torques, and
encoders at their links as fine as those of the motors. Both models have the true parameters,
without the Stribeck friction and the sticking of the simulated joints. Thresholds are tuned on
three free motions for 0.1 false alarms per hour, and tested on a fourth. Then a moment about a
joint acts on the link behind it, while the robot rests and while it moves; a size is detected where
each one is, within 0.2 s, and the same motion without it has no alarm then.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from elastic_feedforward import RATE, move

from dynid.arrays import Array
from dynid.control.collisions import replay_thresholds
from dynid.control.link_torque import by_motors
from dynid.control.residual import CommandedResidual, recorded_residual
from dynid.control.tuning import tune
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.simulation.build import plant_arguments
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings

MOVES = 6
REST = 0.8  # [s] after each move
SHARE = 0.2  # of the ranges of the joints that moves use
FASTEST = 0.6  # share of the limits of velocity and acceleration
JOINTS = (1, 2, 3)
SIZES = [0.25 * 2 ** (k / 2) for k in range(18)]  # [N m] of moments
FOUND = 0.2  # [s] within which a push must be detected
SMEARED = 0.1  # [s] by which filters without delay carry the motion after a push before it
GEARS = (
    "elastic.joints=[joint_1, joint_2, joint_3]",
    "elastic.stiffness=[60000, 60000, 30000]",
    "elastic.damping=[30, 30, 15]",
    "elastic.rotor_inertia=2e-4",
    "elastic.link_position={columns: [1, 2, 3]}",
    "elastic.link_torque=true",
)


def elastic_arm(resolution: float | None) -> Robot:
    """Return the arm; its encoders have steps of this size [rad], or those of its profile."""
    robot = load_robot("puma560", overrides=GEARS)
    simulation = robot.settings(SimulationSettings)
    parameters = {n: v for n, v in simulation.parameters.items() if not n.startswith("Off")}
    changed: dict[str, object] = {"parameters": parameters}
    if resolution is not None:
        changed["position_resolution"] = (resolution,)
    return robot.with_settings(simulation.model_copy(update=changed))


def moves(robot: Robot, seed: int, count: int = MOVES) -> Array:
    """Return references (N, n) of a row of moves, with rest before, between and after them."""
    rng = np.random.default_rng(seed)
    rest = round(REST * RATE)
    present = robot.limits.of_joints(len(robot.joints)).middle
    parts = [np.repeat(present[None], rest, axis=0)]
    for _ in range(count):
        references, present = move(robot, present, rng, share=SHARE, fastest=FASTEST, slowest=0.3)
        parts += [references, np.repeat(present[None], rest, axis=0)]
    return np.concatenate(parts)


def record(
    robot: Robot, references: Array, seed: int, at: int = -1, joint: int = 0, moment: float = 0.0
) -> Recording:
    """Return the recording of a motion, with a moment [N m] about a joint from a cycle on."""
    simulated = SimulatedRobot(robot, control_rate=RATE, seed=seed)
    simulated.reset(references[0])
    states, links = [], []
    for number, reference in enumerate(references):
        if number == at:
            simulated.push(f"link_{joint}", (0, 0, 0), moment=(0, 0, moment))
        states.append(simulated.step(reference))
        links.append(simulated.link_position)
    position, velocity, effort = (np.array(part) for part in zip(*states, strict=True))
    return Recording(
        time=np.arange(len(states)) / RATE,
        position=position,
        velocity=velocity,
        effort=effort,
        joint_names=robot.joints,
        sampling_rate=RATE,
        link_position=np.array(links),
    )


def residuals(robots: Sequence[Robot], recording: Recording) -> list[CommandedResidual]:
    """Return the torque errors that each of these robots has in a recording."""
    made = plant_arguments(robots[0], control_rate=RATE)
    mechanism = robots[0].mechanism()
    values = dict(zip(made.mechanism.parameter_names, made.parameters, strict=True))
    known = [values.get(name, 0.0) for name in mechanism.parameter_names]
    mechanism = mechanism.with_parameters(known)
    return [recorded_residual(robot, mechanism, recording) for robot in robots]


def main() -> None:
    """Print thresholds, false alarms, and the smallest pushes that are detected."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushes", type=int, default=6)
    parser.add_argument("--resolution", type=float)
    given = parser.parse_args()
    arm = elastic_arm(given.resolution)
    robots = [by_motors(arm), arm]
    names = ["torque of the motors", "torque in the gears"]
    begun = time.monotonic()
    free = [residuals(robots, record(arm, moves(arm, seed), seed)) for seed in range(4)]
    tuned = []
    for number, name in enumerate(names):
        tuning = tune(robots[number], [one[number] for one in free[:3]], false_alarms_per_hour=0.1)
        robot = robots[number].with_settings(
            robots[number].settings(CollisionSettings).model_copy(update=tuning.settings())
        )
        tuned.append(robot)
        collision = robot.settings(CollisionSettings)
        alarms = len(replay_thresholds(robot, free[3][number]).alarms)
        fast = [round(one, 2) for one in collision.torque_error_max or ()]
        resting = collision.threshold_at_rest(len(robot.joints))
        rest = [] if resting is None else np.round(resting, 2).tolist()
        rms = np.round(np.sqrt(np.mean(free[3][number].error ** 2, axis=0)), 2).tolist()
        print(f"{name}: rms error {rms} N m, thresholds in motion {fast}, at rest {rest} N m")
        print(f"  false alarms in {free[3][number].hours * 3600:.0f} s of another motion: {alarms}")
    for moving in (True, False):
        for joint in JOINTS:
            smallest = [
                smallest_moment(tuned, number, joint, moving, given.pushes) for number in range(2)
            ]
            words = ", ".join(f"{n} {m:.2g} N m" for n, m in zip(names, smallest, strict=True))
            print(f"  joint {joint} {'in motion' if moving else 'at rest'}: {words}", flush=True)
    print(f"{time.monotonic() - begun:.0f} s")


def smallest_moment(
    tuned: Sequence[Robot], number: int, joint: int, moving: bool, pushes: int
) -> float:
    """Return the smallest size that one of the detectors always finds [N m]."""
    for size in SIZES:
        if all(found(tuned, number, joint, moving, size, trial) for trial in range(pushes)):
            return size
    return float("inf")


def found(
    tuned: Sequence[Robot], number: int, joint: int, moving: bool, size: float, trial: int
) -> bool:
    """Return whether a moment is detected in time."""
    rng = np.random.default_rng(trial)
    references = moves(tuned[1], 100 + trial, count=1)
    rest = round(REST * RATE)
    share = rng.uniform(0.3, 0.7)
    at = rest + round(share * (len(references) - 2 * rest)) if moving else rest // 2
    sign = 1 if trial % 2 else -1
    quiet, pushed = (
        replay_thresholds(
            tuned[number],
            residuals(
                [tuned[number]], record(tuned[1], references, trial, at, joint, sign * moment)
            )[0],
        ).alarms
        for moment in (0.0, size)
    )
    span = at / RATE - SMEARED, at / RATE + FOUND
    before = any(alarm.time <= span[1] and alarm.until >= span[0] for alarm in quiet)
    # a false alarm shortly before may be one with that of the moment
    return not before and any(
        alarm.time <= span[1] and alarm.until >= at / RATE for alarm in pushed
    )


if __name__ == "__main__":
    main()
