"""Models in files of simulators, checked by MuJoCo and Drake where they are installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.simulator_models import USERS_MJCF, USERS_SDF, model_with_terms, random_motion

from dynid.errors import ConfigurationError, MechanismError
from dynid.profile import load_robot
from dynid.robot.model import nominal_model
from dynid.xml_tree import xml_tree
from dynid_plugins.simulators.export import export_along
from dynid_plugins.simulators.formats import FORMATS

ROUNDING = {
    "mjcf": 1e-9,
    "mujoco-dcmotor": 1e-9,
    "sdf": 1e-9,
    "urdf": 1e-9,
    "usd": 3e-6,
}  # USD has single precision
READER = {
    "mjcf": "mujoco",
    "mujoco-dcmotor": "mujoco",
    "sdf": "pydrake",
    "urdf": "pydrake",
    "usd": "pxr",
}
IN_ONE_FILE = ("mjcf", "sdf", "urdf")


def exported(model, to, **options):
    pytest.importorskip(READER[to])
    return export_along(model, to, random_motion(model), **options)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("robot", ["pendulum", "spatial_3r", "scara", "ur10e", "panda", "lwr4"])
def test_the_simulator_computes_the_torque_of_the_model(to, robot) -> None:
    found = exported(model_with_terms(robot, terms="[{kind: viscous}, {kind: coulomb}]"), to)
    assert found.difference < ROUNDING[to]
    np.testing.assert_allclose(found.exported.error, 0, atol=1e-9)
    assert found.exported.replaced == ()


@pytest.mark.parametrize("robot", ["spatial_3r", "scara_coupled"])
def test_mujoco_has_armature_springs_polynomials_and_coupled_motors(robot) -> None:
    terms = """[{kind: viscous, side: motor}, {kind: rotor_inertia, side: motor},
      {kind: viscous_cubic}, {kind: spring_stiffness}, {kind: spring_preload}]"""
    found = exported(model_with_terms(robot, terms=terms), "mjcf")
    assert found.exported.replaced == ()
    assert found.difference < ROUNDING["mjcf"]


@pytest.mark.parametrize("to", ["sdf", "urdf"])
def test_rotors_without_armature_cost_what_is_reported(to) -> None:
    found = exported(model_with_terms(terms="[{kind: rotor_inertia}]"), to)
    assert "rotor" in found.exported.replaced[-1]
    assert found.exported.error.max() > 1e-3
    assert found.difference < ROUNDING[to]  # of what was exported


def users_file(to, model, **options):
    text = {"mjcf": USERS_MJCF, "sdf": USERS_SDF, "urdf": moved_urdf()}[to]
    return text, exported(model, to, into=(text, Path(f"mine.{to}")), **options)


def moved_urdf() -> str:
    """The same arm with other frames: link 2 is shifted along its axis, its joint on the table."""
    text = load_robot("spatial_3r").urdf_xml
    return text.replace('xyz="0 0 0.3"', 'xyz="0 0 0.9"', 1).replace(
        '<robot name="spatial_3r">', '<robot name="mine"><!-- arm -->'
    )


@pytest.mark.parametrize("to", IN_ONE_FILE)
def test_a_users_file_gets_the_model_and_keeps_the_rest(to) -> None:
    model = model_with_terms(terms="[{kind: viscous}, {kind: coulomb}]")
    text, found = users_file(to, model)
    assert found.difference < ROUNDING[to]
    root, before = xml_tree(found.text, to), xml_tree(text, to)
    changed = {"inertial", "dynamics", "limit"}
    assert [e.tag for e in kept(before, changed)] == [e.tag for e in kept(root, changed)]
    for comment in ("<!-- my lab -->", "<!-- nice box -->", "<!-- the end -->", "<!-- arm -->"):
        assert (comment in text) == (comment in found.text)


def kept(element, without: set[str]):
    yield element
    for child in element:
        if child.tag not in without:
            yield from kept(child, without)


def test_lines_of_a_users_mjcf_change_only_where_the_model_does() -> None:
    text, found = users_file("mjcf", model_with_terms(terms="[{kind: viscous}]"))
    words = ("inertial", "joint_", "range=", "bracket")
    before = [line for line in text.splitlines() if not any(word in line for word in words)]
    after = [line for line in found.text.splitlines() if not any(word in line for word in words)]
    # only closing lines of what was in one line before are new
    assert [line for line in after if line.strip() != "</body>"] == [
        line for line in before if line.strip() != "</body>"
    ]


def test_what_the_model_does_not_move_keeps_its_mass() -> None:
    mujoco = pytest.importorskip("mujoco")
    model = model_with_terms(terms="[{kind: viscous}]")
    _, found = users_file("mjcf", model)
    compiled = mujoco.MjModel.from_xml_string(found.text)
    masses = {compiled.body(number).name: compiled.body_mass[number] for number in range(1, 7)}
    assert masses["finger"] == 0.02
    assert masses["bracket"] == 0
    np.testing.assert_allclose(masses["three"], 0.75 - 0.02)
    np.testing.assert_allclose(compiled.dof_armature[:3], 0)
    np.testing.assert_allclose(compiled.dof_frictionloss[:3], 0)


@pytest.mark.parametrize(
    ("to", "before", "after", "message"),
    [
        ("sdf", '<link name="two">', "<link>", "a link has no name"),
        ("sdf", '"three">0.1 0 0 0 0 0<', '"three">0.1 0 1e308 0 0 0<', "leave nothing a body can"),
        ("mjcf", 'mass="0.02"', 'mass="0.8"', r"'joint_3' has 0.8 kg of its own"),
        ("mjcf", 'pos="0 0.09 0.2"', 'pos="0.005 0.09 0.2"', r"for 'joint_2' .* differ by up to"),
        (
            "mjcf",
            '"arm/joint_2" axis="0 0 1"',
            '"arm/joint_2" axis="0 0 -1"',
            "joint_.' is not where",
        ),
        ("mjcf", "arm/joint_3", "wrist", r"has no joint 'joint_3'.*--map joint_3=NAME"),
        ("mjcf", "<mujoco", "<mujoco bad='1'", r"MuJoCo cannot compile it"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(to, before, after, message) -> None:
    if to == "mjcf":
        pytest.importorskip("mujoco")
    text, model = {"mjcf": USERS_MJCF, "sdf": USERS_SDF}[to], model_with_terms()
    assert before in text
    text, path = text.replace(before, after), Path(f"mine.{to}")
    with pytest.raises(ConfigurationError, match=rf"mine.{to}: .*{message}"):
        export_along(model, to, random_motion(model), into=(text, path))


def test_other_gravity_in_the_file_is_noted() -> None:
    text = USERS_MJCF.replace("<default>", '<option gravity="0 0 -1.6"/>\n<default>', 1)
    found = exported(model_with_terms(), "mjcf", into=(text, Path("mine.xml")))
    assert any("Gravity in mine.xml is 0 0 -1.6 m/s^2" in note for note in found.notes)


def test_a_new_mjcf_has_limits_motors_and_shapes() -> None:
    mujoco = pytest.importorskip("mujoco")
    found = exported(model_with_terms(), "mjcf", header=["my -- header"])
    compiled = mujoco.MjModel.from_xml_string(found.text)
    robot = load_robot("spatial_3r")
    np.testing.assert_allclose(compiled.jnt_range, robot.limits.position)
    np.testing.assert_allclose(compiled.actuator_ctrlrange[:, 1], robot.limits.torque_max)
    assert compiled.ngeom > 3
    assert "my - - header" in found.text


def test_a_model_without_inertia_is_refused() -> None:
    model = nominal_model(load_robot("puma560_static"))
    with pytest.raises(ConfigurationError, match="semi_static: false"):
        export_along(model, "mjcf", random_motion(model))


SPRINGS = "[{kind: viscous}, {kind: spring_stiffness}, {kind: spring_preload}]"
RADIANS = (
    ('<compiler autolimits="true"/>', '<include file="settings.xml"/>'),
    ('"0 0 90"', '"0 0 1.5707963267948966"'),
    ('"90 0 0"', '"1.5707963267948966 0 0"'),
    ('"0 0 30"', '"0 0 0.5235987755982988"'),
    ('"-160 160"', '"-2 2"'),
)
SCALED = (('autolimits="true"/>', 'autolimits="true" settotalmass="5"/>'),)


@pytest.mark.filterwarnings("ignore:compiler attribute 'settotalmass'")
@pytest.mark.parametrize(
    ("changes", "terms", "names"),
    [
        ((("arm/joint_3", "wrist"),), None, {"joint_3": "wrist"}),
        ((), SPRINGS, {}),
        (RADIANS, SPRINGS, {}),
        (SCALED, None, {}),
    ],
    ids=["names are given", "angles in degrees", "angles in radians", "masses are scaled"],
)
def test_a_users_mjcf_is_read_as_mujoco_does(tmp_path, changes, terms, names) -> None:
    text = USERS_MJCF
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (tmp_path / "settings.xml").write_text(
        '<mujocoinclude><compiler angle="radian" autolimits="true"/></mujocoinclude>'
    )
    model, path = model_with_terms(terms=terms), tmp_path / "mine.xml"
    assert exported(model, "mjcf", into=(text, path), names=names).difference < ROUNDING["mjcf"]


@pytest.mark.parametrize("to", FORMATS)
def test_two_arms_with_odd_names_on_a_turned_base(to) -> None:
    names = {
        "base_link": "world",
        "joint_1": "l/pan &amp; &quot;tilt&quot;",
        "link_1": "l/elbow é",
        "joint_2": "l/elbow é",
        "link_2": "fore::arm",
    }
    text = load_robot("spatial_3r").urdf_xml
    for before, after in names.items():
        text = text.replace(f'"{before}"', f'"{after}"')
    joints = ['l/pan & "tilt"', "l/elbow é", "joint_3"]
    robot = load_robot("spatial_3r", overrides=["terms=[{kind: viscous}]"])
    robot = robot.with_urdf(text).model_copy(update={"joints": tuple(joints)})
    found = exported(nominal_model(robot), to)
    assert found.difference < ROUNDING[to]


def test_links_and_joints_of_an_sdf_have_different_names() -> None:
    text = load_robot("spatial_3r").urdf_xml.replace('"link_1"', '"joint_1"')
    model = nominal_model(
        load_robot("spatial_3r", overrides=["terms=[{kind: viscous}]"]).with_urdf(
            text.replace('"base_link"', '"world"')
        )
    )
    found = export_along(model, "sdf", random_motion(model))
    (whole,) = xml_tree(found.text, "sdf").iter("model")
    used = [element.get("name") for element in whole]
    assert len(set(used)) == len(used)
    assert "world" not in used
    assert {"joint_1", "joint_2", "joint_3"} < set(used)


def test_a_body_that_cannot_exist_is_refused() -> None:
    model = model_with_terms()
    parameters = np.array(model.mechanism.parameters)
    parameters[9] = -1.0
    model = replace(model, mechanism=model.mechanism.with_parameters(parameters))
    with pytest.raises(MechanismError, match=r"physical\.enabled: true"):
        export_along(model, "mjcf", random_motion(model))
