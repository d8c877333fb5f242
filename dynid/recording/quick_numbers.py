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


def quick_numbers(
    block: LineBlock, places: list[int], width: int, delimiter: str | None
) -> list[NDArray[np.float64]] | None:
    """Return columns (lines,) of a block; None if it must be read with all checks.

    Args:
        block: its lines.
        places: of the columns, counted from 0.
        width: number of columns.
        delimiter: one character, or None for any white space.
    """
    usual = delimiter is not None and delimiter in ",;\t" and len(block.raw) >= _SMALLEST_BLOCK
    libraries = _arrow() if usual and block.plain else None
    if libraries is None or not block.raw.endswith(b"\n"):
        return None
    arrow, csv = libraries
    raw = block.raw if delimiter == "," else block.raw.replace(b",", b".")
    columns = _read(arrow, csv, raw, places, width, delimiter)
    complete = columns is not None and all(len(column) == block.size for column in columns)
    return columns if complete else None


@cache
def _arrow() -> Any:
    try:
        return import_module("pyarrow"), import_module("pyarrow.csv")
    except ImportError:
        return None


def _read(
    arrow: Any,
    csv: Any,
    raw: bytes,
    places: list[int],
    width: int,
    delimiter: str | None,
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
    return [np.concatenate([_array(chunk) for chunk in column.chunks]) for column in table.columns]


def _array(chunk: Any) -> NDArray[np.float64]:
    """Return the numbers of an Arrow array; its own method would import pandas."""
    return np.frombuffer(chunk.buffers()[1], np.float64, len(chunk), 8 * chunk.offset)
