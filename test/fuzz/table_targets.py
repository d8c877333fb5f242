"""Recordings without a format of their own: tables, fields of bags, runs; and doubts in a URDF."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Ros1Writer
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from support.small_robot import JOINTS, URDF

from dynid.errors import RecordingError
from dynid.excitation.plausibility import urdf_doubts
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe
from dynid.recording.load import load_recording
from dynid.recording.model import Recording

Numbers = Iterator[object]

_DELAYED = ColumnMap.model_validate(
    {
        "joints": JOINTS,
        "time": {"column": "time"},
        "position": {"columns": ["q1", "q2"]},
        "effort": {"columns": ["e1", "e2"], "delay": [0.02, -0.013], "sign": [1, -1]},
    }
)
_PREAMBLE = """# logged by a controller
Project;cell 4
Task cycle;0.02 s

Time [ms];shoulder position [deg];elbow position [deg];shoulder torque [Nm];elbow torque [Nm]
"""


def put_tables(folder: Path, recording: Recording) -> None:
    """Write good files for the readers of this module into a folder for each."""
    own = folder / "table"
    for name in ("table", "fields", "runs", "delayed", "doubts", "ros1"):
        (folder / name).mkdir()
    time, position, effort = recording.time, recording.position, recording.effort
    columns = np.column_stack([1e3 * time, np.degrees(position), effort])
    _text(own / "preamble.csv", _PREAMBLE, columns, ";")
    arrays = {"t": time, "q": position, "tau": effort}
    scipy.io.savemat(own / "plain.mat", arrays)
    scipy.io.savemat(own / "nested.mat", {"log": arrays, "note": "one"}, do_compression=True)
    np.savez(own / "arrays.npz", t=time, q=position, tau=effort)
    kinds = [(name, float) for name in ("t", "q_1", "q_2", "tau_1", "tau_2")]
    rows = np.column_stack([time, position, effort])
    np.save(own / "structured.npy", np.array([tuple(row) for row in rows], dtype=kinds))
    (own / "lists.json").write_text(json.dumps({key: a.tolist() for key, a in arrays.items()}))
    (own / "rows.json").write_text(
        json.dumps([dict(zip(("t", "q", "tau"), row, strict=True)) for row in _rows(recording)])
    )
    _put_parquet(own / "log.parquet", arrays)
    header = "time,shoulder_position,elbow_position,shoulder_torque,elbow_torque\n"
    _text(folder / "runs" / "twice.csv", header, np.vstack([rows, rows[: len(rows) // 2]]), ",")
    _text(folder / "delayed" / "log.csv", "time,q1,q2,e1,e2\n", rows, ",")
    _put_fields(folder / "fields", recording)
    for compression in (None, *Ros1Writer.CompressionFormat):
        _put_ros1(folder / "ros1", recording, compression)
    for name, change in (("zero", ('effort="60"', 'effort="0"')), ("plain", ("", ""))):
        (folder / "doubts" / f"{name}.urdf").write_text(URDF.strip().replace(*change))


def _rows(recording: Recording) -> Iterator[tuple[float, list[float], list[float]]]:
    parts = (recording.time, recording.position, recording.effort)
    return zip(*(part.tolist() for part in parts), strict=True)


def _text(path: Path, head: str, rows: np.ndarray, separator: str) -> None:
    lines = [separator.join(f"{value:.6g}" for value in row) for row in rows]
    path.write_text(head + "\n".join(lines) + "\n")


def _put_parquet(path: Path, arrays: dict[str, np.ndarray]) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return
    parquet.write_table(pa.table({key: a.tolist() for key, a in arrays.items()}), path)


def _put_fields(folder: Path, recording: Recording) -> None:
    types = get_typestore(Stores.ROS2_JAZZY)
    state, head, stamp = (
        types.types[name]
        for name in (
            "sensor_msgs/msg/JointState",
            "std_msgs/msg/Header",
            "builtin_interfaces/msg/Time",
        )
    )
    none = np.zeros(0)
    written = folder / "bag"
    with Writer(written, version=9, storage_plugin=StoragePlugin.MCAP) as bag:
        links = {
            topic: bag.add_connection(topic, state.__msgtype__, typestore=types)
            for topic in ("/angles", "/torques")
        }
        for time, q, tau in _rows(recording):
            at = 10**9 + round(time * 1e9)
            header = head(stamp(*divmod(at, 10**9)), "")
            for topic, parts in (
                ("/angles", (np.array(q), none, none)),
                ("/torques", (none, none, np.array(tau))),
            ):
                message = state(header, list(JOINTS), *parts)
                bag.write(links[topic], at, types.serialize_cdr(message, state.__msgtype__))
    (file,) = written.glob("*.mcap")
    file.replace(folder / "topics.mcap")
    (written / "metadata.yaml").unlink()
    written.rmdir()
    rows = list(_rows(recording))
    texts = [{"names": list(JOINTS), "position": q, "effort": tau} for _, q, tau in rows]
    times = [time for time, _, _ in rows]
    messages = [json.dumps(text).encode() for text in texts]
    _put_mcap(folder / "json.mcap", ("jsonschema", "json"), b'{"type": "object"}', times, messages)
    with suppress(ImportError):
        definition, messages = _in_protobuf(texts)
        kind = ("protobuf", "protobuf")
        _put_mcap(folder / "protobuf.mcap", kind, definition, times, messages)


def _put_mcap(
    path: Path, kind: tuple[str, str], definition: bytes, times: list[float], messages: list[bytes]
) -> None:
    with path.open("wb") as stream:
        writer = McapWriter(stream)
        writer.start()
        schema = writer.register_schema("Arm", kind[0], definition)
        channel = writer.register_channel("/arm", kind[1], schema)
        for time, message in zip(times, messages, strict=True):
            at = 10**9 + round(time * 1e9)
            writer.add_message(channel, at, message, at)
        writer.finish()


def _in_protobuf(texts: list[dict[str, Any]]) -> tuple[bytes, list[bytes]]:
    """Return the definition of messages with these fields, and the messages."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="arm.proto", syntax="proto3")
    message = file.message_type.add(name="Arm")
    repeated, double, text = 3, 1, 9
    for number, name in enumerate(texts[0], 1):
        kind = text if name == "names" else double
        message.field.add(name=name, number=number, type=kind, label=repeated)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    arm = message_factory.GetMessageClassesForFiles(["arm.proto"], pool)["Arm"]
    definition = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    return definition, [arm(**fields).SerializeToString() for fields in texts]


