"""A player that is killed, and players and robots that are suspended: does the robot stop?

Run with ``python benchmarks/stop_trials.py``: 200 kills and 50 suspensions of 0.2 to 5 s, in
simulated time; ``--real`` does 20 of each with processes, in real time. What is printed: time from
the event until the robot rests where the motion ended (after a short suspension it goes on, and is
stopped by request), how far it is off its path, and what of its limits the commanded motion took.
The bound is the horizon, the longest braking of the motion and half a second.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from stop_cell import AT_REST, RATE, Cell, playing, twelve_second_plan
from stop_processes import real_trials

from dynid.arrays import Array
from dynid.playback.motions import braking_acceleration, ending
from dynid.playback.options import Options
from dynid.playback.plan import Plan

MARGIN = 0.5  # [s]


@dataclass(frozen=True)
class Trial:
    """Result for a robot: time to rest [s], distance from its path, use of its limits."""

    to_rest: float
    off_path: float
    velocity_use: float
    acceleration_use: float
    moving: bool
    ended: bool


def kill_player(cell: Cell) -> None:
    """The player is killed."""
    cell.player_runs = False


def suspend_player(cell: Cell) -> None:
    """The player is suspended for a time."""
    cell.player_runs = False
    cell.run(cell.random.uniform(0.2, 5.0))
    cell.player_runs = True


def suspend_robot(cell: Cell) -> None:
    """The robot and its controller are suspended for a time, including their clock."""
    cell.robot_runs = False
    cell.run(cell.random.uniform(0.2, 5.0))
    cell.robot_runs = True


def braking(plan: Plan) -> float:
    """The longest time that braking takes anywhere on the motion [s]."""
    allowed = braking_acceleration(plan.trajectory, plan.robot.limits)
    instants = np.linspace(0.0, plan.trajectory.duration, 200)
    return max(ending(plan.trajectory, float(t), allowed).duration - float(t) for t in instants)


def trial(plan: Plan, disturb: Callable[[Cell], None], seed: int, bound: float) -> Trial:
    """One event at a random moment of a motion."""
    cell = playing(plan, np.random.default_rng(seed))
    begin = len(cell.reference)
    disturb(cell)
    cell.run(bound)
    # if the motion continued, it must end like any other, and is stopped
    ended = not cell.playback.under_way or not cell.player_runs
    if not ended:
        cell.playback.stop()
        cell.run(bound)
    reference, velocity = np.array(cell.reference), np.array(cell.velocity)
    still = np.abs(velocity).max(axis=1) < AT_REST
    last = len(still) - int(np.argmin(still[::-1]))  # moved for the last time
    limits, n = plan.robot.limits, reference.shape[1]
    steps = np.diff(reference[begin - 2 :], axis=0) * RATE
    most = np.broadcast_to(np.asarray(limits.velocity or np.inf), n)
    allowed = braking_acceleration(plan.trajectory, limits)
    return Trial(
        to_rest=max(last - begin, 0) / RATE,
        off_path=_distance(plan, reference[begin:]),
        velocity_use=float((np.abs(steps) / most).max()),
        acceleration_use=float((np.abs(np.diff(steps, axis=0)) * RATE / allowed).max()),
        moving=not still[-1],
        ended=ended,
    )


def _distance(plan: Plan, reference: Array) -> float:
    """The largest distance of references from the motion's path [rad or m].

    The path is a polyline of a point a millisecond; every fifth reference counts.
    """
    time = np.arange(0.0, plan.trajectory.duration, 1e-3)
    path = plan.trajectory.evaluate(time).position
    begin, along = path[:-1], np.diff(path, axis=0)
    length = np.maximum((along**2).sum(axis=1), 1e-30)
    worst = 0.0
    for point in reference[::5]:
        share = np.clip(((point - begin) * along).sum(axis=1) / length, 0.0, 1.0)
        off = np.abs(begin + share[:, np.newaxis] * along - point).max(axis=1)
        worst = max(worst, float(off.min()))
    return worst


def simulated_trials(name: str, kills: int, suspensions: int, first_seed: int) -> None:
    """Print the table of trials in simulated time."""
    plan = twelve_second_plan(name)
    bound = Options().horizon + braking(plan) + MARGIN
    print(f"{name}: horizon 1 s, braking at most {braking(plan):.2f} s, bound {bound:.2f} s")
    print(
        f"{'event':<18}{'trials':>7}{'rest median':>13}{'worst [s]':>11}{'off path':>10}"
        f"{'velocity':>10}{'accel.':>8}{'ended':>7}{'moving':>8}"
    )
    half = suspensions // 2
    for label, disturb, count in (
        ("kill -9 player", kill_player, kills),
        ("suspend player", suspend_player, half),
        ("suspend robot", suspend_robot, suspensions - half),
    ):
        done = [trial(plan, disturb, first_seed + k, bound) for k in range(count)]
        rest = [one.to_rest for one in done if one.ended] or [np.nan]
        print(
            f"{label:<18}{count:>7}{np.median(rest):>13.2f}{max(rest):>11.2f}"
            f"{max(one.off_path for one in done):>10.1e}"
            f"{max(one.velocity_use for one in done):>10.2f}"
            f"{max(one.acceleration_use for one in done):>8.2f}"
            f"{sum(one.ended for one in done):>7}{sum(one.moving for one in done):>8}",
            flush=True,
        )


def main() -> None:
    """Read the command line, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--robot", default="puma560")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--suspensions", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--real", action="store_true", help="with processes, 20 of each")
    parser.add_argument("--trials", type=int, default=20, help="of each kind with --real")
    arguments = parser.parse_args()
    if arguments.real:
        real_trials(arguments.robot, arguments.trials, arguments.first_seed)
        return
    simulated_trials(arguments.robot, arguments.kills, arguments.suspensions, arguments.first_seed)


if __name__ == "__main__":
    main()
