"""Elastic joints of a real KUKA KR300 with encoders on both sides of its gears."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from support.real_recordings import KR300, needs

from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.elastic.deflection import COMPLIANCE
from dynid_plugins.elastic.identification import deflection_errors, identify_elastic
from dynid_plugins.elastic.result import ElasticIdentification
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


@pytest.fixture(scope="module")
def found() -> dict[str, ElasticIdentification]:
    robot = load_robot("kr300")
    return {name: identify_elastic(robot, [load(name, robot)]) for name in ("A", "B")}


def test_each_recording_alone_has_the_stiffness_of_the_other(
    found: dict[str, ElasticIdentification],
) -> None:
    """That of joint 1, whose gear bends by less than its encoder is wrong, has a lower limit."""
    for number, joints in enumerate(zip(found["A"].joints, found["B"].joints, strict=True)):
        first, other = (joint.fit.at(COMPLIANCE) for joint in joints)
        assert first is not None
        assert other is not None
        scatter = np.hypot(first.deviation, other.deviation)
        assert abs(first.value - other.value) < 2.5 * scatter
        for joint in joints:
            assert joint.delay.value == pytest.approx(3.05e-3, abs=0.25e-3)
            assert (joint.stiffness is not None) or (number == 0 and joint.least_stiffness > 3e6)
    third = [found[name].joints[2].stiffness.value for name in ("A", "B")]
    assert third[0] == pytest.approx(third[1], rel=0.1)


def test_each_recording_alone_predicts_the_deflection_in_the_other(
    found: dict[str, ElasticIdentification],
) -> None:
    robot = load_robot("kr300")
    errors = deflection_errors(found["A"], load("B", robot))
    assert max(np.degrees(error) for error in errors.rms.values()) < 4e-3
    own = deflection_errors(found["A"], load("A", robot))
    assert max(np.degrees(error) for error in own.rms.values()) < 1.2e-3
