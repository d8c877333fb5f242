"""The records of an MCAP file, https://mcap.dev/spec."""

from __future__ import annotations

import re
import struct
import zlib
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode

from dynid.recording.storage import MessageBlock, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from mcap.records import McapRecord
    from numpy.typing import NDArray

    RecordT = TypeVar("RecordT", bound=McapRecord)

MAGIC = b"\x89MCAP0\r\n"
HEAD = struct.Struct("<BQ")
"""Kind and length of a record."""

DATA = frozenset(
    {
        Opcode.HEADER,
        Opcode.SCHEMA,
        Opcode.CHANNEL,
        Opcode.MESSAGE,
        Opcode.CHUNK,
        Opcode.MESSAGE_INDEX,
        Opcode.ATTACHMENT,
        Opcode.METADATA,
    }
)
"""Kinds of records before the index; kinds from ``PRIVATE`` on belong to other programs."""
PRIVATE = 0x80

MESSAGE = struct.Struct("<HIQQ")
"""Channel, sequence number, time of reception and of publishing [ns]."""
_RECEIVED = 6  # place of the time of reception in a message

_CHUNK = struct.Struct("<QQQII")
_SIZE = struct.Struct("<Q")
_LONGEST_NAME = 4
_COMPRESSIONS = (b"", b"lz4", b"zstd")
# kind of a chunk, and a length below 2**32; the rest is checked afterwards
_CHUNK_HEAD = re.compile(rb"\x06.{4}\0{4}", re.DOTALL)
_BLOCK = 2**20
_FIRST_COMPARED = 16  # records whose heads are compared at once, then twice as many each time
_LONGEST_RUN = 2**16  # records, which bounds the memory for their places


class DamagedRecordError(Exception):
    """A record is invalid, or does not end within its file."""


class Chunk(NamedTuple):
    """The head of a chunk.

    Attributes:
        size: of the decompressed records [bytes].
        crc: checksum of the records; 0: none.
        compression: name; empty: none.
        start, length: place in the file and size of the compressed records [bytes].
        consistent: whether the length agrees with that of the record.
    """

    size: int
    crc: int
    compression: str
    start: int
    length: int
    consistent: bool

    @property
    def end(self) -> int:
        """Offset of its end in the file [bytes]."""
        return self.start + self.length

    def records(self, file: BinaryIO) -> bytes | None:
        """Read and decompress its records; None if they are damaged."""
        file.seek(self.start)
        content = unpack(file.read(self.length), self.compression, self.size)
        if content is None or len(content) != self.size:
            return None
        return None if self.crc and zlib.crc32(content) != self.crc else content


def chunk_at(file: BinaryIO, offset: int) -> Chunk | None:
    """Read the head of the chunk at an offset in a file; None if there is none."""
    file.seek(offset)
    head = file.read(HEAD.size + _CHUNK.size + _LONGEST_NAME + _SIZE.size)
    begin = HEAD.size + _CHUNK.size
    if len(head) < begin + _SIZE.size or head[0] != Opcode.CHUNK:
        return None
    _, length = HEAD.unpack_from(head)
    _, _, size, crc, name_length = _CHUNK.unpack_from(head, HEAD.size)
    name = head[begin : begin + name_length]
    past = begin + name_length + _SIZE.size
    if name_length > _LONGEST_NAME or name not in _COMPRESSIONS or past > len(head):
        return None
    (packed,) = _SIZE.unpack_from(head, past - _SIZE.size)
    if not name and size != packed:
        return None
    consistent = length == past - HEAD.size + packed
    return Chunk(size, crc, name.decode(), offset + past, packed, consistent)


def find_chunk(file: BinaryIO, offset: int, size: int) -> int | None:
    """Return the offset of the next chunk from one on in a file of this size; None without."""
    while offset < size:
        file.seek(offset)
        block = file.read(_BLOCK + HEAD.size)
        place = -1
        while match := _CHUNK_HEAD.search(block, place + 1):
            place = match.start()
            chunk = chunk_at(file, offset + place)
            if chunk is not None and chunk.consistent:
                return offset + place
        offset += _BLOCK
    return None


