"""Scan of an MCAP file from beginning to end, without its index."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from mcap.opcode import Opcode
from mcap.records import Channel, Header, Schema

from dynid.limits import RECORDING_CHUNK_BYTES, RECORDING_TOPICS
from dynid.recording.limits import RecordingTooLargeError, check_unpacked
from dynid.recording.mcap_records import (
    DATA,
    HEAD,
    MAGIC,
    MESSAGE,
    PRIVATE,
    Chunk,
    DamagedRecordError,
    Run,
    chunk_at,
    end_of_records,
    find_chunk,
    messages_in,
    parse,
    runs,
)

_LARGEST_RECORD = 2**24  # of those that describe messages, and of messages read at once
_CHANNEL = struct.Struct("<H")
_INDEX = struct.Struct("<HI")


@dataclass
class FileSegment:
    """A part of the file with complete messages: a chunk, or messages outside of chunks.

    Attributes:
        start, end: offsets in the file [bytes].
        chunk: None for messages outside of chunks.
        counts: messages by channel.
        cut_off: whether the file ends within the chunk, so that its checksum cannot be verified.
    """

    start: int
    end: int
    chunk: Chunk | None = None
    counts: Counter[int] = field(default_factory=Counter)
    cut_off: bool = False

    @property
    def checked(self) -> bool:
        """Whether its own checksum was verified."""
        return self.chunk is not None and self.chunk.crc != 0 and not self.cut_off

    def content(self, file: BinaryIO) -> bytes | None:
        """Read its records; None if they are damaged."""
        if self.chunk is not None and not self.cut_off:
            return self.chunk.records(file)
        file.seek(self.start)
        return file.read(self.end - self.start)


class Scan:
    """Content of a file.

    Attributes:
        segments: the readable messages.
        schemas, channels: by number.
        chunks: number of chunks found.
        damaged: number of damaged chunks, which are ignored.
        indexed: number of damaged chunks with an index of their messages.
        lost: the messages of these chunks, by channel.
        skipped: number of bytes that are not records.
        closed: whether the file was closed by its writer.
        data_end: offset of the end of data [bytes]; None if the end record is missing.
        end: offset of the end of the last complete record [bytes].
    """

    def __init__(self, file: BinaryIO, size: int, name: str) -> None:
        """Scan a file of this size [bytes].

        Raises:
            RecordingError: something exceeds a limit.
        """
        self._file, self._size, self._name = file, size, name
        self.closed = _ends_as_mcap(file, size)
        self._packed = self._unpacked = 0
        self._known_until = len(MAGIC)  # start of a search for the next chunk
        self._damaged_last = False
        self.segments: list[FileSegment] = []
        self.schemas: dict[int, Schema] = {}
        self.channels: dict[int, Channel] = {}
        self.lost: Counter[int] = Counter()
        self.chunks = self.damaged = self.indexed = self.skipped = 0
        self.data_end: int | None = None
        self.end = self._run()

    @property
    def counts(self) -> Counter[int]:
        """Number of readable messages by channel."""
        return sum((segment.counts for segment in self.segments), Counter[int]())

    def _run(self) -> int:
        offset = len(MAGIC)
        while True:
            self._file.seek(offset)
            head = self._file.read(HEAD.size)
            if len(head) < HEAD.size:
                return min(offset, self._size)
            kind, length = HEAD.unpack(head)
            if kind in (Opcode.DATA_END, Opcode.FOOTER):
                self.data_end = offset
                return offset
            past = offset + HEAD.size + length
            if past <= self._size and self._take(kind, offset, length):
                offset = past
                continue
            if kind == Opcode.CHUNK and self._take_cut_off(offset):
                return self.segments[-1].end
            if kind == Opcode.CHUNK:
                self._known_until = max(self._known_until, offset + 1)
            offset_of_chunk = find_chunk(self._file, self._known_until, self._size)
            if offset_of_chunk is None:
                return offset
            self.skipped += max(offset_of_chunk - offset, 1)
            # a damaged length may have skipped the chunk that is found now
            self.segments = [
                segment for segment in self.segments if segment.start < offset_of_chunk
            ]
            offset = offset_of_chunk

    def _take(self, kind: int, offset: int, length: int) -> bool:
        """Process a record; return False if it is invalid and the next one must be searched."""
        if kind == Opcode.CHUNK:
            return self._take_chunk(offset)
        if kind == Opcode.MESSAGE:
            if length < MESSAGE.size:
                return False
            (channel,) = _CHANNEL.unpack(self._file.read(_CHANNEL.size))
            self._add_message(channel, offset, length)
            return True
        if kind in (Opcode.SCHEMA, Opcode.CHANNEL, Opcode.HEADER):
            return length <= _LARGEST_RECORD and self._describe(kind, self._file.read(length))
        if kind == Opcode.MESSAGE_INDEX:
            return self._take_index(length)
        return kind in DATA or kind >= PRIVATE

    def _take_chunk(self, offset: int) -> bool:
        chunk = chunk_at(self._file, offset)
        if chunk is None or not chunk.consistent:
            return False
        self.chunks += 1
        self._known_until = offset + 1
        what = f"{self._name}: a chunk unpacks to {chunk.size} bytes"
        RECORDING_CHUNK_BYTES.check(chunk.size, what, RecordingTooLargeError)
        self._packed += chunk.length
        self._unpacked += chunk.size
        check_unpacked(self._packed, self._unpacked, self._name)
        content = chunk.records(self._file)
        counts = None if content is None else self._look_into(content)
        self._damaged_last = counts is None
        if counts is None:
            self.damaged += 1
        else:
            self.segments.append(FileSegment(offset, chunk.end, chunk, counts))
        self._known_until = chunk.end
        return True

    def _take_index(self, length: int) -> bool:
        """Count the messages of a damaged chunk by the index after it."""
        head = self._file.read(_INDEX.size)
        if len(head) < _INDEX.size or length != _INDEX.size + _INDEX.unpack(head)[1]:
            return False
        if self._damaged_last:
            channel, entries = _INDEX.unpack(head)
            self.lost[channel] += entries // 16  # a time and a place, 8 bytes each
            self.indexed += 1
            self._damaged_last = False
        return True

    def _look_into(self, content: bytes) -> Counter[int] | None:
        """Count the messages in a chunk by channel; None if it contains an invalid record."""
        counts: Counter[int] = Counter()
        try:
            for messages in messages_in(content, self._describing(content)):
                channels, numbers = np.unique(messages.channels(), return_counts=True)
                counts.update(dict(zip(channels.tolist(), numbers.tolist(), strict=True)))
        except DamagedRecordError:
            return None
        return counts

    def _describing(self, content: bytes) -> Iterator[Run]:
        """Yield the messages in a chunk, and store the descriptions of messages."""
        for run in runs(content):
            if run.kind == Opcode.MESSAGE:
                yield run
            elif run.kind in (Opcode.SCHEMA, Opcode.CHANNEL):
                parts = (content[begin:end] for begin, end in run.places())
                if not all(self._describe(run.kind, part) for part in parts):
                    raise DamagedRecordError

    def _take_cut_off(self, offset: int) -> bool:
        """Process complete messages of an uncompressed chunk at the end of the file."""
        chunk = chunk_at(self._file, offset)
        if self.closed or chunk is None or chunk.compression or chunk.end <= self._size:
            return False
        self._file.seek(chunk.start)
        content = self._file.read(RECORDING_CHUNK_BYTES.most)
        content = content[: end_of_records(content)]
        counts = self._look_into(content)
        if counts is None:
            return False
        self.chunks += 1
        past = chunk.start + len(content)
        self.segments.append(FileSegment(chunk.start, past, chunk, counts, cut_off=True))
        return True

    def _add_message(self, channel: int, offset: int, length: int) -> None:
        last = self.segments[-1] if self.segments else None
        follows = last is not None and last.chunk is None and last.end == offset
        if last is None or not follows or last.end - last.start > _LARGEST_RECORD:
            last = FileSegment(offset, offset)
            self.segments.append(last)
        last.counts[channel] += 1
        last.end = offset + HEAD.size + length

    def _describe(self, kind: int, content: bytes) -> bool:
        """Store a description of messages; return False if it is invalid."""
        try:
            if kind == Opcode.SCHEMA:
                schema = parse(Schema, content)
                self.schemas.setdefault(schema.id, schema)
            elif kind == Opcode.CHANNEL:
                channel = parse(Channel, content)
                self._add_channel(channel)
            elif kind == Opcode.HEADER:
                header = parse(Header, content)
                # a damaged length would skip the first chunk
                return len(content) == 8 + len(header.profile.encode()) + len(
                    header.library.encode()
                )
        except DamagedRecordError:
            return False
        return True

    def _add_channel(self, channel: Channel) -> None:
        if channel.id not in self.channels:
            self.channels[channel.id] = channel
            what = f"{self._name}: contains {len(self.channels)} topics"
            RECORDING_TOPICS.check(len(self.channels), what, RecordingTooLargeError)


def _ends_as_mcap(file: BinaryIO, size: int) -> bool:
    if size < 2 * len(MAGIC):
        return False
    file.seek(size - len(MAGIC))
    return file.read() == MAGIC
