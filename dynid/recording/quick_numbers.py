"""Blocks of a table without anything unusual, read by Arrow where it is installed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dynid.recording.text_lines import LineBlock

_SMALLEST_BLOCK = 2**18  # [bytes] of a block: below, importing Arrow takes longer than reading
_NEWLINE = ord("\n")


def has_width(block: LineBlock, width: int, delimiter: str | None) -> bool:
    """Return whether every line of a block has that many cells; False if that is not sure."""
    if delimiter is None or delimiter.isspace() or not delimiter.isascii() or width < 2:
        return False
    content = np.frombuffer(block.raw, dtype=np.uint8)
    marks = content[(content == ord(delimiter)) | (content == _NEWLINE)]
    ends = np.flatnonzero(marks == _NEWLINE)
    regular = np.array_equal(ends, np.arange(1, len(ends) + 1) * width - 1)
    return bool(regular and block.raw.endswith(b"\n"))


def quick_numbers(
    block: LineBlock, places: list[int], width: int, delimiter: str | None
) -> NDArray[np.float64] | None:
    """Return columns of a block (lines, len(places)); None if it must be read with all checks.

    Args:
        block: all its lines have the same width.
        places: of the columns, counted from 0.
        width: number of columns.
        delimiter: one character, or None for any white space.
    """
    usual = delimiter is not None and delimiter in ",;" and len(block.raw) >= _SMALLEST_BLOCK
    libraries = _arrow() if usual and block.plain else None
    if libraries is None or not has_width(block, width, delimiter):
        return None
    arrow, csv = libraries
    raw = block.raw if delimiter == "," else block.raw.replace(b",", b".")
    columns = _read(arrow, csv, raw, places, width, delimiter)
    if columns is None or any(len(column) != block.size for column in columns):
        return None
    return np.column_stack(columns)


@cache
def _arrow() -> Any:  # noqa: ANN401  without Arrow, its types are unknown
    try:
        return import_module("pyarrow"), import_module("pyarrow.csv")
    except ImportError:
        return None


def _read(
    arrow: Any,  # noqa: ANN401
    csv: Any,  # noqa: ANN401
    raw: bytes,
    places: list[int],
    width: int,
    delimiter: str | None,
) -> list[NDArray[np.float64]] | None:
    """Return columns; None if a cell is empty or is not a number as Arrow writes them."""
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
    return [np.concatenate([_array(chunk) for chunk in column.chunks]) for column in table.columns]


def _array(chunk: Any) -> NDArray[np.float64]:  # noqa: ANN401
    """Return the numbers of an Arrow array; its own method would import pandas."""
    return np.frombuffer(chunk.buffers()[1], np.float64, len(chunk), 8 * chunk.offset)
