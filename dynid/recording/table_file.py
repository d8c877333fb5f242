"""Files that are tables: text, and arrays of NumPy, MATLAB, Parquet, HDF5 and JSON."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from dynid.errors import ConfigurationError, RecordingError
from dynid.input_file import check_regular, read_text
from dynid.limits import RECORDING_COLUMNS, RECORDING_MEMORY
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.mat_file import size_in_memory
from dynid.recording.npz_file import read_arrays
from dynid.recording.parquet_statistics import read_row_groups
from dynid.recording.table import ArrayCells, Table
from dynid.recording.text_table import read_text_table
from dynid.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

_CSV = "export it as CSV with the names of the columns in its first line"
_UNREADABLE: Mapping[str, str] = MappingProxyType(
    {
        ".pkl": "a pickle, which can execute code and is not read; write a table with "
        "to_csv('log.csv'), arrays with numpy.savez",
        ".xlsx": f"a workbook of Excel; {_CSV}",
        ".xls": f"a workbook of Excel; {_CSV}",
        ".ods": f"a workbook of LibreOffice; {_CSV}",
        ".tdms": f"a TDMS file of LabVIEW; {_CSV}",
        ".slx": "a model of Simulink; save its signals with save('log.mat', '-v7')",
        ".feather": "an Arrow file; write it as .parquet or CSV",
        ".ulg": "a log of PX4; convert it with ulog2csv",
    }
)
_UNREADABLE_ENDINGS = {".pickle": ".pkl", ".p": ".pkl", ".joblib": ".pkl", ".xlsm": ".xlsx"}


def is_text(path: Path) -> bool:
    """Return whether a table is read as text, by the ending of its file."""
    return path.suffix.lower() not in _READERS


def read_table(path: Path, delimiter: str | None, header: bool | str) -> Table:
    """Read a table of any format; text, unless the file's ending is that of another format.

    Delimiter and header are those of :func:`~dynid.recording.text_table.read_text_table`.

    Raises:
        RecordingError: the file cannot be read, or is of a format that is not read.
    """
    check_regular(path, RecordingError)
    ending = path.suffix.lower()
    problem = _UNREADABLE.get(_UNREADABLE_ENDINGS.get(ending, ending))
    if problem:
        raise RecordingError(f"{shown(path)}: is {problem}.")
    reader = _READERS.get(ending)
    if reader is None:
        return read_text_table(path, delimiter, header)
    try:
        arrays = reader(path)
    except (RecordingError, ConfigurationError) as error:
        raise RecordingError(str(error)) from None
    # the libraries of these formats raise many types for a damaged file
    except Exception as error:  # noqa: BLE001
        reason = shown(" ".join(str(error).split())[:80])
        raise RecordingError(f"{shown(path)}: cannot be read as {ending} ({reason}).") from None
    return table_of_arrays(shown(path), arrays, ending.removeprefix("."))


def table_of_arrays(name: str, arrays: Arrays, kind: str) -> Table:
    """Return arrays with the same number of rows as one table.

    A column of an array ``q`` (N, n) is named ``q_1`` to ``q_n``, or ``q.elbow`` where an array
    such as ``joint_names`` has n texts; a plain array that is the only one has no names. Arrays of
    others than numbers, and those with other numbers of rows, are left out.

    Raises:
        RecordingError: there are no rows of numbers, or too many columns.
    """
    labels = _labels(arrays)
    plain = {key: np.squeeze(array) for key, array in arrays.items() if array.dtype.kind in "fiub"}
    plain = {key: array for key, array in plain.items() if array.ndim in (1, 2) and array.size > 1}
    rows = max((max(array.shape) for array in plain.values()), default=0)
    columns: dict[str, NDArray[np.float64]] = {}
    for key, array in plain.items():
        # MATLAB has one column for each time as often as one row
        upright = array.T if array.ndim == 2 and array.shape[0] != rows else array
        if upright.shape[0] != rows:
            continue
        values = np.asarray(upright, dtype=np.float64).reshape(rows, -1)
        width = values.shape[1]
        elements = [f"_{place + 1}" for place in range(width)]
        if len(labels) == width:
            elements = [f".{label}" for label in labels]
        names = [f"{key}{element}" for element in elements]
        columns.update(zip(names if array.ndim == 2 else [key], values.T, strict=True))
        RECORDING_COLUMNS.check(len(columns), f"{name}: has many columns", RecordingTooLargeError)
    if rows < 2 or not columns:
        raise RecordingError(f"{name}: contains no arrays of numbers with a row for each time.")
    header = () if list(plain) == [""] else tuple(columns)
    cells = ArrayCells(np.column_stack(list(columns.values())))
    return Table(name, header, cells, rows, len(columns), kind=kind)


def _labels(arrays: Arrays) -> list[str]:
    """Return the texts of an array of names; none without one."""
    texts = (
        [str(text).strip() for text in np.ravel(array)]
        for key, array in arrays.items()
        if "name" in key.lower() and array.dtype.kind in "UO" and array.size > 1
    )
    return next(texts, [])


def _npy(path: Path) -> Arrays:
    array = np.load(path, allow_pickle=False)
    if array.dtype.names:
        return {name: array[name] for name in array.dtype.names}
    return {"": array}


def _mat(path: Path) -> Arrays:
    with path.open("rb") as file:
        newer = b"MATLAB 7.3" in file.read(128)
    if newer:
        return _hdf5(path)
    try:
        size = size_in_memory(path, RECORDING_MEMORY.most)
    except RecordingError as error:
        raise RecordingError(f"{shown(path)}: {error}.") from None
    _check_size(path, [size / 8])
    _check_size(path, (np.prod(shape) for _, shape, _ in scipy.io.whosmat(path)))
    content = _leaves("", scipy.io.loadmat(path, simplify_cells=True))
    arrays = {name: value for name, value in content if isinstance(value, np.ndarray)}
    return {name: array for name, array in arrays.items() if not name.startswith("__")}


def _hdf5(path: Path) -> Arrays:
    try:
        import h5py  # noqa: PLC0415  optional
    except ImportError:
        raise RecordingError(
            f"{shown(path)}: is an HDF5 file, as of MATLAB's -v7.3, which needs h5py: pip install "
            "h5py, or save it with '-v7'."
        ) from None
    arrays: dict[str, Any] = {}
    with h5py.File(path, "r") as file:
        sets: list[Any] = []
        file.visititems(lambda _, item: sets.append(item) if hasattr(item, "dtype") else None)
        numbers = [item for item in sets if item.dtype.kind in "fiub" and item.ndim in (1, 2)]
        _check_size(path, (item.size for item in numbers))
        for item in numbers:
            arrays[item.name.removeprefix("/")] = item[()]
    return arrays


def _parquet(path: Path) -> Arrays:
    try:
        import pyarrow as pa  # noqa: PLC0415  optional
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise RecordingError(
            f"{shown(path)}: is a Parquet file, which needs pyarrow: pip install 'dynid[lerobot]'."
        ) from None
    with parquet.ParquetFile(path, page_checksum_verification=True) as file:
        width = file.metadata.num_rows * file.metadata.num_columns
        _check_size(path, [width])
        groups = read_row_groups(file, shown(path))
        table = pa.concat_tables(groups) if groups else file.read(use_threads=False)
    return {
        name: _seconds(column) if hasattr(column.type, "unit") else _numbers(column.to_pylist())
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _numbers(values: object) -> NDArray[Any]:
    """Return lists as an array; an empty one for lists of different lengths."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    texts = isinstance(values, list) and all(isinstance(text, str) for text in values)
    return np.array(values if texts else [])


