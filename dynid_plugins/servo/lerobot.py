"""Episodes of LeRobot datasets: Parquet files of layouts v2.1 and v3, with pyarrow.

The elements of the vectors ``observation.state`` and ``action`` are columns, named such as
``observation.state.shoulder_pan.pos``: by the vector, and the element's name in
``meta/info.json``. ``action`` is what was commanded, and is read as effort.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import RecordingError
from dynid.input_file import is_file, read_text
from dynid.limits import RECORDING_MEMORY
from dynid.recording.column_words import FACTORS
from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.csv_file import read_csv
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.parquet_statistics import read_row_groups
from dynid.recording.samples import Samples, choose_joints
from dynid.recording.table import ArrayCells, Table
from dynid.text import shown, shown_names

STATE, ACTION = "observation.state", "action"
_TIME = "timestamp"
_COLUMNS = (STATE, ACTION, _TIME, "episode_index")
_INFO = Path("meta") / "info.json"
_MALFORMED = (ValueError, KeyError, TypeError, OverflowError, AttributeError, RecursionError)
_EPISODE = re.compile(r"episode_(\d{1,9})(\.parquet)?")
_NORMALISED = 101.0  # LeRobot's values without a unit are percent of a joint's range
_ANGLES = ("rad", "radian", "radians", "deg", "degree", "degrees")
_UNITS = {unit: FACTORS["position"][unit] for unit in _ANGLES}
_DEGREES = dict.fromkeys((STATE, ACTION), _UNITS["deg"])


class Episode(NamedTuple):
    """An episode of a dataset: its folder, and the number; None where none was named.

    A recording for :mod:`dynid.recording.load`.
    """

    dataset: Path
    number: int | None
    kind: str = "lerobot"

    def size(self) -> int:
        """Return the bytes of the dataset's tables."""
        return sum(file.stat().st_size for file in self.dataset.glob("data/*/*.parquet"))

    def samples(self, columns: ColumnMap | None, joints: Sequence[str] | None) -> Samples:
        """Read positions from ``observation.state``, commands from ``action``.

        Without a number, the episode is the dataset's only one.

        Args:
            columns: columns of the joints with their scaling; None: elements named like the joints,
                with or without ``.pos``, in the unit that info.json states.
            joints: the joints to read, in this order; None: all.

        Raises:
            RecordingError: the dataset or the episode cannot be read, or a column is missing.
        """
        info = _Info.read(self.dataset)
        number = info.number_of(self)
        file, rows = _rows_of_episode(self.dataset, number, info.label)
        vectors = {
            name: _vectors(rows, name, len(info.elements[name]), info.label)
            for name in (STATE, ACTION)
        }
        time = _vectors(rows, _TIME, 1, info.label)
        notes: list[str] = []
        if columns is None:
            info, notes = info.with_degrees(vectors)
            columns = _map_by_names(info)
        choose_joints(joints, columns.joints, info.label)
        names = (_TIME, *info.columns(STATE), *info.columns(ACTION))
        cells = ArrayCells(np.hstack([time, *vectors.values()]))
        table = Table(info.label, names, cells, len(time), len(names), kind=self.kind)
        samples = read_csv(file, columns, joints, table)
        source = replace(samples.sources[0], name=f"{info.label}/episode_{number:06d}")
        return replace(samples, sources=(source,), repairs=(*notes, *samples.repairs))

    def column_map(self, joints: Sequence[str] = ()) -> ColumnMap:
        """Return the column map by the names of the elements, in degrees.

        Joints, those of the robot in its order, are left out where the dataset lacks them.

        Raises:
            RecordingError: meta/info.json cannot be read, or there is no such episode.
        """
        info = _Info.read(self.dataset)
        info.number_of(self)
        named = dict(zip(info.joints(STATE), info.elements[STATE], strict=True))
        names = tuple(joint for joint in joints if joint in named) or tuple(named)
        elements = [named[name] for name in names]
        return _map_of(names, dict.fromkeys((STATE, ACTION), elements), _DEGREES)


def find_episode(path: Path) -> Episode | None:
    """Return the episode that a path names, None where it is of no LeRobot dataset.

    It is a dataset's folder, ``FOLDER/episode_000007`` of any layout, or an episode's own Parquet
    file of layout v2.1.
    """
    if is_file(path / _INFO):
        return Episode(path, None)
    named = _EPISODE.fullmatch(path.name)
    if named is None:
        return None
    for folder in path.parents[:3]:
        if is_file(folder / _INFO):
            return Episode(folder, int(named[1]))
    return None


