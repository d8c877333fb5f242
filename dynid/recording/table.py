"""A text table of numbers: delimiter and header found out, every bad cell named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_DELIMITERS = (";", "\t", ",")  # in the order of trust: a comma may also be a decimal point


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
        repairs: sentences on what was mended.
    """

    name: str
    header: tuple[str, ...]
    lines: tuple[str, ...]
    numbers_from: int
    width: int
    delimiter: str | None
    repairs: tuple[str, ...]

    @property
    def rows(self) -> int:
        """The number of rows of data."""
        return len(self.lines)

    def numbers(self, columns: Sequence[int | str]) -> NDArray[np.float64]:
        """The given columns as (rows, len(columns)) numbers; empty cells are NaN.

        Args:
            columns: names, or numbers counted from 1.

        Raises:
            RecordingError: a column does not exist, or a cell is not a number.
        """
        places = [self._place(column) for column in columns]
        try:
            values = np.loadtxt(
                self.lines, delimiter=self.delimiter, usecols=places, ndmin=2, comments=None
            )
        except ValueError:
            return self._cell_by_cell(places)
        return np.asarray(values, dtype=np.float64)

    def _place(self, column: int | str) -> int:
        if isinstance(column, int):
            if column <= self.width:
                return column - 1
            raise RecordingError(
                f"{self.name}: there is no column {column}; the file has {self.width} columns."
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
            f"{self.name}: column '{column}' {problem}; available are {', '.join(self.header)}."
        )

    def _cell_by_cell(self, places: list[int]) -> NDArray[np.float64]:
        """The slow way, which can name the cell that the fast one stumbled over."""
        values = np.empty((self.rows, len(places)))
        for row, line in enumerate(self.lines):
            cells = split(line, self.delimiter)
            number = self.numbers_from + row
            for column, place in enumerate(places):
                cell = cells[place].strip().strip('"')
                value = _number(cell)
                if value is None:
                    raise RecordingError(
                        f"{self.name}: line {number}, column {place + 1} holds '{cell[:40]}', "
                        "expected a number."
                    )
                values[row, column] = value
        return values


def read_table(path: Path, delimiter: str | None, header: bool | str) -> Table:
    """Read a table's text.

    Args:
        path: the file.
        delimiter: one character, ``"whitespace"``, or None to find out.
        header: whether the first line names the columns, or ``"auto"``: it does if it holds
            anything but numbers.

    Raises:
        RecordingError: the file is not text, or holds no rows.
    """
    text = _text(path)
    lines = text.split("\n")
    first, comment = 0, ""
    while first < len(lines) and (not lines[first].strip() or lines[first].startswith("#")):
        comment = lines[first].lstrip("# ").rstrip() or comment
        first += 1
    while lines and not lines[-1].strip():
        lines.pop()
    if first >= len(lines):
        raise RecordingError(f"{path.name}: is empty; expected rows of numbers.")
    used = _delimiter(lines[first]) if delimiter is None else delimiter
    mark = None if used == "whitespace" else used
    names: tuple[str, ...] = ()
    cells = split(lines[first], mark)
    if header is True or (header == "auto" and any(_number(_bare(cell)) is None for cell in cells)):
        names = tuple(map(_bare, cells))
        first += 1
    elif comment and header == "auto" and len(split(comment, mark)) == len(cells):
        names = tuple(map(_bare, split(comment, mark)))
    if first >= len(lines):
        raise RecordingError(f"{path.name}: holds a header but no rows of numbers.")
    width = len(split(lines[first], mark))
    if names and len(names) != width:
        raise RecordingError(
            f"{path.name}: the header names {len(names)} columns, but line {first + 1} has "
            f"{width}; both must have equally many."
        )
    repairs = _drop_half_line(lines, width, mark, whole=text.endswith("\n"))
    data = lines[first:]
    if not data:
        raise RecordingError(f"{path.name}: holds no whole row of numbers.")
    _refuse_ragged(path.name, data, width, mark, first + 1)
    if mark != "," and "," in data[0]:
        data = [line.replace(",", ".") for line in data]
    return Table(path.name, names, tuple(data), first + 1, width, mark, repairs)


def split(line: str, delimiter: str | None) -> list[str]:
    """The cells of a line; ``None`` splits at any white space."""
    return line.split(delimiter)


def _drop_half_line(
    lines: list[str], width: int, delimiter: str | None, *, whole: bool
) -> tuple[str, ...]:
    """Drop a last line that the writer did not finish."""
    if whole:
        return ()
    cells = split(lines[-1], delimiter)
    if len(cells) >= width and _number(_bare(cells[-1])) is not None and cells[-1].strip():
        return ()
    number = len(lines)
    del lines[-1]
    return (f"1 line was cut off at the end of the file (line {number}) and was dropped.",)


def _refuse_ragged(
    name: str, data: list[str], width: int, delimiter: str | None, first: int
) -> None:
    """Refuse a row with a cell too few or too many: its numbers would be in the wrong columns."""
    for row, line in enumerate(data):
        count = line.count(delimiter) + 1 if delimiter else len(line.split())
        if count != width or not line.strip():
            count = count if line.strip() else 0
            raise RecordingError(
                f"{name}: line {first + row} has {count} columns, expected {width}."
            )


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise RecordingError(f"{path.name}: is not a text file in UTF-8.") from None
    except OSError as error:
        raise RecordingError(f"{path.name}: cannot be read ({error.strerror}).") from None
    if "\0" in text:
        raise RecordingError(f"{path.name}: is not a text file (it holds NUL characters).")
    return text


def _delimiter(line: str) -> str:
    return next((mark for mark in _DELIMITERS if mark in line), "whitespace")


def _bare(cell: str) -> str:
    return cell.strip().strip('"').strip()


def _number(cell: str) -> float | None:
    """The number in a cell; NaN for an empty one; None if it holds anything else."""
    if not cell:
        return float("nan")
    try:
        # "1_000" is a number to Python but to no program that writes tables
        return None if "_" in cell else float(cell)
    except ValueError:
        try:
            return float(cell.replace(",", ".", 1))
        except ValueError:
            return None
