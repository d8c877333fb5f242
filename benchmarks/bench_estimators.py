"""Every estimator on simulated PUMA 560s whose parameters are known, over seeds of sensor noise.

The robot is recorded as by its drives: encoder counts, torque in thousandths of the rated one,
noise, and friction at rest that no model has. Estimators begin with bodies up to 30 % too heavy or
too light. Errors are of the mean over seeds, without and with the physically consistent step:

parameters  norm of the error over norm of the truth, where each base parameter counts by the torque
            that its column makes of the truth along the second motion, so that one that moves
            nothing does not count; every joint counts by its own torque
x wls       time of the fit over that of wls in the same run
torque      error along the second motion, which no estimator saw, over the measured torque, RMS of
            the joints; sensor noise and friction at rest are in it: row 'truth'

Run: python benchmarks/bench_estimators.py [--seeds N] [--budget SECONDS] [--only NAME …]
         [--workers 2 | --scheduler ADDRESS]

The processor time of seed 0 sets how many seeds an estimator gets; --budget inf gives it all.
"""

from __future__ import annotations

import argparse
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np
from seeds import add_options, trials

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import DynidError
from dynid.estimation.estimators import estimator_names, make_estimator
from dynid.estimation.fitting import build_problem
from dynid.estimation.physical import consistent_parameters
from dynid.estimation.regression import NormalEquations, Problem
from dynid.identification.settings import IdentificationSettings
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

_ROBOT, _TWIN = "puma560", ("excitation.periods=1",)
_SPREAD = 0.3  # of the masses that estimators begin with, either way
_HEADER = (
    f"{'':10s} {'seeds':>5s}  {'parameters':>10s} {'consistent':>10s}  "
    f"{'torque':>7s} {'consistent':>10s}  {'fit':>9s} {'consistent':>10s} {'x wls':>7s}"
)


@dataclass(frozen=True)
class Trial:
    """One seed: the problem to solve, and the second motion for the evaluation."""

    problem: Problem
    second: NormalEquations
    truth: Array  # (k,) base parameters

    def evaluate(self, base: Array) -> tuple[float, float]:
        """Error of base parameters (k,), and of torque along the second motion."""
        weight = 1 / self.second.squared_torque
        columns = np.einsum("j,jii->i", weight, self.second.joint_gram[:, :-1, :-1])
        wrong, true = (float(columns @ values**2) for values in (base - self.truth, self.truth))
        torque = np.mean(self.second.squared_error(base) * weight)
        return float(np.sqrt(wrong / true)), float(np.sqrt(torque))


