"""Position and effort in any messages of a bag, by the names of fields or by a column map."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import StoragePlugin
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from support.moving_arm import (
    ANGLES,
    JOINTS,
    SPEEDS,
    START,
    TIME,
    TORQUES,
    expect_motion,
    header,
    write_json,
    write_topics,
)

from dynid.errors import RecordingError
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe
from dynid.recording.load import load_recording

JOINT_STATE = "sensor_msgs/msg/JointState"
DYNAMIC = "control_msgs/msg/DynamicJointState"
CONTROLLER = "control_msgs/msg/JointTrajectoryControllerState"
VENDOR = "vendor_msgs/msg/ArmState"
ARRAY = "std_msgs/msg/Float64MultiArray"
DEFINITIONS = {
    "control_msgs/msg/InterfaceValue": "string[] interface_names\nfloat64[] values\n",
    DYNAMIC: "std_msgs/Header header\nstring[] joint_names\n"
    "control_msgs/InterfaceValue[] interface_values\n",
    CONTROLLER: "std_msgs/Header header\nstring[] joint_names\n"
    + "".join(
        f"trajectory_msgs/JointTrajectoryPoint {part}\n"
        for part in ("reference", "feedback", "error", "output")
    ),
    VENDOR: "std_msgs/Header header\nfloat64[2] q\nfloat64[2] q_d\nfloat64[2] tau_j\nuint8 mode\n",
}


@cache
def types():
    known = get_typestore(Stores.ROS2_JAZZY)
    for name, text in DEFINITIONS.items():
        known.register(get_types_from_msg(text, name))
    return known


def message(kind: str, **parts: Any) -> Any:
    return types().types[kind](**parts)


def joint_state(seconds, names, position=(), velocity=(), effort=()):
    values = {"position": position, "velocity": velocity, "effort": effort}
    arrays = {key: np.array(value, dtype=np.float64) for key, value in values.items()}
    return message(JOINT_STATE, header=header(types(), seconds), name=list(names), **arrays)


def array_of(values):
    layout = message("std_msgs/msg/MultiArrayLayout", dim=[], data_offset=0)
    return message(ARRAY, layout=layout, data=np.array(values, dtype=np.float64))


def point(position=(), effort=()):
    zero = message("builtin_interfaces/msg/Duration", sec=0, nanosec=0)
    empty = np.array([])
    return message(
        "trajectory_msgs/msg/JointTrajectoryPoint",
        positions=np.array(position, dtype=np.float64),
        velocities=empty,
        accelerations=empty,
        effort=np.array(effort, dtype=np.float64),
        time_from_start=zero,
    )


def write(path: Path, topics: dict[str, tuple[str, list]], plugin=StoragePlugin.MCAP) -> Path:
    return write_topics(path, topics, types(), plugin)


def vendor_state(row: int) -> Any:
    parts = {"q": ANGLES[row], "q_d": 0 * ANGLES[row], "tau_j": TORQUES[row]}
    return message(VENDOR, header=header(types(), TIME[row]), mode=1, **parts)


def rows_of(make) -> list:
    return [(seconds, make(row)) for row, seconds in enumerate(TIME)]


def states(**parts) -> tuple[str, list]:
    def make(row: int) -> Any:
        return joint_state(TIME[row], JOINTS, **{key: v[row] for key, v in parts.items()})

    return JOINT_STATE, rows_of(make)


def single_joints() -> dict[str, tuple[str, list]]:
    messages = [
        (seconds, joint_state(seconds, [joint], *([v[row, n]] for v in (ANGLES, SPEEDS, TORQUES))))
        for row in range(len(TIME))
        for n, joint in enumerate(JOINTS)
        for seconds in [TIME[row]]
    ]
    return {"/joint_states": (JOINT_STATE, messages)}


def dynamic(names: list[str]) -> dict[str, tuple[str, list]]:
    def make(row: int) -> Any:
        values = [
            message(
                "control_msgs/msg/InterfaceValue",
                interface_names=names,
                values=np.array([ANGLES[row, n], TORQUES[row, n]]),
            )
            for n in range(2)
        ]
        head = header(types(), TIME[row])
        return message(DYNAMIC, header=head, joint_names=list(JOINTS), interface_values=values)

    return {"/dynamic_joint_states": (DYNAMIC, rows_of(make))}


def controller(part: str) -> dict[str, tuple[str, list]]:
    def make(row: int) -> Any:
        points = {name: point() for name in ("reference", "feedback", "error", "output")}
        points["feedback"] = point(ANGLES[row])
        points[part] = point(ANGLES[row], TORQUES[row])
        return message(
            CONTROLLER, header=header(types(), TIME[row]), joint_names=list(JOINTS), **points
        )

    return {"/arm/controller_state": (CONTROLLER, rows_of(make))}


@pytest.mark.parametrize(
    "topics",
    [
        single_joints(),
        {"/joint_states": states(position=ANGLES), "/torques": states(effort=TORQUES)},
        dynamic(["position", "effort"]),
        dynamic(["position", "torque"]),
        controller("feedback"),
        {"/arm/state": (VENDOR, rows_of(vendor_state))},
        dynamic(["position", "effort"]) | controller("feedback"),
    ],
    ids=["single joints", "two states", "dynamic", "torque", "controller", "vendor", "both"],
)
@pytest.mark.parametrize("plugin", [StoragePlugin.MCAP, StoragePlugin.SQLITE3])
def test_fields_are_recognised_by_their_names(tmp_path: Path, topics, plugin) -> None:
    recording = expect_motion(write(tmp_path / "bag", topics, plugin))
    assert recording.sampling_rate == pytest.approx(100, abs=0.01)
    assert any(note.startswith("Fields were chosen by their names") for note in recording.repairs)


def test_an_array_without_stamps_has_the_times_of_reception(tmp_path: Path) -> None:
    topics = {
        "/joint_states": states(position=ANGLES),
        "/joint_torques": (ARRAY, rows_of(lambda row: array_of(TORQUES[row]))),
    }
    recording = load_recording(write(tmp_path / "bag", topics), JOINTS)
    # they are 0.2 ms after the stamps, so that the first state has no torque
    np.testing.assert_allclose(recording.position, ANGLES[1:], atol=1e-9)
    np.testing.assert_allclose(recording.effort, TORQUES[1:], atol=2e-3)
    assert "/joint_torques has no stamps; the times of reception were used." in recording.repairs


def test_topics_of_other_rates_are_interpolated(tmp_path: Path) -> None:
    slow = np.arange(0, 2, 0.025)
    torque = np.column_stack([5 * np.sin(slow), 3 * np.cos(slow)])
    effort = [(s, joint_state(s, JOINTS, effort=torque[n])) for n, s in enumerate(slow)]
    topics = {"/joint_states": states(position=ANGLES), "/torques": (JOINT_STATE, effort)}
    recording = load_recording(write(tmp_path / "bag", topics), JOINTS)
    count = len(recording.time)
    np.testing.assert_allclose(recording.position, ANGLES[:count], atol=1e-9)
    np.testing.assert_allclose(recording.effort, TORQUES[:count], atol=1e-3)
    assert any("resampled to the" in note for note in recording.repairs)


def test_info_shows_joints_that_share_no_message(tmp_path: Path) -> None:
    info = describe(write(tmp_path / "bag", single_joints()), joints=JOINTS)
    assert [joint.name for joint in info.joints] == list(JOINTS)


def test_info_names_joints_as_messages_do(tmp_path: Path) -> None:
    info = describe(write(tmp_path / "bag", controller("feedback")))
    assert [joint.name for joint in info.joints] == list(JOINTS)


@pytest.mark.parametrize(
    "topics",
    [
        controller("output"),  # commanded torque
        {f"/arm{n}/state": (VENDOR, rows_of(vendor_state)) for n in (1, 2)},
        {
            "/joint_states": (
                JOINT_STATE,
                rows_of(lambda row: joint_state(TIME[row], JOINTS[::-1], ANGLES[row, ::-1])),
            ),
            "/joint_torques": (ARRAY, rows_of(lambda row: array_of(TORQUES[row, ::-1]))),
        },
    ],
    ids=["commanded", "two arms", "order of the array"],
)
def test_doubtful_fields_are_listed(tmp_path: Path, topics) -> None:
    with pytest.raises(RecordingError, match=r"Any field can be named in recording\.columns"):
        load_recording(write(tmp_path / "bag", topics), JOINTS)


def column_map(position: str, effort: str, numbers=(0, 1), factor: float = 1.0) -> ColumnMap:
    return ColumnMap.model_validate(
        {
            "time": {"column": "stamp"},
            "joints": list(JOINTS),
            "position": {"columns": [position.format(n) for n in numbers]},
            "effort": {"columns": [effort.format(n) for n in numbers], "factor": factor},
        }
    )


def test_a_column_map_names_any_field(tmp_path: Path) -> None:
    topics = {f"/arm{n}/state": (VENDOR, rows_of(vendor_state)) for n in (1, 2)}
    columns = column_map("/arm2/state/q[{}]", "/arm2/state/tau_j[{}]", factor=2.0)
    recording = load_recording(write(tmp_path / "bag", topics), JOINTS, columns=columns)
    np.testing.assert_allclose(recording.position, ANGLES, atol=1e-9)
    np.testing.assert_allclose(recording.effort, 2 * TORQUES, atol=1e-9)
    assert recording.sources[0].topic == "/arm2/state"


def test_the_topic_of_the_profile_decides_between_two(tmp_path: Path) -> None:
    topics = {f"/arm{n}/state": (VENDOR, rows_of(vendor_state)) for n in (1, 2)}
    recording = load_recording(write(tmp_path / "bag", topics), JOINTS, topic="/arm2/state")
    assert recording.sources[0].topic == "/arm2/state"


def test_a_missing_field_names_those_that_are_there(tmp_path: Path) -> None:
    topics = {"/arm/state": (VENDOR, rows_of(vendor_state))}
    columns = column_map("/arm/state/q[{}]", "/arm/state/torque[{}]")
    sentence = r"no '/arm/state/torque\[0\]' in its messages; available are /arm/state/q\[0\]"
    with pytest.raises(RecordingError, match=sentence):
        load_recording(write(tmp_path / "bag", topics), JOINTS, columns=columns)


@pytest.mark.parametrize("stamped", [True, False])
def test_messages_in_json_are_read(tmp_path: Path, stamped: bool) -> None:
    messages = []
    for row in range(len(TIME)):
        content = {"q": ANGLES[row].tolist(), "tau": TORQUES[row].tolist(), "mode": "run"}
        if stamped:
            whole, rest = divmod(row * 10**7, 10**9)
            content["header"] = {"stamp": {"sec": START + whole, "nanosec": rest}}
        messages.append(json.dumps(content))
    recording = expect_motion(write_json(tmp_path / "log.mcap", messages))
    assert any("has no stamps" in note for note in recording.repairs) is not stamped


@pytest.mark.parametrize(
    "text",
    ["{", "[1, 2]", '{"q": ' * 400 + "1" + "}" * 400, '{"q": NaN}', '{"header": 1, "q": "x"}'],
)
def test_other_json_is_no_recording(tmp_path: Path, text: str) -> None:
    path = write_json(tmp_path / "log.mcap", [text] * 20)
    with pytest.raises(RecordingError, match="/joint_states is missing"):
        load_recording(path, JOINTS, effort="torque")


def test_a_time_of_reception_beyond_any_stamp_does_no_harm(tmp_path: Path) -> None:
    topics = {"/joint_states": states(position=ANGLES), "/torques": states(effort=TORQUES)}
    bag = write(tmp_path / "bag", topics)
    (file,) = bag.glob("*.mcap")
    with file.open("rb") as stream:
        read = list(make_reader(stream).iter_messages())
    with (tmp_path / "late.mcap").open("wb") as stream:
        writer = McapWriter(stream)
        writer.start("ros2")
        for number, (schema, channel, message) in enumerate(read):
            schema_id = writer.register_schema(schema.name, schema.encoding, schema.data)
            link = writer.register_channel(channel.topic, channel.message_encoding, schema_id)
            time = 2**64 - 1 if number == 5 else message.log_time
            writer.add_message(link, time, message.data, time)
        writer.finish()
    expect_motion(tmp_path / "late.mcap")
