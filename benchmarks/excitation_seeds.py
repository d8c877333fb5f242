"""Are optimised excitations within every limit? Checked at ten times finer sampling.

    python benchmarks/excitation_seeds.py [--seeds 100] [--jobs 2] [ROBOT …]

For each seed one start is searched, and the motion held against position, velocity, acceleration,
torque, self-collision, floor and tool speed at 160 samples for each period of its highest harmonic.
Prints how many seeds break which limit, and the most that is used of it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections import Counter
from typing import NamedTuple

import numpy as np
from rich.console import Console

from dynid.configuration import per_joint
from dynid.excitation.design.design import ExcitationSpec
from dynid.excitation.design.optimise import optimise, propose_series
from dynid.excitation.prediction.precision import torque_noise
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot
from dynid.report.terminal.tables import table
from dynid.robot.model import nominal_model
from dynid.simulation.settings import stated_torque_noise

ROBOTS = ("ur10e", "puma560", "scara", "delta_3")
_WORKSPACE = (
    "workspace.self_collision=true",
    "workspace.clearance=0.02",
    "workspace.planes={floor: {point: [0, 0, -1.0]}}",
    "workspace.tool_speed=2.0",
)
_FINELY = 160


class Trial(NamedTuple):
    """Result of one seed: the largest share of each limit, above 1 if it is violated."""

    robot: str
    seed: int
    condition_number: float
    used: dict[str, float]
    seconds: float


def trial(name: str, seed: int) -> Trial:
    """Search with one seed, and check with fine sampling."""
    robot = load_robot(name, overrides=_WORKSPACE)
    mechanism = robot.mechanism()
    joints = len(robot.joints)
    stated = stated_torque_noise(robot, mechanism)
    noise = torque_noise(robot, mechanism, np.zeros((1, joints)), stated=stated).standard_deviation
    spec = ExcitationSpec(propose_series(robot, periods=1))
    begun = time.perf_counter()
    found = optimise(nominal_model(robot), spec, noise, starts=1, seed=seed, jobs=1)
    seconds = time.perf_counter() - begun
    samples = _FINELY * spec.settings.harmonics + 1
    motion = found.excitation.evaluate(np.linspace(0, found.excitation.duration, samples))
    low, high, *_ = robot.limits.of_joints(joints)
    middle, half = (low + high) / 2, (high - low) / 2
    used = {"position": float(np.max(np.abs(motion.position - middle) / half))}
    torque = mechanism.torque(*motion, mechanism.parameters)
    for limit, values in (
        ("velocity", motion.velocity),
        ("acceleration", motion.acceleration),
        ("torque_max", torque),
    ):
        most = getattr(robot.limits, limit)
        if most is not None:
            used[limit] = float(np.max(np.abs(values) / per_joint(most, joints, limit)))
    workspace = Workspace(robot, mechanism)
    left = workspace.margins(motion).min(axis=0) / workspace.scale
    for one, share in zip(workspace.constraints, left.tolist(), strict=True):
        kind = "tool speed" if one.unit == "m/s" else "plane" if "plane" in one.name else "itself"
        used[kind] = max(used.get(kind, -np.inf), 1 - share)
    return Trial(name, seed, found.condition_number, used, seconds)


def main() -> None:
    """Print a row for each robot and limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    robots = given.robots or ROBOTS
    work = [(name, seed) for name in robots for seed in range(given.seeds)]
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        trials = pool.starmap(trial, work, chunksize=1)
    rows = table("robot", "limit", "seeds", "broken by", "most used", "condition", "seconds each")
    for name in robots:
        own = [one for one in trials if one.robot == name]
        broken = Counter(limit for one in own for limit, share in one.used.items() if share > 1)
        conditions = [one.condition_number for one in own]
        for limit in own[0].used:
            most = max(one.used[limit] for one in own)
            rows.add_row(
                name,
                limit,
                str(len(own)),
                str(broken[limit]),
                f"{most:.4f}",
                f"{min(conditions):.3g} … {max(conditions):.3g}",
                f"{np.mean([one.seconds for one in own]):.1f}",
            )
    Console(width=120).print(rows)


if __name__ == "__main__":
    main()
