"""Writing a recording to a file of its own."""

from __future__ import annotations

from csv import writer
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dynid.arguments import check_path
from dynid.errors import ArgumentError, WriteError
from dynid.files import whole_file
from dynid.recording.convert import write_bag
from dynid.recording.model import Recording
from dynid.text import printable


def save_recording(recording: Recording, path: str | Path) -> None:
    """Write a recording; see :meth:`Recording.save`."""
    check_path("save(): path", path)
    file, recording = Path(path), _measured(recording)
    suffix = file.suffix.lower()
    if suffix not in {".npz", ".csv", ""}:
        raise ArgumentError(
            f"save(): {printable(path)[:80]} must end in .npz or .csv, or be the name of a rosbag2 "
            "folder without an ending."
        )
    if not suffix:
        write_bag(recording, file)
        return
    if file.exists():
        raise WriteError(f"{printable(path)}: already exists; name another file.")
    with whole_file(file) as unfinished:
        (_write_arrays if suffix == ".npz" else _write_table)(recording, unfinished)


def _measured(recording: Recording) -> Recording:
    """Return the measured samples alone, so that gaps are there again when they are read."""
    if recording.missing is None:
        return recording
    kept = ~recording.missing
    rows: dict[str, Any] = {name: values[kept] for name, values in recording.measured().items()}
    if recording.link_position is not None:
        rows["link_position"] = recording.link_position[kept]
    return replace(recording, time=recording.time[kept], missing=None, gaps=(), **rows)


def _write_arrays(recording: Recording, file: Path) -> None:
    measured: dict[str, Any] = {**recording.measured()}
    if recording.temperature is not None:
        measured["temperature"] = recording.temperature.at(recording.time)
    names, links = recording.joint_names, recording.link_position
    if links is not None:  # as joints of their own, which nothing drives
        names = (*names, *(f"{name}.link" for name in names))
        unknown = {"position": links, "effort": np.zeros_like(links)}
        measured = {
            signal: np.hstack([values, unknown.get(signal, np.full_like(links, np.nan))])
            for signal, values in measured.items()
        }
    with file.open("wb") as stream:
        np.savez(stream, time=recording.time, joint_names=np.array(names), **measured)


def _write_table(recording: Recording, file: Path) -> None:
    columns = recording.columns()
    with file.open("w", encoding="utf-8", newline="") as stream:
        rows = writer(stream, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(np.column_stack(list(columns.values())).tolist())
