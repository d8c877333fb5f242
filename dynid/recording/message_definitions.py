"""Definitions of message types, which are stored in a bag: of ROS, and of Protobuf in MCAP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mcap.records import Schema
from mcap.well_known import MessageEncoding, SchemaEncoding
from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from dynid.errors import RecordingError

_DYNAMIC_JOINT_STATE = """std_msgs/Header header
string[] joint_names
InterfaceValue[] interface_values
"""
_INTERFACE_VALUE = """string[] interface_names
float64[] values
"""
MISSING_PACKAGE = (
    " Messages in Protobuf need the package mcap-protobuf-support: pip install 'dynid[protobuf]'."
)
_PACKAGE = "mcap_protobuf"
_ENDING = f", {MessageEncoding.Protobuf}"  # of the types of such messages, as topics have them


@cache
def _built_in() -> Typestore:
    """Return the messages of ROS 2 Jazzy, and those with the states of ros2_control."""
    known = get_typestore(Stores.ROS2_JAZZY)
    known.register(get_types_from_msg(_INTERFACE_VALUE, "control_msgs/msg/InterfaceValue"))
    known.register(get_types_from_msg(_DYNAMIC_JOINT_STATE, "control_msgs/msg/DynamicJointState"))
    return known


def types_for(kind: str, digest: str = "") -> Typestore:
    """Return a store with the definition of a message type, such as ``sensor_msgs/msg/JointState``.

    Definitions of ROS 2 Jazzy are built in; those of other packages, and of newer versions, are
    read from the ROS installation. The digest is the hash (``RIHS01_…``) from the publisher.

    Raises:
        RecordingError: no definition is found, or none with the publisher's hash.
    """
    known = _built_in()
    if kind in known.types and digest in ("", known.hash_rihs01(kind)):
        return known
    installed = get_typestore(Stores.EMPTY)
    try:
        installed.register(_installed(kind))
        computed = installed.hash_rihs01(kind)
    except (TypesysError, KeyError) as error:
        raise RecordingError(
            f"message type {kind}: its definition cannot be read ({error})."
        ) from None
    if digest not in ("", computed):
        raise RecordingError(
            f"message type {kind}: its publisher uses another definition than the installed one; "
            "install the same version of its package on both sides."
        )
    return installed


def _installed(kind: str) -> dict[str, Any]:
    """Read the definitions of a type and of all types in it from the installation."""
    definitions: dict[str, Any] = {}
    open_kinds = [kind]
    while open_kinds:
        name = open_kinds.pop()
        if name in definitions:
            continue
        types = get_types_from_msg(_file(name, kind).read_text(encoding="utf-8"), name)
        definitions.update(types)
        for _, fields in types.values():
            open_kinds += [part for _, description in fields for part in _parts(description)]
    return definitions


def _parts(description: Any) -> Iterator[str]:
    node, content = description
    if node == Nodetype.NAME:
        yield content
    elif node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        yield from _parts(content[0])


def _file(name: str, wanted: str) -> Path:
    prefixes = [Path(prefix) for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(":")]
    # the PyPI wheels of ROS packages put their files where Python itself is installed
    prefixes.append(Path(sys.prefix))
    package, _, message = name.partition("/msg/")
    for prefix in prefixes:
        file = prefix / "share" / package / "msg" / f"{message}.msg"
        if file.is_file():
            return file
    part = "" if name == wanted else f" of its part {name}"
    raise RecordingError(
        f"message type {wanted}: the definition{part} is not installed here; expected "
        f"share/{package}/msg/{message}.msg in one of the folders in AMENT_PREFIX_PATH (source the "
        "workspace that has the package)."
    )


def is_protobuf(kind: str) -> bool:
    """Return whether messages of a topic's type are in Protobuf."""
    return kind.endswith(_ENDING)


def schema_name(kind: str) -> str:
    """Return the name of the schema of a topic's type."""
    return kind.removesuffix(_ENDING)


def lacks_package() -> bool:
    """Return whether the package that decodes such messages is not installed."""
    return find_spec(_PACKAGE) is None


def protobuf_decoder(kind: str, definition: bytes) -> Callable[[bytes], Mapping[str, Any]] | None:
    """Return a function that decodes messages of a type; None without the package.

    The definition is a serialized ``FileDescriptorSet``.

    Raises:
        Exception: of any type, where the definition is damaged; so does the function.
    """
    if lacks_package():
        return None
    from mcap_protobuf.decoder import DecoderFactory  # noqa: PLC0415  optional

    schema = Schema(id=1, name=schema_name(kind), encoding=SchemaEncoding.Protobuf, data=definition)
    decode = DecoderFactory().decoder_for(MessageEncoding.Protobuf, schema)
    return None if decode is None else lambda raw: _content(decode(raw))


def _content(message: Any) -> dict[str, Any]:
    """Return all fields; one that the sender left out has the value 0, as Protobuf defines it."""
    return {one.name: _plain(getattr(message, one.name)) for one in message.DESCRIPTOR.fields}


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str, bytes)):
        return value
    if hasattr(value, "DESCRIPTOR"):
        return _content(value)
    if hasattr(value, "items"):  # a map
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value]
