"""Text tables whose quoted cells contain the delimiter: lists, or numbers with a decimal comma."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.table import ArrayCells, Table
from dynid.recording.table_head import bare, number
from dynid.text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.recording.text_lines import TextFile


def is_quoted(lines: Sequence[str], delimiter: str | None) -> bool:
    """Return whether a quoted cell of these lines contains the delimiter."""
    return delimiter is not None and any(
        '"' in line and len(_cells(line, delimiter)) != line.count(delimiter) + 1 for line in lines
    )


def read_quoted_table(text: TextFile, first: int, delimiter: str) -> Table:
    """Read a table with names in its first line; elements of lists become columns ``q_1``, ``q_2``.

    Where a column has a list of names, they take the place of the numbers. There are ``first``
    lines above the names.

    Raises:
        RecordingError: a row has other cells, or other names, than the first one.
    """
    name = shown(text.path)
    lines = [line for block in text.blocks() for line in block.lines()][first : text.count]
    names = [bare(cell) for cell in _cells(lines[0], delimiter)]
    rows = [[_elements(cell) for cell in _cells(line, delimiter)] for line in lines[1:]]
    repairs: tuple[str, ...] = ()
    if not text.ends_whole and [*map(len, rows[-1])] != [*map(len, rows[0])]:
        rows, repairs = rows[:-1], (f"An incomplete last line (line {text.count}) was dropped.",)
    if not rows:
        raise RecordingError(f"{name}: contains a header but no rows of numbers.")
    labels = _labels(rows[0])
    for place, row in enumerate(rows):
        where = f"{name}: line {first + place + 2}"
        if len(row) != len(names) or [*map(len, row)] != [*map(len, rows[0])]:
            raise RecordingError(
                f"{where} has other cells than the first row of numbers; expected the same number "
                "of cells, and of elements in each list."
            )
        if labels and labels not in row:
            raise RecordingError(
                f"{where} names other elements than line {first + 2}, or in another order; export "
                "one column for each joint."
            )
    header = [
        column
        for label, cell in zip(names, rows[0], strict=True)
        for column in ([label] if len(cell) == 1 else _named(label, len(cell), labels))
    ]
    values = [[number(bare(text)) for cell in row for text in cell] for row in rows]
    cells = ArrayCells(np.array(values, dtype=np.float64))
    return Table(name, tuple(header), cells, len(rows), len(header), repairs=repairs)


def _labels(row: Sequence[list[str]]) -> list[str]:
    """Return the list of a row whose elements are no numbers: names; empty without such a list."""
    lists = (cell for cell in row if len(cell) > 1)
    return next((cell for cell in lists if all(number(bare(one)) is None for one in cell)), [])


def _named(label: str, length: int, labels: Sequence[str]) -> list[str]:
    if len(labels) == length:
        return [f"{label}.{element}" for element in labels]
    return [f"{label}_{place + 1}" for place in range(length)]


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])


def _elements(cell: str) -> list[str]:
    """Return the elements of a list; of any other cell, the cell."""
    plain = cell.strip()
    if plain.startswith("array("):
        plain = plain.removeprefix("array(").removesuffix(")")
    if not plain or plain[0] + plain[-1] not in ("[]", "()"):
        return [cell]
    inside = plain[1:-1]
    parts = inside.split(",") if "," in inside else inside.split()
    return [part.strip().strip("'\"") for part in parts]
