"""Identities of the parts of a model's torque, on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from support.random_mechanisms import RandomTree, random_trees

from dynid.dynamics.torque_parts import model_at_point, point_json, torque_of_kinds, torque_parts
from dynid.profile import load_robot

STEP = 1e-5
"""Of central differences, whose error is of the order of its square."""
ROUNDING = 1e-11

STATELESS = ("viscous", "viscous_cubic", "viscous_root", "coulomb", "stribeck", "rotor_inertia")


def size(*arrays: np.ndarray) -> float:
    return 1.0 + max(float(np.abs(array).max()) for array in arrays)


@given(random_trees())
def test_parts_add_up_to_inverse_dynamics(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states(5)
    parts = torque_parts(mechanism, q, dq, ddq)
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    atol = ROUNDING * size(*parts.named().values())
    np.testing.assert_allclose(parts.total, torque, rtol=0, atol=atol)


@given(random_trees())
def test_torque_of_several_kinds_is_the_sum_of_their_parts(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    states = tree.states(5)
    parts = torque_parts(mechanism, *states)
    together = torque_of_kinds(mechanism, *states, set(parts.terms))
    atol = ROUNDING * size(*parts.named().values())
    expected = sum(parts.terms.values(), np.zeros_like(states[0]))
    np.testing.assert_allclose(together, expected, rtol=0, atol=atol)


@given(random_trees())
def test_parts_are_those_of_the_matrices(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = tree.states(5)
    parts = torque_parts(mechanism, q, dq, ddq)
    atol = ROUNDING * size(*parts.named().values())
    inertia = np.einsum("tij,tj->ti", mechanism.mass_matrix(q), ddq)
    np.testing.assert_allclose(parts.inertia, inertia, rtol=0, atol=atol)
    coriolis = np.einsum("tij,tj->ti", mechanism.coriolis_matrix(q, dq), dq)
    np.testing.assert_allclose(parts.coriolis, coriolis, rtol=0, atol=atol)
    np.testing.assert_allclose(parts.gravity, mechanism.gravity_torque(q), rtol=0, atol=atol)
    kinds = {term.kind for term in mechanism.terms if not term.traits.inertial}
    assert set(parts.terms) == kinds


@given(random_trees())
def test_coriolis_matrix_is_that_of_the_christoffel_symbols(tree: RandomTree) -> None:
    # symbols of the first kind from slopes of the mass matrix:
    # c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, and C_ij = sum_k c_ijk dq_k
    mechanism = tree.mechanism()
    q, dq, _ = (motion[0] for motion in tree.states())
    steps = STEP * np.eye(len(q))
    slope = np.stack(
        [mechanism.mass_matrix(q + h) - mechanism.mass_matrix(q - h) for h in steps], axis=-1
    ) / (2 * STEP)
    symbols = (slope + slope.transpose(0, 2, 1) - slope.transpose(2, 0, 1)) / 2
    coriolis = mechanism.coriolis_matrix(q, dq)
    np.testing.assert_allclose(coriolis, symbols @ dq, rtol=0, atol=1e-6 * size(slope, coriolis))


@given(random_trees(kinds=STATELESS))
def test_power_goes_to_motion_height_and_friction(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = (motion[0] for motion in tree.states())
    parts = torque_parts(mechanism, q, dq, ddq)

    def kinetic_energy(time: float) -> float:
        velocity = dq + time * ddq
        mass = mechanism.mass_matrix(q + time * dq + time**2 / 2 * ddq)
        return float(velocity @ mass @ velocity) / 2

    gained = (kinetic_energy(STEP) - kinetic_energy(-STEP)) / (2 * STEP)
    spent = dq @ (parts.inertia + parts.coriolis)
    assert abs(gained - spent) < 1e-6 * size(np.array([gained, spent, kinetic_energy(0.0)]))
    for friction in parts.terms.values():
        assert dq @ friction >= -ROUNDING


@given(random_trees())
def test_accelerations_of_the_torque_at_a_point_are_those_of_its_motion(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = (motion[0] for motion in tree.states())
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    point = model_at_point(mechanism, q, dq, ddq, torque)
    assert point.eigenvalues[0] > 0
    np.testing.assert_allclose(point.condition, point.eigenvalues[-1] / point.eigenvalues[0])
    tolerance = 1e-14 * size(torque) / point.eigenvalues[0]
    np.testing.assert_allclose(point.forward, ddq, rtol=0, atol=100 * tolerance + 1e-9)
    content = point_json(mechanism, point)
    np.testing.assert_array_equal(content["forward_dynamics"], point.forward)
    np.testing.assert_allclose(sum(map(np.array, content["torque"].values())), point.parts.total)


@pytest.mark.parametrize("name", ["delta_3", "palletiser"])
def test_of_closed_chains_too_the_coriolis_matrix_is_that_of_the_christoffel_symbols(
    name: str,
) -> None:
    # C of the Christoffel symbols is the only one with dM/dt - 2 C skew and C(a) b = C(b) a
    robot = load_robot(name)
    mechanism = robot.mechanism()
    middle = np.array(mechanism.chain.assembled_at or [0.0] * len(mechanism.joints))
    random = np.random.default_rng(0)
    q = middle + random.uniform(-0.1, 0.1, len(middle))
    a, b = random.uniform(-1.0, 1.0, (2, len(middle)))
    coriolis = mechanism.coriolis_matrix(q, a)
    other = mechanism.coriolis_matrix(q, b)
    np.testing.assert_allclose(coriolis @ b, other @ a, rtol=0, atol=1e-9 * size(coriolis))
    change = mechanism.mass_matrix(q + STEP * a) - mechanism.mass_matrix(q - STEP * a)
    skew = change / (2 * STEP) - 2 * coriolis
    np.testing.assert_allclose(skew, -skew.T, rtol=0, atol=1e-6 * size(skew))
    parts = torque_parts(mechanism, q, a, b)
    torque = mechanism.inverse_dynamics(q, a, b)
    np.testing.assert_allclose(parts.total, torque, rtol=0, atol=ROUNDING * size(torque))
    np.testing.assert_allclose(parts.coriolis, coriolis @ a, rtol=0, atol=1e-9 * size(torque))
