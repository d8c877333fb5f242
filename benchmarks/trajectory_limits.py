"""Moves with the accelerations of ``dynid check limits`` and with the profile's constant ones.

    python benchmarks/trajectory_limits.py [PROFILE …]

The model is identified from the profile's excitation. 1000 straight moves in joint space between
random positions, with trapezoids of velocity; torques are those of the simulated robot's true
parameters, not of the model. The profile's constants are tried at its full velocity.
"""

from __future__ import annotations

import sys

import numpy as np

from dynid.arrays import Array
from dynid.control.torque_space import move_times
from dynid.control.trajectory_limits import trajectory_limits
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.robot.robot import Robot
from dynid.simulation.derived import simulation_settings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

_ROBOTS = ("puma560", "ur10", "spatial_3r", "scara_2r", "yumi_arm")
_MOVES, _INSTANTS = 1000, 200


def trapezoid(duration: float, speed: float, rate: float) -> tuple[Array, Array, Array]:
    """Length, speed and acceleration (M,) of a move of length 1 at instants of its duration."""
    ramp = min(speed / rate, duration / 2)
    top = rate * ramp
    time = np.linspace(0, duration, _INSTANTS)
    sense = (time < ramp).astype(float) - (time > duration - ramp).astype(float)
    acceleration = rate * sense
    rise, fall = np.minimum(time, ramp), np.maximum(time - (duration - ramp), 0)
    velocity = np.clip(rate * np.minimum(rise, duration - time), 0, top)
    way = rate * rise**2 / 2 + top * np.clip(time - ramp, 0, duration - 2 * ramp)
    return way + top * fall - rate * fall**2 / 2, velocity, acceleration


def saturated(
    robot: Robot, starts: Array, moves: Array, velocity: Array, acceleration: Array
) -> int:
    """Number of moves that need more than the largest torque of the true robot."""
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism, simulation_settings(robot))
    torque_max, count = np.array(robot.limits.torque_max), 0
    durations = move_times(moves, velocity, acceleration)
    for start, move, duration in zip(starts, moves, durations, strict=True):
        size = np.abs(move)
        speed, rate = 1 / (size / velocity).max(), 1 / (size / acceleration).max()
        way, fast, faster = (one[:, None] * move for one in trapezoid(duration, speed, rate))
        torque = mechanism.torque(start + way, fast, faster, parameters)
        count += bool((np.abs(torque) > torque_max).any())
    return count


def row(robot: Robot) -> str:
    """One line of the table."""
    excitation = find_excitation(robot)
    if excitation is None:
        raise ValueError(f"{robot.name}: the profile has no excitation")
    recording = simulate(robot, build_excitation(excitation, robot.limits, robot.joints), seed=1)
    found = identify(robot, recording)
    limits = trajectory_limits(found.model)
    low, high = np.array([robot.limits.range_of("position", j) for j in range(len(robot.joints))]).T
    ends = np.random.default_rng(7).uniform(low, high, (2, _MOVES, len(low)))
    moves = ends[1] - ends[0]
    sheet = robot.limits
    most = np.array(sheet.acceleration or np.nan), np.array(sheet.velocity)
    texts = []
    for velocity, acceleration in ((limits.velocity, limits.acceleration), (most[1], most[0])):
        wide = np.broadcast_to(velocity, low.shape), np.broadcast_to(acceleration, low.shape)
        if np.isnan(wide[1]).any():
            texts.append("no constant in the profile")
            continue
        time = move_times(moves, *wide).mean()
        over = saturated(robot, ends[0], moves, *wide)
        texts.append(f"{time:6.3f} s {over:5d} saturated")
    scale = (limits.velocity / np.array(sheet.velocity)).max()
    return f"{robot.name:12} {texts[0]}, velocity {100 * scale:.0f} %   | {texts[1]}"


def main() -> None:
    """Print the table."""
    print(f"mean duration of {_MOVES} moves and how many exceed torque_max on the true robot")
    print("robot        dynid check limits                              | profile")
    for name in sys.argv[1:] or _ROBOTS:
        print(row(load_robot(name)), flush=True)


if __name__ == "__main__":
    main()
