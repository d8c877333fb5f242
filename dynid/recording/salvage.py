"""What can be saved of storage files that were cut off or never closed."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAGIC = b"\x89MCAP0\r\n"
_CHUNK = 0x06
_DATA_END = 0x0F
_FOOTER = 0x02
# records of a file's data section: header, schema, channel, message, chunk, message index,
# attachment, metadata; https://mcap.dev/spec
_DATA = (0x01, 0x03, 0x04, 0x05, _CHUNK, 0x07, 0x09, 0x0C)

_TABLES = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name IN ('topics', 'messages')"
# in the order of writing, by the table itself: its index by time lies near the end of the file
_MESSAGES = "SELECT id, topic_id, timestamp, data FROM messages NOT INDEXED ORDER BY id"


def left_open(file: Path) -> bool:
    """Whether the recorder left a SQLite journal beside the file, which holds part of its data."""
    return any(journal.stat().st_size > 0 for journal in _journals(file))


def salvage(file: Path, folder: Path) -> tuple[Path, str | None]:
    """A readable copy, in ``folder``, of what a storage file still holds; and what was lost.

    An intact file is returned as it is, with None.

    Args:
        file: a ``.mcap`` or ``.db3`` file.
        folder: temporary folder for the copy.
    """
    return _salvage_mcap(file, folder) if file.suffix == ".mcap" else _salvage_db3(file, folder)


def _salvage_mcap(file: Path, folder: Path) -> tuple[Path, str | None]:
    """Close the file after its last whole record, where rosbags would refuse it."""
    size = file.stat().st_size
    with file.open("rb") as source:
        if size > 2 * len(_MAGIC):
            source.seek(-len(_MAGIC), 2)
            if source.read() == _MAGIC:
                return file, None
        source.seek(0)
        if source.read(len(_MAGIC)) != _MAGIC:
            return file, None  # not an MCAP file: for rosbags to refuse
        copy = folder / file.name
        end = len(_MAGIC)
        with copy.open("wb") as target:
            target.write(_MAGIC)
            for start, length in _whole_records(source, size):
                source.seek(start)
                target.write(source.read(length))
                end = start + length
            target.write(struct.pack("<BQI", _DATA_END, 4, 0))
            target.write(struct.pack("<BQQQI", _FOOTER, 20, 0, 0, 0))
            target.write(_MAGIC)
    if end == size:
        return copy, f"{file.name} was not closed by its recorder; every record in it is whole."
    return copy, (
        f"{file.name} was cut off: {size - end} bytes after its last whole record were dropped."
    )


def _whole_records(source: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    """(offset, length) of every complete record; those inside an incomplete, plain chunk too."""
    offset = len(_MAGIC)
    while offset + 9 <= size:
        source.seek(offset)
        kind, length = struct.unpack("<BQ", source.read(9))
        if kind not in _DATA:
            return
        if offset + 9 + length <= size:
            yield offset, 9 + length
            offset += 9 + length
            continue
        head = source.read(32)
        # start, end, uncompressed size, CRC; then the name of the compression: none if empty
        if kind != _CHUNK or len(head) < 32 or head[28:32] != bytes(4):
            return
        offset += 9 + 40


def _salvage_db3(file: Path, folder: Path) -> tuple[Path, str | None]:
    """Copy the rows that SQLite can still reach into a new database."""
    original = folder / f"original-{file.name}"
    shutil.copyfile(file, original)
    # a write-ahead log must lie beside its database under the same name to be replayed
    for journal in _journals(file):
        shutil.copyfile(journal, folder / f"original-{journal.name}")
    copy = folder / file.name
    damage: str | None = None
    count = 0
    with closing(sqlite3.connect(original)) as source, closing(sqlite3.connect(copy)) as target:
        # without it SQLite reads nothing from a file that is shorter than its header says
        source.execute("PRAGMA writable_schema = ON")
        for (schema,) in source.execute(_TABLES).fetchall():
            target.execute(schema)
        marks = ", ".join("?" * len(source.execute("SELECT * FROM topics").description))
        target.executemany(
            f"INSERT INTO topics VALUES ({marks})",  # noqa: S608
            source.execute("SELECT * FROM topics"),
        )
        try:
            for row in source.execute(_MESSAGES):
                target.execute("INSERT INTO messages VALUES (?, ?, ?, ?)", row)
                count += 1
        except sqlite3.DatabaseError as error:
            damage = str(error)
        target.commit()
    if damage:
        return copy, f"{file.name} is damaged ({damage}): {count} messages could be saved."
    return copy, (
        f"{file.name} was not closed by its recorder: {count} messages were read, "
        "those in its journal included."
    )


def _journals(file: Path) -> list[Path]:
    beside = (file.with_name(file.name + ending) for ending in ("-wal", "-journal"))
    return [journal for journal in beside if file.suffix == ".db3" and journal.is_file()]
