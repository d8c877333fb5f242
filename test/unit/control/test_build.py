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


def test_a_payload_is_a_body_at_the_last_joint() -> None:
    mechanism = PUMA.mechanism()
    mass, centre, inertia = 2.0, np.array([0.01, -0.02, 0.1]), np.diag([0.01, 0.02, 0.015])
    robot = overridden("feedforward.ramp_time=0", "feedforward.friction_smoothing=0")
    law = control_law(robot, control_rate=RATE)
    model = control_model(robot, mechanism)
    law.use(model)
    law.set_payload(mass, centre, inertia)
    q, dq, ddq = (row[50] for row in motion(100))
    law.start(q)
    law.update(_core.Reference(q, dq, ddq), _core.Feedback(q, dq, np.zeros(6)))

    about_joint = inertia + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    xx, xy, xz, yy, yz, zz = about_joint[np.triu_indices(3)]
    parameters = mechanism.parameters.copy()
    parameters[50:60] += [mass, *(mass * centre), xx, xy, yy, xz, yz, zz]
    expected = mechanism.torque(q[None], dq[None], ddq[None], parameters)[0]
    np.testing.assert_allclose(law.torque_offset, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("inertia", "sentence"),
    [
        (np.diag([1.0, 0.1, 0.1]), "is not physically consistent"),
        (np.array([[1.0, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not a symmetric matrix"),
        (np.full((3, 3), np.nan), "not a finite number"),
    ],
)
def test_refuses_a_payload_that_is_not_physically_consistent(
    inertia: np.ndarray, sentence: str
) -> None:
    law = control_law(PUMA, control_rate=RATE)
    with pytest.raises(ValueError, match=sentence):
        law.set_payload(1.0, np.zeros(3), inertia)


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


@pytest.mark.parametrize("tolerance", ["0.1", "null"])
def test_no_reference_moves_the_command_beyond_the_limits(tolerance: str) -> None:
    law = control_law(overridden(f"feedforward.reference_tolerance={tolerance}"), control_rate=RATE)
    law.start(np.zeros(6))
    rest, commands = np.zeros(6), [np.zeros(6)]
    for cycle in range(3000):
        target = np.array([4.0, 0, 0, 0, 0, 0]) * min(1.0, cycle / 1000.0)
        # states that differ in every cycle
        feedback = _core.Feedback(commands[-1] + 1e-9 * (cycle % 2), rest, rest)
        law.update(_core.Reference(target, rest, rest), feedback)
        commands.append(law.position_command)
    q = np.array(commands)
    speed = np.abs(np.diff(q, axis=0)) * RATE
    acceleration = np.abs(np.diff(q, n=2, axis=0)) * RATE**2
    assert (q <= np.array(PUMA.limits.position)[:, 1]).all()
    assert (speed <= np.array(PUMA.limits.velocity) * 1.00001).all()
    assert (acceleration <= np.array(PUMA.limits.acceleration) * 1.001).all()
    if tolerance == "null":
        assert q[-1, 0] == PUMA.limits.position[0][1]  # type: ignore[index]
    else:
        assert law.inactive_reason == _core.InactiveReason.too_fast
        assert law.limited_drive == 0
        sentence = _core.describe_inactive_reason(
            law.inactive_reason, law.limited_drive, PUMA.joints
        )
        assert "the reference of joint 'joint_1' exceeded the velocity" in sentence


def test_reports_where_torque_is_not_supervised() -> None:
    robot = overridden(
        "collision.torque_error_max=3", "collision.torque_error_enable=[1,1,1,1,1,0]"
    )
    law = control_law(robot, control_rate=RATE)
    assert "is not supervised at joint 'joint_6'" in (
        _core.describe_supervision(law.supervised, robot.joints)
    )


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
