"""Path error of simulated arms with elastic joints, with rigid and with elastic feedforward.

    python benchmarks/elastic_feedforward.py [CUTOFF_HZ]

Under the control law, each arm makes smooth moves between random positions within its limits, as
``dynid tracking flatness`` does with the motion of a profile: the mean of three such motions, and
the largest share of the error with rigid feedforward.
"""

from __future__ import annotations

import sys

import numpy as np

from dynid.arrays import Array
from dynid.profile import load_robot
from dynid.robot.robot import Robot
from dynid_plugins.elastic.flatness_trial import RUNS, compare_feedforwards

RATE = 1000.0  # [Hz]
MOVES = 6
REST = 0.3  # [s] after the last move
SHARE = 0.25  # of the ranges of the joints that moves use
FASTEST = 0.7  # share of the limits of velocity and acceleration
SEEDS = 3

PUMA = ("elastic.rotor_inertia=[2e-4,2e-4,2e-4,3.3e-5,3.3e-5,3.3e-5]",)
ARMS = {
    "gears of 3 to 60 kN m/rad": (
        "elastic.stiffness=[60000,60000,30000,5000,5000,3000]",
        "elastic.damping=[30,30,15,1,1,0.1]",
        *PUMA,
    ),
    "half as stiff": (
        "elastic.stiffness=[30000,30000,15000,2500,2500,1500]",
        "elastic.damping=[30,30,15,1,1,0.1]",
        *PUMA,
    ),
    "with backlash of 0.2 mrad": (
        "elastic.stiffness=[60000,60000,30000,5000,5000,3000]",
        "elastic.damping=[30,30,15,1,1,0.1]",
        "elastic.backlash=2e-4",
        *PUMA,
    ),
    "with drives of 40 Hz": (
        "elastic.stiffness=[60000,60000,30000,5000,5000,3000]",
        "elastic.damping=[30,30,15,1,1,0.1]",
        "simulation.bandwidth_hz=40",
        *PUMA,
    ),
}


def move(
    robot: Robot,
    present: Array,
    rng: np.random.Generator,
    *,
    share: float = SHARE,
    fastest: float = FASTEST,
    slowest: float = 1.0,
) -> tuple[Array, Array]:
    """Return references (N, n) along a quintic polynomial to a random position, and that one.

    Args:
        robot: with limits.
        present: where it starts (n,).
        rng: of the target, and of the pace.
        share: of the ranges of the joints that moves use.
        fastest: share of the limits of velocity and acceleration.
        slowest: least pace, of a random one up to the fastest.
    """
    lower, upper, *_ = robot.limits.of_joints(len(robot.joints))
    middle, width = (lower + upper) / 2, share * (upper - lower)
    velocity, acceleration = (
        np.asarray(robot.limits.velocity),
        np.asarray(robot.limits.acceleration),
    )
    target = middle + width * rng.uniform(-1, 1, len(middle))
    way = np.abs(target - present)
    longest = np.maximum(1.875 * way / velocity, np.sqrt(5.774 * way / acceleration)).max()
    pace = rng.uniform(slowest, 1) if slowest < 1 else 1.0
    x = np.linspace(0, 1, round(longest / fastest / pace * RATE) + 1)[1:, None]
    return present + (target - present) * x**3 * (10 - 15 * x + 6 * x**2), target


def moves(robot: Robot, seed: int) -> Array:
    """Return references (N, n) of a row of moves."""
    rng = np.random.default_rng(seed)
    present = robot.limits.of_joints(len(robot.joints)).middle
    parts = [present[None]]
    for _ in range(MOVES):
        references, present = move(robot, present, rng)
        parts.append(references)
    parts.append(np.repeat(present[None], round(REST * RATE), axis=0))
    return np.concatenate(parts)


def main() -> None:
    """Print a row for each arm."""
    cutoff = float(sys.argv[1]) if len(sys.argv) > 1 else 15.0
    for name, overrides in ARMS.items():
        robot = load_robot("puma560", overrides=overrides)
        trials = [compare_feedforwards(robot, moves(robot, seed), cutoff) for seed in range(SEEDS)]
        errors = np.mean([trial.rms for trial in trials], axis=0)
        ratios = np.max([trial.ratios for trial in trials], axis=0)
        row = ", ".join(
            f"{run} {1e3 * mean:.3f} mm (at most {ratio:.1%})"
            for run, mean, ratio in zip(RUNS, errors, ratios, strict=True)
        )
        print(f"PUMA 560, {name}: {row}")


if __name__ == "__main__":
    main()
