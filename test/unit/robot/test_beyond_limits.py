"""Positions that another zero or unit puts beyond the limits are found; overshoot is not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_robot import JOINTS, URDF, write_small_robot

from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.beyond_limits import beyond_limits
from dynid.robot.robot import Robot


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return load_robot(write_small_robot(tmp_path))  # limits of ±2 rad


def motion(*offsets: float, amplitude: float = 1.5) -> Recording:
    """Both joints move in sines of 0.5 and 0.8 Hz about their offsets."""
    time = np.arange(2000) / 200
    position = amplitude * np.sin(2 * np.pi * np.outer(time, [0.5, 0.8])) + np.array(offsets)
    effort = np.ones((2000, 2))
    return Recording(time, position, effort, joint_names=JOINTS, sampling_rate=200.0)


def test_another_zero_is_found_with_the_offset_that_would_remove_it(robot: Robot) -> None:
    (found,) = beyond_limits(motion(np.pi, np.pi), robot)
    assert (found.kind, found.severity, found.joints) == ("beyond_limits", "warning", JOINTS)
    assert f"{JOINTS[0]} from 1.6" in found.sentence
    assert "with limits [-2, 2]" in found.sentence
    assert "offset of -3.1416 rad (half a turn) would put all of them within" in found.sentence
    assert re.search("zero .*offset.*unit .*factor.*direction .*sign", found.remedy)


def test_the_zero_of_one_joint_is_found(robot: Robot) -> None:
    (found,) = beyond_limits(motion(0.0, 2.5), robot)
    assert (found.severity, found.joints) == ("warning", (JOINTS[1],))


def test_a_factor_that_is_too_large_on_all_joints_is_found(robot: Robot) -> None:
    (found,) = beyond_limits(motion(0.0, 0.0, amplitude=3.6), robot)
    assert (found.severity, found.joints) == ("warning", JOINTS)


def test_limits_narrower_than_the_motion_of_one_joint_are_noted(robot: Robot) -> None:
    recording = motion(0.0, 0.0)
    wide = replace(recording, position=recording.position * [1.0, 1.6])
    (found,) = beyond_limits(wide, robot)
    assert (found.severity, found.joints) == ("note", (JOINTS[1],))


@pytest.mark.parametrize("amplitude", [1.5, 2.1])
def test_overshoot_and_motion_within_the_limits_are_nothing(robot: Robot, amplitude: float) -> None:
    assert not list(beyond_limits(motion(0.0, 0.0, amplitude=amplitude), robot))


def test_a_few_wrong_samples_are_nothing(robot: Robot) -> None:
    recording = motion(0.0, 0.0)
    position = recording.position.copy()
    position[::50] = 100.0
    assert not list(beyond_limits(replace(recording, position=position), robot))


@pytest.mark.parametrize("change", [{"position": None}, {}])
def test_without_limits_or_end_nothing_is_beyond(robot: Robot, change: dict[str, Any]) -> None:
    limits = robot.limits.model_copy(update=change)
    free = robot.model_copy(update={"limits": limits})
    if not change:
        free = free.with_urdf(URDF.replace("revolute", "continuous"))
    assert not list(beyond_limits(motion(np.pi, np.pi), free))


def test_joints_are_found_by_name_in_any_order(robot: Robot) -> None:
    swapped = replace(motion(3.0, 0.0), joint_names=JOINTS[::-1])
    (found,) = beyond_limits(swapped, robot)
    assert found.joints == (JOINTS[1],)
