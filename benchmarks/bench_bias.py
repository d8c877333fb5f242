"""Bias of estimators by noise on positions and a poor cut-off, on the PUMA 560.

The robot is simulated once; each seed adds other white noise to its positions. An estimator's
torque error is that of its model along a second, noiseless motion, against the true parameters: of
the mean estimate over the seeds (bias), and of the estimates about that mean (scatter), both as a
share of the torque, root mean square over the joints. A star marks estimators that were given the
commands and the gains of the drives; the others have the measured positions only.

Run: python benchmarks/bench_bias.py [--seeds N] [--noise RAD] [--threshold FRACTION]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.estimate import Estimator
from dynid.estimation.fitting import build_problem
from dynid.estimation.least_squares import OrdinaryLeastSquares, WeightedLeastSquares
from dynid.estimation.regression import Problem
from dynid.identification.settings import IdentificationSettings
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import VelocityThreshold
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters
from dynid_plugins.laboratory.closed_loop.didim import DirectAndInverseModel
from dynid_plugins.laboratory.closed_loop.iv import InstrumentalVariables
from dynid_plugins.laboratory.closed_loop.known_loop import simulated_loop
from dynid_plugins.laboratory.closed_loop.output_error import (
    ClosedLoopInputError,
    ClosedLoopOutputError,
)

_CUTOFFS = (1.0, 10.0, 100.0)  # [Hz] too low, the profile's own, too high; it moves below 0.75
_OVERRIDES = (
    "excitation.periods=1",
    "simulation.stribeck_torque=0",
)  # all friction is in the model


class _Trial(NamedTuple):
    """A recorded simulated robot, and the motion for the evaluation of its models."""

    robot: Robot
    recording: Recording
    regressor: Array  # (N, n, k) of the base parameters along that motion
    truth: Array  # (k,)
    estimators: dict[str, Estimator]


def main() -> None:
    """Print a row for each cut-off and estimator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="noises that are averaged")
    parser.add_argument("--slow-seeds", type=int, default=1, help="the same for CLOE and CLIE")
    parser.add_argument("--noise", type=float, default=5e-4, help="standard deviation [rad]")
    parser.add_argument(
        "--threshold", type=float, default=0.03, help="velocity threshold, fraction of the peak"
    )
    options = parser.parse_args()
    trial = _trial()
    print(f"position noise {options.noise:g} rad, velocity threshold {options.threshold:g}")
    print("cut-off [Hz]  estimator  bias [%]  scatter [%]  seeds  time [s]")
    with threadpool_limits(1, user_api="blas"):
        for cutoff in _CUTOFFS:
            problems = [_problem(trial, cutoff, options, seed) for seed in range(options.seeds)]
            for name, estimator in trial.estimators.items():
                chosen = problems[: options.slow_seeds] if name.startswith("cl") else problems
                if chosen:
                    _row(trial, cutoff, name, estimator, chosen)


def _trial() -> _Trial:
    robot = load_robot("puma560", overrides=_OVERRIDES)
    excitation = make_plan(robot).excitation
    second = make_plan(robot, seed=second_seed(robot)).excitation
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    motion = second.evaluate(np.arange(0.0, second.duration, 0.01))
    known = simulated_loop(robot, [excitation])
    simulation = robot.find(SimulationSettings) or SimulationSettings()
    return _Trial(
        robot=robot,
        recording=simulate(robot, excitation),
        regressor=mechanism.regressor(*motion)[:, :, base.independent],
        truth=base.project(true_parameters(mechanism, simulation)),
        estimators={
            "ols": OrdinaryLeastSquares(),
            "wls": WeightedLeastSquares(),
            "iv": InstrumentalVariables(),
            "didim": DirectAndInverseModel(),
            "iv*": InstrumentalVariables(known),
            "didim*": DirectAndInverseModel(known),
            "cloe": ClosedLoopOutputError(),
            "clie": ClosedLoopInputError(),
        },
    )


def _problem(trial: _Trial, cutoff: float, options: argparse.Namespace, seed: int) -> Problem:
    recording, robot = trial.recording, trial.robot
    noise = options.noise * np.random.default_rng(seed).standard_normal(recording.position.shape)
    noisy = replace(recording, position=recording.position + noise)
    threshold = VelocityThreshold(fraction=options.threshold)
    settings = robot.settings(IdentificationSettings).model_copy(
        update={"cutoff_hz": cutoff, "velocity_threshold": threshold}
    )
    filtered = robot.with_settings(settings)
    mechanism = robot.mechanism()
    signals = [preprocess(noisy, filtered)]
    return build_problem(mechanism, base_parameterization(mechanism), signals, settings)


def _row(
    trial: _Trial, cutoff: float, name: str, estimator: Estimator, problems: list[Problem]
) -> None:
    begun = time.perf_counter()
    start = problems[0].mechanism.urdf_parameters
    errors = np.array([estimator.fit(problem, start).base for problem in problems]) - trial.truth
    seconds = (time.perf_counter() - begun) / len(problems)
    mean = errors.mean(axis=0)
    bias = _torque_error(trial, mean)
    scatter = np.sqrt(np.mean([_torque_error(trial, error - mean) ** 2 for error in errors]))
    shown = f"{100 * scatter:>11.2f}" if len(problems) > 1 else f"{'':>11}"
    print(
        f"{cutoff:>12g}  {name:<9}  {100 * bias:>8.2f}  {shown}  {len(problems):>5} "
        f"{seconds:>9.1f}",
        flush=True,
    )


def _torque_error(trial: _Trial, parameter_error: Array) -> float:
    """Relative torque error that an error of the base parameters (k,) makes."""
    wrong, right = trial.regressor @ parameter_error, trial.regressor @ trial.truth
    return float(np.sqrt(np.mean((wrong**2).mean(axis=0) / (right**2).mean(axis=0))))


if __name__ == "__main__":
    main()
