"""Serialized messages of several topics, written to a rosbag2 folder (MCAP) as they come."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.errors import WriterError
from rosbags.rosbag2.storage_mcap import McapWriter

from dynid.errors import RecordingError
from dynid.recording.message_definitions import types_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rosbags.interfaces import Connection, Qos


class BagWriter:
    """A bag that grows; after each ``flush`` a killed process loses nothing of what came before.

    It holds at most 1 MiB of messages, and an index of some hundred bytes for each flush. Every
    error is a RecordingError and ends the writing: what is on disk by then stays, and
    ``load_recording`` reads it although the bag has no index and no metadata.yaml.
    """

    def __init__(self, folder: Path, name: str = "") -> None:
        """Create the folder, and those above it.

        Args:
            folder: must not exist.
            name: what sentences call it, if not by its path.

        Raises:
            RecordingError: the folder exists, or cannot be created.
        """
        self._folder = folder
        self._name = name or str(folder)
        self._connections: dict[str, Connection] = {}
        self._size = 0
        require_absent(folder, self._name)
        _require_text(folder, self._name)
        self._writer = Writer(
            folder, version=Writer.VERSION_LATEST, storage_plugin=StoragePlugin.MCAP
        )
        try:
            self._writer.open()
        except WriterError:
            raise _exists(self._name) from None
        except OSError as error:
            with suppress(OSError):
                folder.rmdir()  # only if it is empty
            raise self._broken(error) from None

    @property
    def counts(self) -> Mapping[str, int]:
        """Messages written so far, by topic."""
        counts = self._writer.counts
        return {topic: counts[connection.id] for topic, connection in self._connections.items()}

    @property
    def messages(self) -> int:
        """Messages written so far."""
        return sum(self._writer.counts.values())

    @property
    def duration(self) -> float:
        """From the first to the last time of reception [s]."""
        first, last = self._writer.min_timestamp, self._writer.max_timestamp
        return max(0, last - first) * 1e-9

    @property
    def size(self) -> int:
        """Bytes written so far, those that wait for the next flush included."""
        storage = self._writer.storage
        if isinstance(storage, McapWriter) and not storage.bio.closed:
            self._size = storage.bio.tell() + storage.chunk.bio.tell()
        return self._size

    def add_topic(
        self, topic: str, kind: str, offered: Sequence[Qos] = (), digest: str = ""
    ) -> None:
        """Get ready for the messages of a topic.

        Args:
            topic: its name.
            kind: message type as ``sensor_msgs/msg/JointState``.
            offered: quality of service of its publishers, with which a player replays it.
            digest: hash of the message's definition, where the publisher tells it.

        Raises:
            RecordingError: the message's definition is not to be had.
        """
        self._connections[topic] = self._writer.add_connection(
            topic, kind, typestore=types_for(kind, digest), offered_qos_profiles=offered
        )

    def write(self, topic: str, receive_time: int, message: bytes | memoryview) -> None:
        """Add a message.

        Args:
            topic: as told to ``add_topic``.
            receive_time: when it came [ns].
            message: serialized (CDR).

        Raises:
            RecordingError: the disk takes no more.
        """
        try:
            self._writer.write(self._connections[topic], receive_time, message)
        except OSError as error:
            raise self._broken(error) from None

    def flush(self) -> None:
        """Hand everything to the operating system.

        Not to the disk itself (fsync): that would wait for slow ones, and help only against a
        loss of power.

        Raises:
            RecordingError: the disk takes no more.
        """
        storage = self._writer.storage
        assert isinstance(storage, McapWriter)  # noqa: S101  as chosen above
        try:
            if storage.chunk.msgs:
                storage.close_chunk()
            storage.bio.flush()
        except OSError as error:
            raise self._broken(error) from None

    def close(self) -> None:
        """Complete the bag.

        Raises:
            RecordingError: the disk takes no more.
        """
        try:
            self._writer.close()
        except OSError as error:
            raise self._broken(error) from None
        self._size = self._file.stat().st_size

    def discard(self) -> None:
        """Remove the folder: nothing in it is worth keeping."""
        self._abort()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> BagWriter:
        """Write within a ``with`` block, which completes the bag."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Complete the bag, unless something went wrong."""
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
        return RecordingError(f"{self._name}: cannot be written ({error.strerror or error}).")

    def _abort(self) -> None:
        with suppress(OSError):  # closing writes once more what did not fit
            self._writer.abort()


def require_absent(folder: Path, name: str = "") -> None:
    """Refuse to write where something is.

    Raises:
        RecordingError: the folder exists.
    """
    if folder.exists():
        raise _exists(name or str(folder))


def _require_text(folder: Path, name: str) -> None:
    """Refuse a name that metadata.yaml, which names the file in the folder, could not hold.

    Raises:
        RecordingError: it has bytes that are not UTF-8, or cannot be printed.
    """
    if not folder.name.isprintable():
        raise RecordingError(
            f"{name}: a bag's metadata.yaml tells its name, which must therefore be text in UTF-8 "
            "without line breaks; take another name."
        )


def _exists(name: str) -> RecordingError:
    return RecordingError(f"{name}: exists already; nothing was overwritten.")
