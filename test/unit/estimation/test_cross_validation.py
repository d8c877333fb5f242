"""Held-out errors: whole recordings where there are several, blocks of a single one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.cross_validation import cross_validate
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.signals.preprocess import preprocess

NOISE = 0.5


def fitted(*recordings: Recording, piece: bool = False) -> Fit:
    robot = arm_robot(
        identification={
            "cutoff_hz": None,
            "trim_rest": False,
            "folds": 3,
            "physical": {"enabled": False},
            "velocity_threshold": {"fit": "all"},
        }
    )
    mechanism, settings = robot.mechanism(), robot.settings(IdentificationSettings)
    signals = [
        replace(preprocess(recording, robot), piece=number if piece else None)
        for number, recording in enumerate(recordings)
    ]
    problem = build_problem(mechanism, base_parameterization(mechanism), signals, settings)
    return fit(problem, settings)


def motion(seed: int, **changes: object) -> Recording:
    mechanism = arm_robot().mechanism()
    parameters = true_parameters(mechanism)
    made = recorded(mechanism, parameters, samples=1200, noise=NOISE, seed=seed)
    return replace(made, **changes)


def one_joint_at_a_time(joint: int) -> Recording:
    """Return a recording in which the other joints rest."""
    mechanism = arm_robot().mechanism()
    made = motion(joint)
    moves = np.arange(3) == joint
    position = np.where(moves, made.position, made.position[0])
    assert made.velocity is not None
    velocity = np.where(moves, made.velocity, 0.0)
    acceleration = np.gradient(velocity, 1 / made.sampling_rate, axis=0)
    torque = mechanism.torque(position, velocity, acceleration, true_parameters(mechanism))
    noise = NOISE * np.random.default_rng(joint).standard_normal(torque.shape)
    return replace(made, position=position, velocity=velocity, effort=torque + noise)


def test_blocks_are_left_out_of_a_single_recording_and_of_its_pieces() -> None:
    for recordings in ((motion(0),), (motion(0), motion(1))):
        held_out = cross_validate(fitted(*recordings, piece=True))
        assert held_out.left_out == "blocks"
        assert held_out.folds == 3
        assert held_out.of_blocks == held_out.relative_error


def test_the_error_is_that_of_a_fit_without_the_recording() -> None:
    result = fitted(motion(0), motion(1), motion(2))
    held_out = cross_validate(result)
    assert (held_out.left_out, held_out.folds) == ("recordings", 3)
    for left_out, errors in enumerate(held_out.recording_error):
        others = [motion(number) for number in range(3) if number != left_out]
        base = fitted(*others).estimate.base
        residual = list(result.problem.residuals(base))[left_out]
        torque = result.problem.rows[left_out].torque
        expected = np.linalg.norm(residual, axis=0) / np.linalg.norm(torque, axis=0)
        assert errors == pytest.approx(expected.tolist(), rel=1e-3)


def test_recordings_that_contradict_each_other_are_not_explained() -> None:
    """Blocks of both are fitted by the mean of both; a whole recording is not."""
    first, second = motion(0), motion(1)
    other = replace(second, effort=second.effort * [1.0, 1.5, 1.0])
    held_out = cross_validate(fitted(first, other))
    assert held_out.relative_error[1] > 1.5 * held_out.of_blocks[1]
    assert held_out.relative_error[0] < 1.5 * held_out.of_blocks[0]


def test_a_joint_that_one_recording_moves_is_evaluated_by_blocks() -> None:
    held_out = cross_validate(fitted(*map(one_joint_at_a_time, range(3))))
    for joint in range(3):
        assert joint + 1 in held_out.undetermined(joint)
        assert held_out.relative_error[joint] < 1.3 * held_out.of_blocks[joint]


def test_a_recording_at_rest_cannot_predict_the_one_that_moves() -> None:
    still = motion(1)
    assert still.velocity is not None
    rest = replace(
        still, position=0 * still.position + 0.3, velocity=0 * still.velocity, effort=still.effort
    )
    held_out = cross_validate(fitted(motion(0), rest))
    assert held_out.undetermined(1)[0] == 1
