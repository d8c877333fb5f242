"""signals.mcap: measured, filtered and modelled signals, for PlotJuggler, Foxglove and ROS 2."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from dynid.arrays import Array
from dynid.files import whole_file
from dynid.recording.mcap_blocks import McapBlocks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dynid.identification.result import Identification
    from dynid.identification.validate import Validation
    from dynid.signals.signals import Signals

    Fields = dict[str, Array]
    """Arrays (N, n) by the field of JointState."""

GAP = 1.0
"""Time between the last sample of one recording and the first of the next [s]."""

_MESSAGE = "sensor_msgs/msg/JointState"
_FIELDS = ("position", "velocity", "effort")
_TOPICS = (
    "/dynid/raw",
    "/dynid/filtered",
    "/dynid/acceleration",
    "/dynid/model",
    "/dynid/torque_error",
)
_BLOCK = 2_000
"""Samples serialised at once, so that memory does not grow with the recording."""
_TYPES = get_typestore(Stores.ROS2_JAZZY)


def write_signals(result: Identification | Validation, path: Path) -> None:
    """Write the signals of an identification or a validation to one ``.mcap`` file.

    Every topic carries ``sensor_msgs/msg/JointState``, at the joint side and in SI units:

    - ``/dynid/raw``: position and effort before any filter;
    - ``/dynid/filtered``: position, velocity, effort after the filters;
    - ``/dynid/acceleration``: the filtered acceleration [rad/s^2 or m/s^2] in ``velocity``,
      because JointState has no field for it, and plots show joints by name only from JointState;
    - ``/dynid/model``: the model's torque in ``effort``;
    - ``/dynid/torque_error``: model minus measured torque with the same filter, in ``effort``.

    Stamps are seconds since the start of the first recording; the others follow after ``GAP``.

    Raises:
        WriteError: the file cannot be written.
    """
    with whole_file(path) as unfinished, unfinished.open("wb") as stream:
        file = McapBlocks(stream, _TOPICS, _MESSAGE)
        start = 0.0
        for signals, measured, model in zip(
            result.signals, result.measured_torque, result.model_torque, strict=True
        ):
            stamps = np.round((start + signals.time - signals.time[0]) * 1e9).astype(np.int64)
            start = float(stamps[-1]) * 1e-9 + GAP
            for first in range(0, len(stamps), _BLOCK):
                part = slice(first, first + _BLOCK)
                fields = _topics(signals, measured[part], model[part], part)
                names, block = signals.joint_names, stamps[part]
                file.write(block, [_messages(block, names, fields[name]) for name in _TOPICS])
        file.finish()


def _topics(signals: Signals, measured: Array, model: Array, part: slice) -> dict[str, Fields]:
    return {
        "/dynid/raw": {"position": signals.raw_position[part], "effort": signals.raw_torque[part]},
        "/dynid/filtered": {
            "position": signals.position[part],
            "velocity": signals.velocity[part],
            "effort": measured,
        },
        "/dynid/acceleration": {"velocity": signals.acceleration[part]},
        "/dynid/model": {"effort": model},
        "/dynid/torque_error": {"effort": model - measured},
    }


def _messages(stamps: NDArray[np.int64], names: Sequence[str], fields: Fields) -> NDArray[np.uint8]:
    """Serialise the messages of one topic, shape (N, bytes of a message).

    All messages have the same length and differ only in stamp and numbers. So one is serialised,
    and copied for all samples with these parts replaced.
    """
    template, offsets = _template(names, list(fields))
    layout: Any = {
        "names": ["sec", "nanosec", *offsets],
        "formats": ["<i4", "<u4", *(("<f8", (len(names),)) for _ in offsets)],
        "offsets": [4, 8, *offsets.values()],
        "itemsize": len(template),
    }
    rows = np.frombuffer(bytearray(template * len(stamps)), dtype=np.dtype(layout))
    rows["sec"], rows["nanosec"] = np.divmod(stamps, 10**9)
    for name in offsets:
        rows[name] = fields[name]
    return rows.view(np.uint8).reshape(len(stamps), len(template))


def _template(names: Sequence[str], present: Sequence[str]) -> tuple[bytes, dict[str, int]]:
    """Return one serialised message, and the offsets of the numbers of each field."""
    count = len(names)
    # numbers that occur nowhere else in the message
    marks = {name: np.full(count, -1.25e300 * (index + 1)) for index, name in enumerate(present)}
    header = _TYPES.types["std_msgs/msg/Header"]
    time = _TYPES.types["builtin_interfaces/msg/Time"]
    message = _TYPES.types[_MESSAGE](
        header=header(stamp=time(sec=0, nanosec=0), frame_id=""),
        name=list(names),
        **{name: marks.get(name, np.empty(0)) for name in _FIELDS},
    )
    content = bytes(_TYPES.serialize_cdr(message, _MESSAGE))
    return content, {
        name: content.index(struct.pack(f"<{count}d", *mark)) for name, mark in marks.items()
    }
