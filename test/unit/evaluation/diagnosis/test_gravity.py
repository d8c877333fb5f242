"""Gravity in another direction than in the profile: found with its direction and tilt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import arm, fitted_case, with_terms
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.gravity import wrong_gravity

DOWN = (0.0, 0.0, -9.81)


def found_gravity(found: Finding) -> np.ndarray:
    return np.array([found.evidence[f"gravity {axis} [m/s^2]"] for axis in "xyz"])


@pytest.mark.parametrize(
    ("mounted", "assumed"),
    [
        (DOWN, (0, 0, 9.81)),
        (DOWN, (9.81, 0, 0)),
        ((0, 0, 9.81), DOWN),
        ((0, -9.81, 0), DOWN),
        ((9.81, 0, 0), (0, 6.93672, -6.93672)),
        ((4.905, 0, -8.4957), DOWN),
        (DOWN, (0, 0, 0)),
    ],
)
def test_direction_and_tilt_are_found(
    mounted: tuple[float, ...], assumed: tuple[float, ...]
) -> None:
    real = arm_robot(gravity=list(mounted)).mechanism()
    recording = recorded(real, true_parameters(real), noise=0.05)
    case = fitted_case(arm_robot(gravity=list(assumed)), recording)
    (found,) = wrong_gravity(case)
    np.testing.assert_allclose(found_gravity(found), mounted, atol=0.3)
    if np.any(assumed):
        cosine = np.dot(mounted, assumed) / 9.81**2
        assert found.evidence["tilt [rad]"] == pytest.approx(np.arccos(cosine), abs=0.05)
    assert "'gravity' in the profile" in found.remedy


@pytest.mark.parametrize("assumed", [DOWN, (0, 6.93672, -6.93672)])
def test_torque_without_gravity_is_compensated_by_the_robot(assumed: tuple[float, ...]) -> None:
    real = arm_robot(gravity=[0.0, 0.0, 0.0]).mechanism()
    recording = recorded(real, true_parameters(real), noise=0.05)
    (found,) = wrong_gravity(fitted_case(arm_robot(gravity=list(assumed)), recording))
    assert "contains no gravity" in found.sentence
    assert found.remedy == "Set 'gravity: by_robot' in the profile."


@pytest.mark.parametrize("gravity", ["by_robot", [0.0, 0.0, 0.0]])
def test_gravity_absent_from_torque_and_profile_gives_no_finding(gravity: object) -> None:
    real = arm_robot(gravity=[0.0, 0.0, 0.0]).mechanism()
    recording = recorded(real, true_parameters(real), noise=0.05)
    assert list(wrong_gravity(fitted_case(arm_robot(gravity=gravity), recording))) == []


@pytest.mark.parametrize("seed", range(3))
def test_right_gravity_gives_no_finding(seed: int) -> None:
    robot, _, recording = arm(noise=0.5, seed=seed)
    assert list(wrong_gravity(fitted_case(robot, recording))) == []


def test_right_tilted_gravity_with_a_poor_model_gives_no_finding() -> None:
    tilted = [0, 6.93672, -6.93672]
    mechanism = arm_robot(gravity=tilted).mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    case = fitted_case(arm_robot(gravity=tilted, terms=[]), recording)
    assert case.relative_errors.max() > 0.2
    assert list(wrong_gravity(case)) == []


def test_flipped_torques_are_not_taken_for_inverted_gravity() -> None:
    robot, _, recording = arm()
    case = fitted_case(robot, replace(recording, effort=-recording.effort))
    assert list(wrong_gravity(case)) == []


def test_torque_in_far_too_small_a_unit_is_not_taken_for_gravity_along_the_axis() -> None:
    robot = arm_robot(joints=["shoulder"], terms=[{"kind": "viscous"}])
    mechanism = robot.mechanism()
    recording = recorded(mechanism, with_terms(mechanism, Fv1=0.5))
    case = fitted_case(robot, replace(recording, effort=1e-3 * recording.effort))
    assert list(wrong_gravity(case)) == []


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_one_joint_without_weight_and_one_without_effort_are_no_other_gravity(
    unit: float, seed: int
) -> None:
    # a lift whose spring carries the arm, with a turning elbow and a wrist whose drive reports
    # large torque only
    lift = ARM_URDF.replace('name="shoulder" type="revolute"', 'name="shoulder" type="prismatic"')
    lift = lift.replace('rpy="1.5708 0 0"', "")
    lift = lift.replace('xyz="0.3 0 0.05"', 'xyz="0.3 0 0.05" rpy="1.5708 0 0"')
    robot = arm_robot().with_urdf(lift)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05, seed=seed)
    effort = recording.effort.copy()
    effort[:, 0] = unit * (effort[:, 0] - mechanism.gravity_torque(recording.position)[:, 0])
    effort[np.abs(effort[:, 2]) < np.quantile(np.abs(effort[:, 2]), 0.8), 2] = 0.0
    assert list(wrong_gravity(fitted_case(robot, replace(recording, effort=effort)))) == []
