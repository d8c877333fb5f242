"""MCAP files, intact or damaged: verified messages, and lost ones."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from mcap.opcode import Opcode
from mcap.records import Channel, Footer, Schema, Statistics
from mcap.well_known import SchemaEncoding

from dynid.errors import RecordingError
from dynid.limits import RECORDING_CHUNK_BYTES
from dynid.recording.mcap_records import (
    HEAD,
    MAGIC,
    DamagedRecordError,
    messages_in,
    parse,
    records,
    runs,
)
from dynid.recording.mcap_scan import FileSegment, Scan
from dynid.recording.message_definitions import is_protobuf, schema_name
from dynid.recording.storage import Condition, MessageBlock, topics_of_counts

_FOOTER = HEAD.size + 20
_CRC = 4
_CHECKSUM_BLOCK = 2**20  # [bytes]


class McapFile:
    """Messages of an MCAP file from chunks that match their checksums, independent of the index."""

    def __init__(self, path: Path) -> None:
        """Scan the file.

        Raises:
            RecordingError: it is not an MCAP file, or exceeds a limit.
        """
        self._path = path
        self.condition = Condition()
        size = path.stat().st_size
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise RecordingError(
                    f"{path.name}: cannot be read as a rosbag2 recording (it is not an MCAP file)."
                )
            self._scan = Scan(file, size, path.name)
            self._summary = self._compare(file, size)
        self._channels = {**self._summary.channels, **self._scan.channels}
        self._schemas = {**self._summary.schemas, **self._scan.schemas}
        messages: Counter[tuple[str, str]] = Counter()
        for number, channel in self._channels.items():
            messages[channel.topic, self._kind(number)] += self._scan.counts[number]
        self.topics = topics_of_counts(messages)
        self._check_counts()

    def blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        """Yield the raw messages of a topic, in the order of the file."""
        wanted = {
            number
            for number, channel in self._channels.items()
            if channel.topic == topic and self._kind(channel.id) == kind
        }
        with self._path.open("rb") as file:
            for segment in self._scan.segments:
                if not wanted.isdisjoint(segment.counts):
                    yield from self._in_segment(file, segment, wanted)

    def definition(self, kind: str) -> bytes:
        """Return the definition of a message type, of .msg or Protobuf; empty if unknown."""
        name = schema_name(kind)
        encoding = SchemaEncoding.Protobuf if is_protobuf(kind) else SchemaEncoding.ROS2
        schemas = self._schemas.values()
        texts = (s.data for s in schemas if (s.name, s.encoding) == (name, encoding))
        return next(texts, b"")

    def _in_segment(
        self, file: BinaryIO, segment: FileSegment, wanted: set[int]
    ) -> Iterator[MessageBlock]:
        content = segment.content(file)
        if content is None:
            raise RecordingError(f"{self._path.name}: changed while it was read.")
        messages = (run for run in runs(content) if run.kind == Opcode.MESSAGE)
        for batch in messages_in(content, messages):
            yield batch.of(wanted)

    def _compare(self, file: BinaryIO, size: int) -> Summary:
        """Compare the data with their checksum, and read the index."""
        scan, damage = self._scan, self.condition.damage
        if scan.damaged:
            damage.append(f"{scan.damaged} of {scan.chunks} chunks are damaged and were ignored")
        if scan.skipped:
            damage.append(f"{scan.skipped} bytes are not records")
        given = 0
        if scan.data_end is not None:
            given, computed = data_checksum(file, scan.data_end)
            if given != computed:
                self._drop_unchecked()
            if not scan.closed:
                damage.append("its end is missing")
        elif scan.closed:
            damage.append("its data have no end record")
        if scan.segments and all(segment.checked for segment in scan.segments):
            self.condition.checksums = "of every chunk"
        elif given:
            self.condition.checksums = "of all data together"
        if scan.data_end is None and not scan.closed:
            return Summary()
        with suppress(DamagedRecordError):
            return read_summary(file, size, scan.end)
        damage.append("its index is damaged and was not used")
        return Summary()

    def _drop_unchecked(self) -> None:
        """Keep only chunks with their own checksum, as the data do not match theirs."""
        segments = self._scan.segments
        self._scan.segments = [segment for segment in segments if segment.checked]
        if len(self._scan.segments) < len(segments):
            self.condition.damage.append(
                "its data do not match their checksum, and messages without their own checksum "
                "were ignored"
            )
        elif not self._scan.damaged:
            self.condition.damage.append("bytes outside of its messages have changed")

    def _kind(self, channel: int) -> str:
        definition = self._channels[channel]
        schema = self._schemas.get(definition.schema_id)
        kind = schema.name if schema else "without definition"
        return (
            kind
            if definition.message_encoding == "cdr"
            else f"{kind}, {definition.message_encoding}"
        )

    def _check_counts(self) -> None:
        """Note missing messages and contradictions with the index."""
        scan, condition, name = self._scan, self.condition, self._path.name
        unknown = sum(
            count for number, count in scan.counts.items() if number not in self._channels
        )
        if unknown:
            condition.damage.append(f"{unknown} messages belong to an unknown topic")
        statistics = self._summary.statistics
        if statistics is not None:
            condition.expected = self._by_topic(statistics.channel_message_counts)
            if statistics.message_count != sum(condition.expected.values()):
                condition.damage.append("the counts in its index contradict each other")
        elif scan.damaged == scan.indexed and not scan.skipped and scan.damaged:
            condition.expected = self._by_topic(scan.counts + scan.lost)
        if self._summary.chunks and self._summary.chunks != scan.chunks:
            condition.damage.append(
                f"its index lists {self._summary.chunks} chunks and {scan.chunks} were found"
            )
        if scan.data_end is None and not condition.damage:
            condition.notes.append(self._cut_off(name))

    def _by_topic(self, counts: Mapping[int, int]) -> Counter[str]:
        messages: Counter[str] = Counter()
        for number, count in counts.items():
            if number in self._channels:
                messages[self._channels[number].topic] += count
        return messages

    def _cut_off(self, name: str) -> str:
        dropped = self._path.stat().st_size - self._scan.end
        if not dropped:
            return f"{name} was not closed by its recorder; all its records are complete."
        last = self._scan.segments[-1] if self._scan.segments else None
        unchecked = ""
        if last is not None and last.cut_off and last.chunk is not None and last.chunk.crc:
            unchecked = (
                f"; the checksum of the {last.counts.total()} messages before cannot be verified"
            )
        return (
            f"{name} was cut off: {dropped} bytes after its last complete record were dropped"
            f"{unchecked}."
        )


@dataclass
class Summary:
    """Content of an index: schemas and channels by number, and the number of listed chunks."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    statistics: Statistics | None = None
    chunks: int = 0


def read_summary(file: BinaryIO, size: int, data_end: int) -> Summary:
    """Read the index of a file that was closed, whose data end at an offset [bytes].

    Raises:
        DamagedRecordError: it is damaged, or larger than a chunk may be.
    """
    footer_start = size - len(MAGIC) - _FOOTER
    file.seek(max(footer_start, 0))
    head = file.read(_FOOTER)
    if len(head) < _FOOTER or HEAD.unpack_from(head) != (Opcode.FOOTER, 20):
        raise DamagedRecordError
    footer = parse(Footer, head[HEAD.size :])
    start = footer.summary_start or footer_start
    if not data_end <= start <= footer_start or footer_start - start > RECORDING_CHUNK_BYTES.most:
        raise DamagedRecordError
    file.seek(start)
    content = file.read(footer_start - start)
    if footer.summary_crc and zlib.crc32(head[:-_CRC], zlib.crc32(content)) != footer.summary_crc:
        raise DamagedRecordError
    summary = Summary()
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
        block = file.read(min(left, _CHECKSUM_BLOCK))
        if not block:
            break
        left -= len(block)
        checksum = zlib.crc32(block, checksum)
    return given, checksum
