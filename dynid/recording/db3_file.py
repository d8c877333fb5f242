"""SQLite3 storage files, intact or damaged; the format has no checksums."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote_from_bytes

from dynid.errors import RecordingError
from dynid.limits import RECORDING_MESSAGE_BYTES, RECORDING_TOPICS
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.storage import Condition, MessageBlock, in_blocks, topics_of_counts

_MAGIC = b"SQLite format 3\0"
_PLAIN_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
# in the order of writing without an index, which may be damaged; the last byte of a message is
# read so that SQLite reads all its pages
_ROWS = (
    "SELECT id, topic_id, timestamp, typeof(data), length(data), substr(data, -1) "
    "FROM messages NOT INDEXED ORDER BY id"
)
_DEFINITIONS = (
    "SELECT encoded_message_definition FROM message_definitions "
    "WHERE topic_type = ? AND encoding = 'ros2msg' LIMIT 1"
)
_MESSAGES = (
    "SELECT timestamp, data FROM messages NOT INDEXED "
    "WHERE topic_id IN ({}) AND typeof(data) = 'blob' AND id <= ? ORDER BY id"
)
_MOST_FINDINGS = 3


class Db3File:
    """Messages of a SQLite3 database, as far as SQLite can read them."""

    def __init__(self, path: Path, folder: Path) -> None:
        """Open and check a file and its journals; one that was not closed is copied to a folder.

        Raises:
            RecordingError: it is not a bag.
        """
        self._path, self._most_bytes = path, RECORDING_MESSAGE_BYTES.most
        self.condition = Condition()
        self._left_open = left_open(path)
        self._file = _copied(path, folder) if self._left_open else path
        self._ids: dict[int, tuple[str, str]] = {}
        self._last = -1  # the last readable row
        try:
            with path.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise RecordingError(_no_bag(path, "it is not a SQLite file"))
            with closing(self._connect()) as database:
                self._require_plain_tables(database)
                self._check(database)
                counts = self._count(database)
        except sqlite3.Error as error:
            raise RecordingError(_no_bag(path, str(error))) from None
        if self._left_open and not self.condition.damage:
            self.condition.notes.append(
                f"{path.name} was not closed by its recorder: {counts.total()} messages were read, "
                "including those in its journal."
            )
        messages: Counter[tuple[str, str]] = Counter()
        for number, key in self._ids.items():
            messages[key] += counts[number]
        self.topics = topics_of_counts(messages)

    def blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        """Yield the raw messages of a topic, in the order of the file."""
        yield from in_blocks(self._messages(topic, kind))

    def definition(self, kind: str) -> bytes:
        """Return the definition of a message type in the format of .msg; empty if unknown."""
        try:
            with closing(self._connect()) as database:
                tables = dict(database.execute(_PLAIN_TABLES))
                if "VIRTUAL" in str(tables.get("message_definitions", "VIRTUAL")).upper():
                    return b""
                rows = database.execute(_DEFINITIONS, (kind,)).fetchall()
        except sqlite3.Error:
            return b""
        return str(rows[0][0]).encode() if rows else b""

    def _messages(self, topic: str, kind: str) -> Iterator[tuple[int, bytes]]:
        wanted = [number for number, key in self._ids.items() if key == (topic, kind)]
        marks = ", ".join("?" * len(wanted))
        try:
            with closing(self._connect()) as database:
                rows = database.execute(_MESSAGES.format(marks), (*wanted, self._last))
                for time, data in rows:
                    if isinstance(time, int):
                        yield time, data
        except sqlite3.Error as error:
            raise RecordingError(
                f"{self._path.name}: changed while it was read ({error})."
            ) from None

    def _connect(self) -> sqlite3.Connection:
        # bytes of the name that are not UTF-8 must not be changed
        name = quote_from_bytes(bytes(self._file.absolute()))
        options = "" if self._left_open else "?mode=ro&immutable=1"
        database = sqlite3.connect(f"file:{name}{options}", uri=True)
        # otherwise SQLite refuses a file that is shorter than stated in its header
        database.execute("PRAGMA writable_schema = ON")
        database.execute("PRAGMA trusted_schema = OFF")
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        return database

    def _require_plain_tables(self, database: sqlite3.Connection) -> None:
        """Refuse tables with computed content, which could run forever."""
        tables = dict(database.execute(_PLAIN_TABLES))
        for name in ("topics", "messages"):
            if name not in tables:
                raise RecordingError(_no_bag(self._path, f"it has no table of {name}"))
            columns = database.execute(f"PRAGMA table_xinfo({name})").fetchall()
            hidden = any(column[6] for column in columns)
            if hidden or "VIRTUAL" in str(tables[name]).upper():
                raise RecordingError(_no_bag(self._path, f"its table of {name} is computed"))

    def _check(self, database: sqlite3.Connection) -> None:
        findings: list[str] = []
        try:
            query = f"PRAGMA integrity_check({_MOST_FINDINGS})"
            findings = [str(row[0]) for row in database.execute(query)]
        except sqlite3.Error as error:
            findings = [str(error)]
        if findings != ["ok"]:
            errors = "; ".join(" ".join(finding.split()) for finding in findings)
            self.condition.damage.append(f"SQLite reports: {errors}")

    def _count(self, database: sqlite3.Connection) -> Counter[int]:
        """Count the readable messages by topic."""
        for number, name, kind, encoding in database.execute(
            "SELECT id, name, type, serialization_format FROM topics"
        ):
            known = kind if encoding == "cdr" else f"{kind}, {encoding}"
            self._ids[number] = (str(name), str(known))
        what = f"{self._path.name}: contains {len(self._ids)} topics"
        RECORDING_TOPICS.check(len(self._ids), what, RecordingTooLargeError)
        counts: Counter[int] = Counter()
        first, strange = 0, 0
        try:
            for number, topic, time, type_of, size, _ in database.execute(_ROWS):
                plain = isinstance(number, int) and isinstance(time, int) and type_of == "blob"
                if plain and topic in self._ids:
                    first = first or number
                    kind = self._ids[topic][1]
                    self._require_size(kind, size)
                    counts[topic] += 1
                    self._last = number
                elif self._cut_off():
                    break  # the last page is incomplete
                else:
                    strange += 1
        except sqlite3.Error as error:
            self.condition.damage.append(str(error))
        # rosbag2 numbers rows consecutively
        missing = self._last - first + 1 - counts.total() - strange if first else 0
        if strange:
            self.condition.damage.append(f"{strange} rows are not messages")
        if missing > 0:
            self.condition.damage.append(f"{missing} rows are missing")
        return counts

    def _cut_off(self) -> bool:
        """Whether the file is shorter than stated in its header."""
        with self._file.open("rb") as file:
            head = file.read(32)
        page, count = struct.unpack_from(">H", head, 16)[0], struct.unpack_from(">I", head, 28)[0]
        return bool(self._file.stat().st_size < page * count)

    def _require_size(self, kind: str, size: int) -> None:
        if kind.endswith("JointState") and size > self._most_bytes:
            what = f"{self._path.name}: a message has {size} bytes"
            RECORDING_MESSAGE_BYTES.refuse(what, RecordingTooLargeError)


def left_open(file: Path) -> bool:
    """Whether there is a SQLite journal, which contains a part of the data."""
    return any(journal.stat().st_size > 0 for journal in _journals(file))


def _copied(file: Path, folder: Path) -> Path:
    """Copy a file with its journals, as SQLite changes the file when it is opened."""
    copy = folder / file.name
    shutil.copyfile(file, copy)
    # a write-ahead log must be in the folder of its database under the same name
    for journal in _journals(file):
        shutil.copyfile(journal, folder / journal.name)
    return copy


def _journals(file: Path) -> list[Path]:
    beside = (file.with_name(file.name + ending) for ending in ("-wal", "-journal"))
    return [journal for journal in beside if file.suffix.lower() == ".db3" and journal.is_file()]


def _no_bag(path: Path, reason: str) -> str:
    return f"{path.name}: cannot be read as a rosbag2 recording ({' '.join(reason.split())})."
