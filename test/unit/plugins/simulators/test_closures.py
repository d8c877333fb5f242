"""Closed chains and joints that follow others in files of simulators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.excitation.motion import Motion
from dynid.profile import load_robot
from dynid.robot.model import Model, nominal_model
from dynid.xml_tree import xml_tree
from dynid_plugins.simulators.export import Export, export_along
from dynid_plugins.simulators.exported_model import exported_model
from dynid_plugins.simulators.moving_joints import moving_motion
from dynid_plugins.simulators.simulated_terms import FormatTerms
from dynid_plugins.simulators.tree_layout import followers

ROBOTS = ("delta_3", "delta_4", "palletiser", "dvrk_psm", "dvrk_mtm")
TERMS = "terms=[{kind: viscous}, {kind: coulomb}, {kind: rotor_inertia}]"

# a crank turns a rocker by a rod; the loop is cut between rod and rocker, or the rod has no mass
FOUR_BAR = """<robot name="four_bar">
  <link name="base"/>
  <link name="crank"><inertial><origin xyz="0.05 0 0.02"/><mass value="0.5"/>
    <inertia ixx="1e-3" iyy="2e-3" izz="2.5e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0.2 0 0.01"/><mass value="0.8"/>
    <inertia ixx="1e-3" iyy="1e-2" izz="1e-2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rocker"><inertial><origin xyz="0.15 0 0"/><mass value="0.7"/>
    <inertia ixx="1e-3" iyy="5e-3" izz="5e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="drive" type="revolute"><parent link="base"/><child link="crank"/>
    <origin xyz="0 0 0.1" rpy="1.5707963 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
  <joint name="bar" type="revolute"><parent link="crank"/><child link="rod"/>
    <origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
  <joint name="swing" type="revolute"><parent link="base"/><child link="rocker"/>
    <origin xyz="0.5 0 0.1" rpy="1.5707963 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
</robot>
"""
HINGE = """
  passive: {bar: 0.5, swing: 1.9}
  closures:
    - {kind: revolute, links: [rod, rocker], points: [[0.4, 0, 0], [0.3, 0, 0]],
       axes: [[0, 0, 1], [0, 0, 1]]}"""
ROD = """
  passive: {swing: 1.9}
  closures:
    - {kind: distance, links: [crank, rocker], points: [[0.1, 0, 0], [0.3, 0, 0]], length: 0.4}"""
GEAR = """
  passive: {bar: 0.4, swing: -0.3}
  assembled_at: [0.2]
  closures:
    - {kind: gear, links: [rod, crank], ratio: -1.5}
    - {kind: gear, links: [rocker, rod], ratio: 0.5}"""


def four_bar(tmp_path: Path, chain: str) -> Model:
    (tmp_path / "four_bar.urdf").write_text(FOUR_BAR)
    profile = tmp_path / "four_bar.yaml"
    profile.write_text(
        "robot: four_bar\nurdf: four_bar.urdf\njoints: [drive]\n"
        f"closed_chain:{chain}\nterms: [{{kind: viscous}}, {{kind: rotor_inertia}}]\n"
    )
    return with_values(nominal_model(load_robot(profile)))


def shipped(robot: str, terms: str = TERMS) -> Model:
    return with_values(nominal_model(load_robot(robot, overrides=[terms])))


def with_values(model: Model) -> Model:
    """The model with random terms, and with a body where the URDF has none that is possible."""
    mechanism = model.mechanism
    parameters, first = np.array(mechanism.parameters), mechanism.first_term
    random = np.random.default_rng(3)
    parameters[first:] = random.uniform(0.1, 1, len(parameters) - first)
    for body in parameters[:first].reshape(-1, 10):
        if body[0] == 0:
            body[[0, 4, 6, 9]] = 0.05, 1e-3, 1e-3, 1e-3
    return replace(model, mechanism=mechanism.with_parameters(parameters))


def motion_of(model: Model, count: int = 40) -> Motion:
    """Random states at which the loops can be closed."""
    random = np.random.default_rng(1)
    lower, upper, *_ = model.robot.limits.of_joints(len(model.robot.joints))
    middle, half = (lower + upper) / 2, 0.45 * (upper - lower)
    position = middle + half * random.uniform(-1, 1, (count, len(middle)))
    position = position[model.mechanism.reachable(position)]
    assert len(position) > count / 2
    return Motion(
        position, random.uniform(-1, 1, position.shape), random.uniform(-3, 3, position.shape)
    )


def to_mjcf(model: Model) -> Export:
    pytest.importorskip("mujoco")
    return export_along(model, "mjcf", motion_of(model))


def residual_and_acceleration(found: Export, model: Model) -> tuple[float, np.ndarray]:
    """MuJoCo's constraint error as the file starts, and its acceleration there under gravity."""
    mujoco = pytest.importorskip("mujoco")
    compiled = mujoco.MjModel.from_xml_string(found.text)
    compiled.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    dofs = [compiled.joint(name).dofadr[0] for name in model.robot.joints]
    return float(np.abs(data.efc_pos).max()), data.qacc[dofs]


