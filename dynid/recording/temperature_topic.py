"""Temperatures of joints in a bag: control_msgs/DynamicJointState or sensor_msgs/Temperature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.errors import RecordingError
from dynid.limits import RECORDING_MESSAGE_BYTES
from dynid.recording.message_definitions import types_for
from dynid.recording.plausible_temperature import first_of_each
from dynid.recording.samples import NANOSECONDS
from dynid.recording.settings import TemperatureTopic
from dynid.recording.temperature import SPACING, TemperatureSamples
from dynid.text import shown, shown_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynid.recording.bag import Bag

DYNAMIC_JOINT_STATE = "control_msgs/msg/DynamicJointState"
_SCALAR = "sensor_msgs/msg/Temperature"
_SPACING = int(SPACING * NANOSECONDS)

Found = tuple[int, dict[str, float]]


def read_temperature(
    bag: Bag, joints: Sequence[str], wanted: TemperatureTopic | None
) -> TemperatureSamples | None:
    """Read the temperatures of joints, one message of each ``SPACING``.

    Topic and interface are the wanted ones, or None: the default ones, if the bag has them.

    Returns:
        The temperatures, NaN for a joint without any; None if none are recorded.

    Raises:
        RecordingError: a wanted topic is missing, or has no temperature of any joint.
    """
    settings = wanted or TemperatureTopic()
    kinds = {topic.name: topic.type for topic in bag.topics if topic.messages}
    kind = kinds.get(settings.topic)
    where = f"{bag.name}, topic {shown(settings.topic)}"
    if kind not in (DYNAMIC_JOINT_STATE, _SCALAR):
        if wanted is None:
            return None
        available = shown_names(f"{name} ({kind})" for name, kind in kinds.items())
        raise RecordingError(
            f"{where}: has no temperatures, expected messages of type {DYNAMIC_JOINT_STATE} or "
            f"{_SCALAR}; available topics are {available}."
        )
    stamps: list[int] = []
    rows: list[list[float]] = []
    names: dict[str, None] = {}
    for stamp, measured in _messages(bag, settings, kind):
        names.update(dict.fromkeys(measured))
        values = [measured.get(joint, np.nan) for joint in joints]
        if np.isfinite(values).any():
            stamps.append(stamp)
            rows.append(values)
    if not rows:
        if wanted is None:
            return None
        raise RecordingError(
            f"{where}: has no {settings.interface} of {', '.join(map(shown, joints))}; available "
            f"are those of {shown_names(names)}."
        )
    celsius = np.array(rows) + settings.offset
    required = wanted is not None
    return TemperatureSamples(np.array(stamps, dtype=np.int64), celsius, where, required=required)


def _messages(bag: Bag, settings: TemperatureTopic, kind: str) -> Iterator[Found]:
    """Yield (stamp [ns], temperature by recorded name) of one message of each ``SPACING``."""
    types = types_for(kind)
    last: dict[str, int] = {}
    # at a kilohertz, reading all messages would take minutes
    for receive_time, raw in _decimated(bag, settings.topic, kind):
        try:
            message: Any = types.deserialize_cdr(raw, kind)
            stamp = message.header.stamp.sec * int(NANOSECONDS) + message.header.stamp.nanosec
            measured = _values(message, settings.interface, kind)
        # damaged bytes can raise any exception
        except Exception:  # noqa: BLE001, S112
            continue
        stamp = stamp or receive_time
        new = {name: value for name, value in measured.items() if _is_new(last, name, stamp)}
        if new:
            yield stamp, new


def _decimated(bag: Bag, topic: str, kind: str) -> Iterator[tuple[int, bytes]]:
    """Yield messages; of a topic with all joints in each message, one of each half ``SPACING``."""
    most = RECORDING_MESSAGE_BYTES.most
    last = -1
    for block in bag.blocks(topic, kind):
        numbers = block.times.astype(np.int64) // (_SPACING // 2)
        kept = first_of_each(numbers) if kind == DYNAMIC_JOINT_STATE else np.arange(len(numbers))
        for place in kept.tolist():
            repeated = kind == DYNAMIC_JOINT_STATE and numbers[place] == last
            if block.ends[place] - block.begins[place] <= most and not repeated:
                yield block.message(place)
        last = int(numbers[-1]) if len(numbers) else last


def _is_new(last: dict[str, int], name: str, stamp: int) -> bool:
    """Return whether a joint's last temperature is old enough, and note the new one."""
    if name in last and abs(stamp - last[name]) < _SPACING / 2:
        return False
    last[name] = stamp
    return True


def _values(message: Any, interface: str, kind: str) -> dict[str, float]:
    if kind == _SCALAR:
        return {str(message.header.frame_id): float(message.temperature)}
    return {
        str(joint): float(state.values[list(state.interface_names).index(interface)])
        for joint, state in zip(message.joint_names, message.interface_values, strict=True)
        if interface in state.interface_names
    }
