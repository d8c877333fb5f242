"""Identities of every mechanism, on random trees; and torque against pinocchio's own bindings."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from support.random_mechanisms import RandomTree, random_trees, random_urdf

STEP = 1e-5
"""Of central differences: their error is of the order of its square, 1e-10, times third
derivatives, and rounding adds 1e-16 / STEP, so that 1e-6 of the size of the terms is safe."""

# as large as the rounding of some hundred operations on numbers of the size given
ROUNDING = 1e-11


def _size(*arrays: np.ndarray) -> float:
    return 1.0 + max(float(np.abs(array).max()) for array in arrays)


@given(random_trees())
def test_torque_is_regressor_times_any_parameters(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states()
    regressor = mechanism.regressor(q, dq, ddq)
    # parameters that are not physically consistent, such as base parameters
    parameters = np.random.default_rng(tree.seed).normal(size=len(mechanism.parameter_names))
    for found, values in (
        (mechanism.inverse_dynamics(q, dq, ddq), mechanism.parameters),
        (mechanism.torque(q, dq, ddq, parameters), parameters),
    ):
        expected = regressor @ values
        np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * _size(expected))


@given(random_trees())
def test_mass_matrix_is_how_torque_depends_on_acceleration(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = (state[0] for state in tree.states())
    count = len(tree.joints)
    rest = mechanism.inverse_dynamics(q, dq, ddq)
    columns = [mechanism.inverse_dynamics(q, dq, ddq + unit) - rest for unit in np.eye(count)]
    mass = mechanism.mass_matrix(q)
    np.testing.assert_allclose(np.transpose(columns), mass, atol=ROUNDING * _size(rest, mass))
    np.testing.assert_array_equal(mass, mass.T)
    assert np.linalg.eigvalsh(mass).min() > 0


@given(random_trees(kinds=()))
def test_gravity_torque_is_the_slope_of_a_potential(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q = tree.states()[0][0]
    count = len(tree.joints)
    slope = np.array(
        [
            (mechanism.gravity_torque(q + STEP * e) - mechanism.gravity_torque(q - STEP * e))
            / (2 * STEP)
            for e in np.eye(count)
        ]
    )
    # a field is a gradient exactly where its own slope is symmetric
    np.testing.assert_allclose(slope, slope.T, rtol=0, atol=1e-6 * _size(slope))


@given(random_trees())
def test_forward_dynamics_inverts_inverse_dynamics(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states()
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    condition = np.linalg.cond(mechanism.mass_matrix(q)).max()
    solved = mechanism.forward_dynamics(q, dq, torque)
    mass = mechanism.mass_matrix(q)
    tolerance = 1e-14 * condition * _size(torque) / np.linalg.norm(mass, 2, axis=(1, 2)).min()
    np.testing.assert_allclose(solved, ddq, rtol=0, atol=tolerance + 1e-9)


@given(random_trees(kinds=()))
def test_order_given_permutes_torques_and_parameters(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    order = np.random.default_rng(tree.seed).permutation(len(tree.joints))
    permuted = RandomTree(
        tree.urdf_xml,
        tuple(tree.joints[i] for i in order),
        tree.locked,
        tree.gravity,
        np.eye(len(order)),
        (),
        tree.seed,
    ).mechanism()
    q, dq, ddq = tree.states()
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    np.testing.assert_allclose(
        permuted.inverse_dynamics(q[:, order], dq[:, order], ddq[:, order]),
        torque[:, order],
        rtol=0,
        atol=ROUNDING * _size(torque),
    )
    np.testing.assert_array_equal(
        permuted.parameters.reshape(-1, 10), mechanism.parameters.reshape(-1, 10)[order]
    )


@given(random_trees())
def test_products_are_those_of_the_stored_regressor(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states(50)
    vectors = np.random.default_rng(tree.seed).normal(size=(3, *q.shape))
    regressor = mechanism.regressor(q, dq, ddq)
    expected = np.einsum("cij,ijp->cp", vectors, regressor)
    np.testing.assert_allclose(
        mechanism.products(q, dq, ddq, vectors),
        expected,
        rtol=0,
        atol=1e-12 * _size(regressor) * vectors[0].size,
    )


@given(random_trees())
def test_gram_is_the_product_of_the_stored_regressor(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states(300)  # more than one block
    rng = np.random.default_rng(tree.seed)
    tau = rng.normal(size=q.shape)
    weights = rng.uniform(0.1, 2.0, q.shape) * (rng.random(q.shape) < 0.6)
    columns = rng.permutation(len(mechanism.parameter_names))[: rng.integers(1, 30)]
    gram = mechanism.gram(q, dq, ddq, tau, columns, weights)
    regressor = mechanism.regressor(q, dq, ddq)
    for joint in range(q.shape[1]):
        rows = np.column_stack([regressor[:, joint, columns], tau[:, joint]])
        expected = rows.T @ (weights[:, joint, None] * rows)
        np.testing.assert_allclose(
            gram[joint], expected, rtol=0, atol=1e-12 * _size(expected) * len(rows)
        )


# --- against pinocchio --------------------------------------------------------------------------

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
