"""Loading a recording of any format."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from dynid.errors import DynidError, RecordingError
from dynid.input_file import named_path
from dynid.plugins import RECORDINGS, load_plugin, registered
from dynid.recording.averaging import MOST_NUMBERS, Bound, averaged
from dynid.recording.bag import DEFAULT_TOPIC, Bag, choose_topic, open_bag
from dynid.recording.bag_folder import KINDS, bag_folder, is_bag, kind_of, require_present
from dynid.recording.bag_topics import (
    fields_to_map,
    names_topics,
    read_topics,
    recognised_samples,
    topics_of,
)
from dynid.recording.column_proposal import column_names, columns_by_name
from dynid.recording.columns import ColumnMap
from dynid.recording.corrections import Correction
from dynid.recording.csv_file import read_csv, read_csv_parts
from dynid.recording.joint_names import recorded_names
from dynid.recording.jointstate import JointStates, NoJointStatesError
from dynid.recording.model import Recording, Source, digest
from dynid.recording.npz_file import has_names_of_signals, read_npz
from dynid.recording.parts import in_parts, joined
from dynid.recording.plausible_temperature import with_temperature
from dynid.recording.samples import Samples
from dynid.recording.settings import TemperatureTopic
from dynid.recording.softmc_file import SOFTMC_SUFFIX, is_softmc, read_softmc
from dynid.recording.table import Table
from dynid.recording.table_file import TABLE_SUFFIXES, is_text, read_table
from dynid.recording.temperature_topic import read_temperature
from dynid.recording.text_lines import estimated_lines
from dynid.recording.timeline import build_recording
from dynid.text import shown

SUFFIXES = frozenset({*KINDS, *TABLE_SUFFIXES, SOFTMC_SUFFIX})
"""Endings, in small letters, of the files that are read; a text of any other ending is, too."""


class OtherRecording(Protocol):
    """A recording in a format of a plug-in.

    Attributes:
        kind: as in :class:`dynid.recording.model.Source`.
    """

    kind: str

    def size(self) -> int:
        """Return the bytes of all files that it may be in."""

    def samples(self, columns: ColumnMap | None, joints: Sequence[str] | None) -> Samples:
        """Read it; the arguments are those of :func:`load_recording`.

        Raises:
            RecordingError: it cannot be read, or required content is missing.
        """

    def column_map(self, joints: Sequence[str]) -> ColumnMap:
        """Return a column map by its names, of some joints of a robot; of all without any.

        Raises:
            RecordingError: what describes it cannot be read.
        """


def recording_of_plugin(path: Path) -> OtherRecording | None:
    """Return the recording that a path names in a format of a plug-in, if it does.

    Raises:
        ConfigurationError: a plug-in cannot be imported.
    """
    found: OtherRecording | None = None
    for name in registered(RECORDINGS):
        found = found or load_plugin(RECORDINGS, name, f"recordings in the format {name}")(path)
    return found


_LEAST_BYTES = 2  # of a sample of a joint in a bag, which may be compressed
_MESSAGES_AT_ONCE = 20_000
_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})


def load_recording(
    path: Path | str,
    joints: Sequence[str] | None,
    *,
    topic: str = DEFAULT_TOPIC,
    columns: ColumnMap | None = None,
    names: Mapping[str, str] = _AS_THEY_ARE,
    temperature: TemperatureTopic | None = None,
    sampling_rate: float | None = None,
    effort: str = "",
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
    corrections: Sequence[Correction] = (),
    bound: Bound | None = None,
) -> Recording:
    """Read, repair and uniformly sample one recording.

    Args:
        path: rosbag2 folder, ``.mcap``, ``.db3``, ``.bag``, ``.npz``, CSV or softMC's ``.REC``
            file, or the folder of the files that ``columns`` names, or an episode of a LeRobot
            dataset.
        joints: the joints to read, in this order; None: all joints of the source.
        topic: the topic to read, for a bag; if it is missing, the only JointState topic is read.
        columns: column map, for CSV; ignored for formats with joint names.
        names: URDF's name by recorded name (:func:`~dynid.recording.joint_names.recorded_names`).
        temperature: topic of temperatures in a bag; None: the default one, if the bag has it.
        sampling_rate: [Hz]; None: the rate of the recording, which a ``.REC`` may not state.
        effort: recorded quantity, as in ``drives.effort``, for columns whose map is not given.
        start: [s] since the first sample of the run; samples before are not checked.
        stop: [s] since the first sample of the run; samples after are not checked.
        run: number from 1 of the stretch to read, where the clock was set back.
        corrections: of the joints' signals.
        bound: of the memory, where a long recording may be averaged; None: all samples are kept.

    Raises:
        ConfigurationError: a correction is of an unknown joint.
        RecordingError: the recording cannot be read or repaired.
        PreprocessingError: the span does not fit the recording.
    """
    if sampling_rate is not None and not (math.isfinite(sampling_rate) and sampling_rate > 0):
        raise RecordingError(f"The sampling rate must be positive, got {sampling_rate:g} Hz.")
    recorded = None if joints is None else recorded_names(joints, names)

    def build(samples: Samples, *, part: bool = False) -> Recording:
        if joints is not None:
            samples = replace(samples, joint_names=tuple(joints))
        return build_recording(
            samples,
            start=start,
            stop=stop,
            run=run,
            sampling_rate=sampling_rate,
            corrections=corrections,
            part=part,
        )

    whole = start is None and stop is None and run is None and not corrections
    if bound is not None and recorded is not None and sampling_rate is None and whole:
        source = named_path(path), recorded, topic, columns, temperature, effort
        averages = _load_in_parts(*source, bound, partial(build, part=True))
        if averages is not None:
            return averages
    samples = read_samples(
        named_path(path),
        recorded,
        topic=topic,
        columns=columns,
        temperature=temperature,
        sampling_rate=sampling_rate,
        effort=effort,
    )
    recording = build(samples)
    if bound is None or not bound.is_long(recording.effort.size):
        return recording
    return averaged(recording, bound.step(recording.effort.size, recording.sampling_rate))


def _load_in_parts(
    path: Path,
    joints: Sequence[str],
    topic: str,
    columns: ColumnMap | None,
    temperature: TemperatureTopic | None,
    effort: str,
    bound: Bound,
    build: Callable[[Samples], Recording],
) -> Recording | None:
    """Return the means of a long recording, read in parts; None where it is to be read as a whole.

    That is of a short or damaged one, and where the parts do not belong together without doubt.
    """
    try:
        if not is_bag(path):
            return _csv_in_parts(path, joints, columns, effort, bound, build)
        size = sum(file.stat().st_size for file in bag_folder(path).files)
        if size < _LEAST_BYTES * MOST_NUMBERS or names_topics(columns):
            return None
        return _bag_in_parts(path, joints, topic, temperature, bound, build)
    except (OSError, DynidError):
        return None  # to be read as a whole, which names what is wrong


def _csv_in_parts(
    path: Path,
    joints: Sequence[str],
    columns: ColumnMap | None,
    effort: str,
    bound: Bound,
    build: Callable[[Samples], Recording],
) -> Recording | None:
    text = path.is_file() and is_text(path) and not (columns is None and is_softmc(path))
    if not text or not bound.is_long(estimated_lines(path) * len(joints)):
        return None
    columns, table, notes = _columns_of(path, columns, joints, effort)
    found = read_csv_parts(path, columns, joints, table)
    if found is None or not bound.is_long(found[0] * len(joints)):
        return None
    rows, blocks = found
    noted = (block.noting(*notes) for block in blocks)
    return joined(in_parts(noted), build, partial(bound.step, rows * len(joints)))


def _bag_in_parts(
    path: Path,
    joints: Sequence[str],
    topic: str,
    temperature: TemperatureTopic | None,
    bound: Bound,
    build: Callable[[Samples], Recording],
) -> Recording | None:
    with open_bag(path) as bag:
        name, notes = choose_topic(bag, topic)
        count = sum(one.messages for one in bag.topics if one.name == name)
        if not bound.is_long(count * len(joints)) or bag.notes([one.name for one in bag.topics]):
            return None
        heat = read_temperature(bag, joints, temperature)

        def parts() -> Iterator[Samples]:
            sources: tuple[Source, ...] = ()
            for states in _state_parts(bag, name, joints):
                samples = states.samples()
                sources = sources or _sources(path, name, int(samples.stamps[0]))
                repairs = (*notes, *samples.repairs)
                samples = replace(samples, sources=sources, repairs=repairs)
                yield with_temperature(samples, heat)

        return joined(in_parts(parts()), build, partial(bound.step, count * len(joints)))


def read_samples(
    path: Path,
    joints: Sequence[str] | None,
    *,
    topic: str = DEFAULT_TOPIC,
    columns: ColumnMap | None = None,
    temperature: TemperatureTopic | None = None,
    sampling_rate: float | None = None,
    effort: str = "",
) -> Samples:
    """Read the samples of a recording without repairing them.

    The arguments are those of :func:`load_recording`.

    Raises:
        RecordingError: the file cannot be read, or required content is missing.
    """
    if (other := recording_of_plugin(path)) is not None:
        return other.samples(columns, joints)
    require_present(path)
    if is_bag(path):
        mapped = columns if names_topics(columns) else None
        return read_bag(path, joints, topic, temperature, columns=mapped, effort=effort)
    if has_names_of_signals(path):
        return read_npz(path, joints)
    if columns is None and path.is_dir():
        raise RecordingError(
            f"{shown(path)}: is a folder without a recording; expected a rosbag2, whose files end "
            "in .mcap or .db3, or CSV files with a column map, recording.columns of the profile."
        )
    if columns is None and is_softmc(path):
        return read_softmc(path, joints, sampling_rate)
    columns, table, notes = _columns_of(path, columns, joints or (), effort)
    return read_csv(path, columns, joints, table).noting(*notes)


def _columns_of(
    path: Path, columns: ColumnMap | None, joints: Sequence[str], effort: str
) -> tuple[ColumnMap, Table | None, list[str]]:
    """Return the given map, or one by the names in a file, with the file's table and a note."""
    if columns is not None:
        return columns, None, []
    table = read_table(path, None, "auto")
    chosen = columns_by_name(table, joints, effort)
    return chosen, table, [f"Columns were chosen by their names: {column_names(chosen)}."]


