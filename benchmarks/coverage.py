"""How many errors of base parameters and payload masses are within two standard deviations.

    python benchmarks/coverage.py simulated [ROBOT ...] [--seeds 200] [--set KEY=VALUE ...]
    python benchmarks/coverage.py recordings      # UR10e in ../shared/data: pairs, leave one out
    python benchmarks/coverage.py payload         # UR10e, models and payloads of different days

Simulated robots have the same friction in every recording, so friction_repeatability is 0 there;
their Stribeck friction, which the models do not describe, is left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np

import dynid
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.simulation.ground_truth import standardised_errors
from dynid.simulation.simulate import simulate

_UR10E = Path(__file__).resolve().parents[1] / "../shared/data/ur10e"
_UNLOADED = (
    "ur-20_02_12-50sec_12harm",
    "ur-20_02_19_14harm50sec",
    "ur-20_02_10-30sec_12harm",
    "ur-20_01_31-unload",
    "ur-20_02_06-20sec_10harm",
    "ur-19_12_23_free",
)
_LOADED, _MASS = ("ur-20_02_19_14harm50secLoad", "ur-20_01_31-load"), 2.805  # [kg]
_SIMULATED = ("pendulum", "scara", "spatial_3r", "puma560", "yumi_arm", "ur10")
_SETTINGS = ("identification.friction_repeatability=0", "simulation.stribeck_torque=0")

Table = dict[str, tuple[float, float]]  # value and standard deviation by name


def main() -> None:
    """Print the table that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("simulated", "recordings", "payload"))
    parser.add_argument("robots", nargs="*", default=_SIMULATED)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--data", type=Path, default=_UR10E)
    options = parser.parse_args()
    print(f"{'':34s} {'rigid':>25s}   {'friction and other terms':>25s}   {'all':>25s}")
    if options.what == "simulated":
        for name in options.robots:
            print_simulated(name, options.seeds, [*_SETTINGS, *options.overrides])
    elif options.what == "recordings":
        print_recordings(options.data)
    else:
        print_payload(options.data)


def print_simulated(name: str, seeds: int, overrides: list[str]) -> None:
    """Identify a simulated robot with many seeds of sensor noise."""
    robot = load_robot(name, overrides=overrides)
    motion = make_plan(robot).excitation
    found = [
        (parameter, error)
        for seed in range(seeds)
        for parameter, error in standardised_errors(
            dynid.identify(robot, simulate(robot, motion, seed=seed))
        ).items()
    ]
    _print_row(f"{name}, {seeds} seeds", found)


def print_recordings(folder: Path) -> None:
    """Compare the parameters of recordings of different days."""
    robot = load_robot("ur10e")
    recordings = [dynid.load_recording(folder / f"{one}.csv", robot) for one in _UNLOADED]
    alone = [_table(dynid.identify(robot, one)) for one in recordings]
    pairs = [error for a, b in combinations(alone, 2) for error in _differences(a, b)]
    _print_row("UR10e, all pairs", pairs)
    left_out = []
    for number, one in enumerate(alone):
        others = [other for k, other in enumerate(recordings) if k != number]
        left_out += _differences(_table(dynid.identify(robot, others)), one)
    _print_row("UR10e, one against the others", left_out)


def print_payload(folder: Path) -> None:
    """Compare the masses of a payload with the true one, models and payloads of any days."""
    robot = load_robot("ur10e")
    loaded = {one: dynid.load_recording(folder / f"{one}.csv", robot) for one in _LOADED}
    scores = []
    for unloaded in _UNLOADED:
        model = dynid.identify(robot, dynid.load_recording(folder / f"{unloaded}.csv", robot)).model
        for name, recording in loaded.items():
            row = dynid.identify_payload(model, recording).payload.quantities[0]
            size = np.inf if row.standard_deviation is None else row.standard_deviation
            scores.append((row.value - _MASS) / size)
            print(
                f"{unloaded:26s} {name:28s} {row.value:.3f} ± {size:.3f} kg "
                f"{100 * (row.value / _MASS - 1):+.1f} %  z {scores[-1]:+.1f}"
            )
    print(f"masses: {_share(scores)}")


def _table(found: dynid.Identification) -> Table:
    return {p.name: (p.value, p.standard_deviation) for p in found.base_parameters if p.determined}


def _differences(first: Table, second: Table) -> list[tuple[str, float]]:
    return [
        (name, (first[name][0] - second[name][0]) / np.hypot(first[name][1], second[name][1]))
        for name in first
        if name in second
    ]


def _print_row(label: str, errors: Iterable[tuple[str, float]]) -> None:
    listed = list(errors)
    # names of rigid base parameters begin with those of inertial parameters
    terms = [error for name, error in listed if not name.startswith(("X", "Y", "Z", "M"))]
    rigid = [error for name, error in listed if name.startswith(("X", "Y", "Z", "M"))]
    columns = [_share(part) for part in (rigid, terms, [error for _, error in listed])]
    print(f"{label:34s} " + "   ".join(f"{column:>25s}" for column in columns), flush=True)


def _share(errors: list[float]) -> str:
    sizes = np.abs(errors)
    if len(sizes) == 0:
        return "none"
    rms = np.sqrt(np.mean(sizes**2))
    return f"{np.mean(sizes < 2):6.1%} rms {rms:.2f} max {sizes.max():.1f}"


if __name__ == "__main__":
    main()
