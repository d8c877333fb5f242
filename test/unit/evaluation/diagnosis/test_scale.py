"""Torque in a wrong unit or with a wrong torque factor: found with its ratio."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import TURNTABLE_URDF, arm, fitted_case, with_terms
from support.representatives import representatives
from support.synthetic import ARM_URDF, arm_robot, recorded

from dynid.evaluation.diagnosis.causes import diagnose
from dynid.evaluation.diagnosis.scale import reasons_against_units, torque_factor
from dynid.evaluation.diagnosis.tested import tested_causes as causes_tried
from dynid.identification.identify import identify
from dynid.profile import make_robot


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1000.0, "N mm or mA"),
        (180 / np.pi, "degrees"),
        (np.pi / 180, "degrees"),
        (2.5, ""),
        (0.4, ""),
    ],
)
def test_wrong_factor_of_all_joints_is_one_finding(factor: float, words: str) -> None:
    robot, _, recording = arm()
    scaled = replace(recording, effort=factor * recording.effort)
    (found,) = torque_factor(fitted_case(robot, scaled))
    assert found.sentence.startswith("all joints")
    assert words in found.sentence
    # torque without friction and noise is that of the masses
    for ratio in found.evidence.values():
        assert ratio == pytest.approx(factor, rel=0.15)
    assert found.severity == ("problem" if factor > 5 or factor < 0.2 else "warning")


def test_torque_of_the_motors_side_of_different_gears_is_found() -> None:
    """A refit finds a difference between joints, and the URDF's masses what they share."""
    robot, _, recording = arm()
    scaled = replace(recording, effort=recording.effort / [150.0, 100.0, 50.0])
    findings = diagnose(fitted_case(robot, scaled))
    (common,) = [one for one in findings if one.sentence.startswith("all joints")]
    assert (common.cause, common.severity) == ("torque_factor", "problem")
    assert "motors' side of the gears" in common.sentence
    assert list(common.evidence.values()) == pytest.approx([1 / 150, 1 / 100, 1 / 50], rel=0.15)
    assert len([one for one in findings if one.severity != "note"]) > 1


@pytest.mark.parametrize("factor", representatives([0.4, 2.5], 1))
def test_torque_factor_of_one_joint_is_left_to_a_refit(factor: float) -> None:
    robot, _, recording = arm()
    scaled = replace(recording, effort=recording.effort * [1.0, factor, 1.0])
    case = fitted_case(robot, scaled)
    assert list(torque_factor(case)) == []
    (found,) = causes_tried(case, "torque_factor")
    assert found.sentence.startswith("elbow: ")
    assert found.evidence["ratio of elbow"] == pytest.approx(factor, rel=0.1)


@pytest.mark.parametrize("factor", [0.75, 1.0, 1.33])
def test_urdf_masses_wrong_by_a_third_give_no_finding(factor: float) -> None:
    robot, parameters, _ = arm()
    parameters[:30] *= factor
    recording = recorded(robot.mechanism(), parameters, noise=0.05)
    assert list(torque_factor(fitted_case(robot, recording))) == []


def test_rotor_a_hundred_times_the_link_is_not_a_wrong_unit() -> None:
    robot = arm_robot(joints=["turn"], terms=[{"kind": "rotor_inertia"}]).with_urdf(TURNTABLE_URDF)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, with_terms(mechanism, Ia1=0.3))
    assert list(torque_factor(fitted_case(robot, recording))) == []


def test_urdf_without_masses_gives_no_finding() -> None:
    robot, _, recording = arm()
    massless = re.sub(r'<mass value="[^"]*"', '<mass value="0"', ARM_URDF)
    massless = re.sub(r'(i[xyz][xyz])="[^"]*"', r'\1="0"', massless)
    case = fitted_case(robot.with_urdf(massless), recording)
    assert not case.mechanism.urdf_parameters.any()
    assert list(torque_factor(case)) == []


def test_positions_in_degrees_are_found() -> None:
    robot, _, recording = arm()
    degrees = replace(recording, position=np.degrees(recording.position))
    (found,) = torque_factor(fitted_case(robot, degrees))
    assert "degrees" in found.sentence
    assert "unit of position" in found.remedy
    largest = np.abs(degrees.position).max()
    assert found.evidence["largest position [rad]"] == pytest.approx(largest, rel=0.01)


def test_positions_in_degrees_fail_the_identification() -> None:
    robot, _, recording = arm()
    assert identify(robot, recording).verdict.success
    degrees = replace(recording, position=np.degrees(recording.position), position_step=None)
    found = identify(robot, degrees)
    assert found.model.failed
    assert "degrees" in found.verdict.reasons[0]


def test_almost_no_torque_does_not_show_that_positions_are_in_degrees() -> None:
    robot, _, recording = arm()
    case = fitted_case(robot, replace(recording, effort=1e-6 * recording.effort))
    assert reasons_against_units(case) == []


RAIL = """
<robot name="rail"><link name="base"/>
  <link name="slide"><inertial><mass value="4"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="rail" type="prismatic"><parent link="base"/><child link="slide"/>
    <axis xyz="1 0 0"/><limit lower="-50" upper="50" velocity="50" effort="500"/></joint>
</robot>
"""


@pytest.mark.parametrize("lead", [2.0, 3.0])
def test_a_slide_within_its_limits_may_have_another_lead_or_torque_factor(lead: float) -> None:
    """Inertia alone shows the product of both, so that neither is asserted."""
    content = {
        "robot": "rail",
        "urdf": "rail.urdf",
        "joints": ["rail"],
        "terms": [{"kind": "offset"}],
    }
    robot = make_robot(content | {"identification": {"cutoff_hz": None, "trim_rest": False}}, RAIL)
    mechanism = robot.mechanism()
    good = recorded(mechanism, mechanism.urdf_parameters, samples=2000, rate=100.0, noise=0.01)
    assert list(torque_factor(fitted_case(robot, good))) == []
    wrong = replace(good, position=lead * good.position, velocity=None, effort=good.effort / lead)
    (found,) = torque_factor(fitted_case(robot, replace(wrong, position_step=None)))
    assert found.alternatives == (("position_factor", ("rail",)),)
    assert f"or positions are {lead:.3g} times those of the slide" in found.sentence
