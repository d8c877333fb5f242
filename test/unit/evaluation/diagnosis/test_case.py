"""Input of all causes: decimated samples, relative errors, and terms of a joint's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.fitted_case import arm, fitted_case
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.evaluation.diagnosis.case import Case, Decimated, own_terms
from dynid.signals.preprocess import preprocess


def unmodelled_case(*samples: int) -> Case:
    """Return recordings of some lengths without a model."""
    robot = arm_robot()
    mechanism = robot.mechanism()
    recordings = tuple(
        recorded(mechanism, true_parameters(mechanism), samples=count, seed=number)
        for number, count in enumerate(samples)
    )
    signals = tuple(preprocess(recording, robot) for recording in recordings)
    return Case(robot, mechanism, recordings, signals)


def moved(velocity: np.ndarray, acceleration: np.ndarray) -> Decimated:
    """Return the motion of a single joint."""
    column, zeros = velocity[:, None], np.zeros((len(velocity), 1))
    return Decimated(
        position=zeros,
        velocity=column,
        acceleration=acceleration[:, None],
        torque=zeros,
        moving=column != 0,
        measured=zeros,
        model=None,
    )


ANGLE = 2 * np.pi * (np.arange(4000) + 0.5) / 1000  # four periods, no sample at a reversal
SWING = moved(np.cos(ANGLE), -np.sin(ANGLE))


def test_samples_of_all_recordings_are_decimated_equally() -> None:
    case = unmodelled_case(9000, 2001)
    assert case.step == 2  # of 11001 samples, for about 5000
    decimated = case.decimated
    assert len(decimated.torque) == 4500 + 1001
    for name, whole in (
        ("position", "position"),
        ("velocity", "velocity"),
        ("acceleration", "acceleration"),
        ("torque", "raw_torque"),
        ("moving", "moving"),
    ):
        kept = [getattr(signals, whole)[::2] for signals in case.signals]
        np.testing.assert_array_equal(getattr(decimated, name), np.concatenate(kept))
    assert decimated.model is None
    np.testing.assert_array_equal(decimated.measured, decimated.torque)
    assert np.isnan(case.relative_errors).all()
    assert case.longest is case.signals[0]


def test_few_samples_are_not_decimated() -> None:
    case = unmodelled_case(1200, 1500)
    assert case.step == 1
    assert len(case.decimated.torque) == 2700


def test_a_joint_that_moves_in_a_tenth_of_the_samples_is_diagnosed() -> None:
    moving = np.zeros((100, 2), dtype=bool)
    moving[:10, 0] = moving[:9, 1] = True
    assert replace(SWING, moving=moving).moves.tolist() == [True, False]


def test_relative_error_is_model_error_over_measured_torque() -> None:
    robot, _, recording = arm(noise=0.5)
    case = fitted_case(robot, recording)
    (compared,) = case.comparisons
    expected = np.linalg.norm(compared.model - compared.measured, axis=0)
    expected /= np.linalg.norm(compared.measured, axis=0)
    np.testing.assert_allclose(case.relative_errors, expected)
    none = replace(compared, measured=compared.measured * [1.0, 1.0, 0.0])
    untorqued = replace(case, comparisons=(none,)).relative_errors
    np.testing.assert_allclose(untorqued[:2], expected[:2])
    assert untorqued[2] == 0.0


def test_own_terms_of_a_joint_are_offset_friction_and_rotor() -> None:
    expected = [np.ones(4000), np.cos(ANGLE), np.sign(np.cos(ANGLE)), -np.sin(ANGLE)]
    np.testing.assert_array_equal(own_terms(SWING, 0), np.transpose(expected))


def test_what_causes_share_is_computed_once_for_each_case() -> None:
    case = unmodelled_case(100)
    first = case.derived("sum", lambda: [1.0])
    assert case.derived("sum", lambda: [2.0]) is first
    assert replace(case, comparisons=()).derived("sum", lambda: [3.0]) == [3.0]
