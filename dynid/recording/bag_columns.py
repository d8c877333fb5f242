"""Numbers in any messages of a bag, as columns such as ``/joint_states/position[elbow]``."""

from __future__ import annotations

import json
from array import array
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from mcap.well_known import MessageEncoding
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from dynid.limits import RECORDING_MESSAGE_BYTES
from dynid.recording.limits import RecordingTooLargeError, check_memory
from dynid.recording.message_definitions import is_protobuf, protobuf_decoder, types_for
from dynid.recording.samples import LATEST_STAMP, MEMORY_CHECK_INTERVAL, NANOSECONDS
from dynid.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dynid.recording.bag import Bag
    from dynid.recording.storage import Topic

_EXAMINED = 200  # messages of a topic, for the names of its columns
_LABELS = ("name", "names", "joint_names")
_STAMPS = ("stamp", "timestamp")
_HEADS = {"header", *_STAMPS}  # parts of a message without signals
_SECONDS, _NANOSECONDS = ("sec", "seconds"), ("nanosec", "nsec", "nanos")
_LONGEST_LIST = 100  # elements; longer ones are images and the like
_DEEPEST = 8  # levels of messages in messages


class MessageColumn(NamedTuple):
    """A number of each message that has it: stamps (N,) [ns] and values (N,)."""

    stamps: NDArray[np.int64]
    values: NDArray[np.float64]


def column_heads(bag: Bag, topic: Topic) -> dict[str, bool]:
    """Return the columns in the first messages of a topic, and which have another value than 0.

    A field of fixed size has elements that a robot with fewer joints does not use. There are no
    columns of a type whose definition is neither in the bag nor installed.
    """
    decode = _decoder(bag, topic.type)
    names: dict[str, bool] = {}
    for _, raw in islice(_all(bag, topic), _EXAMINED):
        for name, value in _numbers(decode(raw), topic.name):
            names[name] = names.get(name, False) or value != 0
    return names


def read_columns(
    bag: Bag, topic: Topic, wanted: Sequence[str]
) -> tuple[dict[str, MessageColumn], str]:
    """Return columns of a topic by their names, and a sentence on their times if it is needed.

    Columns that no message has are left out.

    Raises:
        RecordingError: the numbers need more memory than the limit.
    """
    decode, known = _decoder(bag, topic.type), set(wanted)
    header = {name: array("q") for name in wanted}
    received = {name: array("q") for name in wanted}
    values = {name: array("d") for name in wanted}
    for count, (time, raw) in enumerate(_all(bag, topic)):
        message = decode(raw)
        stamp = _stamp(message)
        for name, value in _numbers(message, topic.name):
            if name in known:
                header[name].append(stamp)
                received[name].append(min(time, LATEST_STAMP))
                values[name].append(value)
        if count % MEMORY_CHECK_INTERVAL == 0:
            check_memory(count, len(wanted), bag.name)
    stamped = any(any(stamps) for stamps in header.values())
    times = header if stamped else received
    columns = {
        name: MessageColumn(np.array(times[name], dtype=np.int64), np.array(values[name]))
        for name in wanted
        if len(values[name])
    }
    if stamped or not columns:
        return columns, ""
    return columns, f"{shown(topic.name)} has no stamps; the times of reception were used."


def _all(bag: Bag, topic: Topic) -> Iterator[tuple[int, bytes]]:
    for block in bag.blocks(topic.name, topic.type):
        for time, raw in block.messages():
            if len(raw) > RECORDING_MESSAGE_BYTES.most:
                what = f"{bag.name}, topic {shown(topic.name)}: a message has {len(raw)} bytes"
                RECORDING_MESSAGE_BYTES.refuse(what, RecordingTooLargeError)
            yield time, raw


def _decoder(bag: Bag, kind: str) -> Callable[[bytes], Any]:
    """Return a function that decodes a message of a type; it returns None for damaged bytes."""
    try:
        of_kind = _decoder_of_definition(kind, bag.definition(kind))
    # definitions in files can be anything
    except Exception:  # noqa: BLE001
        of_kind = None

    def decode(raw: bytes) -> Any:
        try:
            if kind.endswith(f", {MessageEncoding.JSON}"):
                return json.loads(raw)
            return None if of_kind is None else of_kind(raw)
        except Exception:  # noqa: BLE001  damaged bytes can raise any exception
            return None

    return decode


def _decoder_of_definition(kind: str, stored: bytes) -> Callable[[bytes], Any] | None:
    if is_protobuf(kind):
        return protobuf_decoder(kind, stored)
    if stored:
        types = get_typestore(Stores.EMPTY)
        types.register(get_types_from_msg(stored.decode(errors="replace"), kind))
    else:
        types = types_for(kind)
    return lambda raw: types.deserialize_cdr(raw, kind)


def _stamp(message: Any) -> int:
    """Return the stamp of a message, or in its header [ns]; 0 without one."""
    parts = dict(_fields(message))
    parts |= dict(_fields(parts.get("header")))
    stamp = dict(_fields(next((parts[key] for key in _STAMPS if key in parts), None)))
    seconds, nanoseconds = (
        next((stamp[name] for name in names if name in stamp), 0)
        for names in (_SECONDS, _NANOSECONDS)
    )
    if not all(isinstance(part, int) for part in (seconds, nanoseconds)):
        return 0
    total = seconds * int(NANOSECONDS) + nanoseconds
    return total if 0 <= total <= LATEST_STAMP and nanoseconds < NANOSECONDS else 0


def _numbers(message: Any, name: str, depth: int = 0) -> Iterator[tuple[str, float]]:
    """Yield the names and values of the numbers in a message, without those of its header."""
    parts = dict(_fields(message)) if depth < _DEEPEST else {}
    labels: list[str] = next((parts[key] for key in _LABELS if _is_texts(parts.get(key))), [])
    for key, value in parts.items():
        if isinstance(value, (bool, int, float)):
            yield f"{name}/{key}", float(value)
        elif isinstance(value, (list, np.ndarray)) and len(value) <= _LONGEST_LIST:
            named = labels if len(labels) == len(value) else range(len(value))
            yield from _elements(f"{name}/{key}", zip(named, value, strict=True))
        elif key not in _HEADS and not isinstance(value, (str, np.ndarray, list)):
            # labels of a message are those of its parts, as in the state of a controller
            inner = dict(_fields(value))
            if inner and labels and not any(key in inner for key in _LABELS):
                inner["joint_names"] = labels
            yield from _numbers(inner, f"{name}/{key}", depth + 1)


def _elements(name: str, elements: Iterable[tuple[object, Any]]) -> Iterator[tuple[str, float]]:
    for label, element in elements:
        if isinstance(element, (bool, int, float, np.number)):
            yield f"{name}[{label}]", float(element)
            continue
        parts = dict(_fields(element))
        own = parts.get("name")
        place = own if isinstance(own, str) and own else label
        for key, value in parts.items():
            if isinstance(value, (bool, int, float)):
                yield f"{name}/{key}[{place}]", float(value)
        # of control_msgs/DynamicJointState: the interface is the signal
        interfaces, values = parts.get("interface_names", []), parts.get("values", [])
        if _is_texts(interfaces) and len(values) == len(interfaces):
            topic = name.rpartition("/")[0]
            for interface, value in zip(interfaces, values, strict=True):
                yield f"{topic}/{interface}[{label}]", float(value)


def _fields(message: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(message, dict):
        return [(str(key), value) for key, value in message.items()]
    if is_dataclass(message):
        return [(part.name, getattr(message, part.name)) for part in fields(message)]
    return []


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)
