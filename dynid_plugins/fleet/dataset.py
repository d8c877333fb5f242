"""The data set of a fleet: Parquet files of two tables, one file of each for every robot.

A file is replaced as a whole. Rows of ``parameters`` are written before those of ``recordings``,
which say that a recording is done: after an interruption at any point, the next run identifies the
recordings without a row again, and replaces their parameters.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from dynid.errors import ConfigurationError, WriteError
from dynid.file_names import encoded_file_name
from dynid.files import whole_file, write_text
from dynid.text import printable
from dynid_plugins.fleet.parquet_file import read_parquet, write_parquet

if TYPE_CHECKING:
    from pandas import DataFrame

MODELS = "models"
_MODEL = rf"^{MODELS}/[^./][^/]*/[^./][^/]*$"  # paths that work.py makes: none leaves the folder
_LOCK = ".lock"
VERSION = 1
"""Of the tables; it rises when a column changes."""

_KEY = [
    pa.field("robot", pa.string(), nullable=False),
    pa.field("type", pa.string(), nullable=False),
    pa.field("recording", pa.string(), nullable=False),
]
_CONTENT = [pa.field("content_sha256", pa.string()), pa.field("settings_sha256", pa.string())]
_PER_JOINT = pa.list_(pa.float64())

RECORDINGS = pa.schema(
    [
        pa.field("schema_version", pa.int32(), nullable=False),
        *_KEY,
        pa.field("recorded_at", pa.timestamp("us", tz="UTC")),
        pa.field("duration", pa.float64()),
        pa.field("samples", pa.int64()),
        pa.field("temperature", pa.float64()),
        pa.field("fingerprint", pa.string(), nullable=False),
        *_CONTENT,
        pa.field("status", pa.string(), nullable=False),
        pa.field("verdict", pa.string()),
        pa.field("message", pa.string()),
        pa.field("joints", pa.list_(pa.string())),
        pa.field("relative_error", _PER_JOINT),
        pa.field("held_out_error", _PER_JOINT),
        pa.field("torque_error", _PER_JOINT),
        pa.field("covariance", pa.list_(pa.float64())),
        pa.field("friction_repeatability", pa.float64()),
        pa.field("model", pa.string()),
        pa.field("dynid_version", pa.string(), nullable=False),
        pa.field("finished_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
    ]
)
"""One row for each recording: docs/fleet.md describes the columns."""

PARAMETERS = pa.schema(
    [
        *_KEY,
        *_CONTENT,
        pa.field("index", pa.int32(), nullable=False),
        pa.field("parameter", pa.string(), nullable=False),
        pa.field("regrouping", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("joint", pa.string()),
        pa.field("unit", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("standard_deviation", pa.float64(), nullable=False),
    ]
)
"""One row for each base parameter that a recording determines."""

TABLES = {"recordings": RECORDINGS, "parameters": PARAMETERS}


@dataclass(frozen=True, eq=False)
class FleetResults:
    """The results of a fleet.

    Attributes:
        folder: of the data set.
        recordings: one row for each recording (docs/fleet.md).
        parameters: one row for each recording and base parameter.
    """

    folder: Path
    recordings: pa.Table
    parameters: pa.Table

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the robots, sorted."""
        return tuple(sorted(set(self.recordings["robot"].to_pylist())))

    def of_robot(self, robot: str) -> FleetResults:
        """Return the rows of one robot."""
        return FleetResults(
            self.folder,
            self.recordings.filter(pc.field("robot") == robot),
            self.parameters.filter(pc.field("robot") == robot),
        )

    def to_frames(self) -> tuple[DataFrame, DataFrame]:
        """Return recordings and parameters as pandas DataFrames.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        try:
            return self.recordings.to_pandas(), self.parameters.to_pandas()
        except ImportError:
            raise ConfigurationError("frames need pandas: pip install pandas.") from None

    def __repr__(self) -> str:
        """Return counts of robots, recordings and failures."""
        failed = pc.sum(pc.equal(self.recordings["status"], "failed")).as_py() or 0
        return (
            f"FleetResults({str(self.folder)!r}, {len(self.robots)} robots, "
            f"{self.recordings.num_rows} recordings, {failed} failed)"
        )


def load(folder: str | Path) -> FleetResults:
    """Read the data set of a fleet.

    Raises:
        ConfigurationError: there is no data set, a file is damaged, or is of a newer version.
    """
    place = Path(folder)
    if not any(place.joinpath("recordings").glob("*.parquet")):
        raise ConfigurationError(
            f"{printable(place)}: has no results of a fleet; dynid fleet identify writes them."
        )
    tables = {name: _read_all(place / name, name) for name in TABLES}
    return FleetResults(place, tables["recordings"], _of_done(tables))


def _of_done(tables: Mapping[str, pa.Table]) -> pa.Table:
    """Return the parameters of recordings that have a row, without those of interrupted runs."""
    keys = ["robot", "recording", "content_sha256", "settings_sha256"]
    rows = tables["parameters"]
    return rows.join(tables["recordings"].select(keys), keys, join_type="left semi").sort_by(
        [("robot", "ascending"), ("recording", "ascending"), ("index", "ascending")]
    )


def _read_all(folder: Path, name: str) -> pa.Table:
    files = sorted(folder.glob("*.parquet"))
    return pa.concat_tables([TABLES[name].empty_table(), *(_read(one, name) for one in files)])


def _read(path: Path, name: str) -> pa.Table:
    try:
        table = read_parquet(path)
        table.validate(full=True)
    except (OSError, pa.ArrowException) as problem:
        why = printable(" ".join(str(problem).split()).rstrip("."))
        raise ConfigurationError(
            f"{printable(path)}: is damaged ({why}); remove it, and dynid fleet identify writes it "
            "again."
        ) from None
    if name == "recordings" and "schema_version" in table.column_names:
        newest = pc.max(table["schema_version"]).as_py() or 0
        if newest > VERSION:
            raise ConfigurationError(
                f"{printable(path)}: is of version {newest}, this dynid reads version {VERSION}; "
                "install a newer dynid."
            )
    if not table.schema.equals(TABLES[name]):
        raise ConfigurationError(
            f"{printable(path)}: its columns are not those of the table '{name}' (docs/fleet.md)."
        )
    if name == "recordings":
        _check_models(path, table["model"])
    return table


def _check_models(path: Path, models: pa.ChunkedArray) -> None:
    """Raise unless paths of models are in the data set: files there are removed with their rows."""
    inside = pc.all(pc.match_substring_regex(models, _MODEL)).as_py()  # None without any model
    if inside is False:
        raise ConfigurationError(
            f"{printable(path)}: the column 'model' names a file outside {MODELS}/; the file was "
            "altered."
        )


@contextmanager
def writer(folder: Path) -> Iterator[DataSet]:
    """Yield the data set in a folder, which is created, for this process alone.

    Raises:
        WriteError: the folder cannot be written, or another process writes to it.
    """
    try:
        for name in (*TABLES, MODELS):
            (folder / name).mkdir(parents=True, exist_ok=True)
        with (folder / _LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise WriteError(
                    f"{folder}: another 'dynid fleet identify' writes to it; wait for its end."
                ) from None
            yield DataSet(folder)
    except OSError as problem:
        raise WriteError(f"{folder}: cannot be written ({problem.strerror or problem}).") from None


class DataSet:
    """A data set that rows are added to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def rows(self, robot: str) -> list[dict[str, Any]]:
        """Return what is known of a robot's recordings.

        Raises:
            ConfigurationError: its file is damaged.
        """
        path = self._path("recordings", robot)
        return _read(path, "recordings").to_pylist() if path.exists() else []

    def replace(
        self,
        robot: str,
        recordings: Sequence[Mapping[str, Any]],
        parameters: Sequence[Mapping[str, Any]],
        models: Mapping[str, str],
    ) -> None:
        """Write rows of a robot, and models by their paths, in place of those of its recordings.

        Raises:
            ConfigurationError: its file is damaged.
            WriteError: a file cannot be written.
        """
        for name, text in models.items():
            path = self._folder / name
            path.parent.mkdir(exist_ok=True)
            write_text(path, text)
        done = pa.array([row["recording"] for row in recordings], pa.string())
        given = {row["recording"]: row["model"] for row in self.rows(robot)}
        for name, rows in (("parameters", parameters), ("recordings", recordings)):
            path, schema = self._path(name, robot), TABLES[name]
            before = _read(path, name) if path.exists() else schema.empty_table()
            others = before.filter(pc.invert(pc.is_in(before["recording"], done)))
            added = pa.Table.from_pylist(list(rows), schema=schema)
            self._write(name, robot, pa.concat_tables([others, added]))
        kept = {row["model"] for row in self.rows(robot)}  # copies of a recording share their model
        for model in set(given.values()) - kept - {None}:
            (self._folder / str(model)).unlink(missing_ok=True)

    def renew(self, robot: str, changed: Mapping[str, Mapping[str, Any]]) -> None:
        """Change columns of a robot's recordings, by their names; their parameters stay.

        Raises:
            ConfigurationError: its file is damaged.
            WriteError: the file cannot be written.
        """
        rows = [row | dict(changed.get(row["recording"], {})) for row in self.rows(robot)]
        self._write("recordings", robot, pa.Table.from_pylist(rows, schema=TABLES["recordings"]))

    def _write(self, name: str, robot: str, table: pa.Table) -> None:
        with whole_file(self._path(name, robot)) as unfinished:
            write_parquet(table, unfinished)

    def _path(self, table: str, robot: str) -> Path:
        return self._folder / table / f"{encoded_file_name(robot)}.parquet"
