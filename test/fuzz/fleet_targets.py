"""Readers of tables in Parquet and of fleets, with the good files that are mutated."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dynid.recording.load import load_recording
from dynid.recording.model import Recording
from dynid_plugins.fleet.dataset import DataSet, load, writer
from dynid_plugins.fleet.listing import list_recordings
from dynid_plugins.fleet.settings import Fleet

Numbers = Iterator[object]

_ROBOT = "left/arm"
_MODEL = "models/left%2Farm/day-0123.yaml"
_TABLE = "robot,recording,time,temperature\na,one.npz,2026-01-31T12:00:00Z,21.5\nb,two.npz,,\n"
_FLEET = """data_set: results
types:
  duo:
    profile: pendulum
    set: [identification.cutoff_hz=12]
    recordings: ['rec/{robot}/*.npz', 'more/**/{robot}-*.csv']
"""
_EPISODE = "episode_000000"


def put_fleet(folder: Path, recording: Recording) -> None:
    """Write good files for the readers of this module into a folder for each."""
    for name, file, content in (
        ("fleet", "fleet.yaml", _FLEET),
        ("fleet_table", "table.csv", _TABLE),
    ):
        (folder / name).mkdir()
        (folder / name / file).write_text(content)
    _put_data_set(folder)
    _put_episode(folder / "lerobot", recording)


def _put_data_set(folder: Path) -> None:
    with writer(folder / "data_set") as data:
        data.replace(_ROBOT, [_row(f"{day}.npz") for day in range(3)], _parameters(3), {_MODEL: ""})
    (folder / "fleet_data").mkdir()
    for table in ("recordings", "parameters"):
        (file,) = (folder / "data_set" / table).glob("*.parquet")
        shutil.copy(file, folder / "fleet_data" / f"{table}.parquet")
        # without a checksum, so that altered content is read at all
        pq.write_table(pq.read_table(file), folder / "fleet_data" / f"{table}.without")


def _row(recording: str) -> dict[str, object]:
    moment = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)
    return {
        "schema_version": 1,
        "robot": _ROBOT,
        "type": "duo",
        "recording": recording,
        "recorded_at": moment,
        "duration": 20.0,
        "samples": 4000,
        "temperature": 21.5,
        "fingerprint": "7 1769860800",
        "content_sha256": "ab" * 32,
        "settings_sha256": "cd" * 32,
        "status": "identified",
        "verdict": "pass",
        "joints": ["shoulder", "elbow"],
        "relative_error": [0.01, 0.02],
        "covariance": [1e-4, 1e-5, 1e-4],
        "model": _MODEL,
        "dynid_version": "0.1",
        "finished_at": moment,
        "seconds": 1.5,
    }


def _parameters(recordings: int) -> list[dict[str, object]]:
    same = {"regrouping": "", "kind": "rigid", "joint": "shoulder", "unit": "kg*m"}
    keys = ("robot", "type", "recording", "content_sha256", "settings_sha256")
    return [
        {key: _row(f"{day}.npz")[key] for key in keys}
        | same
        | {"index": i, "parameter": f"MX{i}", "value": 1.25 + i, "standard_deviation": 0.1}
        for day in range(recordings)
        for i in range(3)
    ]


def _put_episode(folder: Path, recording: Recording) -> None:
    names = [f"{joint}.pos" for joint in recording.joint_names]
    feature = {"dtype": "float32", "names": names, "unit": "degrees"}
    info = {"total_episodes": 1, "features": {"observation.state": feature, "action": feature}}
    folder.mkdir()
    (folder / "info.json").write_text(json.dumps(info))
    table = pa.table(
        {
            "observation.state": np.degrees(recording.position).tolist(),
            "action": np.degrees(recording.effort).tolist(),
            "timestamp": recording.time,
            "episode_index": np.zeros(len(recording.time), dtype=int),
        }
    )
    pq.write_table(table, folder / f"{_EPISODE}.parquet")


def read_fleet(path: Path, _: Path) -> Numbers:
    """Read a fleet.yaml."""
    yield len(Fleet(path).robots)


def read_fleet_table(path: Path, folder: Path) -> Numbers:
    """List the recordings of a table."""
    fleet = path.with_name("fleet.yaml")
    fleet.write_text(f"types: {{duo: {{profile: {folder / 'duo.yaml'}, table: {path.name}}}}}")
    for entry in list_recordings(Fleet(fleet)):
        assert entry.robot
        assert entry.recording
        yield 0.0 if entry.temperature is None else entry.temperature


def read_data_set(path: Path, folder: Path) -> Numbers:
    """Read the data set of a fleet, one of whose files is altered, and write to it.

    Numbers of a file that was written with a checksum must be the same.
    """
    own = path.parent / "data_set"
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(folder / "data_set", own)
    (replaced,) = (own / path.stem).glob("*.parquet")
    shutil.copy(path, replaced)
    found = load(own)
    if path.suffix == ".parquet":
        whole = load(folder / "data_set")
        assert found.recordings.equals(whole.recordings)
        assert found.parameters.equals(whole.parameters)
    DataSet(own).replace(_ROBOT, [_row("1.npz")], _parameters(1), {})
    yield 0


def read_episode(path: Path, folder: Path) -> Numbers:
    """Read an episode of LeRobot, whose description or table is altered."""
    own = path.parent / "dataset"
    for file in (folder / "lerobot").iterdir():
        below = "meta" if file.suffix == ".json" else "data/chunk-000"
        (own / below).mkdir(parents=True, exist_ok=True)
        shutil.copy(path if file.name == path.name else file, own / below / file.name)
    recording = load_recording(own / _EPISODE, None)
    yield from (recording.time, recording.position, recording.effort)