class _Info(NamedTuple):
    """What ``meta/info.json`` states: names of the elements of each vector, and their unit.

    The unit is empty where none is stated; the label is the dataset's name.
    """

    label: str
    episodes: int
    elements: Mapping[str, tuple[str, ...]]
    units: Mapping[str, str]

    @classmethod
    def read(cls, dataset: Path) -> _Info:
        label = shown(dataset)
        try:
            content: Any = json.loads(read_text(dataset / _INFO))
            features = content["features"]
            elements = {name: _elements(features[name]["names"]) for name in (STATE, ACTION)}
            episodes = int(content["total_episodes"])
            units = {
                n: str(features[n].get("unit", features[n].get("units", ""))) for n in elements
            }
        except _MALFORMED as error:
            raise RecordingError(
                f"{label}: meta/info.json does not describe '{STATE}' and '{ACTION}' with the "
                f"names of their elements ({type(error).__name__}: {shown(str(error)[:80])})."
            ) from None
        return cls(label, episodes, elements, units)

    def joints(self, vector: str) -> tuple[str, ...]:
        """Return the names of the joints that a vector has."""
        return tuple(element.removesuffix(".pos") for element in self.elements[vector])

    def columns(self, vector: str) -> list[str]:
        """Return the names of the elements as columns."""
        return [f"{vector}.{element}" for element in self.elements[vector]]

    def number_of(self, episode: Episode) -> int:
        if episode.number is None and self.episodes == 1:
            return 0
        if episode.number is None or episode.number >= self.episodes:
            raise RecordingError(
                f"{self.label}: has {self.episodes} episodes; name one from episode_000000 to "
                f"episode_{self.episodes - 1:06d}, such as {self.label}/episode_000000."
            )
        return episode.number

    def with_degrees(self, vectors: Mapping[str, Array]) -> tuple[_Info, list[str]]:
        """Return degrees where no unit is stated and values are beyond any other; a note on it."""
        silent = [name for name, unit in self.units.items() if not unit]
        largest = max((float(np.nanmax(np.abs(vectors[name]))) for name in silent), default=0.0)
        if not largest > _NORMALISED:
            return self, []
        return self._replace(units={**self.units, **dict.fromkeys(silent, "degrees")}), [
            f"{shown_names(silent)}: read in degrees; meta/info.json states no unit, but values up "
            f"to {largest:.0f} are beyond normalised ones (100), and many turns in radians."
        ]


def _elements(names: Any) -> tuple[str, ...]:
    """Return names, which older datasets have in a mapping with one key."""
    listed = next(iter(names.values()), None) if isinstance(names, dict) else names
    if not listed or not isinstance(listed, list) or not all(isinstance(x, str) for x in listed):
        raise TypeError("names are no list of texts")
    return tuple(listed)


def _rows_of_episode(dataset: Path, number: int, label: str) -> tuple[Path, Any]:
    """Return the file of an episode, and its rows of the columns that are needed."""
    try:
        import pyarrow as pa  # noqa: PLC0415  optional
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise RecordingError(
            f"{label}: LeRobot datasets are Parquet files, which need pyarrow: "
            "pip install 'dynid[lerobot]'."
        ) from None
    files = sorted(dataset.glob(f"data/*/episode_{number:06d}.parquet"))
    files = files or sorted(dataset.glob("data/*/file-*.parquet"))
    for file in files:
        try:
            with parquet.ParquetFile(file, page_checksum_verification=True) as opened:
                _check_size(opened.metadata, f"{label}: {shown(file)}")
                table = _rows(opened, number, f"{label}: {shown(file)}")
        except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
            raise RecordingError(
                f"{label}: {shown(file)} cannot be read as Parquet with the columns {STATE}, "
                f"{ACTION}, timestamp and episode_index ({shown(str(error).split(chr(10))[0])})."
            ) from None
        if table.num_rows:
            return file, table
    raise RecordingError(
        f"{label}: no file data/*/episode_{number:06d}.parquet or data/*/file-*.parquet contains "
        f"episode {number}; download the dataset's data folder completely."
    )


def _rows(opened: Any, number: int, where: str) -> Any:
    """Return the rows of an episode; ``where`` names the file."""
    import pyarrow as pa  # noqa: PLC0415  optional
    from pyarrow import compute  # noqa: PLC0415

    groups = read_row_groups(opened, where, list(_COLUMNS))
    parts = [group.filter(compute.equal(group.column("episode_index"), number)) for group in groups]
    return pa.concat_tables(parts).select(list(_COLUMNS))


def _check_size(metadata: Any, where: str) -> None:
    """Check the numbers in all rows, as equal ones take next to nothing in a file."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    columns = (group.column(number) for group in groups for number in range(group.num_columns))
    values = sum(
        column.num_values for column in columns if column.path_in_schema.startswith(_COLUMNS)
    )
    what = f"{where}: contains {values} numbers, which take {8 * values} bytes"
    RECORDING_MEMORY.check(8 * values, what, RecordingTooLargeError)


def _vectors(table: Any, name: str, width: int, label: str) -> Array:
    """Return a column of numbers or vectors as (N, width)."""
    try:
        values = np.array(table.column(name).to_pylist(), dtype=np.float64)
        return values.reshape(len(values), width)
    except (KeyError, TypeError, ValueError):
        raise RecordingError(
            f"{label}: column '{name}' must hold {width} numbers in each row."
        ) from None


def _map_by_names(info: _Info) -> ColumnMap:
    """Return the column map by the names of the elements, in the units that are stated."""
    joints = info.joints(STATE)
    _, order = choose_joints(joints, info.joints(ACTION), f"{info.label} ({ACTION})")
    for vector, unit in info.units.items():
        if unit.lower() not in _UNITS:
            raise RecordingError(
                f"{info.label}: meta/info.json does not state the unit of {vector}, whose values "
                "may be degrees or percent of each joint's range; give the factor to radians in "
                "recording.columns (docs/recordings.md#lerobot-datasets)."
            )
    commanded = [info.elements[ACTION][place] for place in order]
    factors = {vector: _UNITS[unit.lower()] for vector, unit in info.units.items()}
    return _map_of(joints, {STATE: info.elements[STATE], ACTION: commanded}, factors)


def _map_of(
    joints: tuple[str, ...], elements: Mapping[str, Sequence[str]], factors: Mapping[str, float]
) -> ColumnMap:
    position, effort = (
        SignalColumns(
            columns=tuple(f"{vector}.{element}" for element in elements[vector]),
            factor=factors[vector],
        )
        for vector in (STATE, ACTION)
    )
    return ColumnMap(time=TimeColumn(column=_TIME), joints=joints, position=position, effort=effort)
