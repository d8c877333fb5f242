"""Configuration of ros2_control: complete numbers, and refusal of invalid settings."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.simulated_puma import ROBOT, targets
from support.synthetic import arm_robot

from dynid import _core
from dynid.configuration import parse
from dynid.control.build import control_law_settings
from dynid.control.ros2_control import (
    check_external,
    controller_parameters,
    controllers,
    feedforward_parameters,
)
from dynid.control.ros2_hardware import hardware_tag, has_drive_states, robot_description
from dynid.control.torque_mode import torque_law_settings
from dynid.dynamics.closed_chain import ClosedChain, chain_lists
from dynid.dynamics.joint_terms import TERM_SHAPES
from dynid.errors import ConfigurationError
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.robot.drive_objects import load_drive
from dynid.robot.drives import Drives
from dynid.robot.robot import Robot
from dynid.robot.slave_files import slave_files, slave_path
from dynid.simulation.build import plant_arguments
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.simulate import simulate

PLUGIN = Path(__file__).parents[3] / "cpp" / "ros2_control"
OWN_TAG = '<ros2_control name="cell" type="system"/>'
ROBOTS = ("puma560", "ur10e", "tx40")


def tag(urdf_xml: str) -> ET.Element:
    (element,) = ET.fromstring(urdf_xml).findall("ros2_control")  # noqa: S314  our own
    return element


def described(name: str = "puma560", hardware: str = "simulated") -> ET.Element:
    return tag(robot_description(load_robot(name), hardware, control_rate=1000.0))


def with_tag(text: str) -> Robot:
    """The PUMA 560 with a tag in its URDF."""
    return ROBOT.with_urdf(ROBOT.urdf_xml.replace("</robot>", text + "</robot>"))


def parameters(element: ET.Element) -> dict[str, str]:
    return {param.get("name", ""): param.text or "" for param in element.findall("hardware/param")}


def numbers(texts: dict[str, str], name: str) -> np.ndarray:
    return np.array([float(word) for word in texts.get(name, "").split()])


# --- the plant ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_every_number_survives_as_text(name: str) -> None:
    robot = load_robot(name)
    texts = parameters(described(name))
    made = plant_arguments(robot, control_rate=1000.0)
    terms = made.mechanism.terms
    given = {
        "parameters": made.parameters,
        "gravity": made.mechanism.gravity,
        "coupling": made.mechanism.coupling.ravel(),
        "home": SimulatedRobot(robot).home,
        "torque_factor": robot.drives.torque_factor(len(robot.joints)),
        "term_joints": [term.joint for term in terms],
        **{f"term_{s.plural}": [term.shapes()[s.name] for term in terms] for s in TERM_SHAPES},
        "bandwidth_hz": made.settings.bandwidth_hz,
        "rated_torque": made.settings.rated_torque,
        "lower": made.settings.lower,
        "command_delay": [made.settings.command_delay],
    }
    for key, values in given.items():
        assert np.array_equal(numbers(texts, key), values), key


def test_the_described_plant_moves_as_the_simulated_robot_does() -> None:
    texts = parameters(described())
    settings = _core.DrivePlantSettings()
    for name in [name for name in dir(settings) if not name.startswith("_") and name in texts]:
        values = numbers(texts, name)
        kind = type(getattr(settings, name))
        setattr(settings, name, values if kind is np.ndarray else kind(values[0]))
    words = (texts[f"term_{part}"].split() for part in ("kinds", "sides"))
    terms = [
        _core.JointTerm(kind, int(joint), side == "motor", {"scale": scale})
        for kind, side, joint, scale in zip(
            *words, *(numbers(texts, f"term_{part}") for part in ("joints", "scales")), strict=True
        )
    ]
    description = _core.MechanismDescription(
        ROBOT.urdf_xml,
        ROBOT.joints,
        {},
        numbers(texts, "gravity"),
        numbers(texts, "coupling").reshape(6, 6),
        terms,
        passive=[],
        start={},
        assembled_at=[],
        closures=[],
        payload_joint="",
        semi_static=False,
    )
    plant = _core.DrivePlant(description, numbers(texts, "parameters"), settings)
    simulated = SimulatedRobot(ROBOT)
    aims = targets()[:600]
    plant.reset(simulated.home)  # as the robot was when it was made: noise is drawn every time
    plant.reset(aims[0])
    simulated.reset(aims[0])
    for aim in aims:
        plant.step(aim, np.zeros(6))
        state = simulated.step(aim)
    assert np.array_equal(plant.position, state.position)
    assert np.array_equal(plant.torque, state.effort)


def test_the_plugin_reads_every_written_parameter() -> None:
    code = "".join(path.read_text() for path in PLUGIN.glob("*.cpp"))
    written = set(parameters(described())) | {"locked_joints", "locked_positions"}
    written |= set(chain_lists(ClosedChain()))
    written -= {f"term_{shape.plural}" for shape in TERM_SHAPES}  # from the core's table
    assert written <= set(re.findall(r'"(\w+)"', code))
    read = re.findall(r'\((?:info\.hardware_)?parameters, "(\w+)"', code)
    assert set(read) <= written


def test_empty_lists_are_omitted() -> None:
    texts = parameters(described())
    assert "locked_joints" not in texts
    assert all(texts.values())


def test_locked_joints_are_written_with_their_positions() -> None:
    robot = arm_robot(joints=["shoulder", "elbow"], locked={"wrist": 0.1})
    element = tag(robot_description(robot, "simulated", control_rate=500.0))
    texts = parameters(element)
    assert (texts["locked_joints"], texts["locked_positions"]) == ("wrist", "0.1")
    assert [joint.get("name") for joint in element.findall("joint")] == ["shoulder", "elbow"]


# --- the description ----------------------------------------------------------------------------


@pytest.mark.parametrize("hardware", ["simulated", "mock"])
def test_joints_have_the_interfaces_of_drives_and_start_at_home(hardware: str) -> None:
    element = described("ur10e", hardware)
    robot = load_robot("ur10e")
    home = SimulatedRobot(robot).home
    joints = element.findall("joint")
    assert tuple(joint.get("name") for joint in joints) == robot.joints
    for joint, position in zip(joints, home, strict=True):
        commands = [one.get("name") for one in joint.findall("command_interface")]
        states = {
            one.get("name"): float(one.findtext("param") or "nan")
            for one in joint.findall("state_interface")
        }
        assert commands == ["position", "effort", "reset_fault"]
        motion = {"position": position, "velocity": 0.0, "effort": 0.0}
        assert states == motion | {"status_word": 0x0237, "error_code": 0.0, "mode_display": 8.0}


def test_mock_hardware_gets_no_parameters() -> None:
    element = described(hardware="mock")
    assert element.findtext("hardware/plugin") == "mock_components/GenericSystem"
    assert not parameters(element)


def test_simulated_hardware_replaces_the_urdfs_own() -> None:
    robot = with_tag(OWN_TAG)
    element = tag(robot_description(robot, "simulated", control_rate=1000.0))
    assert element.get("name") == "puma560"
    assert element.findtext("hardware/plugin") == "dynid/SimulatedDrives"


def test_ethercat_without_slave_files_needs_the_urdfs_own_tag_unchanged() -> None:
    robot = with_tag(OWN_TAG)
    assert robot_description(robot, "ethercat", control_rate=1000.0) == robot.urdf_xml
    with pytest.raises(ConfigurationError, match=r"'puma560': hardware ethercat needs a <ros2_co"):
        robot_description(ROBOT, "ethercat", control_rate=1000.0)


def test_ethercat_with_slave_files_has_a_module_for_each_joint(tmp_path: Path) -> None:
    write_slave_files(tmp_path, 500.0)
    robot = with_tag(OWN_TAG)
    description = robot_description(robot, "ethercat", control_rate=500.0, slaves=tmp_path)
    element = tag(description)
    assert element.findtext("hardware/plugin") == "ethercat_driver/EthercatDriver"
    assert parameters(element) == {"control_frequency": "500"}
    for number, joint in enumerate(element.findall("joint")):
        (module,) = joint.findall("ec_module")
        values = {one.get("name"): one.text for one in module.findall("param")}
        assert module.findtext("plugin") == "ethercat_generic_plugins/EcCiA402Drive"
        assert values == {
            "alias": "0",
            "position": str(number),
            "mode_of_operation": "8",
            "slave_config": str(tmp_path / f"joint_{number + 1}.yaml"),
        }


def with_drives(**changes: object) -> Robot:
    drives = parse(Drives, changes, "puma560.yaml")
    return ROBOT.model_copy(update={"drives": drives})


def test_ethercat_drives_have_the_addresses_of_the_profile() -> None:
    robot = with_drives(alias=[0, 0, 0, 5, 5, 5], position=[2, 3, 4, 0, 1, 2])
    modules = hardware_tag(robot, "ethercat", control_rate=1000.0).findall("joint/ec_module")
    values = [{one.get("name"): one.text for one in module} for module in modules]
    assert [one["alias"] for one in values] == ["0", "0", "0", "5", "5", "5"]
    assert [one["position"] for one in values] == ["2", "3", "4", "0", "1", "2"]


def test_in_mode_cst_drives_take_effort_only_and_no_controllers_of_positions(
    tmp_path: Path,
) -> None:
    robot = with_drives(mode="cst", following_error=True)
    joint = hardware_tag(robot, "ethercat", control_rate=1000.0).findall("joint")[0]
    assert [one.get("name") for one in joint.findall("command_interface")] == [
        "effort",
        "reset_fault",
    ]
    assert "following_error" in [one.get("name") for one in joint.findall("state_interface")]
    mode = joint.find("ec_module/param[@name='mode_of_operation']")
    assert mode is not None
    assert mode.text == "10"
    write_slave_files(tmp_path, 1000.0)
    with pytest.raises(ConfigurationError, match=r"in mode cst .* torque alone; use command:=tor"):
        robot_description(robot, "ethercat", control_rate=1000.0, slaves=tmp_path)
    given = {"control_rate": 1000.0, "slaves": tmp_path, "torque": True}
    assert "effort" in robot_description(robot, "ethercat", **given)
    with pytest.raises(ConfigurationError, match=r"in mode csp .* positions; use command:=posi"):
        robot_description(ROBOT, "ethercat", **given)
    with pytest.raises(ConfigurationError, match="hardware:=mock returns positions"):
        robot_description(ROBOT, "mock", control_rate=1000.0, torque=True)


@pytest.mark.parametrize(
    ("gravity", "mode"), [("by_controller", "torque"), ("by_robot", "torque_and_gravity")]
)
def test_simulated_drives_of_a_torque_robot_take_effort_alone(gravity: str, mode: str) -> None:
    robot = load_robot("puma560", overrides=[f"torque_control.gravity={gravity}"])
    tag = hardware_tag(robot, "simulated", control_rate=1000.0, torque=True)
    (given,) = [one.text for one in tag.findall("hardware/param") if one.get("name") == "mode"]
    assert given == mode
    commands = [one.get("name") for one in tag.findall("joint/command_interface")]
    assert set(commands) == {"effort", "reset_fault"}


def test_the_torque_controller_gets_loops_limits_and_the_model() -> None:
    robot = load_robot("spatial_3r")
    model = identify(robot, simulate(robot)).model
    found = controller_parameters(robot, 1000, feedforward=True, torque=model)
    manager = found["controller_manager"]["ros__parameters"]
    assert manager["feedforward_controller"]["type"] == "dynid/TorqueController"
    given = found["feedforward_controller"]["ros__parameters"]
    law = torque_law_settings(robot, model.mechanism, control_rate=1000)
    for name in ("stiffness", "damping", "integral_gain", "torque_rate_max", "position_error_max"):
        assert given["torque_control"][name] == getattr(law, name).tolist()
    assert given["model.parameters"] == model.parameters.tolist()
    assert given["model.sha256"]


def test_every_setting_of_the_control_law_is_a_parameter() -> None:
    law = control_law_settings(ROBOT, control_rate=1000)
    inside = [getattr(law, name) for name in dir(law) if not name.startswith("_")]
    parameters = feedforward_parameters(ROBOT, control_rate=1000)
    for struct in (law, *(one for one in inside if hasattr(one, "declared"))):
        for name, declared in struct.declared.items():
            given = parameters.get(declared.group, {}) if declared.group else parameters
            left_out = declared.may_be_empty or np.size(getattr(struct, name)) == 0
            assert name in given or left_out, name


@pytest.mark.parametrize("robot", ["puma560", "ur10e", "so101"])
def test_no_parameter_is_an_empty_list(robot: str) -> None:
    """ROS 2 reads one as a parameter without a value, and the controller does not start."""
    parameters = feedforward_parameters(load_robot(robot), control_rate=1000)
    groups = [parameters, *(one for one in parameters.values() if isinstance(one, dict))]
    assert [] not in [value for group in groups for value in group.values()]


def test_every_hardware_has_the_same_joints_and_interfaces() -> None:
    def interfaces(hardware: str) -> list[tuple[str, str | None, str | None]]:
        element = hardware_tag(ROBOT, hardware, control_rate=1000.0)
        return [
            (one.tag, joint.get("name"), one.get("name"))
            for joint in element.findall("joint")
            for one in joint
            if one.tag != "ec_module"
        ]

    assert interfaces("simulated") == interfaces("mock") == interfaces("ethercat")


@pytest.mark.parametrize(
    ("rate", "lacking", "sentence"),
    [
        (500.0, "nothing", "0x60C2 must be 1 with exponent -3"),
        (1000.0, "state_interface: status_word", r"joint_2\.yaml: the status word 0x6041 has no"),
        (1000.0, "command_interface: position", r"joint_2\.yaml: the target position 0x607A has"),
    ],
    ids=["for another rate", "without a status word", "of another mode"],
)
def test_ethercat_refuses_slave_files(
    tmp_path: Path, rate: float, lacking: str, sentence: str
) -> None:
    write_slave_files(tmp_path, rate)
    second = slave_path(tmp_path, "joint_2")
    second.write_text(second.read_text().replace(f", {lacking}", ""))
    with pytest.raises(ConfigurationError, match=sentence):
        robot_description(ROBOT, "ethercat", control_rate=1000.0, slaves=tmp_path)


def own_tag_of_ethercat(*, reset: str = "reset_fault", status: str = "status_word") -> str:
    joints = "".join(
        f'<joint name="{joint}"><command_interface name="{reset}"/>'
        f'<state_interface name="{status}"/></joint>'
        for joint in ROBOT.joints
    )
    plugin = "<hardware><plugin>ethercat_driver/EthercatDriver</plugin></hardware>"
    return f'<ros2_control name="cell" type="system">{plugin}{joints}</ros2_control>'


@pytest.mark.parametrize(
    ("hidden", "kind"), [("reset", "command_interface"), ("status", "state_interface")]
)
def test_ethercat_refuses_an_own_tag_without_drive_states(hidden: str, kind: str) -> None:
    whole = with_tag(own_tag_of_ethercat())
    assert has_drive_states(robot_description(whole, "ethercat", control_rate=1000.0), ROBOT.joints)
    robot = with_tag(own_tag_of_ethercat(**{hidden: "other"}))
    with pytest.raises(ConfigurationError, match=f"joint 'joint_1' of its .* has no <{kind} name"):
        robot_description(robot, "ethercat", control_rate=1000.0)


def write_slave_files(folder: Path, rate: float) -> None:
    motor = {"rated_current_ma": 3400, "torque_constant": 0.2, "encoder_counts": 4096}
    drives = parse(Drives, motor, "arm.yaml")
    texts = slave_files(ROBOT.joints, drives, load_drive("cdhd"), rate)
    for joint, text in texts.items():
        slave_path(folder, joint).write_text(text)


# --- the controllers, the packages, the frame -----------------------------------------------------


def test_controllers_move_the_joints_of_the_profile() -> None:
    files = controller_parameters(ROBOT, 500)
    assert files["controller_manager"]["ros__parameters"]["update_rate"] == 500
    trajectories = files["joint_trajectory_controller"]["ros__parameters"]
    assert tuple(trajectories["joints"]) == ROBOT.joints
    assert trajectories["command_interfaces"] == ["position"]


@pytest.mark.parametrize("feedforward", [False, True])
def test_motion_controllers_are_spawned_after_the_supervision_of_drives(feedforward: bool) -> None:
    spawned = controllers(feedforward=feedforward)
    watcher = "feedforward_controller" if feedforward else "drive_monitor"
    assert spawned.first == ("joint_state_broadcaster", watcher)
    assert spawned.then == ("joint_trajectory_controller",)
    files = controller_parameters(ROBOT, 500, feedforward=feedforward)
    assert "&" not in yaml.safe_dump(files), "an alias, which ROS 2 does not read"
    assert set(spawned.first + spawned.then) <= set(files)
    given = files[watcher]["ros__parameters"]
    names = given["drives"] if feedforward else given
    assert names["status_interface"] == "status_word"


def test_controllers_do_not_wait_for_drives_without_states() -> None:
    spawned = controllers(feedforward=True, drives=False)
    assert not spawned.then
    files = controller_parameters(ROBOT, 500, feedforward=True, drives=False)
    assert "drives" not in files["feedforward_controller"]["ros__parameters"]
    assert "drive_monitor" not in files["controller_manager"]["ros__parameters"]


# --- a robot whose driver already runs -----------------------------------------------------------


def test_a_robot_with_its_own_driver_is_accepted() -> None:
    check_external(ROBOT, feedforward=False, slaves=False)


@pytest.mark.parametrize(
    ("name", "choices", "sentence"),
    [
        ("puma560", {"feedforward": True}, "starts no controllers, so feedforward:=true has no"),
        ("puma560", {"slaves": True}, "starts no drives, so slaves:= has no effect"),
        ("tx40", {}, "recording.side is 'motor', but motions are played at the joints"),
    ],
)
def test_choices_that_need_controllers_of_dynid_are_refused_for_external_hardware(
    name: str, choices: dict[str, bool], sentence: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        check_external(load_robot(name), **{"feedforward": False, "slaves": False, **choices})
