"""Collision detection by the torque in gears, offline and in the control law."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.simulated_puma import EXACT, RATE, ROBOT, puma, short_excitation

from dynid.control.build import control_law_settings
from dynid.control.link_torque import at_links
from dynid.control.residual import recorded_residual
from dynid.control.ros2_control import controller_parameters, feedforward_parameters
from dynid.control.ros2_hardware import hardware_tag
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.recording.model import Recording
from dynid.robot.elastic import ElasticSettings
from dynid.robot.link_encoders import load_both_encoders, load_supervised
from dynid.robot.robot import Robot
from dynid.simulation.build import plant_arguments
from dynid.simulation.simulate import simulate

STIFFNESS = (60e3, 60e3, 30e3, 5e3, 5e3, 3e3)
DAMPING = (30.0, 30.0, 15.0, 1.0, 1.0, 0.1)


def elastic(robot: Robot, **changed: object) -> Robot:
    columns = [f"/link_states/position[{name}]" for name in robot.joints]
    given = {
        "stiffness": STIFFNESS,
        "damping": DAMPING,
        "link_position": {"columns": columns},
        "link_torque": True,
    }
    return robot.with_settings(ElasticSettings.model_validate(given | changed))


def exact_robot(**changed: object) -> Robot:
    """A robot whose encoders and torques have no errors."""
    return elastic(puma(**EXACT), **changed)


def true_mechanism(robot: Robot) -> Mechanism:
    made = plant_arguments(robot, control_rate=RATE)
    return made.mechanism.with_parameters(made.parameters)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return simulate(exact_robot(), short_excitation())


def test_links_move_by_the_torque_of_their_gears_alone(recording: Recording) -> None:
    robot = exact_robot()
    mechanism = true_mechanism(robot)
    names = mechanism.parameter_names[mechanism.first_term :]
    assert any(name.startswith("Off") for name in names), "constant torques are the link's here"
    side = at_links(robot, mechanism, recording)
    without = [n for n, v in zip(names, side.mechanism.parameters[-len(names) :], strict=True) if v]
    assert without == []
    residual = recorded_residual(robot, mechanism, recording)
    constant = np.array(
        [mechanism.parameters[mechanism.parameter_names.index(f"Off{j}")] for j in range(1, 7)]
    )
    moving = slice(500, -500)
    error = residual.error[moving] + constant
    by_motor = recorded_residual(elastic(robot, link_torque=False), mechanism, recording)
    size = np.sqrt(np.mean(residual.torque[moving] ** 2, axis=0))
    assert (np.sqrt(np.mean(error**2, axis=0)) < 0.25 * size).all()  # filters smooth the motion
    assert (
        np.sqrt(np.mean(error**2, axis=0)) < np.sqrt(np.mean(by_motor.error[moving] ** 2, axis=0))
    ).all()
    assert (residual.friction == 0.0).all()


def test_rigid_joints_keep_the_torque_of_their_motors(recording: Recording) -> None:
    names = recording.joint_names
    robot = exact_robot(
        joints=names[1:3],
        stiffness=STIFFNESS[1:3],
        damping=DAMPING[1:3],
        link_position={"columns": names[1:3]},
    )
    changed = at_links(robot, true_mechanism(robot), recording).recording
    rigid = [0, 3, 4, 5]
    np.testing.assert_array_equal(changed.effort[:, rigid], recording.effort[:, rigid])
    np.testing.assert_array_equal(changed.position[:, rigid], recording.position[:, rigid])
    assert not np.allclose(changed.effort[:, [1, 2]], recording.effort[:, [1, 2]])


@pytest.mark.parametrize("ending", ["", ".csv", ".npz"])
def test_links_are_written_and_read(recording: Recording, tmp_path: Path, ending: str) -> None:
    columns = {
        "": [f"/link_states/position[{name}]" for name in recording.joint_names],
        ".csv": [f"{name}.link" for name in recording.joint_names],
        ".npz": [f"{name}.link" for name in recording.joint_names],
    }
    file = tmp_path / f"both{ending}"
    recording.save(file)
    robot = exact_robot(link_position={"columns": columns[ending]})
    read = load_both_encoders(file, robot)
    assert read.link_position is not None
    assert recording.link_position is not None
    np.testing.assert_allclose(read.link_position, recording.link_position, atol=1e-9)
    np.testing.assert_allclose(read.position, recording.position, atol=1e-9)
    assert read.joint_names == robot.joints
    part = read.cut(0.1, 0.5)
    assert part.link_position is not None
    assert len(part.link_position) == len(part.position)
    assert load_supervised(file, elastic(robot, link_torque=False)).link_position is None


def test_factor_and_offset_of_links_in_a_bag_apply(recording: Recording, tmp_path: Path) -> None:
    recording.save(tmp_path / "bag")
    names = recording.joint_names[:2]
    columns = [f"/link_states/position[{name}]" for name in names]
    robot = exact_robot(
        joints=names,
        stiffness=(1e4,),
        damping=(0.0,),
        link_position={"columns": columns, "factor": 2.0, "offset": (0.1, 0.2)},
    )
    read = load_both_encoders(tmp_path / "bag", robot)
    assert read.link_position is not None
    assert recording.link_position is not None
    wanted = 2 * recording.link_position[:, :2] + [0.1, 0.2]
    np.testing.assert_allclose(read.link_position[:, :2], wanted, atol=1e-9)
    np.testing.assert_array_equal(read.link_position[:, 2:], read.position[:, 2:])


def test_a_recording_without_links_is_refused(recording: Recording) -> None:
    robot = exact_robot()
    alone = simulate(puma(), short_excitation())
    with pytest.raises(ConfigurationError, match=r"has no positions of links.*link_position"):
        recorded_residual(robot, true_mechanism(robot), alone)


@pytest.mark.parametrize("missing", ["stiffness", "link_position"])
def test_gears_that_are_not_known_are_refused(recording: Recording, missing: str) -> None:
    robot = exact_robot(**{missing: None})
    with pytest.raises(ConfigurationError, match=r"link_torque needs elastic\.stiffness and"):
        recorded_residual(robot, true_mechanism(puma()), recording)


# --- controllers ------------------------------------------------------------------------------


def test_a_controller_gets_gears_and_encoders_of_the_links() -> None:
    names = ROBOT.joints[:2]
    link = {"columns": names, "factor": 2.0, "sign": (1.0, -1.0), "offset": 0.1, "delay": 0.003}
    robot = exact_robot(joints=names, stiffness=5e4, damping=9.0, link_position=link)
    gears = feedforward_parameters(robot, control_rate=RATE)["elastic"]
    assert gears["link_torque"] == [True, True, *[False] * 4]
    assert gears["stiffness"][:3] == [5e4, 5e4, np.inf]
    assert gears["damping"] == [9.0, 9.0, *[0.0] * 4]
    assert gears["link_factor"] == [2.0, -2.0, *[1.0] * 4]
    assert gears["link_offset"] == [0.1, 0.1, *[0.0] * 4]
    assert gears["link_delay"] == [0.003, 0.003, *[0.0] * 4]
    assert gears["link_position_interface"] == "link_position"
    sensor = exact_robot(link_torque_interface="sensor", stiffness=None, link_position=None)
    gears = feedforward_parameters(sensor, control_rate=RATE)["elastic"]
    assert gears["link_torque_interface"] == "sensor"
    assert "link_position_interface" not in gears
    motors = feedforward_parameters(elastic(puma(), link_torque=False), control_rate=RATE)
    assert not {"link_torque", "link_position_interface"} & set(motors.get("elastic", {}))


def test_simulated_drives_have_encoders_at_the_links() -> None:
    link = {"columns": ROBOT.joints, "factor": 2.0, "delay": 0.003}
    robot = exact_robot(link_position=link, link_position_interface="encoder_2")
    tag = hardware_tag(robot, "simulated", control_rate=RATE)
    for joint in tag.findall("joint"):
        names = [one.get("name") for one in joint.findall("state_interface")]
        assert "link_position" in names
    made = controller_parameters(robot, 1000, feedforward=True, simulated=True)
    gears = made["feedforward_controller"]["ros__parameters"]["elastic"]
    assert gears["link_position_interface"] == "link_position"
    assert gears["link_factor"] == [1.0] * 6
    assert gears["link_delay"] == [0.0] * 6
    assert "link_position" not in str(hardware_tag(puma(), "simulated", control_rate=RATE))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"stiffness": None}, r"needs elastic\.stiffness, or elastic\.link_torque_interface"),
        ({"link_position": {"columns": ROBOT.joints, "delay": -0.001}}, r"delay .* is below 0"),
        ({"link_position": {"columns": ROBOT.joints[:2]}}, "2 columns for 6 elastic joints"),
    ],
)
def test_a_controller_is_refused_gears_that_it_cannot_compare(
    changed: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        control_law_settings(exact_robot(**changed), control_rate=RATE)


def test_a_controller_of_coupled_motors_is_refused() -> None:
    robot = exact_robot().model_copy(update={"coupling": tuple(map(tuple, np.eye(6) + 0.1))})
    with pytest.raises(ConfigurationError, match="joints with motors of their own"):
        control_law_settings(robot, control_rate=RATE)
