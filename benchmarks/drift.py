"""Detection delay and false alarms of ``dynid fleet drift``, simulated and on a real UR10e.

Simulated histories are parameters drawn from the covariance of an identification of the simulated
PUMA 560, with friction that varies between days: 5 % at each joint and 5 % at all joints together
(standard deviations), one recording a day. A change begins after 30 recordings, of which the first
ten are the reference. "full" simulates and identifies every recording instead.

The UR10e was recorded from September 2019 to February 2020, with another motion each time (the
recordings are not part of this repository, docs/real-data.md). Every recording is identified alone,
with viscous friction, Coulomb friction, offset and rotor inertia.

    python benchmarks/drift.py [delay] [alarms] [full] [real] [--data FOLDER] [--histories N]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import plain_terms
from dynid.errors import DynidError
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying
from dynid_plugins.fleet.drift.causes import CauseKind, find_causes, friction_groups
from dynid_plugins.fleet.drift.detection import Drift, detect_drift
from dynid_plugins.fleet.drift.history import DAY, YEAR, History, best_model, history_of_models
from dynid_plugins.fleet.drift.words import change_sentence, visibility_words

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "ur10e"
JOINT, COMMON = 0.05, 0.05
BEFORE, AFTER, REFERENCE = 30, 30, 10
CAUSES: tuple[tuple[CauseKind, str, tuple[float, float, float], str], ...] = (
    ("payload", "joint_6", (0.02, 0.1, 0.5), "kg"),
    ("dry", "joint_2", (0.1, 0.2, 0.4), "of dry friction (brake)"),
    ("friction", "joint_3", (0.1, 0.2, 0.4), "of friction (gear or belt), growing over 30 days"),
    ("friction", "all joints", (0.1, 0.2, 0.4), "of friction (lubrication, temperature)"),
    ("torque_constant", "joint_2", (0.005, 0.02, 0.05), "of torque"),
    ("encoder", "joint_3", (0.001, 0.005, 0.02), "rad"),
)
FREE = (
    ("2019-09-27T11:32", "ur-19_09_27-11_32_02"),
    ("2019-10-01T14:04", "ur-19_10_01-14_04_41"),
    ("2019-12-23T12:00", "ur-19_12_23_free"),
    ("2020-01-17T12:00", "ur-20_01_17-ptp_10_points"),
    ("2020-01-31T12:00", "ur-20_01_31-unload"),
    ("2020-02-06T12:00", "ur-20_02_06-20sec_10harm"),
    ("2020-02-10T12:00", "ur-20_02_10-30sec_12harm"),
    ("2020-02-12T12:00", "ur-20_02_12-50sec_12harm"),
    ("2020-02-19T12:00", "ur-20_02_19_14harm50sec"),
)
LOADED = ("2020-02-19T13:00", "ur-20_02_19_14harm50secLoad")  # 2.805 kg


def drawn(
    model: Model, count: int, seed: int, *, change: Array | None = None, correlation: float = 0.0
) -> History:
    """Draw a history; ``change`` (count, k) is added, ``correlation`` is from day to day."""
    random = np.random.default_rng(seed)
    plain = history_of_models([model, model], [0.0, DAY])
    sizes = friction_groups(model, plain.names, plain.covariances)
    within = plain.covariances[0]
    values = plain.values[0] + random.multivariate_normal(np.zeros(len(within)), within, count)
    joints = series(random, count, len(sizes.names), correlation)
    together = series(random, count, 1, correlation)
    values += (JOINT * joints[:, sizes.number] + COMMON * together) * sizes.sizes
    if change is not None:
        values += change
    covariances = np.repeat(within[None], count, axis=0)
    return History(
        plain.robot, DAY * np.arange(count, dtype=float), plain.names, values, covariances
    )


def series(random: np.random.Generator, count: int, width: int, correlation: float) -> Array:
    """Draw (count, width) of variance 1 with a correlation from row to row."""
    noise = random.standard_normal((count, width))
    for i in range(1, count):
        noise[i] = correlation * noise[i - 1] + np.sqrt(1 - correlation**2) * noise[i]
    return noise


def delays(model: Model, histories: int, seeds: int, simulations: int) -> None:
    """Print how soon each cause is found, in three sizes."""
    names = history_of_models([model, model], [0.0, DAY]).names
    causes = {(one.kind, one.joint): one for one in find_causes(model, names)}
    print(f"{histories} histories each; 0.1 false alarms per robot-year; delay in recordings")
    print("cause, joint, size: detected, median delay, cause right, before the change, size error")
    for kind, joint, sizes, unit in CAUSES:
        signature = causes[kind, joint].signature[:, 0]
        for size in sizes:
            passed = np.clip(np.arange(BEFORE + AFTER) - BEFORE + 1, 0, 30 if "over" in unit else 1)
            change = np.outer(size * passed / passed.max(), signature)
            found = [
                detect_drift(
                    model,
                    drawn(model, BEFORE + AFTER, seed, change=change),
                    simulations=simulations,
                    seed=seed,
                )
                for seed in range(seeds, seeds + histories)
            ]
            print_delays(found, kind, joint, f"{size:g} {unit}", size)


def print_delays(found: Sequence[Drift], kind: str, joint: str, words: str, size: float) -> None:
    """Print a row: the first alarm after the change, and its most probable cause."""
    alarms = [[one for one in drift.changes if one.alarm >= BEFORE] for drift in found]
    early = sum(one.alarm < BEFORE for drift in found for one in drift.changes)
    first = [one[0] for one in alarms if one]
    right = [one for one in first if (one.best.cause.kind, one.best.cause.joint) == (kind, joint)]
    delay = [one.alarm - BEFORE + 1 for one in first]
    errors = [abs(one.best.size / size - 1) for one in right]
    print(
        f"{kind:16s} {joint:10s} {words:55s} {len(first):3d}/{len(found)} "
        f"{np.median(delay) if delay else np.nan:5.1f} {len(right):3d}/{len(first)} {early:3d} "
        f"{100 * np.median(errors) if errors else np.nan:6.1f} %",
        flush=True,
    )


def alarms(
    model: Model,
    histories: int,
    rates: Sequence[float],
    correlations: Sequence[float],
    first: int,
    simulations: int,
) -> None:
    """Print false alarms per robot-year against the stated rate."""
    print("stated rate, correlation from day to day: alarms in robot-years, per robot-year;")
    print("estimated correlation at first, threshold (medians)")
    for correlation in correlations:
        for rate in rates:
            found = [
                false_alarms(model, rate, correlation, first + i, simulations)
                for i in range(histories)
            ]
            count = sum(len(one.changes) for one in found)
            years = sum(int((one.surprise > 0).sum()) for one in found) * DAY / YEAR
            known = np.median([one.between_days.persistence.mean for one in found])
            threshold = np.median([one.threshold for one in found])
            print(
                f"{rate:g} {correlation:g}: {count} in {years:.1f}, {count / years:.2f}; "
                f"{known:.2f}, {threshold:.0f}",
                flush=True,
            )


def false_alarms(
    model: Model, rate: float, correlation: float, seed: int, simulations: int
) -> Drift:
    """Return what is found in a year of daily recordings without change."""
    history = drawn(model, REFERENCE + 365, seed, correlation=correlation)
    return detect_drift(
        model, history, false_alarms_per_year=rate, simulations=simulations, seed=seed
    )


def full(robot: Robot) -> None:
    """Print what is found where every recording is simulated and identified."""
    friction = "dry friction +30 % at joint_2"
    for title in ("nothing", friction, "payload 0.5 kg"):
        random = np.random.default_rng(4)
        models = []
        for number in range(14):
            settings = robot.settings(SimulationSettings)
            warmth = 1 + COMMON * random.standard_normal()
            values = dict(settings.parameters)
            for name in values:
                if name[:2] in ("Fv", "Fc"):
                    values[name] *= warmth * (1 + JOINT * random.standard_normal())
            if number >= 10 and title == friction:
                values["Fc2"] *= 1.3
            today = robot.with_settings(settings.model_copy(update={"parameters": values}))
            if number >= 10 and title.startswith("payload"):
                today = carrying(today, 0.5, [0.0, 0.0, 0.05], np.zeros(6))
            models.append(identify(robot, simulate(today, seed=number)).model)
        history = history_of_models(models, list(DAY * np.arange(14)))
        print_found(
            f"{title} (from recording 11 of 14)", detect_drift(models[0], history, reference=8)
        )


def real(data: Path) -> None:
    """Print what changed at the UR10e, and whether a known payload would be found."""
    robot = load_robot("ur10e")
    robot = robot.with_terms(plain_terms(robot.joints, [False] * len(robot.joints)))
    models, times = [], []
    for time, name in (*FREE, LOADED):
        try:
            models.append(identify(robot, load_recording(data / f"{name}.csv", robot)).model)
        except DynidError as problem:
            print(f"{name}: left out: {problem}")
            continue
        made = models[-1].identified_provenance
        print(f"{name}: {made.status} {' '.join(made.reasons)[:150]}", flush=True)
        times.append(datetime.fromisoformat(time).replace(tzinfo=timezone.utc).timestamp())
    for title, last in (("without payload", -1), ("with 2.805 kg at the end", None)):
        history = history_of_models(models[:last], times[:last])
        print(f"{title}: {len(history.times)} recordings, {len(history.names)} parameters in all")
        print_found(title, detect_drift(best_model(models[:4], history), history, reference=4))


def print_found(title: str, found: Drift) -> None:
    """Print variation, surprise, changes and what is visible."""
    days = found.between_days
    print(f"{title}: {' '.join(found.history.notes)}")
    print(f"  surprise {np.round(found.surprise, 1)}, threshold {found.threshold:.1f}")
    joints = np.sqrt(days.joints + days.common)
    together = 100 * np.sqrt(days.common)
    print(f"  friction between days {np.round(100 * joints, 1)} %, together {together:.1f} %")
    print(f"  other parameters: {days.others:.1f} times the variance within a recording")
    for change in found.changes:
        print(f"  {change_sentence(found, change)}")
    smallest = [
        f"{one.cause.kind} {one.cause.joint}: {visibility_words(one.cause, one.smallest)}"
        for one in found.visibility
    ]
    print(f"  visible within five recordings: {'; '.join(smallest)}", flush=True)


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=[], help="delay, alarms, full, real")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--histories", type=int, default=20)
    parser.add_argument("--rates", type=float, nargs="+", default=[1.0, 0.1])
    parser.add_argument("--correlations", type=float, nargs="+", default=[0.0, 0.7])
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--simulations", type=int, default=100, help="years for a threshold")
    options = parser.parse_args()
    parts = options.parts or ["delay", "alarms", "full", "real"]
    robot = load_robot("puma560")
    if {"delay", "alarms"} & set(parts):
        model = identify(robot, simulate(robot, seed=1)).model
        if "delay" in parts:
            delays(model, options.histories, options.first_seed, options.simulations)
        if "alarms" in parts:
            alarms(
                model,
                options.histories,
                options.rates,
                options.correlations,
                options.first_seed,
                options.simulations,
            )
    if "full" in parts:
        full(robot)
    if "real" in parts and options.data.is_dir():
        real(options.data)


if __name__ == "__main__":
    main()
