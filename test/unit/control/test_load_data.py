"""Payloads as the controllers of robot makers take them, read back from their text."""

from __future__ import annotations

import re

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from dynid.control.load_data import (
    Controller,
    PrincipalAxes,
    body_at_flange,
    flange_of,
    gravity_filter,
    load_text,
)
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.profile import load_robot

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
CONTROLLERS: tuple[Controller, ...] = ("ur", "ur-ros2", "franka", "abb", "kuka", "fanuc")


def make_body(moments=(0.02, 0.03, 0.04), turn=(0.3, -0.2, 0.9), mass=2.5) -> RigidBody:
    axes = Rotation.from_rotvec(turn).as_matrix()
    return RigidBody(mass, np.array([0.01, -0.17, 0.05]), axes @ np.diag(moments) @ axes.T)


def numbers(text: str) -> list[float]:
    return [float(one) for one in re.findall(NUMBER, text)]


def read_back(controller: Controller, text: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre [m] and inertia [kg m^2] as the maker's manual defines the numbers."""
    if controller == "ur":
        m, *rest = numbers(re.fullmatch(r"set_target_payload\((.*)\)", text)[1])
        xx, yy, zz, xy, xz, yz = rest[3:]
        return m, np.array(rest[:3]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if controller == "ur-ros2":
        (payload,) = yaml.safe_load(re.search(r'"(\{.*\})"', text)[1]).values()
        names = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
        inertia = np.array([[payload[name] for name in row] for row in names])
        return payload["m"], np.array([payload["com"][axis] for axis in "xyz"]), inertia
    if controller == "franka":
        m, *rest = numbers(re.search(r"\{.*\}", text)[0])
        return m, np.array(rest[:3]), np.reshape(rest[3:], (3, 3)).T
    if controller == "abb":
        m, x, y, z, q1, q2, q3, q4, *moments = numbers(text.split(":=")[1])
        axes = Rotation.from_quat([q2, q3, q4, q1]).as_matrix()
        return m, np.array([x, y, z]) / 1e3, axes @ np.diag(moments) @ axes.T
    if controller == "kuka":
        m, x, y, z, a, b, c, *moments = numbers(text.split("=", 1)[1])
        about = Rotation.from_rotvec
        turned = (
            about([0, 0, np.radians(a)])
            * about([0, np.radians(b), 0])
            * about([np.radians(c), 0, 0])
        )
        axes = turned.as_matrix()
        return m, np.array([x, y, z]) / 1e3, axes @ np.diag(moments) @ axes.T
    m, x, y, z, *inertia = (float(line.split("]")[-1]) for line in text.splitlines()[1:])
    return m, np.array([x, y, z]) / 1e2, np.diag(inertia) * 0.0980665


@pytest.mark.parametrize("controller", CONTROLLERS)
@given(
    st.lists(st.floats(1e-4, 2.0), min_size=3, max_size=3),
    st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3),
    st.floats(0.05, 500.0),
)
def test_text_has_the_payload_in_the_makers_units(controller, masses, turn, mass) -> None:
    a, b, c = masses
    body = make_body((b + c, a + c, a + b), turn, mass)
    found_mass, centre, inertia = read_back(controller, load_text(controller, body))
    expected = np.diag(np.diag(body.inertia)) if controller == "fanuc" else body.inertia
    assert found_mass == pytest.approx(mass, rel=1e-5)
    assert np.allclose(centre, body.centre, rtol=1e-5, atol=1e-9)
    assert np.abs(inertia - expected).max() <= 2e-5 * np.abs(body.inertia).max()


@pytest.mark.parametrize("turn", [(0, 0, 0), (0.2, 0.1, -0.3), (0, 0.4, 0)])
def test_principal_axes_are_turned_no_further_than_necessary(turn) -> None:
    found = PrincipalAxes.of(make_body((0.04, 0.02, 0.03), turn).inertia)
    assert np.allclose(found.rotation, Rotation.from_rotvec(turn).as_matrix())
    assert np.allclose(found.moments, (0.04, 0.02, 0.03))


def test_body_is_given_in_the_frame_of_the_flange() -> None:
    mechanism = load_robot("spatial_3r").mechanism()
    body = make_body()
    found = body_at_flange(mechanism, body, mechanism.joints[-1], "tool")
    in_joint = Kinematics(mechanism).links()["tool"][1]
    assert np.linalg.norm(in_joint.position) > 0.01  # otherwise this proves nothing
    assert np.allclose(in_joint.apply([found.centre])[0], body.centre)
    turn = Rotation.from_quat(in_joint.quaternion).as_matrix()
    assert np.allclose(turn @ found.inertia @ turn.T, body.inertia)


def test_load_of_kukas_third_axis_is_seen_from_the_flange_of_the_straight_wrist() -> None:
    mechanism = load_robot("puma560").mechanism()
    kinematics = Kinematics(mechanism)
    joint, body = mechanism.joints[2], make_body()
    found = body_at_flange(mechanism, body, joint, kinematics.tool)
    # a point of the flange with all joints at 0 in the frame of axis 3, by the poses of both
    poses = kinematics.poses(np.zeros((1, 6)))[0]
    place = kinematics.tool_path(np.zeros((1, 6)))[0]
    turn = Rotation.from_quat(poses[kinematics.bodies.index(joint), 3:])
    origin = turn.inv().apply(place - poses[kinematics.bodies.index(joint), :3])
    assert np.linalg.norm(found.centre) == pytest.approx(np.linalg.norm(body.centre - origin))
    assert load_text("kuka", found, axis=3).startswith("LOAD_A3_DATA={M 2.5,CM {X ")


def test_flange_is_the_link_that_the_user_names() -> None:
    mechanism = load_robot("ur10e").mechanism()
    assert flange_of(mechanism) == "flange"
    assert flange_of(mechanism, "wrist_3_link") == "wrist_3_link"
    with pytest.raises(ConfigurationError, match=r"^link 'gripper': the URDF has no such link"):
        flange_of(mechanism, "gripper")


@pytest.mark.parametrize(
    ("controller", "changes", "words"),
    [
        ("ur", {"body": make_body(mass=0.0)}, "mass is 0 kg"),
        ("ur", {"body": make_body(mass=-1.0)}, "mass is -1 kg"),
        ("ur", {"body": make_body((100.0, 150.0, 160.0))}, "at most 133"),
        ("ur", {"axis": 3}, "only --to kuka"),
        ("kuka", {"axis": 2}, "only on axis 3"),
        ("kuka", {"name": "tool"}, "numbers its loads from 1"),
        ("fanuc", {"name": "0"}, "numbers its loads from 1"),
        ("abb", {"name": "my load"}, "expected a name in RAPID"),
        ("ur", {"name": "1"}, "neither name nor number; leave --name out"),
        ("franka", {"name": "tool"}, "neither name nor number; leave --name out"),
        ("kuka", {"name": "2", "axis": 3}, "neither name nor number; leave --name out"),
    ],
)
def test_what_a_controller_does_not_take_is_refused(controller, changes, words) -> None:
    with pytest.raises(ConfigurationError, match=words):
        load_text(controller, **{"body": make_body(), **changes})


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_numbers_have_no_exponent_and_zero_no_sign(controller) -> None:
    body = RigidBody(0.25, np.array([1e-40, -1e-17, 2e-5]), np.diag([2e-5, 2e-5, 3e-5]))
    numbers_only = load_text(controller, body).split(":=")[-1].split("setLoad")[-1]
    assert not re.search(r"\de[+-]?\d|-0(?![.\d])", numbers_only)


def test_names_and_numbers_are_those_of_the_user() -> None:
    assert load_text("abb", make_body(), name="box7").startswith("PERS loaddata box7:=[2.5,[10,")
    assert load_text("kuka", make_body(), name="4").startswith("LOAD_DATA[4]={M 2.5,")
    assert load_text("fanuc", make_body(), name="2").startswith("Schedule No[  2]")


def test_the_filter_of_a_force_sensor_leaves_no_weight_in_any_pose() -> None:
    gravity, body = np.array([1.0, -2.0, -9.0]), make_body()
    text = gravity_filter(body, "tool0", "base", gravity)
    chain = yaml.safe_load(text)["force_torque_sensor_broadcaster"]["ros__parameters"]
    given = chain["sensor_filter_chain"]["filter1"]["params"]
    assert (given["world_frame"], given["sensor_frame"]) == ("base", "tool0")
    tool = given["tool"]
    assert all(
        type(value) is float for value in (tool["mass"], *tool["CoG"], *tool["gravity_field"])
    )
    for turn in Rotation.random(5, rng=np.random.default_rng(1)):
        down = turn.inv().apply(gravity)  # in the sensor's frame
        force, moment = body.mass * down, np.cross(body.centre, body.mass * down)
        # the filter's law, control_toolbox 6.3.0
        weight = turn.inv().apply(tool["mass"] * np.array(tool["gravity_field"]))
        assert np.allclose(force - weight, 0)
        assert np.allclose(moment - np.cross(tool["CoG"], weight), 0)


def test_a_model_without_gravity_has_no_filter() -> None:
    with pytest.raises(ConfigurationError, match="by_robot"):
        gravity_filter(make_body(), "tool0", "base", np.zeros(3))
