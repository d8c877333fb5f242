"""Messages in Protobuf are read as those in JSON are, by their own definition in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.moving_arm import ANGLES, JOINTS, TORQUES, expect_motion, write_encoded

from dynid.errors import RecordingError
from dynid.recording import message_definitions
from dynid.recording.info import describe
from dynid.recording.load import load_recording

DOUBLE, INT64, INT32, STRING, MESSAGE = 1, 3, 5, 9, 11
SINGLE, REPEATED = 1, 3
TIMESTAMP = {"seconds": (1, INT64, SINGLE, ""), "nanos": (2, INT32, SINGLE, "")}
Fields = dict[str, tuple[int, int, int, str]]


def write(path: Path, name: str, definition: bytes, messages: list[bytes]) -> Path:
    return write_encoded(path, name, "protobuf", messages, ("protobuf", definition))


def defined(kinds: dict[str, Fields]) -> tuple[bytes, dict[str, Any]]:
    """Return a serialized definition of message types, and their classes by name."""
    pytest.importorskip("mcap_protobuf")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="arm.proto", package="arm", syntax="proto3")
    for kind, listed in kinds.items():
        message = file.message_type.add(name=kind)
        for name, (number, what, label, of) in listed.items():
            field = message.field.add(name=name, number=number, type=what, label=label)
            if of:
                field.type_name = f".arm.{of}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    classes = message_factory.GetMessageClassesForFiles(["arm.proto"], pool)
    content = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    return content, {kind: classes[f"arm.{kind}"] for kind in kinds}


def lists(stamp: str) -> tuple[bytes, list[Any]]:
    """Return messages with a list for each signal, and one with the names of the joints."""
    fields: Fields = {
        stamp: (1, MESSAGE, SINGLE, "Time"),
        "name": (2, STRING, REPEATED, ""),
        "position": (3, DOUBLE, REPEATED, ""),
        "effort": (4, DOUBLE, REPEATED, ""),
    }
    definition, kinds = defined({"Time": TIMESTAMP, "State": fields})
    rows = zip(ANGLES.tolist(), TORQUES.tolist(), strict=True)
    return definition, [kinds["State"](name=JOINTS, position=q, effort=tau) for q, tau in rows]


def objects(stamp: str) -> tuple[bytes, list[Any]]:
    """Return messages with an object for each joint, as Foxglove's JointStates have."""
    definition, kinds = defined(
        {
            "Time": TIMESTAMP,
            "Joint": {
                "name": (1, STRING, SINGLE, ""),
                "position": (2, DOUBLE, SINGLE, ""),
                "effort": (3, DOUBLE, SINGLE, ""),
            },
            "State": {
                stamp: (1, MESSAGE, SINGLE, "Time"),
                "joints": (2, MESSAGE, REPEATED, "Joint"),
            },
        }
    )
    rows = zip(ANGLES.tolist(), TORQUES.tolist(), strict=True)
    states = (zip(JOINTS, q, tau, strict=True) for q, tau in rows)
    return definition, [
        kinds["State"](joints=[kinds["Joint"](name=n, position=q, effort=t) for n, q, t in state])
        for state in states
    ]


def nested(stamp: str) -> tuple[bytes, list[Any]]:
    """Return messages with another message for what was measured, and numbered joints."""
    lists = {"q": (1, DOUBLE, REPEATED, ""), "tau": (2, DOUBLE, REPEATED, "")}
    definition, kinds = defined(
        {
            "Time": TIMESTAMP,
            "Measured": lists,
            "State": {
                stamp: (1, MESSAGE, SINGLE, "Time"),
                "measured": (2, MESSAGE, SINGLE, "Measured"),
                "mode": (3, INT32, SINGLE, ""),
            },
        }
    )
    rows = zip(ANGLES.tolist(), TORQUES.tolist(), strict=True)
    return definition, [kinds["State"](measured=kinds["Measured"](q=q, tau=t)) for q, t in rows]


@pytest.mark.parametrize("stamp", ["timestamp", "stamp", "unknown"])
@pytest.mark.parametrize("make", [lists, objects, nested])
def test_messages_are_read_by_the_definition_in_the_file(
    tmp_path: Path, make: Any, stamp: str
) -> None:
    definition, messages = make(stamp)
    for row, message in enumerate(messages):
        getattr(message, stamp).seconds = 1_700_000_000
        getattr(message, stamp).nanos = row * 5_000_000  # twice as fast as they were received
    raw = [message.SerializeToString() for message in messages]
    path = write(tmp_path / "log.mcap", "arm.State", definition, raw)
    recording = expect_motion(path)
    assert recording.sampling_rate == pytest.approx(100 if stamp == "unknown" else 200)
    assert {joint.name for joint in describe(path, joints=JOINTS).joints} == set(JOINTS)


@pytest.mark.parametrize("damage", ["definition", "messages", "another type"])
def test_what_cannot_be_decoded_is_no_recording(tmp_path: Path, damage: str) -> None:
    definition, messages = lists("stamp")
    raw = [message.SerializeToString() for message in messages]
    if damage == "definition":
        definition = definition[:40] + b"\xff" * 20
    if damage == "messages":
        raw = [b"\xff" * len(one) for one in raw]
    name = "arm.Other" if damage == "another type" else "arm.State"
    path = write(tmp_path / "log.mcap", name, definition, raw)
    with pytest.raises(RecordingError, match=r"available topics are /arm \(arm\.\w+, protobuf\)"):
        load_recording(path, JOINTS, effort="torque")


def test_the_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_definitions, "find_spec", lambda _: None)
    path = write(tmp_path / "log.mcap", "arm.State", b"", [b"\x08\x01"] * 20)
    with pytest.raises(RecordingError, match=r"pip install 'dynid\[protobuf\]'"):
        load_recording(path, JOINTS, effort="torque")
