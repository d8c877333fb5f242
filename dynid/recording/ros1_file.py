"""ROS 1 bags: messages as their index lists them, in the encoding of ROS 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rosbags.rosbag1 import Reader, ReaderError
from rosbags.rosbag1.reader import Chunk, decompressors
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from dynid.errors import RecordingError
from dynid.limits import RECORDING_CHUNK_BYTES, RECORDING_TOPICS
from dynid.recording.limits import RecordingTooLargeError, check_unpacked
from dynid.recording.storage import Condition, MessageBlock, in_blocks, topics_of_counts, unpack

_HEADER = "std_msgs/msg/Header"
# ROS 2 has no sequence number in a header, which is left out
_OF_ROS_2 = (_HEADER, "builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration")


class Ros1File:
    """Messages of a ROS 1 bag, up to the first one that cannot be read."""

    def __init__(self, path: Path) -> None:
        """Read the index, and count the readable messages.

        Raises:
            RecordingError: it is no bag with an index, or exceeds a limit.
        """
        self._path = path
        self.condition = Condition()
        self._past = 0  # time after the last readable message [ns]
        self._types: dict[str, Typestore | None] = {}
        with _opened(path) as bag:
            what = f"{path.name}: contains {len(bag.connections)} topics"
            RECORDING_TOPICS.check(len(bag.connections), what, RecordingTooLargeError)
            self._definitions = {one.msgtype: one.msgdef.data for one in bag.connections}
            messages = self._count(bag)
            self.topics = topics_of_counts(messages)
            self.condition.expected = Counter()
            for one in bag.connections:
                self.condition.expected[one.topic] += one.msgcount

    def blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        """Yield the raw messages of a topic in CDR, in the order of their reception."""
        yield from in_blocks(self._messages(topic, kind))

    def definition(self, kind: str) -> bytes:
        """Return the definition of a message type as in ROS 2; empty if unknown."""
        types = self._types_for(kind)
        return b"" if types is None else types.generate_msgdef(kind, ros_version=2)[0].encode()

    def _count(self, bag: Reader) -> Counter[tuple[str, str]]:
        """Count the readable messages by topic and type, and note where they end."""
        counts = Counter({(one.topic, one.msgtype): 0 for one in bag.connections})
        packed, unpacked = self._path.stat().st_size, 0
        try:
            for one, time, raw in bag.messages():
                unpacked += len(raw)
                check_unpacked(packed, unpacked, self._path.name)
                counts[one.topic, one.msgtype] += 1
                self._past = time + 1
        except RecordingTooLargeError:
            raise
        # rosbags raises many types for damaged chunks
        except Exception as error:  # noqa: BLE001
            self.condition.damage.append(_reason(error))
        return counts

    def _messages(self, topic: str, kind: str) -> Iterator[tuple[int, bytes]]:
        types = self._types_for(kind)
        with _opened(self._path) as bag:
            wanted = [one for one in bag.connections if (one.topic, one.msgtype) == (topic, kind)]
            if types is None or not wanted:
                return
            try:
                for _, time, raw in bag.messages(wanted, stop=self._past):
                    yield time, _converted(types, kind, raw)
            # as above
            except Exception as error:  # noqa: BLE001
                raise RecordingError(
                    f"{self._path.name}: changed while it was read ({_reason(error)})."
                ) from None

    def _types_for(self, kind: str) -> Typestore | None:
        """Return the definition of a type and of its parts; None if it cannot be read."""
        if kind not in self._types:
            try:
                self._types[kind] = _ros_2_types(self._definitions.get(kind, ""), kind)
            # definitions in files can be anything
            except Exception:  # noqa: BLE001
                self._types[kind] = None
        return self._types[kind]


class _LimitedReader(Reader):
    """A reader that takes no chunk twice, and unpacks none beyond the limit."""

    def read_chunk(self) -> Chunk:
        """Read the head of a chunk, which the index lists by its place."""
        if self.bio is not None and self.bio.tell() in self.chunks:
            raise ReaderError("its index lists a chunk twice")
        chunk = super().read_chunk()
        limited = _LIMITED.get(chunk.decompressor, chunk.decompressor)
        return chunk._replace(decompressor=limited)


@contextmanager
def _opened(path: Path) -> Iterator[Reader]:
    reader = _LimitedReader(path)
    try:
        reader.open()
    # rosbags raises many types for a damaged index
    except Exception as error:  # noqa: BLE001
        reason = _reason(error)
        hint = "; 'rosbag reindex' repairs it" if "index" in reason.lower() else ""
        raise RecordingError(
            f"{path.name}: cannot be read as a ROS 1 bag ({reason}){hint}."
        ) from None
    try:
        yield reader
    finally:
        reader.close()


def _ros_2_types(definition: str, kind: str) -> Typestore:
    """Return the types in a definition of ROS 1, with time and header as in ROS 2."""
    known, types = get_typestore(Stores.ROS2_JAZZY), get_typestore(Stores.EMPTY)
    types.register({name: known.fielddefs[name] for name in _OF_ROS_2})
    own = get_types_from_msg(definition, kind)
    types.register({name: fields for name, fields in own.items() if name not in _OF_ROS_2})
    return types


def _converted(types: Typestore, kind: str, raw: bytes) -> bytes:
    """Return a message in CDR; no bytes, which are no message, for damaged ones."""
    try:
        return bytes(types.ros1_to_cdr(raw, kind))
    # damaged bytes can raise any exception
    except Exception:  # noqa: BLE001
        return b""


def _unpacked(packed: bytes, *, compression: str) -> bytes:
    content = unpack(packed, compression, RECORDING_CHUNK_BYTES.most)
    if content is None:
        raise ReaderError("a chunk is damaged, or too large")
    return content


_LIMITED = {decompressors[kind]: partial(_unpacked, compression=kind) for kind in ("bz2", "lz4")}


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:80].rstrip(".") or type(error).__name__