def _seconds(column: Any) -> NDArray[np.float64]:
    """Return dates as seconds since 1970."""
    dates = column.combine_chunks().to_numpy(zero_copy_only=False)
    return np.asarray(dates.astype("datetime64[ns]").astype(np.int64) * 1e-9, dtype=np.float64)


def _json(path: Path) -> Arrays:
    return _arrays_of(path, json.loads(read_text(path)))


def _json_lines(path: Path) -> Arrays:
    lines = (line for line in read_text(path).splitlines() if line.strip())
    return _arrays_of(path, [json.loads(line) for line in lines])


def _arrays_of(path: Path, content: Any) -> Arrays:
    """Return the lists in an object, or the values of a list of objects, as arrays."""
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        rows = [dict(_leaves("", row)) for row in content]
        content = {key: [row.get(key) for row in rows] for key in rows[0]}
    if not isinstance(content, dict):
        raise RecordingError(
            f"{shown(path)}: is JSON without named numbers; expected an object with a list for "
            "each signal, or a list of objects with the same keys."
        )
    return {key: _numbers(values) for key, values in _leaves("", content)}


def _leaves(before: str, content: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Yield what nested objects contain, named such as ``log.q``."""
    for key, value in content.items():
        if isinstance(value, dict):
            yield from _leaves(f"{before}{key}.", value)
        else:
            yield f"{before}{key}", value


def _check_size(path: Path, sizes: Iterable[Any]) -> None:
    needed = 8 * int(sum(sizes))
    what = f"{shown(path)}: contains numbers of {needed} bytes"
    RECORDING_MEMORY.check(needed, what, RecordingTooLargeError)


_READERS: Mapping[str, Callable[[Path], Arrays]] = MappingProxyType(
    {".npz": read_arrays, ".npy": _npy, ".mat": _mat, ".parquet": _parquet, ".json": _json}
    | dict.fromkeys((".h5", ".hdf5", ".hdf"), _hdf5)
    | dict.fromkeys((".jsonl", ".ndjson"), _json_lines)
)

TABLE_SUFFIXES = (*_READERS, ".csv", ".tsv", ".txt", ".dat", ".lvm")
"""Endings of the tables that are read; the last ones are those that texts usually have."""
