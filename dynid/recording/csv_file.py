"""Recordings in CSV files, read with a column map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError
from dynid.limits import RECORDING_JOINTS
from dynid.recording.csv_merge import TimedSignal, merge
from dynid.recording.limits import RecordingTooLargeError, check_memory
from dynid.recording.mapped_files import MappedFiles
from dynid.recording.model import Source, frozen
from dynid.recording.plausible_temperature import with_temperature
from dynid.recording.samples import (
    NANOSECONDS,
    Flaw,
    Samples,
    choose_joints,
    no_time,
    unusable_times,
)
from dynid.recording.table import Reading, Table, seconds_of
from dynid.recording.temperature import TemperatureSamples
from dynid.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dynid.recording.columns import ColumnMap, SignalColumns


_TIME, _TEMPERATURE = "time", "temperature"
MOST_FLAWS = 1000
"""Largest number of unreadable rows; more indicate a wrong column map."""


def read_csv(
    path: Path, columns: ColumnMap, joints: Sequence[str] | None, opened: Table | None = None
) -> Samples:
    """Read one recording from a CSV file, or from several files in one folder.

    Cells and rows that cannot be read are flaws of the samples; a span without them can be used.
    Temperatures may have other times than the motion.

    Args:
        path: the file; if the map names files, any of them or their folder.
        columns: the column map.
        joints: the joints to read, in this order; None: all of the map.
        opened: table of the file, if it was opened before.

    Raises:
        RecordingError: a file, column or joint is missing, too few rows can be read, or the files
            have different numbers of rows, and no times.
    """
    name = shown(path)
    wanted, order, files = _opened(path, columns, joints, opened)
    if files.have_own_times() or columns.has_delays:
        return _merged(files, columns, order, wanted)
    files.require_equal_lengths()
    check_memory(files.rows, len(wanted), name)
    readings = _readings(files, columns, order)
    return _samples(files, columns, order, wanted, readings, files.sources())


def read_csv_parts(
    path: Path, columns: ColumnMap, joints: Sequence[str] | None, opened: Table | None = None
) -> tuple[int, Iterator[Samples]] | None:
    """Return the number of rows in an intact CSV file, and their samples, some after the other.

    The arguments are those of :func:`read_csv`. None where signals have times or files of their
    own, or rows are damaged, so that the whole file is needed at once.

    Raises:
        RecordingError: as :func:`read_csv`.
    """
    wanted, order, files = _opened(path, columns, joints, opened)
    if files.have_own_times() or columns.has_delays:
        return None
    wanted_columns = _wanted(files, columns, order)
    (table, *others) = files.tables.values()
    if others or table.damaged or (columns.temperature and files.has_own_time(columns.temperature)):
        return None
    sources = files.sources()

    def parts() -> Iterator[Samples]:
        first = 0
        for groups in table.parts([names for _, names in wanted_columns.values()]):
            readings = dict(zip(wanted_columns, groups, strict=True))
            yield _samples(files, columns, order, wanted, readings, sources, first)
            first += len(groups[0].values)

    return table.rows, parts()


def _opened(
    path: Path, columns: ColumnMap, joints: Sequence[str] | None, opened: Table | None
) -> tuple[tuple[str, ...], list[int], MappedFiles]:
    """Return the names of the joints, their places in the map, and its files of the motion."""
    name = shown(path)
    wanted, order = choose_joints(joints, columns.joints, f"{name} (column map)")
    what = f"{name} (column map): names {len(columns.joints)} joints"
    RECORDING_JOINTS.check(len(columns.joints), what, RecordingTooLargeError)
    files = MappedFiles(path, columns, opened)
    for signal in columns.signals().values():
        files.of(signal.file)
    return wanted, order, files


def _samples(
    files: MappedFiles,
    columns: ColumnMap,
    order: list[int],
    wanted: tuple[str, ...],
    readings: dict[str, Reading],
    sources: tuple[Source, ...],
    first: int = 0,
) -> Samples:
    """Return the samples of rows from ``first`` on that were read."""
    bad: dict[int, str] = {}
    motion = list(files.tables.values())
    signals = {
        name: _scaled(readings[name], signal, order, bad)
        for name, signal in columns.signals().items()
    }
    rows = len(signals["position"])
    numbers = np.arange(first, first + rows)
    seconds, label = _seconds(files, columns, readings.get(_TIME), numbers, bad)
    for table in motion:
        bad.update(table.damaged)
    unusable = unusable_times(seconds)
    for row in np.flatnonzero(unusable)[: MOST_FLAWS + 1].tolist():
        bad.setdefault(row, no_time(seconds, row, label))
    flawed = sorted(bad)
    if len(flawed) > MOST_FLAWS or unusable.all() or len(flawed) == rows:
        raise RecordingError(bad[flawed[0]])
    stamps = np.rint(np.where(unusable, 0.0, seconds) * NANOSECONDS).astype(np.int64)
    for values in signals.values():
        values[flawed] = np.nan
        frozen(values)
    samples = Samples(
        stamps=stamps,
        position=signals["position"],
        velocity=signals.get("velocity"),
        effort=signals["effort"],
        joint_names=wanted,
        sources=sources,
        repairs=files.repairs(),
        nominal_rate=columns.sampling_rate,
        flaws=tuple(Flaw(_stamp_of(row, stamps, unusable), bad[row]) for row in flawed),
    )
    heat = _temperature(files, columns, order, readings.get(_TEMPERATURE), seconds)
    samples = with_temperature(samples, heat)
    return samples.take(~unusable) if unusable.any() else samples


def _merged(
    files: MappedFiles, columns: ColumnMap, order: list[int], wanted: tuple[str, ...]
) -> Samples:
    """Return the samples of signals that have times or delays of their own."""
    signals: dict[str, list[TimedSignal]] = {}
    for name, signal in columns.signals().items():
        table, own_time = files.of(signal.file), files.own_time(signal)
        if own_time is None and columns.sampling_rate is not None:
            times = np.arange(table.rows) / columns.sampling_rate
        elif own_time is not None and own_time[0].rows == table.rows:
            times = seconds_of(*own_time)
        else:
            raise RecordingError(
                f"{table.name}: has {table.rows} rows, and no time for each of them; name the time "
                f"column of this file: {name}: {{time: {{column: t}}}}."
            )
        bad: dict[int, str] = {}
        (reading,) = table.readable([[signal.columns[place] for place in order]])
        values = _scaled(reading, signal, order, bad)
        bad.update(table.damaged)
        if len(bad) > min(MOST_FLAWS, table.rows - 1):
            raise RecordingError(bad[min(bad)])
        values[sorted(bad)] = np.nan
        signals[name] = [
            TimedSignal(table.name, times - signal.delays()[place], values[:, joint])
            for joint, place in enumerate(order)
        ]
    seconds, merged, note = merge(signals)
    heat = _temperature(files, columns, order)
    check_memory(len(seconds), len(wanted), shown(files.path))
    samples = Samples(
        stamps=np.rint(seconds * NANOSECONDS).astype(np.int64),
        position=merged["position"],
        velocity=merged.get("velocity"),
        effort=merged["effort"],
        joint_names=wanted,
        sources=files.sources(),
        repairs=(*files.repairs(), *columns.delay_notes(), note),
    )
    return with_temperature(samples, heat)


def _temperature(
    files: MappedFiles,
    columns: ColumnMap,
    order: list[int],
    reading: Reading | None = None,
    shared: NDArray[np.float64] | None = None,
) -> TemperatureSamples | None:
    """Return the temperatures of a column map, with times of their own where they have such.

    Cells that cannot be read count as missing.

    Args:
        files: of the recording.
        columns: the map.
        order: columns of the joints.
        reading: of the temperatures; None: they are read here.
        shared: (N,) times of the motion's rows [s]; None: these have several times.
    """
    signal = columns.temperature
    if signal is None:
        return None
    table = files.of(signal.file)
    if reading is None:
        (reading,) = table.readable([[signal.columns[place] for place in order]])
    values = _scaled(reading, signal, order, {})
    values[sorted(table.damaged)] = np.nan
    own_time = files.own_time(signal)
    if shared is not None and len(shared) == len(values) and not files.has_own_time(signal):
        seconds = shared
    elif own_time is not None and own_time[0].rows == table.rows:
        seconds = seconds_of(*own_time)
    else:
        raise RecordingError(
            f"{table.name}: has {table.rows} temperatures, and no time for each of them; name the "
            "time column of this file: temperature: {time: {column: t}}."
        )
    usable = ~unusable_times(seconds)
    stamps = np.rint(seconds[usable] * NANOSECONDS).astype(np.int64)
    return TemperatureSamples(stamps, values[usable], f"{table.name} (temperature)")


def _readings(files: MappedFiles, columns: ColumnMap, order: list[int]) -> dict[str, Reading]:
    """Return the numbers of each signal, and of time where there is a column of it.

    Each file is read once for all of its signals.
    """
    wanted = _wanted(files, columns, order)
    readings: dict[str, Reading] = {}
    for table in files.tables.values():
        names = [name for name, (other, _) in wanted.items() if other is table]
        groups = table.readable([wanted[name][1] for name in names])
        readings.update(zip(names, groups, strict=True))
    return readings


def _wanted(
    files: MappedFiles, columns: ColumnMap, order: list[int]
) -> dict[str, tuple[Table, list[int | str]]]:
    """Return the table and the columns of each signal, and of time."""
    wanted: dict[str, tuple[Table, list[int | str]]] = {
        name: (files.of(signal.file), [signal.columns[place] for place in order])
        for name, signal in columns.signals().items()
    }
    if columns.temperature is not None:
        temperature = columns.temperature
        wanted[_TEMPERATURE] = (
            files.of(temperature.file),
            [temperature.columns[place] for place in order],
        )
    if columns.time is not None:
        table = files.of(columns.time.file or columns.position.file)
        wanted[_TIME] = table, columns.time.columns()
    return wanted


def _scaled(
    reading: Reading, signal: SignalColumns, order: list[int], bad: dict[int, str]
) -> NDArray[np.float64]:
    """Return values (N, n), with the columns of the map in the given order."""
    values, flaws = reading
    bad.update(flaws)
    scaling = signal.scaling()
    for column, place in enumerate(order):
        factor, offset = scaling[place]
        # an exact copy without scaling, which keeps -0.0 and NaN payloads
        if (factor, offset) != (1.0, 0.0):
            with np.errstate(over="ignore"):
                values[:, column] = factor * values[:, column] + offset
    return values


def _seconds(
    files: MappedFiles,
    columns: ColumnMap,
    reading: Reading | None,
    rows: NDArray[np.intp],
    bad: dict[int, str],
) -> tuple[NDArray[np.float64], str]:
    """Return times of rows (N,) [s], NaN if unreadable, and the name of their file."""
    if columns.time is not None and reading is not None:
        table = files.of(columns.time.file or columns.position.file)
        bad.update(reading.bad)
        return columns.time.seconds(reading.values), table.name
    table = files.of(columns.position.file)
    # the map is validated to have a rate if it has no time column
    return rows / (columns.sampling_rate or np.nan), table.name


def _stamp_of(row: int, stamps: NDArray[np.int64], unusable: NDArray[np.bool_]) -> int:
    """Return the stamp of a row; if it has none, of the row before, or before the first stamp."""
    if not unusable[row]:
        return int(stamps[row])
    before = np.flatnonzero(~unusable[:row])
    return int(stamps[before[-1]] if len(before) else stamps[np.argmin(unusable)] - 1)
