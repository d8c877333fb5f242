"""Torque from a URDF against pinocchio's own Python bindings."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest
from support.random_mechanisms import RandomTree, random_urdf

JOINTS = ("j5", "j2", "j1", "j4")
LOCKED = {"j3": 0.4}


@pytest.fixture
def branched() -> RandomTree:
    # only revolute and prismatic joints: pinocchio's continuous ones have another configuration
    types = ["revolute", "prismatic", "revolute", "revolute", "prismatic"]
    urdf = random_urdf(np.random.default_rng(11), types, chain=False)
    return RandomTree(urdf, JOINTS, LOCKED, np.array([1.0, -2.0, 9.0]), np.eye(4), (), 11)


def _reduced(tree: RandomTree) -> tuple[pinocchio.Model, np.ndarray]:
    """Return pinocchio's reduced model, and where our joints are in its order."""
    full = pinocchio.buildModelFromXML(tree.urdf_xml)
    position = pinocchio.neutral(full)
    position[full.joints[full.getJointId("j3")].idx_q] = LOCKED["j3"]
    model = pinocchio.buildReducedModel(full, [full.getJointId("j3")], position)
    model.gravity.linear = tree.gravity
    return model, np.array([model.joints[model.getJointId(name)].idx_v for name in JOINTS])


def test_the_tree_branches(branched: RandomTree) -> None:
    model, _ = _reduced(branched)
    assert len(set(model.parents)) < model.njoints - 1


def test_regressor_and_dynamics_are_those_of_pinocchio(branched: RandomTree) -> None:
    mechanism = branched.mechanism()
    model, places = _reduced(branched)
    data = model.createData()
    for ours in np.random.default_rng(3).normal(size=(20, 3, 4)):
        theirs = np.zeros((3, 4))
        theirs[:, places] = ours
        torque = pinocchio.rnea(model, data, *theirs)[places]
        np.testing.assert_allclose(mechanism.inverse_dynamics(*ours), torque, atol=1e-12)
        regressor = pinocchio.computeJointTorqueRegressor(model, data, *theirs)
        blocks = regressor.reshape(4, 4, 10)[places][:, places].reshape(4, 40)
        np.testing.assert_allclose(mechanism.regressor(*ours), blocks, atol=1e-12)
        acceleration = pinocchio.aba(model, data, *theirs)[places]
        np.testing.assert_allclose(mechanism.forward_dynamics(*ours), acceleration, rtol=1e-8)


def test_parameters_are_pinocchio_s_dynamic_parameters(branched: RandomTree) -> None:
    model, _ = _reduced(branched)
    expected = [model.inertias[model.getJointId(name)].toDynamicParameters() for name in JOINTS]
    np.testing.assert_allclose(
        branched.mechanism().urdf_parameters, np.concatenate(expected), atol=1e-13
    )
