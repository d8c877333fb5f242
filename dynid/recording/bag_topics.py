"""Recordings from any topics of a bag: by a column map, or by the names of their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.bag_columns import MessageColumn, column_heads, read_columns
from dynid.recording.column_proposal import effort_questions, propose_columns
from dynid.recording.column_words import SIGNALS, parse_column
from dynid.recording.csv_merge import TimedSignal, merge
from dynid.recording.message_definitions import MISSING_PACKAGE, is_protobuf, lacks_package
from dynid.recording.samples import NANOSECONDS, Samples, choose_joints
from dynid.text import shown, shown_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from dynid.recording.bag import Bag
    from dynid.recording.columns import ColumnMap

STAMP = "stamp"
"""Time column of a map of topics: stamps of messages, or their reception if they have none."""
_RANKED = ("sensor_msgs/msg/JointState", "control_msgs/msg/DynamicJointState")
_MOTION = (SIGNALS["position"], SIGNALS["velocity"], SIGNALS["effort"])
_CONTROLLER = "control_msgs/msg/JointTrajectoryControllerState"


def names_topics(columns: ColumnMap | None) -> bool:
    """Return whether a column map is of topics of a bag, and not of a table."""
    return columns is not None and str(columns.position.columns[0]).startswith("/")


def propose_topics(
    bag: Bag, joints: Sequence[str], effort: str, topic: str | None = None
) -> ColumnMap | None:
    """Return a map of the topics with position and effort of each joint, None where in doubt.

    One topic with both is preferred, and of several the one whose type is made for states.

    Args:
        bag: the bag.
        joints: recorded names, in the robot's order; none: as in the messages.
        effort: recorded quantity, as in ``drives.effort``; empty: unknown.
        topic: that has the positions; None: any.
    """
    heads = {info: column_heads(bag, info) for info in bag.topics if info.messages}
    single: dict[str, list[ColumnMap]] = {}
    for info, names in heads.items():
        proposal = _proposed(names, joints, effort)
        if proposal is not None and topic in (None, info.name):
            single.setdefault(info.type, []).append(proposal)
    for kind in (*_RANKED, _CONTROLLER, *single):
        if kind in single:
            return single[kind][0] if len(single[kind]) == 1 else None
    everything = [name for names in heads.values() for name in names]
    proposal = propose_columns([STAMP, *everything], joints, effort=effort)
    if proposal is None or _order_is_open(proposal, everything):
        return None
    elsewhere = topic is not None and not str(proposal.position.columns[0]).startswith(f"{topic}/")
    return None if elsewhere else proposal


def _proposed(names: Mapping[str, bool], joints: Sequence[str], effort: str) -> ColumnMap | None:
    """Map one topic with all joints; elements that are never used may be left out."""
    used = [name for name, is_used in names.items() if is_used]
    for listed in (list(names), used):
        proposal = propose_columns([STAMP, *listed], joints or _labels(listed), effort=effort)
        if proposal is not None and set(joints) <= set(proposal.joints):
            return proposal
    return None


def read_topics(bag: Bag, columns: ColumnMap, joints: Sequence[str] | None) -> Samples:
    """Return the samples of mapped fields, without sources; several topics are merged by stamp.

    Raises:
        RecordingError: a column or joint is missing, or the topics have no time in common.
    """
    wanted, order = choose_joints(joints, columns.joints, f"{bag.name} (column map)")
    names = {
        name: [str(signal.columns[place]) for place in order]
        for name, signal in columns.signals().items()
    }
    read, notes = _read(bag, [name for listed in names.values() for name in listed])
    first = min(int(column.stamps.min()) for column in read.values())
    timed: dict[str, list[TimedSignal]] = {name: [] for name in names}
    for signal, mapped in columns.signals().items():
        scaling, delays = mapped.scaling(), mapped.delays()
        for place, name in zip(order, names[signal], strict=True):
            factor, offset = scaling[place]
            seconds = (read[name].stamps - first) / NANOSECONDS - delays[place]
            values = factor * read[name].values + offset
            timed[signal].append(TimedSignal(_topic(name), seconds, values))
    seconds, signals, note = _together(timed)
    return Samples(
        stamps=first + np.rint(seconds * NANOSECONDS).astype(np.int64),
        position=signals["position"],
        velocity=signals.get("velocity"),
        effort=signals["effort"],
        joint_names=wanted,
        sources=(),
        repairs=(*notes, *columns.delay_notes(), *([note] if note else [])),
    )


def recognised_samples(
    bag: Bag, joints: Sequence[str] | None, effort: str, topic: str | None
) -> tuple[Samples, ColumnMap] | None:
    """Return samples of the topics whose names leave no doubt, and their map; otherwise None."""
    columns = propose_topics(bag, joints or (), effort, topic)
    if columns is None or not set(joints or ()) <= set(columns.joints):
        return None
    fields = [parse_column(str(name)) for name in columns.effort.columns]
    for question in effort_questions(fields, effort):
        raise RecordingError(f"{bag.name}: {question}.")
    samples = read_topics(bag, columns, joints)
    return samples.noting(f"Fields were chosen by their names: {_described(columns)}."), columns


def fields_to_map(bag: Bag) -> str:
    """Return sentences on the fields of a bag that a column map can name."""
    kinds = [topic.type for topic in bag.topics]
    missing = MISSING_PACKAGE if lacks_package() and any(map(is_protobuf, kinds)) else ""
    names = [name for topic in bag.topics for name in column_heads(bag, topic)]
    signals = [name for name in names if any(w & {*parse_column(name).words} for w in _MOTION)]
    if not signals:
        return missing
    return (
        f"{missing} Any field can be named in recording.columns of the profile "
        f"(docs/recordings.md#fields-of-a-bag): {shown_names(signals)}."
    )


def topics_of(columns: ColumnMap) -> list[str]:
    """Return the topics and parts of messages that a map of fields names."""
    names = (str(name) for signal in columns.signals().values() for name in signal.columns)
    return list(dict.fromkeys(map(_topic, names)))


def _described(columns: ColumnMap) -> str:
    fields = (
        f"{signal} {shown_names(dict.fromkeys(_field(str(n)) for n in mapped.columns))}"
        for signal, mapped in columns.signals().items()
    )
    return f"{', '.join(fields)} of {shown_names(columns.joints)}"


def _topic(name: str) -> str:
    return name.rpartition("/")[0]


def _read(bag: Bag, names: Sequence[str]) -> tuple[dict[str, MessageColumn], list[str]]:
    """Return the columns by their names, and sentences on their times; refuse a missing one."""
    read: dict[str, MessageColumn] = {}
    notes = []
    for topic in bag.topics:
        inside = [name for name in names if name.startswith(f"{topic.name}/")]
        if inside:
            columns, note = read_columns(bag, topic, inside)
            read.update(columns)
            notes += [note] if note else []
    for name in names:
        if name not in read:
            available = (text for topic in bag.topics for text in column_heads(bag, topic))
            raise RecordingError(
                f"{bag.name}: there is no '{shown(name)}' in its messages; available are "
                f"{shown_names(available)}."
            )
    return read, notes


def _together(
    timed: Mapping[str, Sequence[TimedSignal]],
) -> tuple[NDArray[np.float64], Mapping[str, NDArray[np.float64]], str]:
    """Return common times [s], the signals at them (M, n), and a sentence where these changed."""
    times = [one.seconds for joints in timed.values() for one in joints]
    if all(np.array_equal(times[0], other) for other in times):
        together = {
            name: np.stack([one.values for one in joints], axis=1) for name, joints in timed.items()
        }
        return times[0], together, ""
    return merge(timed, what="messages")


def _order_is_open(columns: ColumnMap, names: Sequence[str]) -> bool:
    """Return whether efforts are numbered while the names of positions have another order."""
    numbered = all(
        str(name).endswith("]") and _label(str(name)).isdecimal() for name in columns.effort.columns
    )
    position = [str(name) for name in columns.position.columns]
    recorded = [name for name in names if name in position]
    return numbered and not _label(position[0]).isdecimal() and recorded != position


def _labels(names: Sequence[str]) -> list[str]:
    """Return the names of joints that label positions; none where these are numbered."""
    positions = [
        name for name in names if SIGNALS["position"] & {*parse_column(_field(name)).words}
    ]
    return [label for label in dict.fromkeys(map(_label, positions)) if not label.isdecimal()]


def _field(name: str) -> str:
    return name.partition("[")[0]


def _label(name: str) -> str:
    return name.rpartition("[")[2].removesuffix("]")
