"""Topics, condition and raw messages of a bag's storage file, many at a time; decompression."""

from __future__ import annotations

from bz2 import BZ2Decompressor
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import zstandard
from lz4.frame import LZ4FrameDecompressor
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from dynid.recording.limits import check_unpacked
from dynid.text import shown

_BLOCK = 2**20  # [bytes] of a block, beyond which no message is added
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class MessageBlock(NamedTuple):
    """Messages that follow each other.

    Attributes:
        content: contains all of them.
        times: of reception (k,) [ns]; unsigned where none is negative.
        begins, ends: places of the messages in the content (k,) [bytes].
    """

    content: bytes | bytearray
    times: NDArray[np.integer]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """Yield (receive time [ns], raw message)."""
        yield from map(self.message, range(len(self.times)))

    def message(self, place: int) -> tuple[int, bytes]:
        """Return receive time [ns] and content of one message."""
        raw = self.content[int(self.begins[place]) : int(self.ends[place])]
        return int(self.times[place]), bytes(raw)

    def parts(self) -> Iterator[MessageBlock]:
        """Yield its messages in blocks that are not much larger than 1 MiB, but for one message."""
        behind = np.cumsum(self.ends - self.begins)
        first = 0
        while first < len(behind):
            begin = behind[first - 1] if first else 0
            past = max(int(np.searchsorted(behind, begin + _BLOCK)), first + 1)
            span = slice(first, past)
            yield MessageBlock(self.content, self.times[span], self.begins[span], self.ends[span])
            first = past

    def rows(self, chosen: NDArray[np.intp], length: int) -> NDArray[np.uint8]:
        """Return the bytes (k, length) of those of its messages that have this length."""
        content = np.frombuffer(self.content, dtype=np.uint8)
        return sliding_window_view(content, length)[self.begins[chosen]]


def in_blocks(messages: Iterable[tuple[int, bytes]]) -> Iterator[MessageBlock]:
    """Yield messages, of (receive time [ns], raw message), in blocks of limited size."""
    times: list[int] = []
    parts: list[bytes] = []
    size = 0
    for time, raw in messages:
        times.append(time)
        parts.append(raw)
        size += len(raw)
        if size >= _BLOCK:
            yield _joined(times, parts)
            times, parts, size = [], [], 0
    if parts:
        yield _joined(times, parts)


def unpacked(block: MessageBlock, most: int) -> Iterator[MessageBlock]:
    """Yield a block with messages decompressed that rosbag2 has compressed one by one.

    Those that are larger than ``most`` bytes when decompressed stay as they are.
    """
    # in most blocks no message can be compressed, which is found without a look at each of them
    if ZSTD_MAGIC not in block.content:
        yield block
        return
    yield from in_blocks((time, _plain(raw, most)) for time, raw in block.messages())


def _plain(raw: bytes, most: int) -> bytes:
    unpacked = unpack(raw, "zstd", most) if raw[:4] == ZSTD_MAGIC else None
    return raw if unpacked is None else unpacked


def _joined(times: list[int], parts: list[bytes]) -> MessageBlock:
    ends = np.cumsum([len(part) for part in parts])
    begins = ends - [len(part) for part in parts]
    # signed in SQLite, unsigned in MCAP
    kind = np.int64 if min(times) < 0 else np.uint64
    return MessageBlock(b"".join(parts), np.array(times, dtype=kind), begins, ends)


@dataclass(frozen=True)
class Topic:
    """A topic of a bag: name, message type and number of readable messages."""

    name: str
    type: str
    messages: int


def topics_of_counts(messages: Mapping[tuple[str, str], int]) -> tuple[Topic, ...]:
    """Return topics in their order, by the number of messages of each name and type."""
    return tuple(Topic(*key, count) for key, count in sorted(messages.items()))


@dataclass
class Condition:
    """Condition of a storage file.

    Attributes:
        notes: sentences on a file that its recorder did not complete.
        damage: descriptions of its damage.
        expected: number of messages by topic in its index; None if unknown.
        checksums: description of its checksums; empty if there are none.
    """

    notes: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    expected: Counter[str] | None = None
    checksums: str = ""

    def report(self, file: str, topic: str, read: int) -> list[str]:
        """Return sentences on lost messages of a topic, of which so many were read from a file."""
        expected = None if self.expected is None else self.expected[topic]
        if not self.damage and expected in (None, read):
            return self.notes
        reasons = "; ".join(self.damage) or "its index and its data disagree"
        messages = f"messages of {shown(topic)}"
        if expected is None:
            outcome = f"{read} {messages} were read, the number of lost ones is unknown"
        elif expected == read:
            outcome = f"all {read} {messages} were read"
        elif expected > read:
            outcome = f"{expected - read} of {expected} {messages} are lost"
        else:
            outcome = f"its index lists {expected} {messages}, but {read} were read"
        return [*self.notes, f"{file} is damaged ({reasons}): {outcome}."]


class StorageFile(Protocol):
    """A scanned storage file."""

    topics: tuple[Topic, ...]
    condition: Condition

    def blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        """Yield the raw messages of a topic, in the order of the file."""

    def definition(self, kind: str) -> bytes:
        """Return the definition of a message type, of .msg or Protobuf; empty if unknown."""


def unpack(content: bytes, compression: str, largest: int) -> bytes | None:
    """Decompress data; return None if they are damaged, or larger than ``largest`` bytes.

    The compression is ``""``, ``"bz2"``, ``"lz4"`` or ``"zstd"``.
    """
    if not compression:
        return content if len(content) <= largest else None
    try:
        if compression == "lz4":
            unpacked: bytes = LZ4FrameDecompressor().decompress(content, max_length=largest + 1)
        elif compression == "bz2":
            unpacked = BZ2Decompressor().decompress(content, largest + 1)
        else:
            with zstandard.ZstdDecompressor().stream_reader(content) as stream:
                unpacked = stream.read(largest + 1)
    # lz4 raises RuntimeError, bz2 OSError
    except (zstandard.ZstdError, OSError, RuntimeError, ValueError, MemoryError):
        return None
    return unpacked if len(unpacked) <= largest else None


def unpack_file(source: Path, target: Path) -> str:
    """Decompress a file that is compressed as a whole (zstd); return its damage, empty if intact.

    Raises:
        RecordingError: it exceeds a limit of size.
    """
    packed, unpacked = source.stat().st_size, 0
    with (
        source.open("rb") as stream,
        target.open("wb") as unfinished,
        zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True) as reader,
    ):
        while True:
            try:
                block = reader.read(_BLOCK)
            except zstandard.ZstdError as error:
                return f"its compressed data end early ({error})"
            if not block:
                return ""
            unpacked += len(block)
            check_unpacked(packed, unpacked, source.name)
            unfinished.write(block)
