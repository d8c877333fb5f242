"""Motions of a tracking trial."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.control.tracking.motions import LineMotion, Oscillation
from dynid.control.tracking.settings import LineSettings, OscillateSettings, find_tracking
from dynid.dynamics.kinematics import Kinematics
from dynid.errors import ConfigurationError
from dynid.excitation.motion import Motion
from dynid.profile import load_robot

STEP = 1e-4  # [s]


def swing(**changes: object) -> OscillateSettings:
    given = {"type": "oscillate", "joint": "b", "watch": "a", "amplitude": 0.2, "frequency": 2.0}
    return OscillateSettings.model_validate({**given, **changes})


def scara_line(**changes: object) -> tuple[LineMotion, Kinematics, LineSettings]:
    robot = load_robot("scara")
    tracking = find_tracking(robot)
    assert isinstance(tracking, LineSettings)
    settings = tracking.model_copy(update=changes)
    kinematics = robot.kinematics()
    return LineMotion(settings, kinematics), kinematics, settings


def assert_derivatives_belong(motion: Motion) -> None:
    for value, derivative in (
        (motion.position, motion.velocity),
        (motion.velocity, motion.acceleration),
    ):
        difference = (value[2:] - value[:-2]) / (2 * STEP)
        assert np.allclose(difference, derivative[1:-1], atol=2e-3 * np.abs(derivative).max())


@pytest.mark.parametrize("kind", ["line", "oscillation"])
def test_velocity_and_acceleration_are_the_positions_derivatives(kind: str) -> None:
    motion = scara_line()[0] if kind == "line" else Oscillation(swing(), ("a", "b"))
    assert_derivatives_belong(motion.evaluate(np.arange(-0.1, motion.duration + 0.1, STEP)))


def test_an_oscillation_moves_one_joint_about_its_position_and_ends_there() -> None:
    oscillation = Oscillation(swing(position=(0.3, -0.4)), ("a", "b"))
    motion = oscillation.evaluate(np.linspace(-1, oscillation.duration + 1, 5001))
    assert np.all(motion.position[:, 0] == 0.3)
    assert np.all(motion.position[[0, -1], 1] == -0.4)
    assert np.ptp(motion.position[:, 1]) == pytest.approx(0.4, rel=1e-3)
    assert not motion.velocity[[0, -1]].any()


def test_the_tool_moves_along_the_line_at_its_speed() -> None:
    line, kinematics, settings = scara_line()
    time = np.arange(0, line.duration, 1e-3)
    tool = kinematics.tool_path(line.evaluate(time).position)
    along = (tool - tool[0]) @ np.array(settings.direction)
    off = tool - tool[0] - np.outer(along, settings.direction)
    assert np.abs(off).max() < 1e-6
    assert along[-1] == pytest.approx(settings.length, abs=1e-5)
    speed = np.gradient(along, 1e-3)
    assert speed.max() == pytest.approx(settings.speed, rel=1e-3)
    assert np.abs(np.gradient(speed, 1e-3)).max() < 1.02 * settings.acceleration


def test_a_short_line_does_not_reach_its_speed_but_ends_at_rest() -> None:
    line, kinematics, settings = scara_line(length=0.02)
    motion = line.evaluate(np.arange(0, line.duration + 0.01, 1e-3))
    tool = kinematics.tool_path(motion.position)
    assert np.linalg.norm(tool[-1] - tool[0]) == pytest.approx(0.02, abs=1e-6)
    assert np.linalg.norm(np.gradient(tool, 1e-3, axis=0), axis=1).max() <= settings.speed
    largest = np.linalg.norm(np.gradient(np.gradient(tool, 1e-3, axis=0), 1e-3, axis=0), axis=1)
    assert largest.max() < 1.05 * settings.acceleration
    assert not motion.velocity[-1].any()


def test_a_line_beyond_the_robots_reach_is_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigurationError, match=r"does not reach .* along its line"):
        scara_line(length=2.0)


def test_a_line_without_direction_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'direction' must not be zero"):
        scara_line(direction=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("key", ["joint", "watch"])
def test_an_oscillation_names_joints_of_the_robot(key: str) -> None:
    with pytest.raises(ConfigurationError, match="the robot has no joint 'elbow'; it has a, b"):
        Oscillation(swing(**{key: "elbow"}), ("a", "b"))
