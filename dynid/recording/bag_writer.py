"""Writer of serialized messages of several topics to a rosbag2 folder (MCAP)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import yaml
from mcap.writer import CompressionType, Writer
from rosbags.interfaces import Qos
from rosbags.rosbag2.metadata import dump_qos_v9

from dynid.errors import RecordingError
from dynid.recording.message_definitions import types_for

_CHUNK = 2**20
"""[bytes] Size of the messages that are buffered in memory."""

_HEAD = 9 + 22
"""[bytes] MCAP's overhead of a message: kind and length, channel, sequence number, two times."""

_VERSION = 9  # of the format; ROS 2 Jazzy writes this one


class BagWriter:
    """A bag that is written continuously; if the process is killed, flushed messages are kept.

    Every chunk, all data together, and the index have a checksum (CRC-32), so that ``dynid``
    detects changes. At most 1 MiB of messages is buffered, with an index of some hundred bytes for
    each flush. Every error is a RecordingError and ends the writing. The data on disk stay, and
    ``load_recording`` reads them without index and metadata.yaml.
    """

    def __init__(self, folder: Path, name: str = "", *, compressed: bool = False) -> None:
        """Create the folder, which must not exist, and its parents.

        Args:
            folder: of the bag.
            name: of the bag in messages; empty: its path.
            compressed: compress the chunks (zstd).

        Raises:
            RecordingError: the folder exists, or cannot be created.
        """
        self._folder = folder
        self._name = name or str(folder)
        self._topics: dict[str, WrittenTopic] = {}
        self._schemas: dict[str, int] = {}
        self._first, self._last = 2**63 - 1, 0
        self._waiting = 0
        self._size = 0
        require_absent(folder, self._name)
        if not folder.name.isprintable():  # metadata.yaml contains it
            raise RecordingError(
                f"{self._name}: the name of a bag is stored in its metadata.yaml, so it must be "
                "text in UTF-8 without line breaks; choose another name."
            )
        try:
            folder.mkdir(parents=True)
            self._stream: BinaryIO = self._file.open("xb")
        except FileExistsError:
            raise _exists(self._name) from None
        except OSError as error:
            with suppress(OSError):
                folder.rmdir()  # only if it is empty
            raise RecordingError(_cannot(self._name, error)) from None
        self._writer = Writer(
            self._stream,
            chunk_size=2**62,  # this class ends the chunks
            compression=CompressionType.ZSTD if compressed else CompressionType.NONE,
            enable_data_crcs=True,
        )
        try:
            self._writer.start(profile="ros2", library="dynid")
        except OSError as error:
            raise self._broken(error) from None

    @property
    def counts(self) -> Mapping[str, int]:
        """Messages written so far, by topic."""
        return {name: topic.messages for name, topic in self._topics.items()}

    @property
    def messages(self) -> int:
        """Messages written so far."""
        return sum(topic.messages for topic in self._topics.values())

    @property
    def duration(self) -> float:
        """Time between the first and the last reception [s]."""
        return max(0, self._last - self._first) * 1e-9

    @property
    def size(self) -> int:
        """Bytes written so far, including buffered ones."""
        if not self._stream.closed:
            self._size = self._stream.tell() + self._waiting
        return self._size

    def add_topic(
        self, topic: str, kind: str, offered: Sequence[Qos] = (), digest: str = ""
    ) -> None:
        """Add a topic before its messages.

        Args:
            topic: name of the topic.
            kind: message type such as ``sensor_msgs/msg/JointState``.
            offered: quality of service of its publishers, which a player uses.
            digest: hash of the message's definition from the publisher; empty if unknown.

        Raises:
            RecordingError: the definition of the message type is not available.
        """
        types = types_for(kind, digest)
        definition, _ = types.generate_msgdef(kind, ros_version=2)
        if kind not in self._schemas:
            self._schemas[kind] = self._writer.register_schema(kind, "ros2msg", definition.encode())
        digest = types.hash_rihs01(kind)
        qos = dump_qos_v9(list(offered))
        metadata = {
            "offered_qos_profiles": yaml.safe_dump(qos, sort_keys=False) if qos else "",
            "topic_type_hash": digest,
        }
        channel = self._writer.register_channel(topic, "cdr", self._schemas[kind], metadata)
        self._topics[topic] = WrittenTopic(topic, kind, digest, qos, channel)

    def write(self, topic: str, receive_time: int, message: bytes | memoryview) -> None:
        """Add a serialized message (CDR) of a topic that was added before.

        Raises:
            RecordingError: the bag cannot be written.
        """
        written = self._topics[topic]
        self._writer.add_message(written.channel, receive_time, bytes(message), receive_time)
        written.messages += 1
        self._first = min(self._first, receive_time)
        self._last = max(self._last, receive_time)
        self._waiting += _HEAD + len(message)
        if self._waiting > _CHUNK:
            self.flush()

    def flush(self) -> None:
        """Pass all buffered messages to the operating system.

        There is no fsync, which would wait for slow disks and help only against a loss of power.

        Raises:
            RecordingError: the bag cannot be written.
        """
        try:
            self._writer.flush()
        except OSError as error:
            raise self._broken(error) from None
        self._waiting = 0

    def close(self) -> None:
        """Complete the bag.

        Raises:
            RecordingError: the bag cannot be written.
        """
        metadata = bag_metadata(
            self._file.name, list(self._topics.values()), self._first, self._last
        )
        try:
            self._writer.flush()
            text = yaml.safe_dump(metadata, sort_keys=False)
            # rosbag2 keeps a copy in the file, in case metadata.yaml is lost
            self._writer.add_metadata("rosbag2", {"serialized_metadata": text})
            self._writer.finish()
            self._stream.close()
            unfinished = self._folder / ".metadata.yaml"
            content = yaml.safe_dump({"rosbag2_bagfile_information": metadata}, sort_keys=False)
            unfinished.write_text(content, encoding="utf-8")
            unfinished.replace(self._folder / "metadata.yaml")
        except OSError as error:
            raise self._broken(error) from None
        self._waiting = 0
        self._size = self._file.stat().st_size

    def discard(self) -> None:
        """Remove the folder with its content."""
        self._abort()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> BagWriter:
        """Return the writer for a ``with`` block, which completes the bag."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Complete the bag, unless there was an error."""
        if kind is None:
            self.close()
        else:
            self._abort()

    @property
    def _file(self) -> Path:
        return self._folder / f"{self._folder.name}.mcap"

    def _broken(self, error: OSError) -> RecordingError:
        self._abort()
        with suppress(OSError):
            self._size = self._file.stat().st_size
        return RecordingError(_cannot(self._name, error))

    def _abort(self) -> None:
        with suppress(OSError):  # closing writes the buffer again
            self._stream.close()


def require_absent(folder: Path, name: str = "") -> None:
    """Check that a destination does not exist.

    Raises:
        RecordingError: the folder exists.
    """
    if folder.exists():
        raise _exists(name or str(folder))


def _exists(name: str) -> RecordingError:
    return RecordingError(f"{name}: already exists; nothing was overwritten.")


def _cannot(name: str, error: OSError) -> str:
    return f"{name}: cannot be written ({error.strerror or error})."


@dataclass
class WrittenTopic:
    """A topic that is being written: its number in the MCAP file, and how many messages it has."""

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

    ``first`` and ``last`` are the times of reception of its first and last message [ns].
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
