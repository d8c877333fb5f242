"""A text table of numbers with automatic detection of delimiter and header."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError
from dynid.limits import RECORDING_COLUMNS
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.names import shown, shown_names
from dynid.recording.text_lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_DELIMITERS = (";", "\t", ",")  # in order of priority: a comma may also be a decimal point
_EXAMINED = 100  # lines, to detect delimiter and width even if some are damaged
_BLOCK = 4096  # lines, which are read cell by cell if one cell is invalid


@dataclass(frozen=True)
class Table:
    """The text of a table.

    Attributes:
        name: file name.
        header: names of the columns; empty without a header.
        lines: the lines of data.
        numbers_from: number of the first line of data in the file, counted from 1.
        width: number of columns.
        delimiter: one character, or None for any white space.
        damaged: sentences on rows (from 0) with another width, or that are not text.
        repairs: sentences on repairs.
    """

    name: str
    header: tuple[str, ...]
    lines: tuple[str, ...]
    numbers_from: int
    width: int
    delimiter: str | None
    damaged: Mapping[int, str]
    repairs: tuple[str, ...]

    @property
    def rows(self) -> int:
        """Number of rows of data."""
        return len(self.lines)

    def numbers(self, columns: Sequence[int | str]) -> NDArray[np.float64]:
        """Return columns as numbers (rows, len(columns)); empty cells are NaN.

        Args:
            columns: names, or numbers counted from 1.

        Raises:
            RecordingError: a column does not exist, a cell is not a number, or a row is damaged.
        """
        values, bad = self.readable(columns)
        sentences = {**bad, **self.damaged}
        if sentences:
            raise RecordingError(sentences[min(sentences)])
        return values

    def readable(
        self, columns: Sequence[int | str]
    ) -> tuple[NDArray[np.float64], Mapping[int, str]]:
        """Return columns as numbers (rows, len(columns)), and sentences on invalid rows.

        Empty and invalid cells are NaN.

        Args:
            columns: names, or numbers counted from 1.

        Raises:
            RecordingError: a column does not exist.
        """
        places = [self._place(column) for column in columns]
        values = np.full((self.rows, len(places)), np.nan)
        bad: dict[int, str] = {}
        for first in range(0, self.rows, _BLOCK):
            rows = [
                row
                for row in range(first, min(first + _BLOCK, self.rows))
                if row not in self.damaged
            ]
            if rows:
                values[rows] = self._block(rows, places, bad)
        for row in self.damaged:
            # the first cells of a row with a wrong width may still be valid
            values[row] = self._row(row, places, {})
        return values, bad

    def _block(
        self, rows: list[int], places: list[int], bad: dict[int, str]
    ) -> NDArray[np.float64]:
        lines = [self._plain(row) for row in rows]
        try:
            found = np.loadtxt(
                lines, delimiter=self.delimiter, usecols=places, ndmin=2, comments=None
            )
        except ValueError:
            return np.array([self._row(row, places, bad) for row in rows])
        return np.asarray(found, dtype=np.float64)

    def _row(self, row: int, places: list[int], bad: dict[int, str]) -> list[float]:
        """Read a row cell by cell, which can name an invalid cell."""
        cells = split(self._plain(row), self.delimiter)
        values = []
        for place in places:
            cell = bare(cells[place]) if place < len(cells) else ""
            value = number(cell)
            if value is None:
                bad.setdefault(
                    row,
                    f"{self.name}: line {self.numbers_from + row}, column {place + 1} contains "
                    f"'{shown(cell[:40])}', expected a number.",
                )
            values.append(float("nan") if value is None else value)
        return values

    def _plain(self, row: int) -> str:
        line = self.lines[row]
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
    text = read_lines(path)
    lines = text.lines
    first, comment = 0, ""
    while first < len(lines) and (not lines[first].strip() or lines[first].startswith("#")):
        comment = lines[first].lstrip("# ").rstrip() or comment
        first += 1
    while lines and not lines[-1].strip():
        lines.pop()
    if first >= len(lines):
        raise RecordingError(f"{name}: is empty; expected rows of numbers.")
    sample = lines[first : first + _EXAMINED]
    used = _delimiter(sample) if delimiter is None else delimiter
    mark = None if used == "whitespace" else used
    names: tuple[str, ...] = ()
    cells = split(lines[first], mark)
    if header is True or (header == "auto" and _is_header(cells)):
        names = tuple(map(bare, cells))
        first += 1
    elif comment and header == "auto" and len(split(comment, mark)) == len(cells):
        names = tuple(map(bare, split(comment, mark)))
    if first >= len(lines):
        raise RecordingError(f"{name}: contains a header but no rows of numbers.")
    width = _usual_width(lines[first : first + _EXAMINED], mark)
    RECORDING_COLUMNS.check(width, f"{name}: has {width} columns", RecordingTooLargeError)
    if names and len(names) != width:
        raise RecordingError(
            f"{name}: the header names {len(names)} columns, but line {first + 1} has "
            f"{width}; both must have the same number."
        )
    repairs = _drop_half_line(lines, width, mark, whole=text.ends_whole)
    data = lines[first:]
    if not data:
        raise RecordingError(f"{name}: contains no complete row of numbers.")
    damaged = {
        row - first: f"{name}: line {row + 1} contains bytes that are not text."
        for row in text.no_text
        if first <= row < len(lines)
    }
    _find_ragged(name, data, width, mark, first + 1, damaged)
    return Table(name, names, tuple(data), first + 1, width, mark, damaged, repairs)


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


def _drop_half_line(
    lines: list[str], width: int, delimiter: str | None, *, whole: bool
) -> tuple[str, ...]:
    """Drop an incomplete last line."""
    if whole:
        return ()
    cells = split(lines[-1], delimiter)
    if len(cells) >= width and number(bare(cells[-1])) is not None and cells[-1].strip():
        return ()
    last = len(lines)
    del lines[-1]
    return (f"1 line was cut off at the end of the file (line {last}) and was dropped.",)


def _find_ragged(
    name: str,
    data: list[str],
    width: int,
    delimiter: str | None,
    first: int,
    damaged: dict[int, str],
) -> None:
    """Find rows with a wrong number of cells, whose numbers would be in the wrong columns."""
    for row, line in enumerate(data):
        count = line.count(delimiter) + 1 if delimiter else len(line.split())
        if count != width or not line.strip():
            count = count if line.strip() else 0
            damaged.setdefault(
                row, f"{name}: line {first + row} has {count} columns, expected {width}."
            )


def _delimiter(lines: list[str]) -> str:
    found = Counter(
        next((mark for mark in _DELIMITERS if mark in line), "whitespace") for line in lines
    )
    return found.most_common(1)[0][0]


def _usual_width(lines: list[str], delimiter: str | None) -> int:
    return Counter(len(split(line, delimiter)) for line in lines).most_common(1)[0][0]
