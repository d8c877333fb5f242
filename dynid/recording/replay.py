"""Raw joint states of a bag for replay."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from dynid.recording.bag import DEFAULT_TOPIC, choose_topic, open_bag


class StampedMessage(NamedTuple):
    """A message in CDR, and when the recorder received it [ns]."""

    receive_time: int
    raw: bytes


def read_messages(path: Path, topic: str = DEFAULT_TOPIC) -> list[StampedMessage]:
    """Read every JointState message of a bag's topic, in the order of reception.

    Raises:
        RecordingError: the bag cannot be read, or has no such topic.
    """
    with open_bag(path) as bag:
        name, _ = choose_topic(bag, topic)
        messages = [StampedMessage(*message) for message in bag.messages(name)]
    # stable: messages of one instant stay in the order in which they were written
    return sorted(messages, key=lambda message: message.receive_time)
