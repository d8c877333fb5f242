"""Torque of real robots whose signs are taken away, and found again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.real_recordings import UR10, UR10E, needs

from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot

TRAINING = UR10E / "ur-20_02_12-50sec_12harm.csv"
POINTS = UR10E / "ur-20_01_17-ptp_10_points.csv"


def held_out(robot: Robot, training: Recording, unseen: Recording, *, unsigned: bool) -> np.ndarray:
    """Return each joint's relative torque error on a motion that the model has not seen."""
    effort = np.abs(training.effort) if unsigned else training.effort
    result = identify(robot, replace(training, effort=effort), unsigned_torque=unsigned)
    verdict = validate(result.model.with_robot(robot), unseen).verdict
    return np.array([joint.relative_error for joint in verdict.joints])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "path", "unseen_path", "split"),
    [
        pytest.param("ur10", UR10, UR10, 19.26, marks=needs(UR10)),
        pytest.param("ur10e", TRAINING, POINTS, None, marks=needs(UR10E)),
    ],
)
def test_a_real_robot_is_known_as_well_without_the_signs_of_its_torque(
    name: str, path: Path, unseen_path: Path, split: float | None
) -> None:
    robot = load_robot(name)
    training = load_recording(path, robot, stop=split)
    unseen = load_recording(unseen_path, robot, start=split)
    signed = held_out(robot, training, unseen, unsigned=False)
    lost = held_out(robot, training, unseen, unsigned=True)
    assert np.all(lost < 1.05 * signed)
