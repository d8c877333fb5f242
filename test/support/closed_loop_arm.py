"""The synthetic arm, recorded with noise on its positions, and its regression problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.estimation.estimate import Estimate
from dynid.estimation.regression import Problem
from dynid.recording.model import Recording
from support.synthetic import arm_robot, problem_of, recorded, true_parameters

RATE = 200.0


def recorded_arm(
    position_noise: float, torque_noise: float = 0.1, seed: int = 0, samples: int = 2400
) -> Recording:
    mechanism = arm_robot().mechanism()
    truth = true_parameters(mechanism)
    recording = recorded(mechanism, truth, samples=samples, rate=RATE, noise=torque_noise, seed=3)
    noise = np.random.default_rng(seed).standard_normal(recording.position.shape)
    return replace(recording, position=recording.position + position_noise * noise, velocity=None)


def arm_problem(recording: Recording, cutoff_hz: float | None, **changes: object) -> Problem:
    robot = arm_robot(
        identification={
            "cutoff_hz": cutoff_hz,
            "trim_rest": False,
            "border": 0.3,
            "parallel_filter": {"cutoff_hz": 10.0, "decimation": 4},
            # well above what a cut-off of 60 Hz leaves of a noise of 1 mrad
            "velocity_threshold": {"fraction": 0.2},
        },
        **changes,
    )
    return problem_of(robot, recording)


def truth_of(problem: Problem) -> np.ndarray:
    return problem.base.project(true_parameters(problem.mechanism))


def scores(problem: Problem, estimate: Estimate) -> np.ndarray:
    """Return the errors of the base parameters in their standard deviations."""
    deviations = np.sqrt(np.diag(estimate.covariance))
    return (estimate.base - truth_of(problem)) / deviations