@pytest.mark.parametrize("robot", ROBOTS)
def test_mujoco_computes_the_torque_of_shipped_closed_chains(robot: str) -> None:
    found = to_mjcf(shipped(robot))
    assert found.difference < 1e-9
    assert found.exported.replaced == ()


@pytest.mark.parametrize("chain", [HINGE, ROD, GEAR], ids=["hinge", "rod", "gear"])
def test_every_kind_of_closure_becomes_a_constraint(tmp_path: Path, chain: str) -> None:
    found = to_mjcf(four_bar(tmp_path, chain))
    assert found.difference < 1e-9


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_robot_starts_assembled_and_falls_as_in_dynid(robot: str) -> None:
    model = shipped(robot, "terms=[{kind: viscous}, {kind: rotor_inertia}]")
    residual, acceleration = residual_and_acceleration(to_mjcf(model), model)
    assert residual < 1e-9
    n = len(model.robot.joints)
    start = np.array(model.robot.closed_chain.assembled_at or np.zeros(n))
    rest = np.zeros(n)
    wanted = model.mechanism.forward_dynamics(start, rest, rest)
    # MuJoCo's constraints are soft: solimp of 0.9999 leaves 1e-4 of the acceleration they prevent
    np.testing.assert_allclose(acceleration, wanted, atol=2e-3 * np.abs(wanted).max())


def test_velocities_and_accelerations_of_passive_joints_are_derivatives_of_positions() -> None:
    mechanism = shipped("palletiser").mechanism
    motion = motion_of(shipped("palletiser"), 20)
    moving = moving_motion(mechanism, motion)
    step = 1e-4

    def after(time: float) -> np.ndarray:
        there = motion.position + time * motion.velocity + time**2 / 2 * motion.acceleration
        return mechanism.moving_positions(there)

    before, now, then = after(-step), after(0.0), after(step)
    # truncation step^2, rounding 1e-13 / step and 1e-13 / step^2
    np.testing.assert_allclose(moving.motion.velocity, (then - before) / (2 * step), atol=1e-6)
    slope = (then - 2 * now + before) / step**2
    np.testing.assert_allclose(moving.motion.acceleration, slope, atol=1e-4)


def test_terms_of_passive_joints_are_exported() -> None:
    terms = "terms=[{kind: viscous, joints: [joint_1, swing_1, platform_z]}]"
    found = to_mjcf(shipped("delta_3", terms))
    dampings = {
        joint.get("name"): float(joint.get("damping", "0"))
        for joint in xml_tree(found.text, "mjcf").iter("joint")
    }
    assert dampings["swing_1"] > 0
    assert dampings["platform_z"] > 0
    assert found.difference < 1e-9


def test_a_users_mjcf_with_loops_keeps_its_constraints() -> None:
    model = shipped("delta_3")
    text = to_mjcf(model).text.replace("</equality>", "  <!-- my loops -->\n  </equality>")
    path = Path("mine.xml")
    found = export_along(model, "mjcf", motion_of(model), into=(text, path))
    assert found.difference < 1e-9
    assert "<!-- my loops -->" in found.text
    opened = text[: text.index("<equality>")] + text[text.index("</equality>") + 11 :]
    with pytest.raises(ConfigurationError, match="equality constraints do not determine"):
        export_along(model, "mjcf", motion_of(model), into=(opened, path))


