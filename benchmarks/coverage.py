"""How many errors of base parameters and payload masses are within two standard deviations.

    python benchmarks/coverage.py simulated [ROBOT ...] [--seeds 200] [--estimator wls ...]
        [--workers 2 | --scheduler ADDRESS]
    python benchmarks/coverage.py recordings      # UR10e in ../shared/data: pairs, leave one out
    python benchmarks/coverage.py payload         # UR10e, models and payloads of different days

A seed of a simulated robot is a random motion and the sensors' noise. Its friction is the same in
every recording, so friction_repeatability is 0; Stribeck friction, which the models do not
describe, is left out. Rows of regressions are decimated to 50 Hz or more.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from seeds import add_options, trials

import dynid
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import ExcitationError
from dynid.estimation.fitting import build_problem, fit
from dynid.excitation.motion import Excitation
from dynid.identification.dead_bands import with_dead_bands
from dynid.identification.settings import IdentificationSettings
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import ParallelFilterSettings
from dynid.simulation.derived import simulation_settings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

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
_SETTINGS = (
    "identification.friction_repeatability=0",
    "identification.physical.enabled=false",  # it does not affect the base parameters
    "simulation.stribeck_torque=0",
)

_RATE = 1000.0  # [Hz] of simulated recordings
_ROWS = 5.0  # rows a second over the parallel filter's cut-off

Table = dict[str, tuple[float, float]]  # value and standard deviation by name


def main() -> None:
    """Print the table that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("simulated", "recordings", "payload"))
    parser.add_argument("robots", nargs="*", default=_SIMULATED)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1000, help="developed with 0 to 99")
    parser.add_argument("--estimator", action="append", help="default: that of the profile")
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--data", type=Path, default=_UR10E)
    add_options(parser)
    options = parser.parse_args()
    print(f"{'':34s} {'rigid':>25s}   {'friction and other terms':>25s}   {'all':>25s}")
    if options.what == "simulated":
        print_simulated(options)
    elif options.what == "recordings":
        print_recordings(options.data)
    else:
        print_payload(options.data)


def print_simulated(options: argparse.Namespace) -> None:
    """Identify simulated robots from random motions, and print each and all of them together."""
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    estimators, overrides = options.estimator or [""], [*_SETTINGS, *options.overrides]
    pooled: dict[str, list[tuple[str, float]]] = {one: [] for one in estimators}
    work = [(name, overrides, seeds, seed, estimators) for name in options.robots for seed in seeds]
    found = dict(
        zip(((one[0], one[3]) for one in work), trials(options, seed_errors, work), strict=True)
    )
    for name in options.robots:
        for number, estimator in enumerate(estimators):
            errors = [one for seed in seeds for one in found[name, seed][number]]
            _print_row(f"{name} {estimator}, {len(seeds)} seeds", errors)
            pooled[estimator] += errors
    for estimator in estimators:
        _print_row(f"all {estimator}", pooled[estimator])


def seed_errors(
    name: str, overrides: list[str], seeds: range, seed: int, estimators: Sequence[str]
) -> list[list[tuple[str, float]]]:
    """Return the standardised errors that each estimator makes with one seed of a robot."""
    robot = _decimated(load_robot(name, overrides=overrides))
    recording = _recording(robot, seeds, seed)
    return [_fit_errors(robot, recording, estimator) for estimator in estimators]


def _recording(robot: Robot, seeds: range, seed: int) -> Recording:
    """Return the recording of a seed; with another motion if links would collide in its own."""
    others = range(seeds[-1] + 1 + seeds.index(seed), seeds[-1] + 10_000, len(seeds))
    motions = (motion for one in (seed, *others) if (motion := _motion(robot, one)))
    return simulate(robot, next(motions), seed=seed)


def _motion(robot: Robot, seed: int) -> Excitation | None:
    try:
        return make_plan(robot, seed=seed).excitation
    except ExcitationError:
        return None


def _fit_errors(robot: Robot, recording: Recording, estimator: str) -> list[tuple[str, float]]:
    """Return the standardised errors of the base parameters, by an identification's steps."""
    robot = with_dead_bands(robot.with_explicit_terms(), [recording])
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    settings = robot.settings(IdentificationSettings)
    if estimator:
        settings = settings.model_copy(update={"estimator": estimator})
    problem = build_problem(mechanism, base, [preprocess(recording, robot)], settings)
    estimate = fit(problem, settings).estimate
    truth = base.project(true_parameters(mechanism, simulation_settings(robot)))
    deviations = np.sqrt(np.diag(estimate.covariance))
    return [
        (name, float((value - true) / deviation))
        for name, value, true, deviation, known in zip(
            base.names, estimate.base, truth, deviations, estimate.determined, strict=True
        )
        if known and deviation > 0
    ]


def _decimated(robot: Robot) -> Robot:
    """Return the robot with rows of its regression at a low rate, for speed."""
    settings = robot.settings(IdentificationSettings).explicit(_RATE)
    parallel = settings.parallel_filter
    if not isinstance(parallel, ParallelFilterSettings):
        return robot
    if parallel.cutoff_hz is None or parallel.decimation > 1:
        return robot
    step = min(20, int(_RATE / (_ROWS * parallel.cutoff_hz)))
    parallel = parallel.model_copy(update={"decimation": step})
    return robot.with_settings(settings.model_copy(update={"parallel_filter": parallel}))


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
