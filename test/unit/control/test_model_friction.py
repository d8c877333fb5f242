"""The friction of a model, compared with values by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_robot import write_small_robot

from dynid.control.residual import viscous_friction
from dynid.dynamics.joint_terms import JointTerm
from dynid.dynamics.mechanism import Mechanism
from dynid.profile import load_robot

VELOCITY = np.array([[2.0, -4.0], [0.0, 1.0]])


def with_terms(folder: Path, terms: list[JointTerm], values: list[float]) -> Mechanism:
    robot = load_robot(write_small_robot(folder))
    bare = Mechanism(robot.urdf_xml, robot.joints, terms=terms, coupling=[[1.0, 0.0], [0.5, 1.0]])
    parameters = bare.urdf_parameters.copy()
    parameters[bare.first_term :] = values
    return bare.with_parameters(parameters)


def test_friction_of_joints_adds_up(tmp_path: Path) -> None:
    terms = [
        JointTerm("viscous", 0),
        JointTerm("viscous_root", 1),
        JointTerm("viscous_cubic", 0),
        JointTerm("coulomb", 0),
        JointTerm("offset", 1),
    ]
    found = viscous_friction(
        with_terms(tmp_path, terms, [3.0, 5.0, 0.5, 7.0, 9.0]), VELOCITY, motor_side=False
    )
    assert found == pytest.approx(np.array([[6.0 + 4.0, 10.0], [0.0, 5.0]]))


def test_the_larger_one_of_two_directions_counts(tmp_path: Path) -> None:
    terms = [JointTerm("viscous_positive", 0), JointTerm("viscous_negative", 0)]
    found = viscous_friction(with_terms(tmp_path, terms, [2.0, 3.0]), VELOCITY, motor_side=False)
    assert found == pytest.approx(np.array([[6.0, 0.0], [0.0, 0.0]]))


def test_friction_of_a_motor_acts_on_the_joints_that_it_moves(tmp_path: Path) -> None:
    mechanism = with_terms(tmp_path, [JointTerm("viscous", 1, "motor")], [2.0])
    motor = VELOCITY @ np.linalg.inv(mechanism.coupling).T
    # q_motor 2 = q_joint 2 - 0.5 q_joint 1
    assert motor[:, 1] == pytest.approx([-5.0, 1.0])
    at_joints = viscous_friction(mechanism, VELOCITY, motor_side=False)
    assert at_joints == pytest.approx(np.array([[5.0, 10.0], [1.0, 2.0]]))
    at_motors = viscous_friction(mechanism, motor, motor_side=True)
    assert at_motors == pytest.approx(np.array([[0.0, 10.0], [0.0, 2.0]]))