@pytest.mark.parametrize("to", ["urdf", "sdf"])
def test_joints_that_follow_are_mimic_joints(tmp_path: Path, to: str) -> None:
    model = four_bar(tmp_path, GEAR)
    motion = motion_of(model)
    found = export_along(model, to, motion)
    positions = dict(
        zip(
            model.mechanism.moving_joints,
            model.mechanism.moving_positions(motion.position).T,
            strict=True,
        )
    )
    root = xml_tree(found.text, to)
    mimics = {
        joint.get("name", ""): joint.find(".//mimic")
        for joint in root.iter("joint")
        if joint.find(".//mimic") is not None
    }
    assert set(mimics) == {"bar", "swing"}
    for name, mimic in mimics.items():
        assert mimic is not None
        multiplier, offset = (number(mimic, key) for key in ("multiplier", "offset"))
        leader = positions[mimic.get("joint", "")]
        np.testing.assert_allclose(positions[name], multiplier * leader + offset, atol=1e-12)


def number(mimic: Element, key: str) -> float:
    child = mimic.find(key)
    return float((mimic.get(key) if child is None else child.text) or "nan")


def without_rotors(model: Model) -> Model:
    """The model without what URDF and SDF do not have."""
    parameters = np.array(model.mechanism.parameters)
    parameters[[name.startswith("Ia") for name in model.mechanism.parameter_names]] = 0
    return replace(model, mechanism=model.mechanism.with_parameters(parameters))


def test_an_exported_urdf_is_the_same_robot_in_dynid(tmp_path: Path) -> None:
    model = without_rotors(four_bar(tmp_path, GEAR))
    motion = motion_of(model)
    text = export_along(model, "urdf", motion).text
    robot = model.robot
    again = Mechanism(text, robot.joints, chain=robot.closed_chain.chain())
    bodies = model.mechanism.parameters[: model.mechanism.first_term]
    bare = model.mechanism.without_terms().with_parameters(bodies)
    np.testing.assert_allclose(
        again.inverse_dynamics(*motion), bare.inverse_dynamics(*motion), atol=1e-9
    )


@pytest.mark.parametrize("to", ["urdf", "sdf"])
def test_drake_computes_the_torque_of_joints_that_follow(tmp_path: Path, to: str) -> None:
    pytest.importorskip("pydrake")
    model = without_rotors(four_bar(tmp_path, GEAR))
    found = export_along(model, to, motion_of(model))
    assert found.difference < 1e-9


@pytest.mark.parametrize(
    ("robot", "to", "words"),
    [
        (
            "delta_3",
            "sdf",
            "of kind point, but of closures this format has gear; export to mjcf",
        ),
        ("dvrk_psm", "usd", "pitch_front and pitch_back are joined by a closure of kind gear"),
    ],
)
def test_closures_that_a_format_does_not_have_are_named(robot: str, to: str, words: str) -> None:
    model = shipped(robot)
    with pytest.raises(ConfigurationError, match=words):
        export_along(model, to, motion_of(model))


def test_a_link_without_mass_at_the_end_of_a_chain_is_refused(tmp_path: Path) -> None:
    model = four_bar(tmp_path, HINGE)
    link = FOUR_BAR[FOUR_BAR.index('<link name="rod">') : FOUR_BAR.index('<link name="rocker">')]
    robot = model.robot.with_urdf(FOUR_BAR.replace(link, '<link name="rod"/>'))
    light = with_values(nominal_model(robot))
    with pytest.raises(ConfigurationError, match=r"joint 'bar' moves no mass.*kind distance"):
        exported_model(light, FormatTerms(closures=("revolute",)), motion_of(light))


def test_load_friction_of_a_passive_joint_is_refused() -> None:
    model = shipped("delta_3", "terms=[{kind: coulomb_load, joints: [swing_1]}]")
    with pytest.raises(ConfigurationError, match="'swing_1' has friction that grows with its load"):
        exported_model(model, FormatTerms(closures=("point",)), motion_of(model))


def test_a_tree_has_no_followers() -> None:
    model = shipped("spatial_3r")
    motion = motion_of(model)
    assert followers(exported_model(model, FormatTerms(), motion)) == {}
    np.testing.assert_array_equal(moving_motion(model.mechanism, motion).motion, motion)
