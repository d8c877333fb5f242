"""A joint affected by another's motor or torque: both are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import arm, fitted_case
from support.synthetic import ARM_FRICTION, arm_robot, recorded

from dynid.evaluation.diagnosis.coupling import unmodelled_coupling
from dynid.recording.model import Recording

COUPLING = [[1, 0, 0], [0, 1, 0], [0, -1, 1]]
AT_JOINTS = [{"kind": kind, "joints": ["shoulder", "elbow"]} for kind in ("viscous", "coulomb")]
AT_MOTOR = [
    {"kind": kind, "side": "motor", "joints": ["wrist"]}
    for kind in ("viscous", "coulomb", "rotor_inertia")
]


def coupled_recording() -> Recording:
    """Return the arm with a wrist motor that the elbow also moves."""
    linked = arm_robot(terms=[*AT_JOINTS, *AT_MOTOR], coupling=COUPLING)
    mechanism = linked.mechanism()
    parameters = mechanism.urdf_parameters.copy()
    values = {"Fvm3": 0.6, "Fcm3": 2.0, "Iam3": 0.05}
    values |= {f"{p}{j + 1}": ARM_FRICTION[p][j] for p in ("Fv", "Fc") for j in (0, 1)}
    for name, value in values.items():
        parameters[mechanism.parameter_names.index(name)] = value
    return recorded(mechanism, parameters, noise=0.05)


def test_motor_moved_by_another_joint_is_found_at_both_joints() -> None:
    plain = arm_robot(terms=[{"kind": "viscous"}, {"kind": "coulomb"}])
    found = list(unmodelled_coupling(fitted_case(plain, coupled_recording())))
    assert [one.sentence.split(":")[0] for one in found] == ["elbow", "wrist"]
    assert "explained by wrist" in found[0].sentence
    assert "explained by elbow" in found[1].sentence
    for one in found:
        assert "'coupling'" in one.remedy


def test_coupling_in_the_profile_gives_no_finding() -> None:
    linked = arm_robot(terms=[*AT_JOINTS, *AT_MOTOR], coupling=COUPLING)
    assert list(unmodelled_coupling(fitted_case(linked, coupled_recording()))) == []


def test_coupled_motor_without_terms_gets_that_remedy() -> None:
    linked = arm_robot(terms=[{"kind": "viscous"}, {"kind": "coulomb"}], coupling=COUPLING)
    found = list(unmodelled_coupling(fitted_case(linked, coupled_recording())))
    assert found
    assert all("The profile couples" in one.remedy for one in found)


def test_crosstalk_of_torques_is_named() -> None:
    robot, _, recording = arm()
    effort = recording.effort.copy()
    effort[:, 2] += 0.2 * effort[:, 0]
    (found, *_) = unmodelled_coupling(fitted_case(robot, replace(recording, effort=effort)))
    assert found.sentence.startswith("wrist: ")
    assert "explained by shoulder" in found.sentence
    assert found.evidence["share by its torque"] > 0.8


@pytest.mark.parametrize("noise", [0.05, 2.0])
def test_independent_joints_give_no_finding(noise: float) -> None:
    robot, _, recording = arm(noise)
    assert list(unmodelled_coupling(fitted_case(robot, recording))) == []


def test_friction_of_a_joint_is_not_taken_for_coupling() -> None:
    robot, _, recording = arm()
    bare = robot.model_copy(update={"terms": ()})
    case = fitted_case(bare, recording)
    assert np.all(case.relative_errors > 0.1)
    assert list(unmodelled_coupling(case)) == []
