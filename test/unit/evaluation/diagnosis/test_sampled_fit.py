"""Least squares on samples of a case, and prediction for other motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fitted_case import arm, fitted_case
from support.swung_arm import limited_arm, swung

from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.reach import predictions
from dynid.evaluation.diagnosis.sampled_fit import (
    basis_of,
    beyond,
    free_residual,
    per_joint,
    sampled,
)
from dynid.robot.limits import Limits


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 5), st.floats(1e-6, 1e6))
def test_basis_is_orthonormal_and_spans_the_columns_of_any_unit(
    seed: int, rows: int, count: int, unit: float
) -> None:
    columns = np.random.default_rng(seed).standard_normal((rows, count))
    columns[:, 0] *= unit
    basis = basis_of(columns)
    np.testing.assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-4)
    assert basis.shape[1] <= min(rows, count)
    left = np.linalg.norm(beyond(basis, columns), axis=0)
    assert np.all(left <= 1e-4 * np.linalg.norm(columns, axis=0))


def test_basis_omits_duplicate_and_zero_columns() -> None:
    column = np.arange(1.0, 7.0)
    basis = basis_of(np.column_stack([column, 2 * column, np.zeros(6), np.ones(6)]))
    assert basis.shape == (6, 2)
    assert basis_of(np.zeros((0, 4))).shape == (0, 0)
    np.testing.assert_allclose(np.abs(basis_of(np.array([[-3.0]]))), [[1.0]])


def test_values_are_summed_by_joint() -> None:
    joint = np.array([0, 2, 0, 2, 2])
    np.testing.assert_array_equal(per_joint(joint, np.arange(5.0), 4), [2.0, 0.0, 8.0, 0.0])


def test_samples_avoid_the_ends_and_reversals() -> None:
    robot, _, recording = arm()
    case = fitted_case(robot, recording)
    samples = sampled(case, reach=100)
    assert samples.at[0] == 100
    assert samples.at[-1] < len(recording.time) - 100
    speed = np.abs(case.longest.velocity)
    slow = speed < 0.1 * speed.max(axis=0)
    assert not np.any(samples.kept & slow[samples.at])
    assert samples.kept.any(axis=0).all()
    # rows are those of the first joint, then those of the second, …
    values = samples.rows(case.longest.velocity)
    for joint in range(3):
        kept = samples.at[samples.kept[:, joint]]
        np.testing.assert_array_equal(
            values[samples.joint == joint], case.longest.velocity[kept, joint]
        )


def test_free_parameters_leave_only_what_the_model_structure_cannot_explain() -> None:
    robot, _, recording = arm(noise=0.0)
    right, bare = (
        free_residual(fitted_case(one, recording))
        for one in (robot, robot.model_copy(update={"terms": ()}))
    )
    assert right < 0.02
    assert bare > 0.1


def standard_deviations(position: list[list[float]], velocity: float = 8.0) -> np.ndarray:
    """Predicted standard deviations of torque of the swung arm within other limits."""
    robot = limited_arm()
    recording = swung(robot, amplitudes=(0.2, 0.2, 0.2))
    limits = Limits(position=position, velocity=(velocity,))
    case: Case = fitted_case(robot.model_copy(update={"limits": limits}), recording)
    assert case.fit is not None
    return np.array([one.standard_deviation for one in predictions(case, case.fit)])


def test_predicted_uncertainty_grows_with_the_limits() -> None:
    near = standard_deviations([[-0.3, 0.3]] * 3, 2.0)
    for position in ([[-0.3, 2.5]] * 3, [[-2.5, 0.3]] * 3):
        assert standard_deviations(position, 2.0)[0] > 1.1 * near[0]
    assert np.all(standard_deviations([[-0.3, 0.3]] * 3, 8.0) > near)


def test_limits_beyond_half_a_turn_add_nothing() -> None:
    half_turn, wider = (standard_deviations([[-q, q]] * 3) for q in (3.2, 9.0))
    np.testing.assert_array_equal(half_turn, wider)


def test_there_is_no_prediction_without_velocity_limits() -> None:
    robot = limited_arm()
    free = robot.model_copy(update={"limits": Limits()})
    case = fitted_case(free, swung(robot))
    assert case.fit is not None
    assert list(predictions(case, case.fit)) == []


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_standard_deviation_and_shares_do_not_depend_on_the_unit_of_torque(factor: float) -> None:
    robot, _, recording = arm()
    limited = robot.model_copy(update={"limits": Limits(velocity=(5.0,))})
    case = fitted_case(limited, recording)
    scaled = fitted_case(
        limited.model_copy(),
        replace(recording, effort=factor * recording.effort),
    )
    assert case.fit is not None
    assert scaled.fit is not None
    for one, other in zip(
        predictions(case, case.fit), predictions(scaled, scaled.fit), strict=True
    ):
        assert other.joint == one.joint
        assert other.standard_deviation == pytest.approx(one.standard_deviation, rel=1e-3)
        np.testing.assert_allclose(other.shares, one.shares, rtol=1e-3)
