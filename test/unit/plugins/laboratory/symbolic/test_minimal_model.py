"""The formulas of the minimal model against the compiled core, on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from support.evaluated import evaluated
from support.random_mechanisms import RandomTree, random_trees

from dynid.dynamics.joint_terms import term_kinds
from dynid.errors import MechanismError
from dynid.profile import load_robot, make_robot
from dynid_plugins.laboratory.symbolic.minimal_model import (
    Formulas,
    minimal_model,
    operation_counts,
)

# rounding of some thousand operations; base parameters are found to 1e-9 of the largest
ACCURACY = 1e-9


def symbols(formulas: Formulas, *motion: np.ndarray) -> dict[str, float]:
    arrays = dict(zip(("q", "dq", "ddq"), motion, strict=False)) | {"b": formulas.values}
    return {f"{name}[{k}]": x for name, array in arrays.items() for k, x in enumerate(array)}


def assert_close(found: np.ndarray, expected: np.ndarray, size: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=ACCURACY * size)


@given(random_trees(kinds=[kind.name for kind in term_kinds() if not kind.has_memory]))
@settings(max_examples=10)
def test_formulas_are_what_the_core_computes(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    formulas = minimal_model(mechanism)
    q, dq, ddq = (motion[0] for motion in tree.states())
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    # parts cancel in torque, so their size bounds the rounding error
    size = 1.0 + np.abs(mechanism.regressor(q, dq, ddq) * mechanism.parameters).sum(axis=1).max()
    given_all = symbols(formulas, q, dq, ddq)
    assert_close(evaluated(formulas.torque, given_all), torque, size)
    rows = [evaluated(row, given_all) for row in formulas.regressor]
    assert_close(np.array(rows) @ formulas.values, torque, size)
    at_rest = symbols(formulas, q)
    assert_close(evaluated(formulas.gravity, at_rest), mechanism.gravity_torque(q), size)
    mass = mechanism.mass_matrix(q)
    found = np.array([evaluated(row, at_rest) for row in formulas.mass_matrix])
    assert_close(found, mass, 1.0 + np.abs(mass).max())


def test_a_term_with_memory_is_refused_with_the_joint_and_the_way_out() -> None:
    robot = load_robot("ur10")
    with pytest.raises(MechanismError, match=r"shoulder_pan_joint.*--without presliding"):
        minimal_model(robot.mechanism())


def test_a_robot_with_closed_chains_is_refused_by_its_passive_joints() -> None:
    robot = load_robot("palletiser")
    with pytest.raises(MechanismError, match=next(iter(robot.closed_chain.passive))):
        minimal_model(robot.mechanism())


def test_a_semi_static_model_has_weight_and_friction_but_no_mass_matrix() -> None:
    robot = load_robot("puma560", overrides=["semi_static=true"])
    bare = robot.mechanism()
    mechanism = bare.with_parameters(bare.parameters + 0.5)
    formulas = minimal_model(mechanism)
    q, dq, ddq = np.random.default_rng(0).uniform(-2.0, 2.0, (3, 6))
    found = evaluated(formulas.torque, symbols(formulas, q, dq, ddq))
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    assert_close(found, torque, np.abs(torque).max())
    assert formulas.mass_matrix == []


def test_a_pendulum_costs_what_its_textbook_formula_costs() -> None:
    urdf_xml = """<robot name="pendulum"><link name="base"/>
      <link name="rod"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
        <inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
        <axis xyz="0 0 1"/></joint></robot>"""
    content = {"robot": "p", "urdf": "p.urdf", "joints": ["hinge"], "terms": []}
    robot = make_robot(content | {"gravity": [0.0, -10.0, 0.0]}, urdf_xml)
    formulas = minimal_model(robot.mechanism())
    # τ = ZZ ddq + g MX cos q
    assert formulas.graph.count(formulas.torque) == {"mul": 3, "add": 1, "cos": 1}
    assert evaluated(formulas.gravity, symbols(formulas, np.zeros(1))) == pytest.approx([10.0])


def test_knowledge_of_the_robot_saves_operations() -> None:
    robot = load_robot("scara")
    counts = operation_counts(minimal_model(robot.mechanism()))
    minimal, general = counts["inverse dynamics"], counts["inverse dynamics, general robot"]
    assert minimal["mul"] < general["mul"] / 2


def test_gravity_is_separated_from_an_offset_that_shares_its_base_parameter() -> None:
    # of a vertical slide, a constant torque can be weight or offset: gravity must not change
    urdf_xml = """<robot name="lift"><link name="base"/>
      <link name="load"><inertial><mass value="2"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="slide" type="prismatic"><parent link="base"/><child link="load"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint></robot>"""
    content = {
        "robot": "p",
        "urdf": "p.urdf",
        "joints": ["slide"],
        "gravity": [0.0, 0.0, -10.0],
        "terms": [{"kind": "offset"}, {"kind": "rotor_inertia"}],
    }
    robot = make_robot(content, urdf_xml)
    bare = robot.mechanism()
    values = bare.parameters.copy()
    values[-2:] = 3.0, 5.0
    formulas = minimal_model(bare.with_parameters(values))
    known = symbols(formulas, np.zeros(1), np.zeros(1), np.zeros(1))
    assert evaluated(formulas.gravity, known) == pytest.approx([20.0])
    assert evaluated(formulas.torque, known) == pytest.approx([23.0])
    assert evaluated(formulas.mass_matrix[0], known) == pytest.approx([7.0])
