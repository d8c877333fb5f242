"""A three-joint arm with known friction, and its regression problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.fitting import build_problem, fit
from dynid.identification.friction.joint_problem import JointProblem, joint_problem
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from support.synthetic import arm_robot, recorded, true_parameters

PLAIN = ({"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"})
NOISE = 0.05  # [N m]


def rubbing(
    *terms: dict[str, object],
    seeds: tuple[int, ...] = (0, 1, 2),
    samples: int = 1500,
    **values: float,
) -> list[Recording]:
    """Recordings of the arm with these additional terms; ``values`` by prefix."""
    robot = arm_robot(terms=[*PLAIN, *terms])
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    for name, value in values.items():
        parameters[mechanism.parameter_names.index(name)] = value
    return [
        recorded(mechanism, parameters, noise=NOISE, samples=samples, rate=100.0, seed=seed)
        for seed in seeds
    ]


def problem_of(recordings: list[Recording], joint: int, robot: Robot | None = None) -> JointProblem:
    """The problem of one joint, with everything but its friction fitted with its own terms."""
    robot = robot or arm_robot()
    mechanism = robot.mechanism()
    signals = [preprocess(one, robot) for one in recordings]
    posed = build_problem(
        mechanism, base_parameterization(mechanism), signals, robot.settings(IdentificationSettings)
    )
    if len(recordings) > 1:  # each is a fold
        rows = [
            replace(each, fold=np.full_like(each.fold, fold))
            for fold, each in enumerate(posed.rows)
        ]
        posed = replace(posed, rows=tuple(rows), folds=len(rows))
    return joint_problem(fit(posed, robot.settings(IdentificationSettings)), joint)


def relative(value: float, truth: float) -> float:
    return float(np.abs(value / truth - 1.0))
