"""Online regression rows: torque and regressor with the same filter."""

from __future__ import annotations

import numpy as np
import pytest
from support.synthetic import arm_robot, true_parameters

from dynid.identification.online.acquisition import Acquisition, MotionSmoother
from dynid.identification.online.state_variable_filter import StateVariableFilter

RATE = 500.0
MECHANISM = arm_robot().mechanism()
TRUE = true_parameters(MECHANISM)
STILL = np.zeros(len(MECHANISM.joints))


def motion(samples: int = 3000) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity, acceleration and torque of a smooth motion with reversals."""
    time = np.arange(samples)[:, None] / RATE
    pulse = 2 * np.pi * np.array([0.4, 0.5, 0.7])
    phase = pulse * time + [0.0, 1.0, 2.0]
    q, dq, ddq = np.sin(phase), pulse * np.cos(phase), -(pulse**2) * np.sin(phase)
    return q, dq, ddq, MECHANISM.torque(q, dq, ddq, TRUE)


def test_rows_satisfy_the_equation_of_motion_including_reversals() -> None:
    q, _, _, torque = motion()
    rows = Acquisition(MECHANISM, RATE, STILL)(q, torque)
    error = rows.stacked @ np.append(TRUE, -1.0)
    scale = np.abs(rows.stacked[:, :, -1]).max(axis=1)
    assert np.all(np.abs(error).max(axis=1) < 0.005 * scale)


def test_a_regressor_of_filtered_signals_does_not_satisfy_it() -> None:
    """The paper's method except for the sign: only the torque is smoothed at reversals."""
    q, _, _, torque = motion()
    low_pass = StateVariableFilter(0.008, 3, RATE)
    filtered = MECHANISM.torque(*low_pass(q), TRUE)
    error = filtered - StateVariableFilter(0.008, 3, RATE)(torque)[0]
    assert np.any(np.abs(error[100:]).max(axis=0) > 0.05 * np.abs(torque).max(axis=0))


def test_rows_do_not_depend_on_the_block_size() -> None:
    q, _, _, torque = motion(600)
    whole = Acquisition(MECHANISM, RATE, STILL)(q, torque)
    one = Acquisition(MECHANISM, RATE, STILL)
    parts = [one(q[i : i + 7], torque[i : i + 7]) for i in range(0, 600, 7)]
    stacked = np.concatenate([part.stacked for part in parts], axis=1)
    np.testing.assert_allclose(stacked, whole.stacked, atol=1e-9)
    np.testing.assert_array_equal(np.concatenate([p.moving for p in parts]), whole.moving)


def test_a_joint_at_rest_is_not_moving() -> None:
    q, _, _, torque = motion()
    q = q.copy()
    q[:, 1] = 0.3
    moving = Acquisition(MECHANISM, RATE, np.full(3, 0.01))(q, torque).moving
    assert moving[:, 1].max() == 0
    assert moving[:, [0, 2]].mean() > 0.9


def test_restarts_after_a_gap() -> None:
    q, _, _, torque = motion(900)
    one = Acquisition(MECHANISM, RATE, STILL)
    one(q[:400], torque[:400])
    one.reset()
    again = one(q[500:], torque[500:])
    fresh = Acquisition(MECHANISM, RATE, STILL)(q[500:], torque[500:])
    np.testing.assert_array_equal(again.stacked, fresh.stacked)


@pytest.mark.parametrize("measured", [False, True])
def test_the_smoother_returns_motion_of_one_instant(measured: bool) -> None:
    q, dq, ddq, torque = motion()
    smoother = MotionSmoother(0.03, RATE, measured_velocity=measured)
    position, velocity, acceleration, same = smoother(q, torque, dq)
    inner = slice(smoother.half, -smoother.half)
    np.testing.assert_allclose(position, q[inner], atol=1e-5)
    np.testing.assert_allclose(velocity, dq[inner], atol=1e-3)
    np.testing.assert_allclose(acceleration, ddq[inner], atol=2e-2)
    np.testing.assert_array_equal(same, torque[inner])


def test_refuses_missing_measured_velocities() -> None:
    q, _, _, torque = motion(10)
    with pytest.raises(ValueError, match="measured velocities"):
        Acquisition(MECHANISM, RATE, STILL, measured_velocity=True)(q, torque)
