"""Payload changes of simulated robots: masses found, delays, and false alarms per hour.

    python benchmarks/bench_online.py [ROBOT …] [--seeds N]

The robot moves by its profile's excitation, without payload for the first half; then it carries a
body as if it had been picked up in an instant. False alarms are counted on motions without change.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.online.change import PayloadChange
from dynid.identification.online.estimator import OnlineEstimator, OnlineSettings
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying

_MASSES = (0.1, 0.25, 0.5, 1.0, 2.0)  # [kg]
_CENTRE = (0.03, -0.05, 0.08)
_GYRATION = np.array([8e-3, 1e-3, 6e-3, -5e-4, 7e-4, 5e-3]) / 2  # inertia of 1 kg [kg m^2]


def moved(robot: Robot, seed: int) -> Recording:
    """The simulated robot on its profile's excitation with another seed."""
    settings = find_excitation(robot)
    if settings is None:
        raise SystemExit(f"{robot.name}: its profile has no excitation.")
    other = settings.model_copy(update={"seed": seed})
    motion = build_excitation(other, robot.limits, robot.joints)
    return simulate(robot, motion, seed=seed)


def changes(
    robot: Robot, parts: list[tuple[Recording, slice]], gap: float = 0.0
) -> tuple[list[PayloadChange], float, float]:
    """What is reported of recordings one after the other; evidence's maximum; share of real time.

    Without a gap [s] between them they have to fit together; behind one, filters begin afresh.
    """
    estimator = OnlineEstimator(robot, robot.mechanism(), OnlineSettings())
    found, most, begun = [], -np.inf, time.process_time()
    length = 0.0
    for recording, span in parts:
        period = 1 / recording.sampling_rate
        length += gap
        for position, effort in zip(recording.position[span], recording.effort[span], strict=True):
            length += period
            found += estimator.take(length, position, effort)
            if estimator.watching:
                most = max(most, estimator.evidence)
    return found, most, (time.process_time() - begun) / length


def main() -> None:
    """Print a table for each robot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("robots", nargs="*", default=["puma560", "spatial_3r"])
    parser.add_argument("--seeds", type=int, default=5, help="motions, each with its noise")
    arguments = parser.parse_args()
    for name in arguments.robots:
        robot = load_robot(name)
        table = Table(title=f"{name}: payload picked up, {arguments.seeds} motions")
        for column in ("mass [kg]", "found", "error [%]", "error / σ", "time error [s]"):
            table.add_column(column, justify="right")
        bare = [moved(robot, seed) for seed in range(1, arguments.seeds + 1)]
        for mass in _MASSES:
            loaded = carrying(robot, mass, _CENTRE, mass * _GYRATION)
            reported, wrong = [], 0
            for seed, recording in enumerate(bare, start=1):
                half = len(recording.time) // 2
                carried = moved(loaded, seed)
                parts = [(recording, slice(half)), (carried, slice(half, None))]
                at = half / recording.sampling_rate
                found, _, _ = changes(robot, parts)
                right = [one for one in found if one.kind == "picked up"]
                reported += [
                    (one.mass, one.mass_standard_deviation, one.time - at) for one in right[:1]
                ]
                wrong += len(found) - len(right[:1])
            if not reported:
                table.add_row(f"{mass:g}", f"0 of {len(bare)}", "", "", "")
                continue
            masses, deviations, delays = np.array(reported).T
            table.add_row(
                f"{mass:g}",
                f"{len(reported)} of {len(bare)}" + (f", {wrong} wrong" if wrong else ""),
                f"{100 * np.abs(masses / mass - 1).mean():.1f}",
                f"{np.sqrt(np.mean(((masses - mass) / deviations) ** 2)):.1f}",
                f"{np.abs(delays).max():.2f}",
            )
        Console().print(table)
        every = 2 * [(recording, slice(None)) for recording in bare]
        found, most, share = changes(robot, every, gap=1.0)
        minutes = sum(len(one.time) / one.sampling_rate for one, _ in every) / 60
        print(
            f"{name}: {len(found)} false alarms in {minutes:.1f} minutes without change (largest "
            f"evidence {most:.0f}, threshold {OnlineSettings().threshold:g}); {100 * share:.0f} % "
            "of a core."
        )


if __name__ == "__main__":
    main()
