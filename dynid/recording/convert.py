"""Recordings written to files: rosbag2 folders (MCAP) for ``ros2 bag``, ``.npz`` and ``.csv``."""

from __future__ import annotations

from collections.abc import Sequence
from csv import writer
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.typesys import Stores, get_typestore

from dynid.arguments import check_path
from dynid.errors import ArgumentError, RecordingError, WriteError
from dynid.files import whole_file
from dynid.recording.bag import DEFAULT_TOPIC
from dynid.recording.bag_writer import BagWriter, require_absent
from dynid.recording.columns import ColumnMap
from dynid.recording.jointstate import JOINT_STATE
from dynid.recording.load import read_samples
from dynid.recording.message_definitions import types_for
from dynid.recording.model import Recording
from dynid.recording.samples import Samples, nanoseconds
from dynid.recording.settings import TemperatureTopic
from dynid.recording.span import refuse_flaws
from dynid.recording.temperature import TemperatureSamples
from dynid.recording.temperature_topic import DYNAMIC_JOINT_STATE
from dynid.text import printable
from dynid.transaction import unfinished

_TYPES = get_typestore(Stores.ROS2_JAZZY)
_LATEST_STAMP = 2**31 * 10**9  # ROS stamps have 32 bits for seconds
LINK_TOPIC = "/link_states"
"""Topic of the positions of links behind elastic gears, under the names of their joints."""


def convert(
    source: Path | str,
    destination: Path | str,
    columns: ColumnMap | None,
    *,
    topic: str = DEFAULT_TOPIC,
    temperature: TemperatureTopic | None = None,
) -> Samples:
    """Write a recording's samples without resampling to a rosbag2 folder.

    Temperatures, where recorded, become the topic that :func:`load_recording` reads by default.

    Args:
        source: any recording, usually CSV.
        destination: the folder to create.
        columns: column map, for CSV.
        topic: the topic to write, and to read if the source is a bag.
        temperature: topic of temperatures, if the source is a bag; None: the default one.

    Raises:
        RecordingError: the source cannot be read, or the destination exists or cannot be written.
    """
    require_absent(Path(destination))
    samples = read_samples(
        Path(source), None, topic=topic, columns=columns, temperature=temperature
    )
    refuse_flaws(samples)
    _write(samples, Path(destination), topic)
    return samples


def write_bag(recording: Recording, destination: Path | str, topic: str = DEFAULT_TOPIC) -> None:
    """Write a recording to a new rosbag2 folder, completely or not at all.

    Stamps begin at the first source's start time, or at 0. Positions of the links, where measured,
    become the topic ``/link_states``.

    Raises:
        RecordingError: the destination exists or cannot be written.
    """
    start = next((s.start_time for s in recording.sources if s.start_time is not None), 0)
    stamps = nanoseconds(recording.time, Path(destination).name) + start
    samples = Samples(
        stamps=stamps,
        position=recording.position,
        velocity=recording.velocity,
        effort=recording.effort,
        joint_names=recording.joint_names,
        sources=recording.sources,
        temperature=_with_stamps(recording, start),
    )
    _write(samples, Path(destination), topic, recording.link_position)


def _write(
    samples: Samples,
    destination: Path,
    topic: str,
    links: NDArray[np.float64] | None = None,
) -> None:
    require_absent(destination)
    if not len(samples):
        raise RecordingError(f"{samples.label}: contains no samples.")
    try:
        # next to the destination, so that the last step is a rename within one file system
        with unfinished(destination.resolve().parent) as folder:
            with BagWriter(folder / destination.name, str(destination)) as bag:
                _write_messages(samples, bag, topic)
                if links is not None:
                    empty = np.empty((len(links), 0))
                    states = replace(samples, position=links, effort=empty, temperature=None)
                    _write_messages(replace(states, velocity=None), bag, LINK_TOPIC)
            require_absent(destination)
            (folder / destination.name).rename(destination)
    except OSError as error:
        raise RecordingError(
            f"{destination}: cannot be written ({error.strerror or error})."
        ) from None


def _write_messages(samples: Samples, bag: BagWriter, topic: str) -> None:
    # rows must be contiguous, those of arrays in Fortran's order are not
    position, effort = map(np.ascontiguousarray, (samples.position, samples.effort))
    velocity: Sequence[NDArray[np.float64]] | NDArray[np.float64] = [np.empty(0)] * len(samples)
    if samples.velocity is not None:
        velocity = np.ascontiguousarray(samples.velocity)
    message_type: Any = _TYPES.types[JOINT_STATE]
    names = list(samples.joint_names)
    shift = _shift(samples.stamps)
    bag.add_topic(topic, JOINT_STATE)
    for stamp, places, speeds, efforts in zip(
        (samples.stamps + shift).tolist(), position, velocity, effort, strict=True
    ):
        message = message_type(
            header=_header(stamp),
            name=names,
            position=places,
            velocity=speeds,
            effort=efforts,
        )
        bag.write(topic, stamp, _TYPES.serialize_cdr(message, JOINT_STATE))

    if samples.temperature is not None:
        _write_temperature(samples.temperature, names, bag, shift)


def _write_temperature(
    temperature: TemperatureSamples, names: list[str], bag: BagWriter, shift: int
) -> None:
    topic, types = TemperatureTopic(), types_for(DYNAMIC_JOINT_STATE)
    state: Any = types.types[DYNAMIC_JOINT_STATE]
    value: Any = types.types["control_msgs/msg/InterfaceValue"]
    bag.add_topic(topic.topic, DYNAMIC_JOINT_STATE)
    for stamp, celsius in zip(
        (temperature.stamps + shift).tolist(), temperature.celsius, strict=True
    ):
        known = [place for place in range(len(names)) if np.isfinite(celsius[place])]
        if not known or not 0 <= stamp < _LATEST_STAMP:
            continue
        message = state(
            header=_header(stamp),
            joint_names=[names[place] for place in known],
            interface_values=[
                value(interface_names=[topic.interface], values=celsius[place : place + 1])
                for place in known
            ],
        )
        bag.write(topic.topic, stamp, types.serialize_cdr(message, DYNAMIC_JOINT_STATE))


def _header(stamp: int) -> Any:
    """Return the header of a message with a stamp [ns]."""
    header: Any = _TYPES.types["std_msgs/msg/Header"]
    time: Any = _TYPES.types["builtin_interfaces/msg/Time"]
    return header(stamp=time(*divmod(stamp, 10**9)), frame_id="")


def _with_stamps(recording: Recording, start: int) -> TemperatureSamples | None:
    heat = recording.temperature
    if heat is None:
        return None
    stamps = nanoseconds(heat.time, "temperature") + start
    return TemperatureSamples(stamps, heat.celsius, "temperature")


def _shift(stamps: NDArray[np.int64]) -> int:
    """Return what brings stamps into the range of ROS: 0, or to begin at 0 if necessary [ns]."""
    fits = stamps.min() >= 0 and stamps.max() < _LATEST_STAMP
    return 0 if fits else -int(stamps.min())


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
    with whole_file(file) as target:
        (_write_arrays if suffix == ".npz" else _write_table)(recording, target)


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
