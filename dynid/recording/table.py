"""A text table of numbers with automatic detection of delimiter and header."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.errors import RecordingError
from dynid.limits import RECORDING_COLUMNS
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.names import shown, shown_names
from dynid.recording.quick_numbers import has_width, quick_numbers
from dynid.recording.text_lines import open_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dynid.recording.text_lines import LineBlock, TextFile

_DELIMITERS = (";", "\t", ",")  # in order of priority: a comma may also be a decimal point
_EXAMINED = 100  # lines, to detect delimiter and width even if some are damaged


class Reading(NamedTuple):
    """Columns of a table as numbers.

    Attributes:
        values: (rows, columns); NaN for empty and invalid cells.
        bad: sentences on rows (from 0) with an invalid cell.
    """

    values: NDArray[np.float64]
    bad: dict[int, str]


@dataclass(frozen=True)
class Table:
    """A table in a text file, whose numbers are read on demand.

    Attributes:
        name: file name.
        header: names of the columns; empty without a header.
        text: the file.
        first: number of the first line of data in the file, counted from 0.
        rows: number of rows of data.
        width: number of columns.
        delimiter: one character, or None for any white space.
        damaged: sentences on rows (from 0) with another width, or that are not text.
        repairs: sentences on repairs.
    """

    name: str
    header: tuple[str, ...]
    text: TextFile
    first: int
    rows: int
    width: int
    delimiter: str | None
    damaged: Mapping[int, str]
    repairs: tuple[str, ...]

    def numbers(self, columns: Sequence[int | str]) -> NDArray[np.float64]:
        """Return columns as numbers (rows, len(columns)); empty cells are NaN.

        Args:
            columns: names, or numbers counted from 1.

        Raises:
            RecordingError: a column does not exist, a cell is not a number, or a row is damaged.
        """
        (values, bad), *_ = self.readable([columns])
        sentences = {**bad, **self.damaged}
        if sentences:
            raise RecordingError(sentences[min(sentences)])
        return values

    def readable(self, groups: Sequence[Sequence[int | str]]) -> list[Reading]:
        """Return groups of columns as numbers, all of them from one pass over the file.

        Args:
            groups: of columns, which are names, or numbers counted from 1.

        Raises:
            RecordingError: a column does not exist.
        """
        places = [[self._place(column) for column in columns] for columns in groups]
        readings = [Reading(np.full((self.rows, len(group)), np.nan), {}) for group in places]
        for block in self.text.blocks():
            self._read_block(block, places, readings)
        return readings

    def _read_block(
        self, block: LineBlock, places: list[list[int]], readings: list[Reading]
    ) -> None:
        begin = max(block.first, self.first)
        past = min(block.first + block.size, self.first + self.rows)
        if begin >= past:
            return
        rows = range(begin - self.first, past - self.first)
        wanted = list(dict.fromkeys(place for group in places for place in group))
        intact = not self.damaged or self.damaged.keys().isdisjoint(rows)
        values = None
        if intact and past - begin == block.size:
            values = quick_numbers(block, wanted, self.width, self.delimiter)
        if values is None:
            lines = block.lines()[begin - block.first : past - block.first]
            self._read_lines(rows, [self._plain(line) for line in lines], places, readings)
            return
        for group, reading in zip(places, readings, strict=True):
            indices = [wanted.index(place) for place in group]
            reading.values[rows.start : rows.stop] = values[:, indices]

    def _read_lines(
        self, rows: range, lines: list[str], places: list[list[int]], readings: list[Reading]
    ) -> None:
        """Read lines, cell by cell if one cell of them is invalid."""
        intact = [number for number, row in enumerate(rows) if row not in self.damaged]
        parts = [reading.values[rows.start : rows.stop] for reading in readings]
        try:
            values = self._loaded([lines[number] for number in intact], [*chain(*places)])
        except ValueError:
            values = None
        first = 0
        for group, part, reading in zip(places, parts, readings, strict=True):
            if values is not None:
                part[intact] = values[:, first : first + len(group)]
                first += len(group)
            for number, row in enumerate(rows):
                if row in self.damaged:
                    # the first cells of a row with a wrong width may still be valid
                    part[number] = self._row(row, lines[number], group, {})
                elif values is None:
                    part[number] = self._row(row, lines[number], group, reading.bad)

    def _loaded(self, lines: list[str], places: list[int]) -> NDArray[np.float64]:
        if not lines:
            return np.empty((0, len(places)))
        return np.loadtxt(lines, delimiter=self.delimiter, usecols=places, ndmin=2, comments=None)

    def _row(self, row: int, line: str, places: list[int], bad: dict[int, str]) -> list[float]:
        """Read a row cell by cell, which can name an invalid cell."""
        cells = split(line, self.delimiter)
        values = []
        for place in places:
            cell = bare(cells[place]) if place < len(cells) else ""
            value = number(cell)
            if value is None:
                bad.setdefault(
                    row,
                    f"{self.name}: line {self.first + row + 1}, column {place + 1} contains "
                    f"'{shown(cell[:40])}', expected a number.",
                )
            values.append(float("nan") if value is None else value)
        return values

    def _plain(self, line: str) -> str:
        return line if self.delimiter == "," or "," not in line else line.replace(",", ".")

    def has(self, column: int | str) -> bool:
        """Return whether a column of that name exists; a number says nothing of its meaning."""
        return isinstance(column, str) and self.header.count(column) == 1

    def _place(self, column: int | str) -> int:
        if isinstance(column, int):
            if column <= self.width:
                return column - 1
            raise RecordingError(
                f"{self.name}: column {column} does not exist; the file has {self.width} columns."
            )
        if not self.header:
            raise RecordingError(
                f"{self.name}: has no header, so column '{column}' cannot be found; "
                f"give its number (1 to {self.width})."
            )
        if self.header.count(column) == 1:
            return self.header.index(column)
        problem = "appears more than once" if column in self.header else "does not exist"
        raise RecordingError(
            f"{self.name}: column '{column}' {problem}; available are {shown_names(self.header)}."
        )


def read_table(path: Path, delimiter: str | None, header: bool | str) -> Table:
    """Read a table's text.

    Args:
        path: the file.
        delimiter: one character, ``"whitespace"``, or None to detect it.
        header: whether the first line names the columns; ``"auto"``: if most of its cells are not
            numbers.

    Raises:
        RecordingError: the file is not text, or contains no rows.
    """
    name = shown(path)
    text = open_text(path)
    first, comment, head = _head(text)
    if not head:
        raise RecordingError(f"{name}: is empty; expected rows of numbers.")
    used = _delimiter(head[:_EXAMINED]) if delimiter is None else delimiter
    mark = None if used == "whitespace" else used
    names: tuple[str, ...] = ()
    cells = split(head[0], mark)
    if header is True or (header == "auto" and _is_header(cells)):
        names = tuple(map(bare, cells))
        first += 1
        head = head[1:]
    elif comment and header == "auto" and len(split(comment, mark)) == len(cells):
        names = tuple(map(bare, split(comment, mark)))
    if not head:
        raise RecordingError(f"{name}: contains a header but no rows of numbers.")
    width = _usual_width(head[:_EXAMINED], mark)
    RECORDING_COLUMNS.check(width, f"{name}: has {width} columns", RecordingTooLargeError)
    if names and len(names) != width:
        raise RecordingError(
            f"{name}: the header names {len(names)} columns, but line {first + 1} has "
            f"{width}; both must have the same number."
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
    return Table(name, names, text, first, past - first, width, mark, damaged, repairs)


def _head(text: TextFile) -> tuple[int, str, list[str]]:
    """Return the number of lines before the table, the last comment, and the first lines of it."""
    first, comment = 0, ""
    head: list[str] = []
    for block in text.blocks():
        for number, line in enumerate(block.lines(), block.first):
            if len(head) > _EXAMINED or number >= text.count:
                return first, comment, head
            if head or (line.strip() and not line.startswith("#")):
                head.append(line)
            else:
                comment = line.lstrip("# ").rstrip() or comment
                first = number + 1
    return first, comment, head


def split(line: str, delimiter: str | None) -> list[str]:
    """Split a line into cells; ``None``: at any white space."""
    return line.split(delimiter)


def bare(cell: str) -> str:
    """Strip white space and quotes from a cell."""
    return cell.strip().strip('"').strip()


def number(cell: str) -> float | None:
    """Return the number in a cell; NaN if empty; None if it is not a number."""
    if not cell:
        return float("nan")
    try:
        # Python accepts "1_000" as a number
        return None if "_" in cell else float(cell)
    except ValueError:
        try:
            return float(cell.replace(",", ".", 1))
        except ValueError:
            return None


def _is_header(cells: list[str]) -> bool:
    """Whether most cells are not numbers; a row with one damaged cell is not a header."""
    words = sum(number(bare(cell)) is None for cell in cells)
    return 2 * words > len(cells)


def _without_half_line(
    text: TextFile, last: str, width: int, delimiter: str | None
) -> tuple[int, tuple[str, ...]]:
    """Return the number of lines without an incomplete last one, and a sentence on that."""
    if text.ends_whole:
        return text.count, ()
    cells = split(last, delimiter)
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
        if begin == block.first and has_width(block, width, delimiter):
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


def _usual_width(lines: list[str], delimiter: str | None) -> int:
    return Counter(len(split(line, delimiter)) for line in lines).most_common(1)[0][0]
