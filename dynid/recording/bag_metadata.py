"""A bag's metadata.yaml in the format of rosbag2."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERSION = 9  # of the format; ROS 2 Jazzy writes this one


@dataclass
class WrittenTopic:
    """A topic that is being written.

    Attributes:
        name, kind: of the topic, and of its messages.
        digest: hash of the message's definition.
        offered: quality of service of its publishers.
        channel: number of the channel in the MCAP file.
        messages: number of messages written so far.
    """

    name: str
    kind: str
    digest: str
    offered: Sequence[Any]
    channel: int
    messages: int = 0


def bag_metadata(
    file: str, topics: Sequence[WrittenTopic], first: int, last: int
) -> dict[str, Any]:
    """Return the content of metadata.yaml for a bag of one file.

    Args:
        file: name of the storage file.
        topics: the topics in it.
        first: time of reception of the first message [ns].
        last: time of reception of the last message [ns].
    """
    count = sum(topic.messages for topic in topics)

    def span() -> dict[
        str, Any
    ]:  # a new one each time, as YAML would write an alias for the same object
        return {
            "duration": {"nanoseconds": max(0, last - first)},
            "starting_time": {"nanoseconds_since_epoch": first},
            "message_count": count,
        }

    return {
        "version": _VERSION,
        "storage_identifier": "mcap",
        **span(),
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": topic.name,
                    "type": topic.kind,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": topic.offered,
                    "type_description_hash": topic.digest,
                },
                "message_count": topic.messages,
            }
            for topic in topics
        ],
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [file],
        "files": [{"path": file, **span()}],
        "custom_data": None,
        "ros_distro": os.environ.get("ROS_DISTRO", "unknown"),
    }