def main() -> None:
    """Print a row for each estimator, and what those say that do not work here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="noises at most")
    parser.add_argument("--budget", type=float, default=12.0, help="[s] per estimator for seeds")
    parser.add_argument("--only", nargs="*", default=list(estimator_names()), help="estimators")
    add_options(parser)
    options = parser.parse_args()
    first = trials(options, seed_results, [(0, options.only)])
    names = {
        name: min(options.seeds, 1 + int(min(options.budget / _spent(first[0][name]), 1e9)))
        for name in options.only
    }
    work = [
        (seed, [name for name, count in names.items() if seed < count])
        for seed in range(1, options.seeds)
    ]
    print_rows([*first, *trials(options, seed_results, work)], options.only)


def _spent(result: Result | str) -> float:
    """Return the seconds of an attempt."""
    return 1e-9 if isinstance(result, str) else sum(result[2:])


def print_rows(found: list[dict[str, Result | str]], names: list[str]) -> None:
    """Print the results of all seeds."""
    base = base_parameterization(load_robot(_ROBOT, overrides=_TWIN).mechanism())
    print(f"{_ROBOT}: {len(base.names)} base parameters, errors in %, processor times in ms")
    print(_HEADER)
    wls = [one["wls"] for one in found if not isinstance(one.get("wls", ""), str)]
    unit_time = 1e3 * float(np.median([one[2] for one in wls])) if wls else float("nan")
    for name in ("start", "truth", *names):
        results = [one[name] for one in found if name in one]
        for seed, result in enumerate(results):
            if isinstance(result, str):
                print(f"{name:10s} seed {seed}: {result}")
        good = [one for one in results if not isinstance(one, str)]
        if good:
            print(row(name, good, unit_time), flush=True)


def seed_results(seed: int, names: list[str]) -> dict[str, Result | str]:
    """Return the results of some estimators on a seed, or why there are none."""
    robot = load_robot(_ROBOT, overrides=_TWIN)
    trial = make_trial(robot, seed)
    found: dict[str, Result | str] = {}
    for name, base in (
        ("start", trial.problem.base.project(_start(trial))),
        ("truth", trial.truth),
    ):
        found[name] = (trial.evaluate(base), None, 0.0, 0.0)
    return found | {name: attempted(name, trial, robot) for name in names}


Result = tuple[tuple[float, float], tuple[float, float] | None, float, float]


def attempted(name: str, trial: Trial, robot: Robot) -> Result | str:
    """Return the results of an estimator, or why there are none."""
    try:
        return attempt(name, trial, robot)
    except DynidError as error:
        return str(error)


def attempt(name: str, trial: Trial, robot: Robot) -> Result:
    """Errors of the estimate, of the consistent parameters, and seconds for each."""
    problem = Problem(  # without what another estimator's normal equations left behind
        trial.problem.mechanism, trial.problem.base, trial.problem.rows, trial.problem.folds
    )
    begun = time.process_time()
    estimate = make_estimator(name).fit(problem, _start(trial))
    fitted = time.process_time()
    physical = robot.settings(IdentificationSettings).physical
    solution = consistent_parameters(problem.mechanism, problem.base, estimate, physical)
    done = time.process_time()
    consistent = trial.evaluate(problem.base.project(solution.parameters))
    return trial.evaluate(estimate.base), consistent, fitted - begun, done - fitted


def row(name: str, results: list[Result], unit_time: float) -> str:
    """Mean errors in percent and median times in milliseconds of some seeds.

    Args:
        name: of the estimator.
        results: of its seeds.
        unit_time: of the fit of wls [ms]; NaN if it is not among the estimators.
    """
    parameters, torque = 100 * np.mean([one[0] for one in results], axis=0)
    text = [f"{name:10s} {len(results):5d}", f" {parameters:10.2f}"]
    if results[0][1] is None:
        return " ".join([*text, f"{'':10s}  {torque:7.2f}"])
    consistent = 100 * np.mean([one[1] for one in results if one[1] is not None], axis=0)
    times = 1e3 * np.median([one[2:] for one in results], axis=0)
    text += [f"{consistent[0]:10.2f}", f" {torque:7.2f}", f"{consistent[1]:10.2f}"]
    return " ".join(
        [*text, f" {times[0]:9.1f}", f"{times[1]:10.1f}", f"{times[0] / unit_time:7.1f}"]
    )


def make_trial(robot: Robot, seed: int) -> Trial:
    """Return the trial of a seed of the sensors' noise; all are along the same two motions."""
    excitations = [make_plan(robot, seed=one).excitation for one in (None, second_seed(robot))]
    exact = robot.mechanism()
    standard = true_parameters(exact, robot.find(SimulationSettings) or SimulationSettings())
    base = base_parameterization(exact)
    mechanism = robot.with_urdf(with_other_masses(robot.urdf_xml)).mechanism()
    first, second = (
        problem_of(robot, mechanism, base, simulate(robot, one, seed=2 * seed + number))
        for number, one in enumerate(excitations)
    )
    return Trial(first, second.normal_equations(at_rest=True), base.project(standard))


def problem_of(
    robot: Robot, mechanism: Mechanism, base: BaseParameterization, recording: Recording
) -> Problem:
    """The regression problem of one recording."""
    return build_problem(
        mechanism, base, [preprocess(recording, robot)], robot.settings(IdentificationSettings)
    )


def with_other_masses(urdf_xml: str) -> str:
    """The URDF with every body made denser or lighter, which any body can be."""
    description, random = ET.fromstring(urdf_xml), np.random.default_rng(0)  # noqa: S314
    for inertial in description.iter("inertial"):
        factor = random.uniform(1 - _SPREAD, 1 + _SPREAD)
        for element in inertial:
            for key in element.attrib if element.tag in {"mass", "inertia"} else ():
                element.set(key, repr(float(element.attrib[key]) * factor))
    return ET.tostring(description, "unicode")


def _start(trial: Trial) -> Array:
    return trial.problem.mechanism.urdf_parameters


if __name__ == "__main__":
    main()
