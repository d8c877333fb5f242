"""The core's control law, built from profile and model."""

from __future__ import annotations

import numpy as np
import pytest

from dynid import _core
from dynid.control.build import (
    collision_settings,
    commanded_limits,
    control_law,
    control_law_settings,
    control_model,
    feedforward_settings,
    friction_smoothing,
)
from dynid.control.ros2_control import feedforward_parameters
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.simulation.robot import SimulatedRobot

PUMA = load_robot("puma560")
RATE = 1000.0


def overridden(*overrides: str) -> Robot:
    return load_robot("puma560", overrides=overrides)


def motion(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    time = np.arange(samples)[:, None] / RATE
    amplitude, rate = np.array([0.3, 0.4, 0.3, 0.5, 0.5, 0.5]), np.array([2, 1.5, 2.5, 3, 4, 5])
    return (
        amplitude * np.sin(rate * time),
        amplitude * rate * np.cos(rate * time),
        -amplitude * rate**2 * np.sin(rate * time),
    )


@pytest.mark.parametrize("delay", [0, 2, 3])
def test_additive_torque_is_the_inverse_dynamics_of_earlier_commands(delay: int) -> None:
    robot = overridden(
        f"feedforward.additive_torque_delay={delay / RATE}",
        "feedforward.ramp_time=0",
        "feedforward.friction_smoothing=0",
    )
    mechanism = robot.mechanism()
    mechanism = mechanism.with_parameters(mechanism.urdf_parameters + 0.1)
    feedforward = _core.Feedforward(6, feedforward_settings(robot, control_rate=RATE))
    feedforward.use(control_model(robot, mechanism))
    q, dq, ddq = motion(300)
    sent = feedforward.run(q, dq, ddq)
    most = np.array(robot.limits.torque_max)
    expected = np.clip(mechanism.torque(q, dq, ddq, mechanism.parameters), -most, most)
    assert not sent[:delay].any()
    np.testing.assert_allclose(sent[delay:], expected[: 300 - delay], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rate", [5e-324, 1e-3, 0.0, -1.0, 1e9, np.nan, np.inf])
def test_refuses_a_control_rate_that_no_controller_has(rate: float) -> None:
    sentence = r"The control rate is .* Hz, but must be from 1 Hz to 1 MHz\."
    with pytest.raises(ConfigurationError, match=sentence):
        control_law(PUMA, control_rate=rate)
    with pytest.raises(ConfigurationError, match=sentence):
        SimulatedRobot(PUMA, control_rate=rate)


def test_limits_are_the_defaults_of_settings() -> None:
    settings = control_law_settings(PUMA, control_rate=500.0)
    velocity, acceleration = np.array(PUMA.limits.velocity), np.array(PUMA.limits.acceleration)
    np.testing.assert_allclose(settings.feedforward.torque_max, PUMA.limits.torque_max)
    np.testing.assert_allclose(settings.feedforward.position_jump, 3 * velocity / 500)
    np.testing.assert_allclose(settings.feedforward.acceleration_jump, 5 * acceleration)
    np.testing.assert_allclose(settings.deceleration, acceleration)
    np.testing.assert_allclose(friction_smoothing(PUMA), 0.01 * velocity)


def test_position_commands_have_the_limits_of_the_profile() -> None:
    settings = control_law_settings(PUMA, control_rate=500.0)
    low, high = np.array(PUMA.limits.position).T
    np.testing.assert_array_equal(settings.limits.position_min, low)
    np.testing.assert_array_equal(settings.limits.position_max, high)
    np.testing.assert_array_equal(settings.limits.velocity_max, PUMA.limits.velocity)
    np.testing.assert_array_equal(settings.limits.acceleration_max, PUMA.limits.acceleration)
    assert settings.max_age == 0.1
    assert feedforward_parameters(PUMA, control_rate=500.0)["position_max"] == high.tolist()


def test_without_limits_position_commands_have_none() -> None:
    robot = overridden("limits.position=null", "limits.velocity=null", "limits.acceleration=null")
    limits = control_law_settings(robot, control_rate=500.0).limits
    assert np.isneginf(limits.position_min).all()
    for name in ("position_max", "velocity_max", "acceleration_max"):
        assert np.isposinf(getattr(limits, name)).all()
        assert name not in feedforward_parameters(robot, control_rate=500.0)


def test_limits_of_joints_do_not_limit_motors_in_front_of_a_coupling() -> None:
    coupling = np.eye(6)
    coupling[5, 4] = 0.5
    robot = overridden("recording.side=motor", f"coupling={coupling.tolist()}")
    assert np.isposinf(commanded_limits(robot).velocity).all()
    assert np.isposinf(commanded_limits(robot).high).all()


def test_reports_where_torque_is_not_supervised_and_why_a_reference_is_not_followed() -> None:
    robot = overridden(
        "collision.torque_error_max=3", "collision.torque_error_enable=[1,1,1,1,1,0]"
    )
    law = control_law(robot, control_rate=RATE)
    assert "is not supervised at joint 'joint_6'" in (
        _core.describe_supervision(law.supervised, robot.joints)
    )
    too_fast = _core.describe_inactive_reason(_core.InactiveReason.too_fast, 0, robot.joints)
    assert "the reference of joint 'joint_1' exceeded the velocity" in too_fast


def test_without_thresholds_nothing_is_a_collision() -> None:
    robot = overridden("collision.torque_error_max=null")
    settings = collision_settings(robot, control_rate=RATE)
    assert np.isinf(settings.torque_error_max).all()
    assert np.isinf(settings.torque_threshold).all()


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("collision.torque_error_time_constant=-1", "must be greater than or equal to 0, got -1"),
        (
            "collision.torque_error_filter=0.97",
            "'torque_error_filter' (in control cycles) was replaced by "
            "'torque_error_time_constant' in seconds; in place of torque_error_filter: 0.97 write "
            "torque_error_time_constant: 0.0328",
        ),
        (
            "collision.torque_error_filter=[0.9, 0.0]",
            "torque_error_filter: [0.9, 0] write torque_error_time_constant: [0.00949, 0]",
        ),
        ("collision.debounce=5", "in place of debounce: 5 write debounce_time: 0.005"),
        ("collision.torque_error_max=[1, 2]", "has 2 values, expected 1 or 6"),
        ("collision.reaction=stop", "must be 'hold' or 'decelerate'"),
        ("feedforward.gain=1.5", "must be less than or equal to 1, got 1.5"),
        (
            "feedforward.additive_torque_delay=3",
            "'feedforward.additive_torque_delay': delays are in seconds, not in control cycles: "
            "write 0.003 for 3 cycles at 1000 cycles per second",
        ),
        ("feedforward.torque_error_delay=0.6", "must be less than or equal to 0.5, got 0.6"),
        ("collision.torque_error_enable=maybe", "must be true or false"),
    ],
)
def test_refuses_invalid_settings(override: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        overridden(override)
    assert sentence in str(caught.value)


def test_a_threshold_at_rest_is_that_in_motion_plus_the_boost() -> None:
    given = "collision.torque_error_max=[1, 2, 3, 4, 5, 6]", "collision.reversal_boost=0.5"
    found = overridden(*given).settings(CollisionSettings).threshold_at_rest(6)
    assert found is not None
    assert found.tolist() == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    without = overridden("collision.torque_error_max=null").settings(CollisionSettings)
    assert without.threshold_at_rest(6) is None


def test_a_torque_offset_never_leaves_the_range_of_int16() -> None:
    robot = overridden(
        "drives.torque_constant=0.001",
        "drives.rated_current_ma=100",
        "drives.gear_ratio=2",
        "limits.torque_max=1000",
    )
    # 32767 thousandths of 0.2 mN m
    assert control_law_settings(robot, control_rate=1000.0).feedforward.torque_max == (
        pytest.approx([32.767 * 2e-4] * 6)
    )


def test_peak_and_rated_current_limit_torque_where_the_profile_has_no_limits() -> None:
    robot = overridden(
        "drives.torque_constant=0.2",
        "drives.rated_current_ma=3400",
        "drives.peak_current_ma=9000",
        "drives.gear_ratio=100",
        "limits.torque_max=null",
    )
    settings = control_law_settings(robot, control_rate=1000.0)
    assert settings.feedforward.torque_max == pytest.approx([180.0] * 6)
    assert settings.collision.torque_threshold == pytest.approx([68.0] * 6)
