"""Tracking errors of torque-controlled robots: gravity-only PID against the identified model.

    python benchmarks/torque_mode.py [robot ...] [--moves 20] [--seed 0] [--set key=value ...]

Each robot is simulated in torque mode. Its model is identified from the simulated robot's own
excitation (not the true parameters), with sensor noise, quantised encoders and, where the profile
has it, Stribeck friction. The motion is another one: point to point between random positions, at
random speeds, with pauses. Gains, limits and motion are the same in all rows of a robot; only
`torque_control.compensation` differs. Neither torque errors nor position errors stop the robots,
because a gravity-only controller would be stopped. Errors are commanded minus true position, root
mean square over time; the command's delay to the drives does not count. Rows 'full' and
'rigid_body' are the model with and without friction.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.torque_controlled_robot import TorqueControlledRobot
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.control.tracking.trial import identified
from dynid.errors import SimulationError
from dynid.excitation.motion import Motion
from dynid.playback.motions import point_to_point
from dynid.profile import load_robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.simulation.derived import simulation_settings

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.robot import Robot

ROBOTS = ("puma560", "panda", "ur10e", "scara", "spatial_3r")
RATE = 1000.0  # [Hz]
PAUSE = 0.3  # [s]
INTEGRAL_TIME = 0.3  # [s] of PID
LOOPS = {"PD": None, "PID": (INTEGRAL_TIME,)}
COMPENSATIONS = ("gravity", "rigid_body", "full")


def random_moves(robot: Robot, moves: int, seed: int) -> Motion:
    """Return point-to-point motions with pauses, (N, n) each."""
    random = np.random.default_rng(seed)
    low, high = np.array([robot.limits.range_of("position", j) for j in range(len(robot.joints))]).T
    at = (low + high) / 2
    parts = []
    for _ in range(moves):
        goal = (low + high) / 2 + 0.35 * (high - low) * random.uniform(-1, 1, len(low))
        motion = point_to_point(at, goal, robot.limits, random.uniform(0.3, 1.0))
        time = np.arange(round((motion.duration + PAUSE) * RATE)) / RATE
        parts.append(motion.evaluate(np.minimum(time, motion.duration)))
        at = goal
    return Motion(*map(np.concatenate, zip(*parts, strict=True)))


def tracking_error(robot: Robot, model: Mechanism, motion: Motion, seed: int) -> Array:
    """Return command minus true position (N, n) [rad or m] at the joints."""
    cell = TorqueControlledRobot(robot, model, motion.position[0], seed=seed)
    delay = round(simulation_settings(robot).command_delay * RATE)
    commands, reached = np.empty_like(motion.position), np.empty_like(motion.position)
    for k, reference in enumerate(zip(*motion, strict=True)):
        reached[k] = cell.step(_core.Reference(*reference))
        commands[k] = cell.law.law.position_command
    if cell.law.phase != _core.TorquePhase.following:
        raise SimulationError(cell.collision)
    return commands[: len(commands) - delay] - reached[delay:]


def rows(robot: Robot, moves: int, seed: int) -> list[dict[str, object]]:
    """Return the errors of every variant, with their ratio to gravity-only of the same gains."""
    model = identified(robot, seed=seed)
    motion = random_moves(robot, moves, seed)
    given = robot.settings(TorqueControlSettings)
    robot = robot.with_settings(CollisionSettings(torque_error_enable=(False,)))
    found = []
    for loop, integral_time in LOOPS.items():
        base = None
        for compensation in COMPENSATIONS:
            changed = given.model_copy(
                update={
                    "compensation": compensation,
                    "integral_time": integral_time,
                    "position_error_max": None,
                }
            )
            error = tracking_error(robot.with_settings(changed), model, motion, seed + 1)
            rms = np.sqrt(np.mean(error**2, axis=0))
            base = rms if base is None else base
            found.append(
                {
                    "robot": robot.name,
                    "loop": loop,
                    "compensation": compensation,
                    "rms_mrad": 1e3 * float(np.sqrt(np.mean(rms**2))),
                    "largest_mrad": 1e3 * float(np.abs(error).max()),
                    "change": float(np.sqrt(np.mean(rms**2) / np.mean(base**2))) - 1,
                    "change_worst_joint": float((rms / base).max()) - 1,
                }
            )
    return found


def main() -> None:
    """Run the robots named on the command line, and print a line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in options.robots:
        for row in rows(load_robot(name, overrides=options.overrides), options.moves, options.seed):
            if options.json:
                print(json.dumps(row), flush=True)
                continue
            print(
                f"{row['robot']:12} {row['loop']:4} {row['compensation']:11} "
                f"rms {row['rms_mrad']:8.3f}  largest {row['largest_mrad']:8.3f} mrad or mm  "
                f"{row['change']:+7.1%}  worst joint {row['change_worst_joint']:+7.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
