"""The index at the end of an MCAP file."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import BinaryIO

from mcap.opcode import Opcode
from mcap.records import Channel, Footer, Schema, Statistics

from dynid.recording.mcap_records import HEAD, MAGIC, DamagedRecordError, parse, records

_FOOTER = HEAD.size + 20
_CRC = 4
_BLOCK = 2**20


@dataclass
class Summary:
    """Content of an index.

    Attributes:
        schemas, channels: by number.
        statistics: None if missing.
        chunks: number of listed chunks.
        checked: whether it has a checksum, which was verified.
    """

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    statistics: Statistics | None = None
    chunks: int = 0
    checked: bool = False


def read_summary(file: BinaryIO, size: int, data_end: int, largest: int) -> Summary:
    """Read the index of a file that was closed.

    Args:
        file: the file.
        size: its size [bytes].
        data_end: offset of the end of its data [bytes].
        largest: size above which an index is not read [bytes].

    Raises:
        DamagedRecordError: it is damaged.
    """
    footer_start = size - len(MAGIC) - _FOOTER
    file.seek(max(footer_start, 0))
    head = file.read(_FOOTER)
    if len(head) < _FOOTER or HEAD.unpack_from(head) != (Opcode.FOOTER, 20):
        raise DamagedRecordError
    footer = parse(Footer, head[HEAD.size :])
    start = footer.summary_start or footer_start
    if not data_end <= start <= footer_start or footer_start - start > largest:
        raise DamagedRecordError
    file.seek(start)
    content = file.read(footer_start - start)
    if footer.summary_crc and zlib.crc32(head[:-_CRC], zlib.crc32(content)) != footer.summary_crc:
        raise DamagedRecordError
    summary = Summary(checked=footer.summary_crc != 0)
    for kind, begin, end in records(content):
        if kind == Opcode.SCHEMA:
            schema = parse(Schema, content[begin:end])
            summary.schemas[schema.id] = schema
        elif kind == Opcode.CHANNEL:
            channel = parse(Channel, content[begin:end])
            summary.channels[channel.id] = channel
        elif kind == Opcode.STATISTICS:
            summary.statistics = parse(Statistics, content[begin:end])
        elif kind == Opcode.CHUNK_INDEX:
            summary.chunks += 1
    return summary


def data_checksum(file: BinaryIO, data_end: int) -> tuple[int, int]:
    """Return the stated checksum of a file's data, 0 if there is none, and the actual one."""
    file.seek(data_end)
    head = file.read(HEAD.size + _CRC)
    if len(head) < HEAD.size + _CRC or HEAD.unpack_from(head) != (Opcode.DATA_END, _CRC):
        return 0, 0
    (given,) = struct.unpack_from("<I", head, HEAD.size)
    file.seek(0)
    checksum, left = 0, data_end
    while given and left:
        block = file.read(min(left, _BLOCK))
        if not block:
            break
        left -= len(block)
        checksum = zlib.crc32(block, checksum)
    return given, checksum
