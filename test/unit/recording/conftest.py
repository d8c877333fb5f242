"""Synthetic motions and their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from dynid.configuration import parse
from dynid.recording.columns import ColumnMap
from dynid.recording.model import Source
from dynid.recording.samples import Samples

if TYPE_CHECKING:
    from pathlib import Path

TYPES = get_typestore(Stores.ROS2_JAZZY)
JOINT_STATE = "sensor_msgs/msg/JointState"


ONE_JOINT = ColumnMap.model_validate(
    {
        "time": {"column": "t"},
        "joints": ["a"],
        "position": {"columns": ["q"]},
        "effort": {"columns": ["e"]},
    }
)
"""Columns t, q and e of one joint."""


@dataclass
class Motion:
    """Three joints in smooth motion, by default at 100 Hz."""

    stamps: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray
    names: list[str] = field(default_factory=lambda: ["base", "elbow", "wrist"])

    @property
    def seconds(self):
        return (self.stamps - self.stamps[0]) * 1e-9


def motion_at(stamps, count=3):
    t = np.asarray(stamps)[:, None] * 1e-9
    w = 2 * np.pi * np.linspace(0.3, 0.8, count)
    return Motion(
        stamps=np.asarray(stamps, dtype=np.int64),
        position=np.sin(w * t + np.arange(count)),
        velocity=w * np.cos(w * t + np.arange(count)),
        effort=3.0 + np.cos(w * t),
    )


def assert_holds(recording, motion, rate=100.0):
    assert recording.sampling_rate == rate
    np.testing.assert_array_equal(recording.position, motion.position)
    np.testing.assert_array_equal(recording.velocity, motion.velocity)
    np.testing.assert_array_equal(recording.effort, motion.effort)


@pytest.fixture
def make_motion():
    return motion_at


@pytest.fixture
def motion():
    return motion_at(np.arange(400) * 10_000_000 + 5_000_000_000)


@pytest.fixture
def make_samples():
    """Samples of a motion, any part of which may be replaced."""

    def make(motion, **changes) -> Samples:
        parts: dict[str, Any] = {
            "stamps": motion.stamps,
            "position": motion.position,
            "velocity": motion.velocity,
            "effort": motion.effort,
            "joint_names": tuple(motion.names),
            "sources": (Source("robot.mcap", "0" * 64, "rosbag2 mcap"),),
        }
        return Samples(**(parts | changes))

    return make


@dataclass
class Message:
    receive: int
    stamp: int
    name: list[str]
    position: Any
    velocity: Any
    effort: Any


@pytest.fixture
def messages_of():
    def messages(motion):
        rows = zip(motion.stamps, motion.position, motion.velocity, motion.effort, strict=True)
        return [
            Message(int(stamp), int(stamp), list(motion.names), *values) for stamp, *values in rows
        ]

    return messages


@pytest.fixture
def write_messages(tmp_path):
    """Write {topic: messages} to a rosbag2 folder and return it."""

    def write(topics, name="bag", storage="mcap", compression=None, strings=()):
        folder = tmp_path / name
        plugin = StoragePlugin.MCAP if storage == "mcap" else StoragePlugin.SQLITE3
        writer = Writer(folder, version=9, storage_plugin=plugin)
        if compression is not None:
            writer.set_compression(*compression)
        with writer:
            for topic, messages in topics.items():
                connection = writer.add_connection(topic, JOINT_STATE, typestore=TYPES)
                for message in messages:
                    writer.write(connection, message.receive, serialize(message))
            for topic in strings:
                kind = "std_msgs/msg/String"
                connection = writer.add_connection(topic, kind, typestore=TYPES)
                text = TYPES.types[kind](data="hello")
                writer.write(connection, 1, TYPES.serialize_cdr(text, kind))
        return folder

    return write


def serialize(message):
    time = TYPES.types["builtin_interfaces/msg/Time"]
    header = TYPES.types["std_msgs/msg/Header"]
    sec, nanosec = divmod(message.stamp, 10**9)
    state = TYPES.types[JOINT_STATE](
        header=header(stamp=time(sec=sec, nanosec=nanosec), frame_id=""),
        name=message.name,
        position=np.asarray(message.position, dtype=np.float64),
        velocity=np.asarray(message.velocity, dtype=np.float64),
        effort=np.asarray(message.effort, dtype=np.float64),
    )
    return TYPES.serialize_cdr(state, JOINT_STATE)


@pytest.fixture
def storage_file():
    """The one storage file in a bag's folder."""

    def find(folder: Path) -> Path:
        (file,) = [file for file in folder.iterdir() if file.suffix in (".mcap", ".db3")]
        return file

    return find


@pytest.fixture
def column_map():
    """A column map for t, q×3, dq×3, tau×3 with changes (None removes a key)."""

    def make(**changes) -> ColumnMap:
        content: dict[str, Any] = {
            "time": {"column": 1},
            "joints": ["base", "elbow", "wrist"],
            "position": {"columns": [2, 3, 4]},
            "velocity": {"columns": [5, 6, 7]},
            "effort": {"columns": [8, 9, 10]},
        }
        content |= changes
        kept = {key: value for key, value in content.items() if value is not None}
        return parse(ColumnMap, kept, "map.yaml")

    return make


@pytest.fixture
def write_npz(tmp_path):
    """Write a motion, any array of which may be replaced or left out (None); return the file."""

    def write(motion, **changes):
        arrays = {
            "time": motion.seconds,
            "position": motion.position,
            "velocity": motion.velocity,
            "effort": motion.effort,
            "joint_names": np.array(motion.names),
        } | changes
        file = tmp_path / "log.npz"
        np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
        return file

    return write


@pytest.fixture
def write_csv(tmp_path):
    """Write a motion as t, q×3, dq×3, tau×3 and return the file."""

    def write(motion, name="log.csv", delimiter=",", header="", decimal="."):
        table = np.hstack(
            [motion.seconds[:, None], motion.position, motion.velocity, motion.effort]
        )
        rows = [delimiter.join(repr(float(cell)) for cell in row) for row in table]
        text = "\n".join(rows).replace(".", decimal) + "\n"
        file = tmp_path / name
        file.write_text((header + "\n" if header else "") + text)
        return file

    return write
