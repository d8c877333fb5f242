"""The live torque error on motion with known torque."""

from __future__ import annotations

import numpy as np
import pytest
from support.synthetic import arm_robot, swinging, true_parameters

from dynid.dynamics.mechanism import Mechanism
from dynid.evaluation.live import LiveTorqueError
from dynid.profile import load_robot
from dynid.robot.robot import Robot

RATE = 500.0


def run(
    robot: Robot, model: Mechanism, position: np.ndarray, effort: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Errors (N, n) sample by sample, and which of them are settled (N,)."""
    live, state = LiveTorqueError(robot, model), None
    errors, settled = [], []
    for number, (q, tau) in enumerate(zip(position, effort, strict=True)):
        state = live.step(state, number / RATE, q, tau)
        errors.append(state.error)
        settled.append(live.settled(state))
    return np.array(errors), np.array(settled)


@pytest.fixture
def rubbing() -> tuple[Robot, Mechanism]:
    robot = arm_robot(limits={"velocity": [5]})
    mechanism = robot.mechanism()
    return robot, mechanism.with_parameters(true_parameters(mechanism))


def test_a_true_model_has_no_error_even_at_reversals(
    rubbing: tuple[Robot, Mechanism],
) -> None:
    robot, model = rubbing
    q, dq, ddq = swinging(3000, 3, RATE)
    torque = model.torque(q, dq, ddq, model.parameters)
    errors, settled = run(robot, model, q, torque)
    # effect of the filter on products of the motion, of second order in delay times frequency
    assert np.abs(errors[settled]).max() < 0.03 * np.ptp(torque)
    assert np.sqrt(np.mean(errors[settled] ** 2)) < 0.01 * np.ptp(torque)


def test_a_push_on_a_joint_appears_with_its_sign_after_the_delay(
    rubbing: tuple[Robot, Mechanism],
) -> None:
    robot, model = rubbing
    still = np.tile([0.3, 0.4, 0.5], (1000, 1))
    torque = model.gravity_torque(still)
    torque[500:, 1] += 20.0  # the drive pushes against something
    errors, _ = run(robot, model, still, torque)
    assert np.abs(errors[500]).max() < 1e-9
    # static friction of joint 2 can take its Coulomb part of 2 N m and a little more
    assert -20 < errors[-1][1] < -17
    np.testing.assert_allclose(errors[-1][[0, 2]], 0, atol=1e-9)
    delay = LiveTorqueError(robot, model).delay
    half = np.argmax(errors[:, 1] < -10) / RATE - 500 / RATE
    assert 0.5 * delay < half < 1.6 * delay


@pytest.mark.parametrize("cutoff_hz", [5.0, 10.0])
def test_a_growing_torque_appears_with_the_stated_delay(
    rubbing: tuple[Robot, Mechanism], cutoff_hz: float
) -> None:
    robot, model = rubbing
    live, state = LiveTorqueError(robot, model, cutoff_hz=cutoff_hz), None
    assert live.delay == pytest.approx(3 / (2 * np.pi * cutoff_hz))
    weight = model.gravity_torque(np.array([[0.3, 0.4, 0.5]]))[0]
    errors = []
    for number in range(1000):  # 50 N m/s at the elbow
        push = np.array([0.0, 50.0 * number / RATE, 0.0])
        state = live.step(state, number / RATE, [0.3, 0.4, 0.5], weight + push)
        errors.append(state.error[1])
    # with friction of 2 N m, offset -0.2 N m, and viscous friction of slow motion (0.15 rad/s)
    friction = 2.0 - 0.2 + 1.5 * 0.15
    late = np.arange(1000) / RATE - live.delay
    np.testing.assert_allclose(errors[700:], friction - 50.0 * late[700:], atol=0.05)


def test_every_stage_of_the_filter_is_a_time_constant_later(
    rubbing: tuple[Robot, Mechanism],
) -> None:
    """Those after the third show how long a joint has kept its direction."""
    robot, model = rubbing
    live, state = LiveTorqueError(robot, model), None
    speed, lag = np.array([0.5, -0.3, 0.1]), 1 / (2 * np.pi * 10.0)
    for number in range(500):
        state = live.step(state, number / RATE, speed * number / RATE, np.zeros(3))
    assert state is not None
    assert len(state.stages) == 7
    for stage, values in enumerate(state.stages):
        late = state.time - stage * lag
        np.testing.assert_allclose(values[:3], speed * late, atol=1e-6)


def test_at_rest_friction_of_either_sign_is_no_error(
    rubbing: tuple[Robot, Mechanism],
) -> None:
    robot, model = rubbing
    still = np.tile([0.3, 0.4, 0.5], (300, 1))
    for sign in (-1, 1):
        torque = model.gravity_torque(still) + sign * np.array([4.0, 2.0, 0.5])
        errors, _ = run(robot, model, still, torque)
        # friction is Fc and a constant offset
        assert np.abs(errors[-1]).max() <= 0.3 + 1e-9


def test_a_gap_in_time_resets_the_filter(rubbing: tuple[Robot, Mechanism]) -> None:
    robot, model = rubbing
    live = LiveTorqueError(robot, model)
    state = None
    for number in range(200):
        state = live.step(state, number / RATE, [0.1, 0.1, 0.1], [0, 0, 0])
    assert state is not None
    assert live.settled(state)
    for later in (state.time + 1.0, state.time - 1.0):
        assert not live.settled(live.step(state, later, [0.9, 0.9, 0.9], [0, 0, 0]))
    assert live.step(state, state.time, [9, 9, 9], [9, 9, 9]) is state


def test_motor_signals_pass_the_coupling() -> None:
    robot = load_robot("tx40")
    model = robot.mechanism()
    live = LiveTorqueError(robot, model)
    motor = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    joint_torque = model.gravity_torque((model.coupling @ motor)[None])[0]
    state = live.step(None, 0.0, motor, model.coupling.T @ joint_torque)
    # at rest friction's interval is taken at small speeds, which have small centrifugal torques
    np.testing.assert_allclose(state.error, 0, atol=1e-3 * np.abs(joint_torque).max())
