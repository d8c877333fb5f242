"""Tables in text files, with automatic detection of delimiter, header and units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.limits import RECORDING_COLUMNS
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.quoted_table import is_quoted, read_quoted_table
from dynid.recording.table import Reading, Table
from dynid.recording.table_head import bare, find_head, number
from dynid.recording.text_lines import LineBlock, TextFile, open_text
from dynid.text import shown

_SMALLEST_BLOCK = 2**18  # [bytes] of a block: below, importing Arrow takes longer than reading
_DELIMITERS = (";", "\t", ",")  # in order of priority: a comma may also be a decimal point
_EXAMINED = 200  # lines, to detect delimiter and width even if some are damaged


@dataclass(frozen=True)
class TextCells:
    """Cells of a table in a text file.

    Attributes:
        text: the file.
        first: number of the first line of data in the file, counted from 0.
        rows: number of rows of data.
        width: number of columns.
        delimiter: one character, or None for any white space.
        damaged: sentences on rows (from 0) with another width, or that are not text.
    """

    text: TextFile
    first: int
    rows: int
    width: int
    delimiter: str | None
    damaged: Mapping[int, str]

    def read(self, groups: list[list[int]]) -> list[Reading]:
        """Return groups of columns, counted from 0, as numbers, in one pass over the file."""
        readings = _unread(self.rows, groups)
        for block in self.text.blocks():
            self._read_block(block, groups, readings, 0)
        return readings

    def parts(self, groups: list[list[int]]) -> Iterator[list[Reading]]:
        """Yield groups of columns, counted from 0, of some rows after the other.

        The rows of flaws count from the first of a part.
        """
        for block in self.text.blocks():
            begin = max(block.first - self.first, 0)
            past = min(block.first - self.first + block.size, self.rows)
            if begin < past:
                readings = _unread(past - begin, groups)
                self._read_block(block, groups, readings, begin)
                yield [
                    Reading(values, {row - begin: bad[row] for row in bad})
                    for values, bad in readings
                ]

    def constant(self, columns: Sequence[int]) -> bool:
        """Return whether the text in each of these columns is the same in all rows."""
        texts: set[tuple[str, ...]] = set()
        for block in self.text.blocks():
            for line in block.lines()[max(0, self.first - block.first) :]:
                cells = line.split(self.delimiter)
                if len(cells) == self.width:
                    texts.add(tuple(bare(cells[column]) for column in columns))
        return len(texts) == 1

    def _read_block(
        self, block: LineBlock, places: list[list[int]], readings: list[Reading], offset: int
    ) -> None:
        """Read a block into readings, whose first row is the ``offset``-th."""
        begin = max(block.first, self.first)
        past = min(block.first + block.size, self.first + self.rows)
        if begin >= past:
            return
        rows = range(begin - self.first, past - self.first)
        wanted = list(dict.fromkeys(place for group in places for place in group))
        intact = not self.damaged or self.damaged.keys().isdisjoint(rows)
        columns = None
        if intact and past - begin == block.size:
            columns = quick_numbers(block, wanted, self.width, self.delimiter)
        if columns is None:
            lines = block.lines()[begin - block.first : past - block.first]
            plain = [self._plain(line) for line in lines]
            self._read_lines(rows, plain, places, readings, offset)
            return
        own = slice(rows.start - offset, rows.stop - offset)
        for group, reading in zip(places, readings, strict=True):
            for column, place in enumerate(group):
                reading.values[own, column] = columns[wanted.index(place)]

    def _read_lines(
        self,
        rows: range,
        lines: list[str],
        places: list[list[int]],
        readings: list[Reading],
        offset: int,
    ) -> None:
        """Read lines, cell by cell if one cell of them is invalid."""
        intact = [place for place, row in enumerate(rows) if row not in self.damaged]
        own = slice(rows.start - offset, rows.stop - offset)
        parts = [reading.values[own] for reading in readings]
        try:
            values = self._loaded([lines[place] for place in intact], [*chain(*places)])
        except ValueError:
            values = None
        first = 0
        for group, part, reading in zip(places, parts, readings, strict=True):
            if values is not None:
                part[intact] = values[:, first : first + len(group)]
                first += len(group)
            for place, row in enumerate(rows):
                if row in self.damaged:
                    # the first cells of a row with a wrong width may still be valid
                    part[place] = self._row(row, lines[place], group, {})
                elif values is None:
                    part[place] = self._row(row, lines[place], group, reading.bad)

    def _loaded(self, lines: list[str], places: list[int]) -> NDArray[np.float64]:
        if not lines:
            return np.empty((0, len(places)))
        return np.loadtxt(lines, delimiter=self.delimiter, usecols=places, ndmin=2, comments=None)

    def _row(self, row: int, line: str, places: list[int], bad: dict[int, str]) -> list[float]:
        """Read a row cell by cell, which can name an invalid cell."""
        cells = line.split(self.delimiter)
        values = []
        for place in places:
            cell = bare(cells[place]) if place < len(cells) else ""
            value = number(cell)
            if value is None:
                where = f"{shown(self.text.path)}: line {self.first + row + 1}, column {place + 1}"
                bad.setdefault(row, f"{where} contains '{shown(cell[:40])}', expected a number.")
            values.append(float("nan") if value is None else value)
        return values

    def _plain(self, line: str) -> str:
        return line if self.delimiter == "," or "," not in line else line.replace(",", ".")


def _unread(rows: int, groups: list[list[int]]) -> list[Reading]:
    return [Reading(np.full((rows, len(group)), np.nan), {}) for group in groups]


def read_text_table(path: Path, delimiter: str | None, header: bool | str) -> Table:
    """Read a table's text.

    Args:
        path: the file.
        delimiter: one character, ``"whitespace"``, or None to detect it.
        header: whether the first line names the columns; ``"auto"``: if most of its cells are not
            numbers. Lines of another width above the names are skipped, and a line of units below
            them is read.

    Raises:
        RecordingError: the file is not text, or contains no rows.
    """
    name = shown(path)
    text = open_text(path)
    first, comment, head = _head(text)
    if not head:
        raise RecordingError(f"{name}: is empty; expected rows of numbers.")
    used = _delimiter(head[len(head) // 2 : _EXAMINED]) if delimiter is None else delimiter
    mark = None if used == "whitespace" else used
    if header == "auto" and mark is not None and is_quoted(head, mark):
        return read_quoted_table(text, first, mark)
    lines = [line.split(mark) for line in head]
    names, units, above, preamble = find_head(lines, header)
    first, head = first + above, head[above:]
    if not names and comment and header == "auto" and len(comment.split(mark)) == len(lines[0]):
        names = tuple(map(bare, comment.split(mark)))
    if not head:
        raise RecordingError(f"{name}: contains a header but no rows of numbers.")
    width = Counter(len(line.split(mark)) for line in head[:_EXAMINED]).most_common(1)[0][0]
    RECORDING_COLUMNS.check(width, f"{name}: has {width} columns", RecordingTooLargeError)
    if names and len(names) != width:
        raise RecordingError(
            f"{name}: the header names {len(names)} columns, but line {first + 1} has "
            f"{width}; both must have the same number.{_decimal_commas(mark, len(names), width)}"
        )
    damaged = {
        row - first: f"{name}: line {row + 1} contains bytes that are not text."
        for row in text.no_text
        if first <= row < text.count
    }
    last = _find_ragged(text, first, width, mark, damaged)
    past, repairs = _without_half_line(text, last, width, mark)
    damaged.pop(past - first if repairs else -1, None)
    if past <= first:
        raise RecordingError(f"{name}: contains no complete row of numbers.")
    if preamble:
        repairs = (f"{preamble} lines above the names of the columns were skipped.", *repairs)
    cells = TextCells(text, first, past - first, width, mark, damaged)
    return Table(
        name,
        names,
        cells,
        past - first,
        width,
        damaged,
        repairs,
        units,
        first_row=tuple(map(bare, head[0].split(mark))),
    )


def _decimal_commas(mark: str | None, names: int, width: int) -> str:
    """Return a sentence on rows with twice as many cells as columns, separated by commas."""
    if mark != "," or width != 2 * names:
        return ""
    return (
        " The numbers probably have decimal commas, which separate columns too: export the file "
        "with decimal points, or with semicolons between columns."
    )


def _head(text: TextFile) -> tuple[int, str, list[str]]:
    """Return the number of lines before the table, the last comment, and the first lines of it."""
    first, comment = 0, ""
    head: list[str] = []
    for block in text.blocks():
        for place, line in enumerate(block.head_lines(), block.first):
            if len(head) > _EXAMINED or place >= text.count:
                return first, comment, head
            if head or (line.strip() and not line.startswith("#")):
                head.append(line)
            else:
                comment = line.lstrip("# ").rstrip() or comment
                first = place + 1
    return first, comment, head


def _without_half_line(
    text: TextFile, last: str, width: int, delimiter: str | None
) -> tuple[int, tuple[str, ...]]:
    """Return the number of lines without an incomplete last one, and a sentence on that."""
    if text.ends_whole:
        return text.count, ()
    cells = last.split(delimiter)
    if len(cells) >= width and number(bare(cells[-1])) is not None and cells[-1].strip():
        return text.count, ()
    count = text.count
    return count - 1, (
        f"1 line was cut off at the end of the file (line {count}) and was dropped.",
    )


def _find_ragged(
    text: TextFile, first: int, width: int, delimiter: str | None, damaged: dict[int, str]
) -> str:
    """Find rows with a wrong number of cells, whose numbers would be in the wrong columns.

    Returns:
        The last line.
    """
    name, last = shown(text.path), ""
    for block in text.blocks():
        begin, past = max(first, block.first), min(block.first + block.size, text.count)
        if begin >= past:
            continue
        if past == text.count:
            last = block.lines()[past - 1 - block.first]
        if begin == block.first and block.has_width(width, delimiter):
            continue
        lines = block.lines()[begin - block.first : past - block.first]
        for place, line in enumerate(lines, begin):
            count = line.count(delimiter) + 1 if delimiter else len(line.split())
            if count != width or not line.strip():
                count = count if line.strip() else 0
                sentence = f"{name}: line {place + 1} has {count} columns, expected {width}."
                damaged.setdefault(place - first, sentence)
    return last


def _delimiter(lines: list[str]) -> str:
    marks = Counter(
        next((mark for mark in _DELIMITERS if mark in line), "whitespace") for line in lines
    )
    return marks.most_common(1)[0][0]


def quick_numbers(
    block: LineBlock, places: list[int], width: int, delimiter: str | None
) -> list[NDArray[np.float64]] | None:
    """Return columns (lines,) of a block as Arrow reads it; None if it needs all checks.

    Places of the columns count from 0; a delimiter of None is any white space.
    """
    usual = delimiter is not None and delimiter in ",;\t" and len(block.raw) >= _SMALLEST_BLOCK
    libraries = _arrow() if usual and block.plain else None
    if libraries is None or not block.raw.endswith(b"\n"):
        return None
    arrow, csv = libraries
    raw = block.raw if delimiter == "," else block.raw.replace(b",", b".")
    columns = _read_with_arrow(arrow, csv, raw, places, width, delimiter)
    complete = columns is not None and all(len(column) == block.size for column in columns)
    return columns if complete else None


@cache
def _arrow() -> Any:
    try:
        return import_module("pyarrow"), import_module("pyarrow.csv")
    except ImportError:
        return None


def _read_with_arrow(
    arrow: Any, csv: Any, raw: bytes, places: list[int], width: int, delimiter: str | None
) -> list[NDArray[np.float64]] | None:
    """Return columns; None if a row has another width, or a cell is no number as Arrow has them."""
    names = [str(number) for number in range(width)]
    wanted = [names[place] for place in places]
    try:
        table = csv.read_csv(
            arrow.BufferReader(raw),
            read_options=csv.ReadOptions(
                use_threads=False, column_names=names, block_size=len(raw) + 1
            ),
            parse_options=csv.ParseOptions(
                delimiter=delimiter, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, arrow.float64()),
                include_columns=wanted,
                null_values=[],
            ),
        )
    except arrow.ArrowInvalid:
        return None
    return [
        np.concatenate([_numbers_of_arrow(chunk) for chunk in column.chunks])
        for column in table.columns
    ]


def _numbers_of_arrow(chunk: Any) -> NDArray[np.float64]:
    """Return the numbers of an Arrow array; its own method would import pandas."""
    return np.frombuffer(chunk.buffers()[1], np.float64, len(chunk), 8 * chunk.offset)
