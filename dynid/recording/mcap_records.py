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
"""Kinds of records before the index; from ``PRIVATE`` on are those of other programs."""
PRIVATE = 0x80

MESSAGE = struct.Struct("<HIQQ")
"""Channel, sequence number, time of reception and of publishing [ns]."""

_CHUNK = struct.Struct("<QQQII")
_LONGEST_NAME = 4
_COMPRESSIONS = (b"", b"lz4", b"zstd")
# kind of a chunk, and a length below 2**32; what else it must be is looked at afterwards
_CHUNK_HEAD = re.compile(rb"\x06.{4}\0{4}", re.DOTALL)
_BLOCK = 2**20


class DamagedRecordError(Exception):
    """A record does not end where its file does, or is none."""


class Chunk(NamedTuple):
    """The head of a chunk.

    Attributes:
        size: of its records [bytes], once unpacked.
        crc: their checksum; 0 for none.
        compression: its name; empty for none.
        start: where its packed records begin in the file.
        length: of the packed records [bytes].
        consistent: whether the record's own length says the same.
    """

    size: int
    crc: int
    compression: str
    start: int
    length: int
    consistent: bool

    @property
    def end(self) -> int:
        """Where it ends in the file."""
        return self.start + self.length

    def records(self, file: BinaryIO) -> bytes | None:
        """Its records; None where they are damaged."""
        file.seek(self.start)
        content = unpack(file.read(self.length), self.compression, self.size)
        if content is None or len(content) != self.size:
            return None
        return None if self.crc and zlib.crc32(content) != self.crc else content


def chunk_at(file: BinaryIO, offset: int) -> Chunk | None:
    """The chunk that begins at a place in a file; None if there can be none."""
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
    """Where the next chunk begins, at an offset or behind; None if there is none.

    Args:
        file: the file.
        offset: where to begin.
        size: of the file.
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
    """(kind, begin, end) of the records in a chunk.

    Raises:
        DamagedRecordError: one does not end within it, or is of kind 0, which there is not: zeros
            are no empty records, of which a chunk could hold millions.
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
    """A record from its content.

    Raises:
        DamagedRecordError: it is none of its kind.
    """
    reader: Any = kind
    try:
        found: RecordT = reader.read(ReadDataStream(BytesIO(content)))
    # the library raises whatever it runs into
    except Exception:  # noqa: BLE001
        raise DamagedRecordError from None
    return found
