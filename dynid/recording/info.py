"""Description of a recording, including recordings that cannot be loaded."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.errors import DynidError, RecordingError
from dynid.input_file import named_path
from dynid.recording.bag import DEFAULT_TOPIC, open_bag
from dynid.recording.bag_folder import is_bag, kind_of, require_present, storage_files
from dynid.recording.bag_topics import names_topics
from dynid.recording.clock import find_clock
from dynid.recording.column_proposal import doubt_of_names, propose_for_table
from dynid.recording.columns import ColumnMap
from dynid.recording.contradiction import SEVERITIES, Contradiction
from dynid.recording.corrections import Correction
from dynid.recording.grid import usual_rate
from dynid.recording.load import OtherRecording, read_samples, recording_of_plugin
from dynid.recording.model import FEWEST_SAMPLES, Recording
from dynid.recording.npz_file import has_names_of_signals
from dynid.recording.redundancy import contradictions
from dynid.recording.samples import NANOSECONDS, Samples
from dynid.recording.softmc_file import is_softmc
from dynid.recording.storage import Topic
from dynid.recording.table import Table
from dynid.recording.table_file import read_table
from dynid.recording.timeline import build_recording
from dynid.recording.wrapping import wrapped_to_a_turn
from dynid.text import first_few, shown

Range = tuple[float, float]
_MOST_SENTENCES = 10


@dataclass(frozen=True)
class JointRanges:
    """Smallest and largest value of each signal of a joint, in the units of the source.

    A signal without a number is None. Temperature is in °C.
    """

    name: str
    position: Range | None
    velocity: Range | None
    effort: Range | None
    temperature: Range | None = None


@dataclass(frozen=True)
class Lateness:
    """How late stamps are after the cycles of their clock: median, 99 %, and largest [s].

    ``regular`` says whether samples are of the cycles, so that only their stamps are late.
    """

    rate: float
    median: float
    most: float
    largest: float
    regular: bool


@dataclass(frozen=True)
class Timing:
    """Times of the samples.

    Attributes:
        samples: number of samples.
        duration: from the first stamp to the last [s].
        sampling_rate: one over the usual step [Hz]; None if no two stamps differ.
        shortest_step, longest_step: [s]; negative if the clock jumped back.
        jitter: standard deviation of the steps [s].
        lateness: of stamps that follow a clock; None if they follow none.
        missing: number of samples that are missing; None if the recording cannot be loaded.
        gaps: number of stretches that are too long to be interpolated.
    """

    samples: int
    duration: float
    sampling_rate: float | None
    shortest_step: float
    longest_step: float
    jitter: float
    lateness: Lateness | None = None
    missing: int | None = None
    gaps: int = 0


@dataclass(frozen=True)
class RecordingInfo:
    """Content of ``dynid info``.

    Attributes:
        name: file or folder name.
        kind: as in :class:`dynid.recording.Source`.
        size: bytes of all its files.
        topics: of a bag; empty for other kinds.
        topic: the examined topic; None if there is none.
        rows, columns, header: of a CSV file without column map; otherwise 0 and empty.
        proposal: a column map for this header, where it leaves no doubt.
        timing, joints: of the samples; None and empty if they cannot be read.
        damage: sentences on unreadable places; a span without them can be used.
        checksums: description of a bag's checksums; empty if there are none.
        repairs: sentences on repairs when the recording is loaded.
        problem: why the recording cannot be loaded; None if it can.
        contradictions: of its signals, the worst first.
    """

    name: str
    kind: str
    size: int
    topics: tuple[Topic, ...] = ()
    topic: str | None = None
    rows: int = 0
    columns: int = 0
    header: tuple[str, ...] = ()
    proposal: ColumnMap | None = None
    timing: Timing | None = None
    joints: tuple[JointRanges, ...] = ()
    damage: tuple[str, ...] = ()
    checksums: str = ""
    repairs: tuple[str, ...] = ()
    problem: str | None = None
    contradictions: tuple[Contradiction, ...] = ()


class AsRobot(NamedTuple):
    """How a robot reads a recording: its joints by their recorded names, and its corrections.

    Attributes:
        names: the robot's joint by the recorded name.
        corrections: of the profile.
        endless: joints whose positions are unwrapped where they are wrapped to a turn.
        unsigned_torque: whether the profile expects efforts without sign.
        refuse: raises a RecordingError if the robot cannot have moved so; None: unknown.
        against_robot: returns what the robot contradicts; None: unknown.
    """

    names: Mapping[str, str] = MappingProxyType({})
    corrections: tuple[Correction, ...] = ()
    endless: tuple[str, ...] = ()
    unsigned_torque: bool = False
    refuse: Callable[[Recording], None] | None = None
    against_robot: Callable[[Recording], Iterable[Contradiction]] | None = None


def describe(
    path: Path | str,
    *,
    topic: str = DEFAULT_TOPIC,
    columns: ColumnMap | None = None,
    sampling_rate: float | None = None,
    joints: Sequence[str] = (),
    as_robot: AsRobot | None = None,
) -> RecordingInfo:
    """Describe a recording.

    Args:
        path: as for :func:`dynid.recording.load_recording`.
        topic: the topic to examine, for a bag.
        columns: column map, for CSV; without it only the table's shape is described.
        sampling_rate: [Hz] of a softMC recording without times.
        joints: of the robot, for a proposed column map.
        as_robot: names and corrections of a profile; ranges are those of the source.

    Raises:
        RecordingError: there is no such file, or it is not a recording.
    """
    path = named_path(path)
    if (other := recording_of_plugin(path)) is not None:
        return _describe_other(path, other, columns, as_robot or AsRobot(), joints)
    require_present(path)
    if is_bag(path):
        mapped = columns if names_topics(columns) else None
        return _describe_bag(path, topic, as_robot or AsRobot(), joints, mapped)
    return _describe_file(path, columns, sampling_rate, joints, as_robot or AsRobot())


def _describe_file(
    path: Path,
    columns: ColumnMap | None,
    sampling_rate: float | None,
    joints: Sequence[str],
    as_robot: AsRobot,
) -> RecordingInfo:
    softmc = columns is None and is_softmc(path)
    native = has_names_of_signals(path)
    if columns is None and path.is_file() and not native and not softmc:
        return _describe_table(path, read_table(path, None, "auto"), None, joints)
    try:
        samples = read_samples(path, None, columns=columns, sampling_rate=sampling_rate)
    except RecordingError as error:
        if softmc and path.is_file():
            return _describe_table(path, read_table(path, None, "auto"), str(error))
        if columns is not None and path.is_file() and not native:
            table = read_table(path, columns.delimiter, columns.header)
            return _describe_table(path, table, str(error))
        if path.suffix.lower() != ".npz" or not zipfile.is_zipfile(path):
            raise
        return RecordingInfo(shown(path), "npz", path.stat().st_size, problem=str(error))
    return _describe_samples(path, samples, as_robot)


def _describe_other(
    path: Path,
    other: OtherRecording,
    columns: ColumnMap | None,
    as_robot: AsRobot,
    joints: Sequence[str],
) -> RecordingInfo:
    proposal = other.column_map(joints)
    try:
        samples = other.samples(columns, None)
    except RecordingError as error:
        found = (shown(path), other.kind, other.size())
        return RecordingInfo(*found, proposal=proposal, problem=str(error))
    described = _describe_samples(path, samples, as_robot)
    return replace(described, size=sum(_size(one.path) for one in samples.sources if one.path))


def _describe_table(
    path: Path, table: Table, problem: str | None, joints: Sequence[str] = ()
) -> RecordingInfo:
    proposal = propose_for_table(table, joints)
    if proposal is None and problem is None and joints and table.header:
        problem = doubt_of_names(table, joints)
    return RecordingInfo(
        name=shown(path),
        kind=table.kind,
        size=path.stat().st_size,
        rows=table.rows,
        columns=table.width,
        header=table.header,
        proposal=proposal,
        damage=_damage(table.damaged.values()),
        repairs=table.repairs,
        problem=problem,
    )


def _describe_bag(
    path: Path, topic: str, as_robot: AsRobot, joints: Sequence[str], columns: ColumnMap | None
) -> RecordingInfo:
    with open_bag(path) as bag:
        topics, checksums = bag.topics, bag.checksums
        repairs = bag.notes([topic.name for topic in topics])
    try:
        samples = _read_bag(path, topic, as_robot, joints, columns)
    except DynidError as error:
        kinds = {kind_of(file) for file in storage_files(path)}
        return RecordingInfo(
            name=shown(path),
            kind=", ".join(sorted(kinds)),
            size=_size(path),
            topics=topics,
            checksums=checksums,
            repairs=repairs,
            problem=str(error),
        )
    described = _describe_samples(path, samples, as_robot)
    return replace(described, topics=topics, checksums=checksums)


def _read_bag(
    path: Path, topic: str, as_robot: AsRobot, joints: Sequence[str], columns: ColumnMap | None
) -> Samples:
    """Read all joints of the first message, or those of the robot where it lacks some."""
    recorded = {joint: name for name, joint in as_robot.names.items()}
    wanted = [recorded.get(joint, joint) for joint in joints]
    try:
        samples = read_samples(path, None, topic=topic, columns=columns)
    except RecordingError:
        if not wanted:
            raise
        return read_samples(path, wanted, topic=topic, columns=columns)
    if not set(wanted) <= set(samples.joint_names):
        with suppress(RecordingError):
            return read_samples(path, wanted, topic=topic, columns=columns)
    return samples


def _describe_samples(path: Path, samples: Samples, as_robot: AsRobot) -> RecordingInfo:
    repairs, problem, built = samples.repairs, None, None
    try:
        names = tuple(as_robot.names.get(name, name) for name in samples.joint_names)
        named = replace(samples, joint_names=names)
        built = build_recording(named, corrections=as_robot.corrections)
        if wrapped := wrapped_to_a_turn(built, as_robot.endless):
            unwrap = (Correction(signal="position", joint=one, unwrap=True) for one in wrapped)
            built = build_recording(named, corrections=(*as_robot.corrections, *unwrap))
        repairs = built.repairs
        if as_robot.refuse is not None:
            as_robot.refuse(built)
    except DynidError as error:
        problem = str(error)
    heat = samples.temperature
    joints = tuple(
        JointRanges(
            name,
            _range(samples.position[:, column]),
            None if samples.velocity is None else _range(samples.velocity[:, column]),
            _range(samples.effort[:, column]),
            None if heat is None else _range(heat.celsius[:, column]),
        )
        for column, name in enumerate(samples.joint_names)
    )
    return RecordingInfo(
        name=shown(path),
        kind=samples.sources[0].kind,
        size=_size(path),
        topic=samples.sources[0].topic,
        damage=_damage(flaw.sentence for flaw in samples.flaws),
        timing=_timing(samples, built),
        joints=joints,
        repairs=repairs,
        problem=problem,
        contradictions=() if built is None else _contradictions(built, problem, as_robot),
    )


def _contradictions(
    recording: Recording, problem: str | None, as_robot: AsRobot
) -> tuple[Contradiction, ...]:
    expected = ("unsigned_effort",) if as_robot.unsigned_torque else ()
    found = tuple(one for one in contradictions(recording) if one.kind not in expected)
    if as_robot.against_robot is not None and problem is None:
        found += tuple(as_robot.against_robot(recording))
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))


def _timing(samples: Samples, built: Recording | None) -> Timing:
    """Describe the times of samples, and of the recording built from them, if there is one."""
    if not len(samples):
        return Timing(0, 0.0, None, 0.0, 0.0, 0.0)
    steps = np.diff(samples.stamps) / NANOSECONDS
    stamps, rows = np.unique(samples.stamps, return_index=True)
    seconds = (stamps - stamps[0]) / NANOSECONDS
    rate = usual_rate(seconds) if len(seconds) > 1 else None
    return Timing(
        samples=len(samples),
        duration=float(seconds[-1]),
        sampling_rate=rate,
        shortest_step=float(steps.min()) if len(steps) else 0.0,
        longest_step=float(steps.max()) if len(steps) else 0.0,
        jitter=float(steps.std()) if len(steps) else 0.0,
        lateness=_lateness(seconds, samples.position[rows], rate),
        missing=None if built is None else int(np.sum(built.missing is not None and built.missing)),
        gaps=0 if built is None else len(built.gaps),
    )


def _lateness(
    seconds: NDArray[np.float64], position: NDArray[np.float64], rate: float | None
) -> Lateness | None:
    known = np.isfinite(position).all(axis=1)
    if rate is None or known.sum() < FEWEST_SAMPLES:
        return None
    clock = find_clock(seconds[known], position[known], rate)
    if clock is None:
        return None
    middle, most = np.percentile(clock.lateness, [50, 99])
    largest = float(clock.lateness.max())
    return Lateness(clock.rate, float(middle), float(most), largest, clock.regular)


def _range(values: NDArray[np.float64]) -> Range | None:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else None


def _damage(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(first_few([*sentences], _MOST_SENTENCES, "{} more places cannot be read."))


def _size(path: Path) -> int:
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
