import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from support.random_mechanisms import RandomTree, random_trees
from support.synthetic import ARM_URDF

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import JointTerm
from dynid.dynamics.mechanism import Mechanism
from dynid.profile import load_robot

STATELESS_KINDS = ("viscous", "coulomb", "offset", "rotor_inertia", "spring_stiffness")


def planar_arm(gravity: tuple[float, float, float]) -> Mechanism:
    return Mechanism(ARM_URDF, ["shoulder", "elbow"], gravity=gravity)


@pytest.mark.thorough
@given(random_trees(kinds=STATELESS_KINDS))
def test_base_parameters_reproduce_the_torque_of_standard_parameters(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    base = base_parameterization(mechanism)
    q, dq, ddq = tree.states(20)
    regressor = mechanism.regressor(q, dq, ddq)
    from_base = regressor[:, :, base.independent] @ base.project(mechanism.parameters)
    torque = regressor @ mechanism.parameters
    np.testing.assert_allclose(from_base, torque, atol=1e-6 * max(1.0, np.abs(torque).max()))


@pytest.mark.thorough
@given(random_trees(kinds=STATELESS_KINDS))
def test_the_number_of_base_parameters_is_the_rank_of_the_regressor(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    q, dq, ddq = np.random.default_rng(7).uniform(-2, 2, (3, 60, len(mechanism.joints)))
    stacked = mechanism.regressor(q, dq, ddq).reshape(-1, len(mechanism.parameter_names))
    norms = np.linalg.norm(stacked, axis=0)
    stacked = stacked[:, norms > 0] / norms[norms > 0]
    singular = np.linalg.svd(stacked, compute_uv=False)
    rank = int((singular > 1e-9 * singular[0]).sum())
    assert len(base_parameterization(mechanism).independent) == rank


@pytest.mark.parametrize("name", ["ur10", "delta_3", "scara_coupled"])
def test_base_parameters_are_the_same_from_pieces_of_any_size(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = load_robot(name).mechanism()  # the ur10 has terms with memory
    whole = base_parameterization(mechanism)
    monkeypatch.setattr("dynid.arrays._BYTES", 1)  # a piece for each sample
    found = base_parameterization(mechanism)
    assert found.names == whole.names
    np.testing.assert_array_equal(found.independent, whole.independent)
    np.testing.assert_allclose(found.regrouping, whole.regrouping, atol=1e-11)


@pytest.mark.thorough
def test_memory_for_base_parameters_is_less_than_the_regressor_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = load_robot("yumi_arm").mechanism()
    n, p = len(mechanism.joints), len(mechanism.parameter_names)
    monkeypatch.setattr("dynid.arrays._BYTES", 8 * n * p)  # a piece for each sample
    tracemalloc.start()
    try:
        base_parameterization(mechanism)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 8 * n * p * 40 * (p // 10) / 2  # 40 samples for each ten parameters


def test_base_parameters_lift_to_a_standard_vector_with_just_these() -> None:
    mechanism = planar_arm((0.0, -9.81, 0.0))
    base = base_parameterization(mechanism)
    wanted = base.project(mechanism.urdf_parameters) + np.arange(len(base.names))
    lifted = base.lift(wanted, mechanism.urdf_parameters)
    np.testing.assert_allclose(base.project(lifted), wanted, atol=1e-12)
    untouched = np.setdiff1d(np.arange(len(lifted)), base.independent)
    np.testing.assert_array_equal(lifted[untouched], mechanism.urdf_parameters[untouched])


def test_a_planar_arm_in_a_vertical_plane_has_the_textbook_base_parameters() -> None:
    base = base_parameterization(
        Mechanism(
            ARM_URDF.replace('rpy="1.5708 0 0"', ""),
            ["shoulder", "elbow"],
            gravity=(0.0, -9.81, 0.0),
            locked={"wrist": 0.0},
        )
    )
    # Khalil and Dombre, "Modeling, Identification and Control of Robots", planar 2R with gravity
    assert base.names == ("MX1R", "MY1", "ZZ1R", "MX2", "MY2", "ZZ2")
    assert "MX1R = MX1 + 0.3 M2" in base.expressions
    assert "ZZ1R = ZZ1 + 0.09 M2" in base.expressions


def test_a_horizontal_arm_keeps_only_inertias_and_the_coupling_moments() -> None:
    base = base_parameterization(
        Mechanism(
            ARM_URDF.replace('rpy="1.5708 0 0"', ""),
            ["shoulder", "elbow"],
            gravity=(0.0, 0.0, -9.81),
        )
    )
    assert base.names == ("ZZ1R", "MX2", "MY2", "ZZ2")


def test_a_rotor_on_the_first_joint_is_regrouped_with_its_inertia() -> None:
    terms = [JointTerm("rotor_inertia", 0)]
    mechanism = Mechanism(ARM_URDF, ["shoulder", "elbow", "wrist"], terms=terms)
    base = base_parameterization(mechanism)
    assert "Ia1" not in base.names
    assert any(text.startswith("ZZ1R = ZZ1") and "Ia1" in text for text in base.expressions)


def test_offset_and_spring_preload_are_one_parameter() -> None:
    terms = [JointTerm("offset", 0), JointTerm("spring_preload", 0)]
    mechanism = Mechanism(ARM_URDF, ["shoulder"], terms=terms)
    assert "Off1R = Off1 + Kp1" in base_parameterization(mechanism).expressions


def test_presliding_elements_of_different_length_are_separate_parameters() -> None:
    terms = [JointTerm("presliding", 0, scale=s) for s in (1e-4, 1e-3, 1e-2)]
    terms.append(JointTerm("coulomb", 0))
    mechanism = Mechanism(ARM_URDF, ["shoulder"], terms=terms)
    names = base_parameterization(mechanism).names
    assert {"Fh1", "Fh1_2", "Fh1_3", "Fc1"} <= set(names)


def test_load_friction_of_a_joint_without_load_has_no_base_parameter() -> None:
    terms = [JointTerm("coulomb_load", 0, smoothing=0.1)]
    upright = Mechanism(ARM_URDF.replace('rpy="1.5708 0 0"', ""), ["shoulder"], terms=terms)
    assert "Fl1" not in base_parameterization(upright).names


@pytest.mark.parametrize("name", ["ur10", "ur10e", "tx40", "puma560"])
def test_six_axis_robots_have_thirty_six_rigid_base_parameters(name: str) -> None:
    robot = load_robot(name, overrides=["terms=[]"])
    assert len(base_parameterization(robot.mechanism()).independent) == 36


def test_rotors_add_four_base_parameters_to_a_ur10e() -> None:
    robot = load_robot("ur10e", overrides=["terms=[{kind: rotor_inertia}]"])
    assert len(base_parameterization(robot.mechanism()).independent) == 40
