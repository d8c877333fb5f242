"""Robots that cannot brake as commanded: does the player report which joints did not stop?

Run with ``python benchmarks/braking_trials.py``. A motion is stopped on request while the drives
lose most of their torque, so that axes fall under gravity, or while their brakes engage; what the
player's message is compared with the motion of each joint. In simulated time.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from stop_cell import AT_REST, RATE, Cell, playing, twelve_second_plan

from dynid.arrays import Array


def lose_torque(cell: Cell) -> None:
    """The drives have a small share of their torque from now on, each another one."""
    shares = cell.random.uniform(0.02, 0.4, len(cell.plan.robot.joints))
    cell.drives.saturate(shares)


def engage_brakes(cell: Cell) -> None:
    """The drives brake and hold, whatever their targets."""
    cell.drives.trip()


def trials(name: str, count: int, first_seed: int) -> None:
    """Print how joints stopped that could not brake as commanded, and whether that was reported.

    A joint that still moves 0.8 s after its commanded rest, or rests 0.03 rad away, has to be
    named; one that rests within 0.4 s and 0.015 rad must not be.
    """
    plan = twelve_second_plan(name)
    print(f"{name}: stopped on request with drives that cannot brake as commanded")
    print(
        f"{'event':<15}{'trials':>7}{'joints not held':>17}{'not named':>11}{'wrongly named':>15}"
    )
    for label, disturb in (("torque lost", lose_torque), ("brakes engage", engage_brakes)):
        fallen = missed = wrong = 0
        for seed in range(first_seed, first_seed + count):
            cell = playing(plan, np.random.default_rng(seed))
            begin = len(cell.reference)
            disturb(cell)
            cell.playback.stop()
            while cell.playback.under_way:
                cell.step()
            late, away = _not_held(cell, begin)
            named = np.array([f"joint '{j}'" in cell.playback.state for j in plan.robot.joints])
            certain = (late > 0.8) | (away > 0.03)
            fallen += int(certain.sum())
            missed += int((certain & ~named).sum())
            wrong += int((named & (late < 0.4) & (away < 0.015)).sum())
        print(f"{label:<15}{count:>7}{fallen:>17}{missed:>11}{wrong:>15}", flush=True)


def _not_held(cell: Cell, begin: int) -> tuple[Array, Array]:
    """How late [s] and how far from their references [rad or m] joints rested (n,)."""
    reference, position = np.array(cell.reference[begin:]), np.array(cell.position[begin:])
    moving = np.abs(np.array(cell.velocity[begin:])) > AT_REST
    commanded = np.abs(np.diff(reference, axis=0)).max(axis=1) > 0
    # the first time that the reference rests for a tenth of a second, and then the robot too
    end = _rests(commanded, 0)
    rest = _rests(np.asarray(moving.any(axis=1)), end)
    last = np.array([np.flatnonzero(one).max(initial=end) for one in moving[:rest].T])
    return (last - end) / RATE, np.abs(position[rest] - reference[end])


def _rests(moving: NDArray[np.bool_], begin: int) -> int:
    """The first cycle from one on that begins a tenth of a second without motion; or the last."""
    span = RATE // 10
    for k in range(begin, len(moving) - span):
        if not moving[k : k + span].any():
            return k
    return len(moving) - 1


def main() -> None:
    """Read the command line, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--robot", default="ur10")
    parser.add_argument("--trials", type=int, default=100, help="of each kind")
    parser.add_argument("--first-seed", type=int, default=1)
    arguments = parser.parse_args()
    trials(arguments.robot, arguments.trials, arguments.first_seed)


if __name__ == "__main__":
    main()
