"""The records of an MCAP file, https://mcap.dev/spec."""

from __future__ import annotations

import re
import struct
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode

from dynid.recording.compression import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mcap.records import McapRecord

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

_CHUNK = struct.Struct("<QQQII")
_LONGEST_NAME = 4
_COMPRESSIONS = (b"", b"lz4", b"zstd")
# kind of a chunk, and a length below 2**32; the rest is checked afterwards
_CHUNK_HEAD = re.compile(rb"\x06.{4}\0{4}", re.DOTALL)
_BLOCK = 2**20


class DamagedRecordError(Exception):
    """A record is invalid, or does not end within its file."""


class Chunk(NamedTuple):
    """The head of a chunk.

    Attributes:
        size: of the decompressed records [bytes].
        crc: checksum of the records; 0: none.
        compression: name; empty: none.
        start: offset of the compressed records in the file [bytes].
        length: of the compressed records [bytes].
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
    head = file.read(HEAD.size + _CHUNK.size + _LONGEST_NAME + 8)
    if len(head) < HEAD.size + _CHUNK.size + 8 or head[0] != Opcode.CHUNK:
        return None
    _, length = HEAD.unpack_from(head)
    _, _, size, crc, name_length = _CHUNK.unpack_from(head, HEAD.size)
    begin = HEAD.size + _CHUNK.size
    name = head[begin : begin + name_length]
    if name_length > _LONGEST_NAME or name not in _COMPRESSIONS:
        return None
    packed = head[begin + name_length : begin + name_length + 8]
    if len(packed) < 8:
        return None
    start = offset + begin + name_length + 8
    (packed_length,) = struct.unpack("<Q", packed)
    consistent = length == start - offset - HEAD.size + packed_length
    if not name and size != packed_length:
        return None
    return Chunk(size, crc, name.decode(), start, packed_length, consistent)


def find_chunk(file: BinaryIO, offset: int, size: int) -> int | None:
    """Find the next chunk from an offset on; None if there is none.

    Args:
        file: the file.
        offset: start of the search [bytes].
        size: of the file [bytes].
    """
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


def records(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (kind, begin, end) of the records in a chunk.

    Raises:
        DamagedRecordError: a record does not end within the chunk, or has the invalid kind 0, so
            that zeros do not count as millions of empty records.
    """
    offset, size = 0, len(content)
    while offset < size:
        begin = offset + 9
        if begin > size:
            raise DamagedRecordError
        kind, length = HEAD.unpack_from(content, offset)
        offset = begin + length
        if kind == 0 or offset > size or (kind == Opcode.MESSAGE and length < MESSAGE.size):
            raise DamagedRecordError
        yield kind, begin, offset


def parse(kind: type[RecordT], content: bytes) -> RecordT:
    """Parse the content of a record.

    Raises:
        DamagedRecordError: it is not a record of this kind.
    """
    reader: Any = kind
    try:
        found: RecordT = reader.read(ReadDataStream(BytesIO(content)))
    # the library can raise any exception
    except Exception:  # noqa: BLE001
        raise DamagedRecordError from None
    return found
