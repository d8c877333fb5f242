"""The motion of an arm of two joints, and bags with it in messages of any type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import StoragePlugin, Writer

from dynid.recording.load import load_recording

JOINTS = ("shoulder", "elbow")
TIME = np.arange(0, 2, 0.01)
ANGLES = np.column_stack([np.sin(3 * TIME), np.cos(2 * TIME)])
SPEEDS = np.column_stack([3 * np.cos(3 * TIME), -2 * np.sin(2 * TIME)])
TORQUES = np.column_stack([5 * np.sin(TIME), 3 * np.cos(TIME)])
START = 1_700_000_000  # [s] of the first message


def header(types: Any, seconds: float, **parts: Any) -> Any:
    """Return the header of a message at a time since the first one [s]."""
    whole, rest = divmod(round(seconds * 1e9), 10**9)
    stamp = types.types["builtin_interfaces/msg/Time"](sec=START + whole, nanosec=rest)
    return types.types["std_msgs/msg/Header"](**({"stamp": stamp, "frame_id": ""} | parts))


def write_topics(
    path: Path, topics: dict[str, tuple[str, list]], types: Any, plugin: Any = StoragePlugin.MCAP
) -> Path:
    """Write (time, message) of each topic and type, received 0.2 ms after the time."""
    with Writer(path, version=9, storage_plugin=plugin) as bag:
        for topic, (kind, messages) in topics.items():
            connection = bag.add_connection(topic, kind, typestore=types)
            for seconds, content in messages:
                received = START * 10**9 + round((seconds + 2e-4) * 1e9)
                bag.write(connection, received, types.serialize_cdr(content, kind))
    return path


def write_encoded(
    path: Path, kind: str, encoding: str, messages: list[bytes], schema: tuple[str, bytes]
) -> Path:
    """Write messages of topic /arm that are not of ROS, received each 10 ms."""
    with path.open("wb") as stream:
        writer = McapWriter(stream)
        writer.start()
        number = writer.register_schema(kind, *schema)
        channel = writer.register_channel("/arm", encoding, number)
        for row, raw in enumerate(messages):
            received = START * 10**9 + row * 10**7
            writer.add_message(channel, received, raw, received)
        writer.finish()
    return path


def write_json(path: Path, messages: list[str]) -> Path:
    raw = [text.encode() for text in messages]
    return write_encoded(path, "Arm", "json", raw, ("jsonschema", b'{"type": "object"}'))


def expect_motion(path: Path, tolerance: float = 1e-9) -> Any:
    """Return the recording, in which the joints move as the arm does."""
    recording = load_recording(path, JOINTS, effort="torque")
    assert recording.joint_names == JOINTS
    for values, expected in ((recording.position, ANGLES), (recording.effort, TORQUES)):
        np.testing.assert_allclose(values, expected, atol=tolerance)
    return recording
