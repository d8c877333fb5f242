"""Identities of every mechanism, on random trees."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from support.random_mechanisms import INERTIAL_KINDS, RandomTree, random_trees

STEP = 1e-5
"""Of central differences: their error is of the order of its square, 1e-10, times third
derivatives, and rounding adds 1e-16 / STEP, so that 1e-6 of the size of the terms is safe."""

# as large as the rounding of some hundred operations on numbers of the size given
ROUNDING = 1e-11


def _size(*arrays: np.ndarray) -> float:
    return 1.0 + max(float(np.abs(array).max()) for array in arrays)


@given(random_trees())
def test_regressor_times_parameters_is_inverse_dynamics(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states()
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    predicted = mechanism.regressor(q, dq, ddq) @ mechanism.parameters
    np.testing.assert_allclose(predicted, torque, rtol=0, atol=ROUNDING * _size(torque))


@given(random_trees())
def test_torque_is_regressor_times_any_parameters(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states()
    # parameters that are not physically consistent, such as base parameters
    parameters = np.random.default_rng(tree.seed).normal(size=len(mechanism.parameter_names))
    torque = mechanism.torque(q, dq, ddq, parameters)
    expected = mechanism.regressor(q, dq, ddq) @ parameters
    np.testing.assert_allclose(torque, expected, rtol=0, atol=ROUNDING * _size(expected))


@given(random_trees())
def test_torque_is_the_sum_of_its_parts(tree: RandomTree) -> None:
    others = tuple(term for term in tree.terms if term.kind not in INERTIAL_KINDS)
    mechanism = tree.mechanism(terms=others)
    q, dq, ddq = tree.states()
    parts = (
        np.einsum("tij,tj->ti", mechanism.mass_matrix(q), ddq)
        + np.einsum("tij,tj->ti", mechanism.coriolis_matrix(q, dq), dq)
        + mechanism.gravity_torque(q)
        + mechanism.term_torque(q, dq, ddq)
    )
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    np.testing.assert_allclose(parts, torque, rtol=0, atol=ROUNDING * _size(torque))


@given(random_trees())
def test_mass_matrix_is_symmetric_and_positive(tree: RandomTree) -> None:
    mass = tree.mechanism().mass_matrix(tree.states()[0])
    np.testing.assert_array_equal(mass, mass.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(mass).min() > 0


@given(random_trees())
def test_mass_matrix_is_how_torque_depends_on_acceleration(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = (state[0] for state in tree.states())
    count = len(tree.joints)
    rest = mechanism.inverse_dynamics(q, dq, ddq)
    columns = [mechanism.inverse_dynamics(q, dq, ddq + unit) - rest for unit in np.eye(count)]
    mass = mechanism.mass_matrix(q)
    np.testing.assert_allclose(np.transpose(columns), mass, atol=ROUNDING * _size(rest, mass))


@given(random_trees())
def test_change_of_mass_matrix_minus_twice_coriolis_is_skew(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, _ = (state[0] for state in tree.states())
    change = (mechanism.mass_matrix(q + STEP * dq) - mechanism.mass_matrix(q - STEP * dq)) / (
        2 * STEP
    )
    coriolis = mechanism.coriolis_matrix(q, dq)
    difference = change - 2 * coriolis
    tolerance = 1e-6 * _size(change, coriolis)
    np.testing.assert_allclose(difference, -difference.T, rtol=0, atol=tolerance)


@given(random_trees(kinds=INERTIAL_KINDS))
def test_power_of_torque_against_gravity_and_inertia_is_change_of_energy(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = (state[0] for state in tree.states())

    def kinetic_energy(time: float) -> float:
        velocity = dq + time * ddq
        position = q + time * dq + time**2 / 2 * ddq
        return float(velocity @ mechanism.mass_matrix(position) @ velocity) / 2

    change = (kinetic_energy(STEP) - kinetic_energy(-STEP)) / (2 * STEP)
    gravity_power = dq @ mechanism.gravity_torque(q)  # the change of potential energy
    power = dq @ mechanism.inverse_dynamics(q, dq, ddq)
    assert abs(change + gravity_power - power) < 1e-6 * _size(
        np.array([power, change, gravity_power, kinetic_energy(0.0)])
    )


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


@given(random_trees(kinds=("viscous", "viscous_cubic", "coulomb", "stribeck", "viscous_root")))
def test_friction_only_dissipates_power(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states(20)
    power = np.sum(dq * mechanism.term_torque(q, dq, ddq), axis=1)
    assert np.all(power >= -ROUNDING)


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
