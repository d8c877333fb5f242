"""Writer of many ROS 2 messages at once to one MCAP file.

``mcap.writer`` takes one message at a time, which costs more time than an identification.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, ChunkIndex, DataEnd, Footer, Header, Schema, Statistics
from mcap.writer import MCAP0_MAGIC
from numpy.typing import NDArray

from dynid.recording.message_definitions import types_for

_PREFIX = np.dtype(
    [
        ("kind", "u1"),
        ("length", "<u8"),
        ("channel", "<u2"),
        ("sequence", "<u4"),
        ("log_time", "<u8"),
        ("publish_time", "<u8"),
    ]
)
"""What MCAP writes before the content of a message (specification of MCAP, "Message")."""

_LENGTH_BEFORE = _PREFIX.itemsize - 9
"""[bytes] Of the prefix, counted in the length of the record."""


_FOOTER_LENGTH = 8 + 8 + 4
"""[bytes] Of the content of MCAP's footer."""


class McapBlocks:
    """An MCAP file in which every chunk is a block of messages of all topics, in order of time.

    Every chunk, all data together, and the index have a checksum (CRC-32).
    """

    def __init__(self, stream: BinaryIO, topics: Sequence[str], kind: str) -> None:
        """Start the file.

        Args:
            stream: opened for writing, and closed by the caller.
            topics: names of the topics.
            kind: their message type, such as ``sensor_msgs/msg/JointState``.

        Raises:
            OSError: the stream cannot be written.
        """
        definition, _ = types_for(kind).generate_msgdef(kind, ros_version=2)
        self._stream = stream
        self._crc = 0
        self._heads = [
            Schema(id=1, data=definition.encode(), encoding="ros2msg", name=kind),
            *(
                Channel(id=1 + index, topic=name, message_encoding="cdr", metadata={}, schema_id=1)
                for index, name in enumerate(topics)
            ),
        ]
        self._chunks: list[ChunkIndex] = []
        self._counts = dict.fromkeys(range(1, len(topics) + 1), 0)
        builder = RecordBuilder()
        Header(profile="ros2", library="dynid").write(builder)
        for head in self._heads:
            head.write(builder)
        self._write_data(MCAP0_MAGIC + builder.end())

    def write(self, stamps: NDArray[np.int64], contents: Sequence[NDArray[np.uint8]]) -> None:
        """Write one block.

        Args:
            stamps: times of the messages [ns], shape (N,), N >= 1, ascending.
            contents: serialized messages of each topic, shape (N, bytes of that topic's message).

        Raises:
            OSError: the stream cannot be written.
        """
        records = [_records(1 + index, stamps, content) for index, content in enumerate(contents)]
        ends = np.cumsum([record.shape[1] for record in records])
        chunk = _chunk(stamps, np.hstack(records).tobytes())
        start = self._stream.tell()
        builder = RecordBuilder()
        chunk.write(builder)
        length, offsets = builder.count, {}
        for channel, first in enumerate([0, *ends[:-1]], start=1):
            offsets[channel] = start + builder.count
            _write_index(builder, channel, stamps, first + ends[-1] * np.arange(len(stamps)))
            self._counts[channel] += len(stamps)
        self._chunks.append(
            ChunkIndex(
                chunk_start_offset=start,
                chunk_length=length,
                message_start_time=chunk.message_start_time,
                message_end_time=chunk.message_end_time,
                message_index_offsets=offsets,
                message_index_length=builder.count - length,
                compression=chunk.compression,
                compressed_size=len(chunk.data),
                uncompressed_size=chunk.uncompressed_size,
            )
        )
        self._write_data(builder.end())

    def finish(self) -> None:
        """Write what a reader needs to find the messages.

        Raises:
            OSError: the stream cannot be written.
        """
        builder = RecordBuilder()
        DataEnd(data_section_crc=self._crc).write(builder)
        self._stream.write(builder.end())
        start = self._stream.tell()
        for record in (*self._heads, self._statistics(), *self._chunks):
            record.write(builder)
        summary = builder.end()
        # of the index and of the footer before its checksum
        footer = struct.pack("<BQQQ", Opcode.FOOTER, _FOOTER_LENGTH, start, 0)
        crc = zlib.crc32(summary + footer)
        Footer(summary_start=start, summary_offset_start=0, summary_crc=crc).write(builder)
        self._stream.write(summary + builder.end() + MCAP0_MAGIC)

    def _write_data(self, data: bytes) -> None:
        self._crc = zlib.crc32(data, self._crc)
        self._stream.write(data)

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=0,
            metadata_count=0,
            schema_count=1,
            channel_count=len(self._counts),
            channel_message_counts=self._counts,
            chunk_count=len(self._chunks),
            message_count=sum(self._counts.values()),
            message_start_time=min((c.message_start_time for c in self._chunks), default=0),
            message_end_time=max((c.message_end_time for c in self._chunks), default=0),
        )


def _chunk(stamps: NDArray[np.int64], records: bytes) -> Chunk:
    return Chunk(
        compression="zstd",
        data=zstandard.compress(records),
        message_start_time=int(stamps[0]),
        message_end_time=int(stamps[-1]),
        uncompressed_crc=zlib.crc32(records),
        uncompressed_size=len(records),
    )


def _records(
    channel: int, stamps: NDArray[np.int64], content: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return MCAP's records of messages, shape (N, bytes of a record)."""
    prefix = np.zeros(len(stamps), _PREFIX)
    prefix["kind"] = Opcode.MESSAGE
    prefix["length"] = _LENGTH_BEFORE + content.shape[1]
    prefix["channel"] = channel
    prefix["log_time"] = prefix["publish_time"] = stamps
    return np.hstack([prefix.view(np.uint8).reshape(len(stamps), -1), content])


def _write_index(
    builder: RecordBuilder,
    channel: int,
    stamps: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> None:
    entries = np.column_stack([stamps, offsets]).astype("<u8").tobytes()
    builder.start_record(Opcode.MESSAGE_INDEX)
    builder.write2(channel)
    builder.write4(len(entries))
    builder.write(entries)
    builder.finish_record()
