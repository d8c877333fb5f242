"""States of drives and arms in messages as vendors define them are recognised by their fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from support.moving_arm import (
    ANGLES,
    JOINTS,
    SPEEDS,
    TIME,
    TORQUES,
    expect_motion,
    header,
    write_json,
    write_topics,
)

from dynid.recording.info import describe

HEAD = "std_msgs/Header header\n"
DEFINITIONS = {
    "leg_msgs/msg/Motor": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 tau\nint8 temperature\n",
    "leg_msgs/msg/LowState": f"{HEAD}leg_msgs/Motor[4] motor_state\n",
    "arm_msgs/msg/Actuator": "string name\nfloat64 position\nfloat64 velocity\nfloat64 torque\n",
    "arm_msgs/msg/Feedback": f"{HEAD}arm_msgs/Actuator[] actuators\n",
    "cobot_msgs/msg/State": f"{HEAD}float64[7] measured_joint_position\n"
    "float64[7] commanded_joint_position\nfloat64[7] measured_torque\nfloat64[7] external_torque\n",
    "robot_msgs/msg/State": f"{HEAD}sensor_msgs/JointState measured_joint_state\n"
    "sensor_msgs/JointState desired_joint_state\nfloat64[6] o_f_ext_hat_k\n",
}


def known_types():
    types = get_typestore(Stores.ROS2_JAZZY)
    for name, text in DEFINITIONS.items():
        types.register(get_types_from_msg(text, name))
    return types


TYPES = known_types()


def make(kind: str, **parts: Any) -> Any:
    return TYPES.types[kind](**parts)


def filled(values: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([values, np.zeros(size - len(values))])


def motors(row: int) -> Any:
    """Of four motors, two are connected."""
    columns = (filled(values[row], 4) for values in (ANGLES, SPEEDS, TORQUES))
    states = [
        make("leg_msgs/msg/Motor", mode=1, q=q, dq=dq, tau=tau, temperature=30)
        for q, dq, tau in zip(*columns, strict=True)
    ]
    return make("leg_msgs/msg/LowState", header=header(TYPES, TIME[row]), motor_state=states)


def named_actuators(row: int) -> Any:
    """They are in another order than the joints."""
    states = [
        make(
            "arm_msgs/msg/Actuator",
            name=JOINTS[n],
            position=ANGLES[row, n],
            velocity=SPEEDS[row, n],
            torque=TORQUES[row, n],
        )
        for n in (1, 0)
    ]
    return make("arm_msgs/msg/Feedback", header=header(TYPES, TIME[row]), actuators=states)


def fixed_arrays(row: int) -> Any:
    return make(
        "cobot_msgs/msg/State",
        header=header(TYPES, TIME[row]),
        measured_joint_position=filled(ANGLES[row], 7),
        commanded_joint_position=filled(0.5 * ANGLES[row], 7),
        measured_torque=filled(TORQUES[row], 7),
        external_torque=filled(0.1 * TORQUES[row], 7),
    )


def nested_states(row: int) -> Any:
    def state(scale: float) -> Any:
        return make(
            "sensor_msgs/msg/JointState",
            header=header(TYPES, TIME[row]),
            name=list(JOINTS),
            position=scale * ANGLES[row],
            velocity=scale * SPEEDS[row],
            effort=scale * TORQUES[row],
        )

    return make(
        "robot_msgs/msg/State",
        header=header(TYPES, TIME[row]),
        measured_joint_state=state(1.0),
        desired_joint_state=state(0.5),
        o_f_ext_hat_k=np.zeros(6),
    )


def write_bag(folder: Path, message: Any) -> Path:
    rows = [(time, message(row)) for row, time in enumerate(TIME)]
    return write_topics(folder, {"/robot/state": (message(0).__msgtype__, rows)}, TYPES)


def expect_both_joints(path: Path, tolerance: float) -> None:
    expect_motion(path, tolerance)
    described = describe(path, joints=JOINTS)
    assert {joint.name for joint in described.joints} == set(JOINTS)


@pytest.mark.parametrize("message", [motors, named_actuators, fixed_arrays, nested_states])
def test_messages_of_vendors_are_read(tmp_path: Path, message: Any) -> None:
    expect_both_joints(write_bag(tmp_path / "bag", message), 1e-5)


def test_json_with_an_object_for_each_joint_is_read(tmp_path: Path) -> None:
    messages = []
    for angles, torques in zip(ANGLES.tolist(), TORQUES.tolist(), strict=True):
        rows = zip(JOINTS, angles, torques, strict=True)
        joints = [{"name": name, "position": q, "torque": tau} for name, q, tau in rows]
        messages.append(json.dumps({"joints": joints}))
    expect_both_joints(write_json(tmp_path / "log.mcap", messages), 1e-9)


def test_elements_that_are_used_are_never_left_out(tmp_path: Path) -> None:
    def message(row: int) -> Any:
        state = fixed_arrays(row)
        state.measured_joint_position[2] = 0.3
        return state

    described = describe(write_bag(tmp_path / "bag", message), joints=JOINTS)
    assert len(described.joints) == 7
