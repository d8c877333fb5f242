"""The torque split of a recording: its parts add up, and its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.errors import WriteError
from dynid.evaluation.torque_split import TorqueSplit, split_torque, write_split
from dynid.profile import make_robot

SLIDE_URDF = """
<robot name="crane"><link name="base"/><link name="boom"/>
  <link name="hook"><inertial><mass value="3"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="boom"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="5" effort="50"/></joint>
  <joint name="lift" type="prismatic"><parent link="boom"/><child link="hook"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="1" effort="100"/></joint>
</robot>
"""


@pytest.fixture(scope="module")
def split() -> TorqueSplit:
    """The split of a recording with a push of 2 N m at the elbow in addition to the model."""
    robot = arm_robot(identification={"velocity": "measured", "cutoff_hz": None})
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    recording = recorded(mechanism, parameters, samples=300)
    pushed = replace(recording, effort=recording.effort + np.array([0.0, 2.0, 0.0]))
    return split_torque(mechanism.with_parameters(parameters), robot, pushed)


def test_error_is_measured_minus_model_torque(split: TorqueSplit) -> None:
    torques = split.torques()
    # accelerations are differences of the velocities at 200 Hz
    np.testing.assert_allclose(torques["error"], np.tile([0.0, 2.0, 0.0], (300, 1)), atol=0.02)
    np.testing.assert_array_equal(torques["measured"], split.signals.torque)
    np.testing.assert_allclose(torques["model"] + torques["error"], torques["measured"])
    parts = [torques[name] for name in split.parts.named()]
    np.testing.assert_allclose(np.sum(parts, axis=0), torques["model"], atol=1e-12)


def test_rms_is_over_the_recording_for_every_joint(split: TorqueSplit) -> None:
    rms = split.rms()
    np.testing.assert_allclose(rms["error"], [0.0, 2.0, 0.0], atol=0.02)
    np.testing.assert_allclose(
        rms["measured"], np.linalg.norm(split.signals.torque, axis=0) / np.sqrt(300)
    )
    # friction of 4, 2 and 0.5 N m, that reverses
    np.testing.assert_allclose(rms["coulomb"], [4.0, 2.0, 0.5])


def test_both_kinds_of_file_contain_every_sample(split: TorqueSplit, tmp_path: Path) -> None:
    write_split(split, tmp_path / "split.npz")
    write_split(split, tmp_path / "split.csv")
    arrays = np.load(tmp_path / "split.npz")
    assert arrays["joints"].tolist() == ["shoulder", "elbow", "wrist"]
    np.testing.assert_array_equal(arrays["time"], split.signals.time)
    for name, values in split.torques().items():
        np.testing.assert_array_equal(arrays[name], values)
    table = np.genfromtxt(tmp_path / "split.csv", delimiter=",", names=True, deletechars="")
    np.testing.assert_allclose(table["time_[s]"], split.signals.time, rtol=1e-8)
    for number, joint in enumerate(("shoulder", "elbow", "wrist")):
        for name, unit in (
            ("position", "rad"),
            ("velocity", "rad/s"),
            ("acceleration", "rad/s^2"),
            ("gravity", "N*m"),
            ("measured", "N*m"),
        ):
            column = table[f"{joint}.{name}_[{unit}]"]
            np.testing.assert_allclose(column, arrays[name][:, number], rtol=1e-8)


def test_a_prismatic_joint_is_in_metres_and_newtons(tmp_path: Path) -> None:
    content = {"robot": "crane", "urdf": "crane.urdf", "joints": ["turn", "lift"]}
    robot = make_robot(content | {"identification": {"cutoff_hz": None}}, SLIDE_URDF)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, mechanism.urdf_parameters, samples=50)
    path = tmp_path / "split.csv"
    write_split(split_torque(mechanism, robot, recording), path)
    names = path.read_text().splitlines()[0].split(",")
    assert {"turn.velocity [rad/s]", "turn.model [N*m]"} <= set(names)
    assert {"lift.position [m]", "lift.velocity [m/s]", "lift.acceleration [m/s^2]"} <= set(names)
    assert "lift.gravity [N]" in names


def test_refuses_another_kind_of_file(split: TorqueSplit, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"written as \.csv or \.npz"):
        write_split(split, tmp_path / "split.txt")
    assert list(tmp_path.iterdir()) == []
