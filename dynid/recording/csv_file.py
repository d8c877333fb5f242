"""Recordings in CSV files, read as a column map says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.model import Source, digest
from dynid.recording.samples import Samples, nanoseconds, require_joints
from dynid.recording.table import Table, read_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dynid.recording.columns import ColumnMap, SignalColumns


def read_csv(path: Path, columns: ColumnMap, joints: Sequence[str] | None) -> Samples:
    """Read one recording from a CSV file, or from several that lie side by side.

    Args:
        path: the file; where the map names files, any of them or their folder.
        columns: which column is what.
        joints: the joints to read, in this order; None for all of the map.

    Raises:
        RecordingError: a file, column or joint is absent, a cell is not a number, or the files
            differ in their number of rows.
    """
    wanted = columns.joints if joints is None else tuple(joints)
    require_joints(wanted, columns.joints, f"{path.name} (column map)")
    order = [columns.joints.index(joint) for joint in wanted]
    files = _Files(path, columns)
    signals = {
        name: _signal(files.of(signal.file), signal, order)
        for name, signal in columns.signals().items()
    }
    stamps = _stamps(files, columns)
    files.require_equal_lengths()
    return Samples(
        stamps=stamps,
        position=signals["position"],
        velocity=signals.get("velocity"),
        effort=signals["effort"],
        joint_names=wanted,
        sources=tuple(Source(file.name, digest(file), "csv") for file in files.tables),
        repairs=tuple(sentence for table in files.tables.values() for sentence in table.repairs),
        nominal_rate=columns.sampling_rate,
    )


class _Files:
    """The tables that a map needs, each read once."""

    def __init__(self, path: Path, columns: ColumnMap) -> None:
        self.path = path
        self.columns = columns
        self.tables: dict[Path, Table] = {}
        named = {signal.file for signal in columns.signals().values()}
        if columns.time is not None and columns.time.file is not None:
            named.add(columns.time.file)
        if path.is_dir() and None in named:
            raise RecordingError(
                f"{path.name}: is a folder, but the column map does not name a file for every "
                "signal; give the file itself, or add 'file' to each signal."
            )
        if path.is_file() and None not in named and path.name not in named:
            raise RecordingError(
                f"{path.name}: is none of the files in the column map, which are "
                f"{', '.join(sorted(filter(None, named)))}."
            )

    def of(self, name: str | None) -> Table:
        """The table in the file of that name; of the recording's own path for None."""
        folder = self.path if self.path.is_dir() else self.path.parent
        file = self.path if name is None else folder / name
        if file not in self.tables:
            if not file.is_file():
                raise RecordingError(
                    f"{file.name}: there is no such file beside {self.path.name}, "
                    "but the column map needs it."
                )
            self.tables[file] = read_table(file, self.columns.delimiter, self.columns.header)
        return self.tables[file]

    def require_equal_lengths(self) -> None:
        counts = {file.name: table.rows for file, table in self.tables.items()}
        if len(set(counts.values())) > 1:
            told = ", ".join(f"{name} has {count}" for name, count in counts.items())
            raise RecordingError(
                f"The files of one recording must have equally many rows, but {told}."
            )


def _signal(table: Table, signal: SignalColumns, order: list[int]) -> NDArray[np.float64]:
    """(N, n) values, the joints in the given order of the map's columns."""
    values = table.numbers([signal.columns[place] for place in order])
    scaling = signal.scaling()
    for column, place in enumerate(order):
        factor, offset = scaling[place]
        # an exact copy where nothing is to be done: -0.0 and NaN payloads stay what they are
        if (factor, offset) != (1.0, 0.0):
            values[:, column] = factor * values[:, column] + offset
    return values


def _stamps(files: _Files, columns: ColumnMap) -> NDArray[np.int64]:
    if columns.time is not None:
        table = files.of(columns.time.file or columns.position.file)
        time = table.numbers([columns.time.column])[:, 0] * columns.time.factor
        return nanoseconds(time, table.name)
    table = files.of(columns.position.file)
    # the map's validation saw to it that there is a rate where there is no time
    return nanoseconds(np.arange(table.rows) / (columns.sampling_rate or np.nan), table.name)
