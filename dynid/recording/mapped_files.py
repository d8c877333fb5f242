"""The files of one recording that a column map names."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.model import Source, digest
from dynid.recording.table import Table, seconds_of
from dynid.recording.table_file import read_table
from dynid.text import shown


class MappedFiles:
    """The tables of a column map, each read once."""

    def __init__(self, path: Path, columns: ColumnMap, opened: Table | None) -> None:
        """Look for the files of a map, without opening them; ``opened`` is that of the path.

        Raises:
            RecordingError: the path is not one of them, or is a folder that does not name them all.
        """
        self.path = path
        self.columns = columns
        self.tables: dict[Path, Table] = {} if opened is None else {path: opened}
        named = {signal.file for signal in columns.signals().values()}
        if columns.temperature is not None:
            named.add(columns.temperature.file)
        if columns.time is not None and columns.time.file is not None:
            named.add(columns.time.file)
        if path.is_dir() and None in named:
            raise RecordingError(
                f"{shown(path)}: is a folder, but the column map does not name a file for every "
                "signal; give the file itself, or add 'file' to each signal."
            )
        if path.is_file() and None not in named and path.name not in named:
            raise RecordingError(
                f"{shown(path)}: is none of the files in the column map, which are "
                f"{', '.join(sorted(filter(None, named)))}."
            )

    @property
    def rows(self) -> int:
        """Return the number of rows of each table."""
        return next(iter(self.tables.values())).rows

    def sources(self) -> tuple[Source, ...]:
        """Return the files that were read."""
        return tuple(
            Source(shown(file), digest(file), table.kind, path=file)
            for file, table in self.tables.items()
        )

    def repairs(self) -> tuple[str, ...]:
        """Return the sentences on repairs of all tables."""
        return tuple(sentence for table in self.tables.values() for sentence in table.repairs)

    def of(self, name: str | None) -> Table:
        """Return the table in the file of that name; None: in the recording's path."""
        folder = self.path if self.path.is_dir() else self.path.parent
        file = self.path if name is None else folder / name
        if file not in self.tables:
            if not file.is_file():
                raise RecordingError(
                    f"{shown(file)}: there is no such file beside {shown(self.path)}, "
                    "but the column map needs it."
                )
            self.tables[file] = read_table(file, self.columns.delimiter, self.columns.header)
        return self.tables[file]

    def own_time(self, signal: SignalColumns) -> tuple[Table, TimeColumn] | None:
        """Return where the times of a signal are; None where there is no time column."""
        time = self.columns.time
        if signal.time is not None:
            return self.of(signal.time.file or signal.file), signal.time
        if time is None:
            return None
        shared = self.of(time.file or self.columns.position.file)
        table = self.of(signal.file)
        if time.file is None and table is not shared and table.has(time.column):
            return table, time
        return shared, time

    def has_own_time(self, signal: SignalColumns) -> bool:
        """Return whether a signal's times are others than those of the positions."""
        signal_time, first = self.own_time(signal), self.own_time(self.columns.position)
        if signal_time is None or first is None:
            return False
        return signal_time[0] is not first[0] or signal_time[1].column != first[1].column

    def have_own_times(self) -> bool:
        """Return whether signals have different times, so that rows do not belong together."""
        signals = self.columns.signals().values()
        own_times = [self.own_time(signal) for signal in signals]
        tables = [own_time[0] for own_time in own_times if own_time is not None]
        if len({id(table) for table in tables}) < 2:
            return any(signal.time is not None for signal in signals)
        lengths = {self.of(signal.file).rows for signal in signals}
        times = [seconds_of(*own_time) for own_time in own_times if own_time is not None]
        return len(lengths) > 1 or not all(np.array_equal(times[0], other) for other in times)

    def require_equal_lengths(self) -> None:
        """Raise a RecordingError where tables without times of their own have different lengths."""
        time = self.columns.time
        if time is not None:
            self.of(time.file or self.columns.position.file)
        counts = {shown(file): table.rows for file, table in self.tables.items()}
        if len(set(counts.values())) > 1:
            lengths = ", ".join(f"{name} has {count}" for name, count in counts.items())
            raise RecordingError(
                f"The files of one recording must have the same number of rows, but {lengths}; "
                "files with times of their own may differ: name their time column in the column "
                "map, such as effort: {time: {column: t}}."
            )
