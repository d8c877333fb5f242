"""Samples of a bag: its joint states, or fields of other messages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dynid.errors import RecordingError
from dynid.recording.bag import DEFAULT_TOPIC, Bag, choose_topic, open_bag
from dynid.recording.bag_folder import bag_folder, kind_of
from dynid.recording.bag_topics import fields_to_map, read_topics, recognised_samples, topics_of
from dynid.recording.jointstate import JointStates, NoJointStatesError
from dynid.recording.model import Source, digest
from dynid.recording.names import shown
from dynid.recording.plausible_temperature import with_temperature
from dynid.recording.temperature_topic import read_temperature

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dynid.recording.columns import ColumnMap
    from dynid.recording.samples import Samples
    from dynid.recording.settings import TemperatureTopic


def read_bag(
    path: Path,
    joints: Sequence[str] | None,
    topic: str = DEFAULT_TOPIC,
    temperature: TemperatureTopic | None = None,
    *,
    columns: ColumnMap | None = None,
    effort: str = "",
) -> Samples:
    """Read the JointState messages of one topic, and temperatures where recorded.

    Other messages are read where a column map names their fields, or where no JointState has
    position and effort of all joints and the names of fields leave no doubt.

    Args:
        path: rosbag2 folder, or a ``.mcap``, ``.db3`` or ``.bag`` file.
        joints: the joints to read, in this order; None: those of the first message.
        topic: the topic to read; if it is missing, the only topic with JointState messages. Other
            messages are read from any topic only if it is the default.
        temperature: topic of temperatures; None: the default one, if the bag has it.
        columns: map of fields such as ``/joint_states/position[elbow]``; None: by their names.
        effort: recorded quantity, as in ``drives.effort``; empty: unknown.

    Raises:
        RecordingError: the bag cannot be read, or topic, joints or effort are missing.
    """
    name, notes = topic, list[str]()
    with open_bag(path) as bag:
        try:
            if columns is None:
                name, notes = choose_topic(bag, topic)
                data = _joint_states(bag, name, joints)
            else:
                data = read_topics(bag, columns, joints)
        except NoJointStatesError as error:
            recognised = recognised_samples(
                bag, joints, effort, None if topic == DEFAULT_TOPIC else topic
            )
            if recognised is None:
                raise RecordingError(f"{error}{fields_to_map(bag)}") from None
            data, columns = recognised
        parts = [name] if columns is None else topics_of(columns)
        name = ", ".join(parts)
        damage = bag.notes([info.name for info in bag.topics if _is_part(info.name, parts)])
        heat = read_temperature(bag, data.joint_names, temperature)
    sources = tuple(
        Source(shown(file), digest(file), kind_of(file), name, int(data.stamps[0]), file)
        for file in bag_folder(path).files
    )
    repairs = (*damage, *notes, *data.repairs)
    data = replace(data, sources=sources, repairs=repairs, damage=damage)
    return data if heat is None else with_temperature(data, heat)


def _joint_states(bag: Bag, topic: str, joints: Sequence[str] | None) -> Samples:
    states = JointStates(joints, f"{bag.name}, topic {shown(topic)}")
    for block in bag.blocks(topic):
        states.add_block(block)
    try:
        return states.samples()
    except RecordingError as error:
        raise type(error)(" ".join([str(error), *bag.notes([topic])])) from None


def _is_part(topic: str, parts: Sequence[str]) -> bool:
    return any(f"{part}/".startswith(f"{topic}/") for part in parts)
