"""Numbers of a Parquet file against the statistics that its footer has of them.

A page may have a checksum, which pyarrow verifies. Few writers add one, but most state the least
and the largest value of each column. Altered bits that change one of these
are noticed; others, of a file without checksums, cannot be.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.text import shown


def read_row_groups(opened: Any, where: str, columns: list[str] | None = None) -> list[Any]:
    """Return the row groups of an opened Parquet file as tables, compared with their statistics.

    Without threads: pyarrow's scanner of datasets waits without an end after some damages. In
    messages, the file is called ``where``.

    Raises:
        RecordingError: a column has other values than stated, so that the file is damaged.
    """
    groups = []
    for number in range(opened.num_row_groups):
        groups.append(opened.read_row_group(number, columns=columns, use_threads=False))
        _check_statistics(groups[-1], opened.metadata.row_group(number), where)
    return groups


def _check_statistics(group: Any, stated: Any, where: str) -> None:
    """Refuse a row group, or some of its columns, whose values its statistics contradict."""
    for number in range(stated.num_columns):
        chunk = stated.column(number)
        path, statistics = chunk.path_in_schema, chunk.statistics
        name = _owner(path, group.column_names)
        if name is None or statistics is None or not statistics.has_min_max:
            continue
        values = _leaf(group.column(name))
        if values is None or not len(values):
            continue
        least, largest = float(np.min(values)), float(np.max(values))
        stated_range = float(statistics.min), float(statistics.max)
        if (least, largest) != stated_range:
            raise RecordingError(
                f"{where}: the values of '{shown(name)}' are from {least:.6g} to {largest:.6g}, "
                f"but its footer states {stated_range[0]:.6g} to {stated_range[1]:.6g}; the file "
                "was damaged, copy it again."
            )


def _owner(path: str, names: list[str]) -> str | None:
    """Return the column of a table that a path in the schema is of; names may contain dots."""
    owners = [name for name in names if path == name or path.startswith(f"{name}.")]
    return max(owners, key=len, default=None)


def _leaf(column: Any) -> NDArray[np.float64] | None:
    """Return all numbers of a column but nulls and NaN, which statistics leave out; or None."""
    import pyarrow as pa  # noqa: PLC0415  optional

    array = column.combine_chunks()
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    found = []
    for chunk in chunks:
        leaf = chunk
        while (
            pa.types.is_list(leaf.type)
            or pa.types.is_large_list(leaf.type)
            or (pa.types.is_fixed_size_list(leaf.type))
        ):
            leaf = leaf.flatten()
        if not (pa.types.is_floating(leaf.type) or pa.types.is_integer(leaf.type)):
            return None
        values = np.asarray(leaf.drop_null().to_numpy(zero_copy_only=False), dtype=np.float64)
        found.append(values[~np.isnan(values)])
    return np.concatenate(found) if found else None
