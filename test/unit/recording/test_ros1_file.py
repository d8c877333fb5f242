"""ROS 1 bags are read as those of ROS 2 are, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from support.moving_arm import ANGLES, JOINTS, START, TIME, TORQUES, expect_motion, header

from dynid.errors import RecordingError
from dynid.recording.info import describe
from dynid.recording.load import load_recording

STATE = "sensor_msgs/msg/JointState"
ARRAY = "std_msgs/msg/Float64MultiArray"
VENDOR = "vendor_msgs/msg/ArmState"


def known_types():
    types = get_typestore(Stores.ROS1_NOETIC)
    types.register(
        get_types_from_msg("Header header\nfloat64[2] q\nduration age\nfloat64[2] tau", VENDOR)
    )
    return types


TYPES = known_types()


def message(kind: str, row: int, **parts: Any) -> Any:
    if kind != ARRAY:
        parts["header"] = header(TYPES, TIME[row], seq=row)
    return TYPES.types[kind](**parts)


def state(row: int, *, with_effort: bool = True) -> Any:
    effort = TORQUES[row] if with_effort else np.zeros(0)
    parts = {"name": list(JOINTS), "position": ANGLES[row], "velocity": np.zeros(0)}
    return message(STATE, row, effort=effort, **parts)


def vendor(row: int) -> Any:
    age = TYPES.types["builtin_interfaces/msg/Duration"](sec=0, nanosec=3)
    return message(VENDOR, row, q=ANGLES[row], tau=TORQUES[row], age=age)


def torques(row: int) -> Any:
    layout = TYPES.types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
    return message(ARRAY, row, layout=layout, data=TORQUES[row])


def write(path: Path, topics: dict[str, tuple[str, Any]], compression=None) -> Path:
    writer = Writer(path)
    if compression is not None:
        writer.set_compression(compression)
    with writer:
        for topic, (kind, make) in topics.items():
            connection = writer.add_connection(topic, kind, typestore=TYPES)
            for row, time in enumerate(TIME):
                received = START * 10**9 + round(time * 1e9)
                writer.write(connection, received, TYPES.serialize_ros1(make(row), kind))
    return path


@pytest.mark.parametrize("compression", [None, *Writer.CompressionFormat])
def test_joint_states_are_read(tmp_path: Path, compression) -> None:
    path = write(tmp_path / "old.bag", {"/joint_states": (STATE, state)}, compression)
    assert expect_motion(path).sources[0].kind == "rosbag1"


@pytest.mark.parametrize(
    "topics",
    [
        {"/arm/state": (VENDOR, vendor)},
        {
            "/joint_states": (STATE, lambda row: state(row, with_effort=False)),
            "/torques": (STATE, state),
        },
        {
            "/joint_states": (STATE, lambda row: state(row, with_effort=False)),
            "/joint_torques": (ARRAY, torques),
        },
    ],
    ids=["vendor", "two states", "array"],
)
def test_other_messages_are_recognised_by_their_names(tmp_path: Path, topics) -> None:
    expect_motion(write(tmp_path / "old.bag", topics))


def test_the_messages_before_a_damaged_chunk_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "old.bag", {"/joint_states": (STATE, state)})
    content = bytearray(path.read_bytes())
    place = content.index(TORQUES[150].tobytes())
    content[place - 200 : place] = bytes(200)
    path.write_bytes(content)
    recording = load_recording(path, JOINTS)
    assert 100 < len(recording.time) < 151
    np.testing.assert_allclose(recording.position, ANGLES[: len(recording.time)])
    assert any("old.bag is damaged" in note and "are lost" in note for note in recording.repairs)
    assert "are lost" in " ".join(describe(path).repairs)


def test_a_bag_without_index_is_refused_with_what_repairs_it(tmp_path: Path) -> None:
    path = write(tmp_path / "old.bag", {"/joint_states": (STATE, state)})
    content = path.read_bytes()
    place = content.index(b"index_pos=") + len(b"index_pos=")
    path.write_bytes(content[:place] + bytes(8) + content[place + 8 :])
    with pytest.raises(RecordingError, match=r"ROS 1 bag .*'rosbag reindex' repairs it"):
        load_recording(path, JOINTS)


@pytest.mark.parametrize("content", [b"", b"#ROSBAG V1.2\n", b"#ROSBAG V2.0\n", b"\0" * 100])
def test_what_is_no_bag_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "old.bag"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"old\.bag: cannot be read as a ROS 1 bag"):
        load_recording(path, JOINTS)


def test_a_chunk_that_unpacks_to_more_than_the_limit_is_not_read(tmp_path, monkeypatch) -> None:
    path = write(
        tmp_path / "old.bag", {"/joint_states": (STATE, state)}, Writer.CompressionFormat.BZ2
    )
    monkeypatch.setenv("DYNID_MAX_RECORDING_CHUNK_BYTES", "1000")
    with pytest.raises(RecordingError, match="a chunk is damaged, or too large"):
        load_recording(path, JOINTS)
