"""Elastic joints of a real KUKA KR300 with encoders on both sides of its gears."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from support.real_recordings import KR300, needs

from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.elastic import elastic_settings
from dynid.robot.robot import Robot
from dynid_plugins.elastic.identification import deflection_errors, identify_elastic
from dynid_plugins.elastic.two_encoders import two_encoders

pytestmark = [needs(KR300 / "A.mat"), pytest.mark.thorough]


def load(name: str, robot: Robot) -> Recording:
    recorded = scipy.io.loadmat(KR300 / f"{name}.mat", simplify_cells=True)["rec"]
    motor, link = (np.radians(recorded[f"act_pos_{side}_deg"].T) for side in ("mot", "se"))
    torque = recorded["act_torque_abs_nm"].T * np.array(robot.drives.gear_ratio)
    time = np.arange(len(motor)) / 250.0
    return two_encoders(
        Recording.from_arrays(time, motor, torque, joint_names=robot.joints), link, robot
    )


def test_stiffness_of_both_recordings_is_that_published() -> None:
    robot = load_robot("kr300")
    pairs = [load(name, robot) for name in ("A", "B")]
    found = identify_elastic(robot, pairs)
    published = elastic_settings(robot).stiffness
    assert isinstance(published, tuple)
    for joint, wanted in zip(found.joints, published, strict=True):
        stiffness, delay = joint.stiffness, joint.delay
        assert stiffness is not None
        assert delay is not None
        assert abs(stiffness.value - wanted) < 2 * stiffness.deviation
        assert delay.value == pytest.approx(3.05e-3, abs=0.1e-3)
    errors = [deflection_errors(found, pair).rms for pair in pairs]
    assert max(np.degrees(one["j1"]) for one in errors) < 3e-3