def read_bag(
    path: Path,
    joints: Sequence[str] | None,
    topic: str = DEFAULT_TOPIC,
    temperature: TemperatureTopic | None = None,
    *,
    columns: ColumnMap | None = None,
    effort: str = "",
) -> Samples:
    """Read the JointState messages of one topic, and temperatures where recorded.

    Other messages are read where a column map names their fields, or where no JointState has
    position and effort of all joints and the names of fields leave no doubt; those of any topic
    only if the topic is the default. The arguments are those of :func:`load_recording`.

    Raises:
        RecordingError: the bag cannot be read, or topic, joints or effort are missing.
    """
    name, notes = topic, list[str]()
    with open_bag(path) as bag:
        try:
            if columns is None:
                name, notes = choose_topic(bag, topic)
                data = _joint_states(bag, name, joints)
            else:
                data = read_topics(bag, columns, joints)
        except NoJointStatesError as error:
            recognised = recognised_samples(
                bag, joints, effort, None if topic == DEFAULT_TOPIC else topic
            )
            if recognised is None:
                raise RecordingError(f"{error}{fields_to_map(bag)}") from None
            data, columns = recognised
        parts = [name] if columns is None else topics_of(columns)
        name = ", ".join(parts)
        within = tuple(f"{part}/" for part in parts)
        topics = [info.name for info in bag.topics]
        damage = bag.notes(
            [topic for topic in topics if any(one.startswith(f"{topic}/") for one in within)]
        )
        heat = read_temperature(bag, data.joint_names, temperature)
    sources = _sources(path, name, int(data.stamps[0]))
    repairs = (*damage, *notes, *data.repairs)
    data = replace(data, sources=sources, repairs=repairs, damage=damage)
    return with_temperature(data, heat)


def _sources(path: Path, topic: str, start: int) -> tuple[Source, ...]:
    """Return the files of a bag, whose first sample has the stamp ``start`` [ns]."""
    return tuple(
        Source(shown(file), digest(file), kind_of(file), topic, start, file)
        for file in bag_folder(path).files
    )


def _state_parts(bag: Bag, topic: str, joints: Sequence[str]) -> Iterator[JointStates]:
    """Yield the messages of a topic, some after the other."""
    states = _no_states(bag, topic, joints)
    for block in bag.blocks(topic):
        states.add_block(block)
        if len(states) >= _MESSAGES_AT_ONCE:
            yield states
            states = _no_states(bag, topic, joints)
    if len(states):
        yield states


def _no_states(bag: Bag, topic: str, joints: Sequence[str] | None) -> JointStates:
    return JointStates(joints, f"{bag.name}, topic {shown(topic)}")


def _joint_states(bag: Bag, topic: str, joints: Sequence[str] | None) -> Samples:
    states = _no_states(bag, topic, joints)
    for block in bag.blocks(topic):
        states.add_block(block)
    try:
        return states.samples()
    except RecordingError as error:
        raise type(error)(" ".join([str(error), *bag.notes([topic])])) from None