def _put_ros1(
    folder: Path, recording: Recording, compression: Ros1Writer.CompressionFormat | None
) -> None:
    types = get_typestore(Stores.ROS1_NOETIC)
    state, head, stamp = (
        types.types[name]
        for name in (
            "sensor_msgs/msg/JointState",
            "std_msgs/msg/Header",
            "builtin_interfaces/msg/Time",
        )
    )
    writer = Ros1Writer(folder / f"{'plain' if compression is None else compression.name}.bag")
    if compression is not None:
        writer.set_compression(compression)
    with writer:
        link = writer.add_connection("/joint_states", state.__msgtype__, typestore=types)
        for row, (time, q, tau) in enumerate(_rows(recording)):
            at = 10**9 + round(time * 1e9)
            header = head(row, stamp(*divmod(at, 10**9)), "")
            message = state(header, list(JOINTS), np.array(q), np.zeros(0), np.array(tau))
            writer.write(link, at, types.serialize_ros1(message, state.__msgtype__))


def read_by_names(path: Path, _: Path) -> Numbers:
    """Read and describe a file whose columns or fields are found by their names."""
    described = describe(path)
    assert described.problem is None or described.problem.strip()
    yield from _numbers(load_recording(path, JOINTS, effort="torque"))


def read_runs(path: Path, _: Path) -> Numbers:
    """Read both runs of a recording whose clock was set back."""
    yield from _numbers(load_recording(path, JOINTS, effort="torque", run=1))
    with suppress(RecordingError):  # the second run may be the damaged one
        yield from _numbers(load_recording(path, JOINTS, effort="torque", run=2))


def read_delayed(path: Path, _: Path) -> Numbers:
    """Read a table whose efforts are shifted back."""
    yield from _numbers(load_recording(path, JOINTS, columns=_DELAYED))


def read_doubts(path: Path, _: Path) -> Numbers:
    """Examine limits, masses and inertias of a URDF."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = load_robot(path)
        doubts = urdf_doubts(robot, Workspace(robot, robot.mechanism()))
    for doubt in doubts:
        assert "nan" not in doubt.sentence.split()
    yield len(doubts)


def _numbers(recording: Recording) -> Numbers:
    yield from (recording.time, recording.position, recording.effort)
