"""A table of named columns, whatever file or message they are read from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.text import shown_names

if TYPE_CHECKING:
    from dynid.recording.columns import TimeColumn

_ROWS_OF_BEGINNING = 300_000
_DELIMITERS = {";": "';'", "\t": "a tab", ",": "','", " ": "white space", "|": "'|'"}


class Reading(NamedTuple):
    """Columns of a table as numbers (rows, columns); NaN for empty and invalid cells.

    ``bad`` has sentences on rows (from 0) with an invalid cell.
    """

    values: NDArray[np.float64]
    bad: dict[int, str]


class Cells(Protocol):
    """Cells of a table, read on demand."""

    def read(self, groups: list[list[int]]) -> list[Reading]:
        """Return groups of columns, counted from 0, as numbers."""

    def parts(self, groups: list[list[int]]) -> Iterator[list[Reading]]:
        """Yield the same of some rows after the other, so that not all are in memory."""

    def constant(self, columns: Sequence[int]) -> bool:
        """Return whether the text in each of these columns is the same in all rows."""


@dataclass(frozen=True, eq=False)
class ArrayCells:
    """Cells of a table that is in memory: values (rows, columns)."""

    values: NDArray[np.float64]

    def read(self, groups: list[list[int]]) -> list[Reading]:
        """Return groups of columns, counted from 0, as numbers."""
        return [Reading(self.values[:, group], {}) for group in groups]

    def parts(self, groups: list[list[int]]) -> Iterator[list[Reading]]:
        """Yield the same once, as all rows are in memory."""
        yield self.read(groups)

    def constant(self, columns: Sequence[int]) -> bool:
        """Return whether each of these columns has the same number in all rows."""
        return bool((self.values[:, columns] == self.values[:1, columns]).all())


@dataclass(frozen=True)
class Table:
    """A table of named columns, whose numbers are read on demand.

    Attributes:
        name: file name.
        header: names of the columns; empty without a header.
        cells: its cells.
        rows: number of rows of data.
        width: number of columns.
        damaged: sentences on rows (from 0) with another width, or that are not text.
        repairs: sentences on repairs.
        units: unit of each column, where these have a row of their own; otherwise empty.
        kind: as in :class:`dynid.recording.Source`.
        first_row: cells of the first row of a text; empty for other kinds.
    """

    name: str
    header: tuple[str, ...]
    cells: Cells = field(repr=False)
    rows: int
    width: int
    damaged: Mapping[int, str] = field(default_factory=dict)
    repairs: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    kind: str = "csv"
    first_row: tuple[str, ...] = ()

    def numbers(self, columns: Sequence[int | str]) -> NDArray[np.float64]:
        """Return columns (names, or numbers from 1) as numbers (rows, k); empty cells are NaN.

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

        Raises:
            RecordingError: a column does not exist.
        """
        return self.cells.read(self._places(groups))

    def parts(self, groups: Sequence[Sequence[int | str]]) -> Iterator[list[Reading]]:
        """Yield groups of columns as numbers, of some rows after the other.

        Raises:
            RecordingError: a column does not exist.
        """
        return self.cells.parts(self._places(groups))

    def beginning(self, groups: Sequence[Sequence[int | str]]) -> list[NDArray[np.float64]]:
        """Return groups of columns as numbers (rows, columns), of a long table the first rows.

        Raises:
            RecordingError: a column does not exist.
        """
        parts: list[list[NDArray[np.float64]]] = []
        for readings in self.parts(groups):
            parts.append([reading.values for reading in readings])
            if sum(len(values) for values, *_ in parts) >= _ROWS_OF_BEGINNING:
                break
        return [np.concatenate(group) for group in zip(*parts, strict=True)]

    def _places(self, groups: Sequence[Sequence[int | str]]) -> list[list[int]]:
        return [[self._place(column) for column in columns] for columns in groups]

    def has(self, column: int | str) -> bool:
        """Return whether a column of that name exists; a number says nothing of its meaning."""
        return isinstance(column, str) and self.header.count(column) == 1

    def _place(self, column: int | str) -> int:
        if isinstance(column, int):
            if column <= self.width:
                return column - 1
            raise RecordingError(
                f"{self.name}: column {column} does not exist; the file has {self.width} columns."
                f"{self._of_one_column()}"
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
            f"{self._of_one_column()}"
        )

    def _of_one_column(self) -> str:
        """Return a sentence on the delimiter of a table that was read as one column."""
        line = next(iter(self.header or self.first_row), "") if self.width == 1 else ""
        marks = {mark: name for mark, name in _DELIMITERS.items() if mark in line.strip()}
        if not marks:
            return ""
        name = marks[max(marks, key=line.count)]
        return (
            f" Each line was read as one column, so the delimiter is probably {name}: set or "
            "remove recording.columns.delimiter (null: detected)."
        )


def seconds_of(table: Table, time: TimeColumn) -> NDArray[np.float64]:
    """Return times (N,) [s], NaN if unreadable."""
    (reading,) = table.readable([time.columns()])
    return time.seconds(reading.values)