class Run(NamedTuple):
    """Records of the same kind and length [bytes] that follow each other.

    ``begin`` is the place of the first one's content.
    """

    kind: int
    begin: int
    length: int
    repeats: int

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end of the content of each."""
        step = HEAD.size + self.length
        for begin in range(self.begin, self.begin + self.repeats * step, step):
            yield begin, begin + self.length


def runs(content: bytes) -> Iterator[Run]:
    """Yield the records in a chunk; equal ones together, as a recorder writes thousands of them.

    Raises:
        DamagedRecordError: a record does not end within the chunk, or has the invalid kind 0, so
            that zeros do not count as millions of empty records.
    """
    offset, size = 0, len(content)
    while offset < size:
        begin = offset + HEAD.size
        if begin > size:
            raise DamagedRecordError
        kind, length = HEAD.unpack_from(content, offset)
        past = begin + length
        if kind == 0 or past > size or (kind == Opcode.MESSAGE and length < MESSAGE.size):
            raise DamagedRecordError
        count = 1
        if content.startswith(content[offset:begin], past):
            count = _equal_heads(content, offset, past - offset)
        yield Run(kind, begin, length, count)
        offset += count * (past - offset)


def end_of_records(content: bytes) -> int:
    """Return the place up to which the records of a chunk that is cut off are complete."""
    end = 0
    with suppress(DamagedRecordError):
        for run in runs(content):
            if run.kind not in DATA:
                break
            end = run.begin + run.repeats * (HEAD.size + run.length) - HEAD.size
    return end


def records(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (kind, begin, end) of the records in a chunk; refuse what :func:`runs` refuses."""
    for run in runs(content):
        for begin, end in run.places():
            yield run.kind, begin, end


class ChunkMessages(NamedTuple):
    """Messages in a chunk's content, from their begins to their ends (k,) [bytes]."""

    content: bytes
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def channels(self) -> NDArray[Any]:
        """Return the channel of each (k,)."""
        return self._numbers(0, "<u2")

    def of(self, channels: set[int]) -> MessageBlock:
        """Return the messages of some channels."""
        chosen = np.isin(self.channels(), list(channels))
        times = self._numbers(_RECEIVED, "<u8")[chosen]
        begins = self.begins[chosen] + MESSAGE.size
        return MessageBlock(self.content, times, begins, self.ends[chosen])

    def _numbers(self, place: int, kind: str) -> NDArray[Any]:
        raw = np.frombuffer(self.content, dtype=np.uint8)
        places = self.begins[:, np.newaxis] + np.arange(place, place + np.dtype(kind).itemsize)
        return np.asarray(raw[places].view(kind)[:, 0])


def messages_in(content: bytes, runs: Iterable[Run]) -> Iterator[ChunkMessages]:
    """Yield the messages of a chunk's runs, many at a time."""
    batch: list[Run] = []
    count = 0
    for run in runs:
        batch.append(run)
        count += run.repeats
        if count >= _LONGEST_RUN:
            yield _messages_of(content, batch)
            batch, count = [], 0
    if batch:
        yield _messages_of(content, batch)


def _messages_of(content: bytes, runs: Sequence[Run]) -> ChunkMessages:
    _, begins, lengths, counts = np.array(runs, dtype=np.int64).T
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    lengths = np.repeat(lengths, counts)
    begins = np.repeat(begins, counts) + (HEAD.size + lengths) * number
    return ChunkMessages(content, begins, begins + lengths)


def _equal_heads(content: bytes, offset: int, step: int) -> int:
    """Return how many complete records of one kind and length follow each other from an offset."""
    most = min((len(content) - offset) // step, _LONGEST_RUN)
    heads = np.ndarray((most, HEAD.size), np.uint8, content, offset, (step, 1))
    count, compared = 0, _FIRST_COMPARED
    while count < most:
        same = (heads[count : count + compared] == heads[0]).all(axis=1)
        if not same.all():
            return count + int(np.argmin(same))
        count += len(same)
        compared *= 2
    return most


def parse(kind: type[RecordT], content: bytes) -> RecordT:
    """Parse the content of a record.

    Raises:
        DamagedRecordError: it is not a record of this kind.
    """
    reader: Any = kind
    try:
        record: RecordT = reader.read(ReadDataStream(BytesIO(content)))
    # the library can raise any exception
    except Exception:  # noqa: BLE001
        raise DamagedRecordError from None
    return record
