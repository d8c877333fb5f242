"""The joint states of a bag, raw, to be published again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dynid.recording.bag import DEFAULT_TOPIC, choose_topic, raw_joint_states, topics_of, with_bag

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rosbags.rosbag2 import Reader


class StampedMessage(NamedTuple):
    """A message in CDR, and when the recorder received it [ns]."""

    receive_time: int
    raw: bytes


def read_messages(path: Path, topic: str = DEFAULT_TOPIC) -> list[StampedMessage]:
    """Every JointState message of a bag's topic, in the order of reception.

    Raises:
        RecordingError: the bag cannot be read, or has no such topic.
    """

    def collect(readers: Sequence[Reader]) -> list[StampedMessage]:
        name, _ = choose_topic(path, topics_of(readers), topic)
        return [StampedMessage(*message) for message in raw_joint_states(readers, name)]

    # stable: messages of one instant stay in the order in which they were written
    return sorted(with_bag(path, collect)[0], key=lambda message: message.receive_time)
