"""rosbag2 recordings: folders and single storage files, whole or cut off."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from rosbags.rosbag2 import Reader
from rosbags.rosbag2.storage_mcap import McapReader

from dynid.errors import RecordingError
from dynid.recording.jointstate import JOINT_STATE, JointStates
from dynid.recording.model import Source, digest
from dynid.recording.salvage import left_open, salvage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rosbags.interfaces import Connection

    from dynid.recording.samples import Samples

DEFAULT_TOPIC = "/joint_states"
KINDS = {".mcap": "rosbag2 mcap", ".db3": "rosbag2 sqlite3"}
"""Suffix of a storage file → kind of its source."""

_COMPRESSED = ".zstd"

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Topic:
    """A topic of a bag: its name, message type and number of messages."""

    name: str
    type: str
    messages: int


def is_bag(path: Path) -> bool:
    """Whether a path looks like a rosbag2 folder or storage file."""
    if path.is_file():
        return path.suffix in KINDS
    return (path / "metadata.yaml").exists() or bool(storage_files(path))


def kind_of(file: Path) -> str:
    """The kind of source that a storage file is, compressed or not."""
    return KINDS.get(Path(file.name.removesuffix(_COMPRESSED)).suffix, "")


def storage_files(path: Path, *, compressed: bool = False) -> tuple[Path, ...]:
    """The storage files of a bag, in the order in which they were written."""
    if not path.is_dir():
        return (path,)

    def key(file: Path) -> tuple[int, str]:
        # rosbag2 numbers its files name_0, name_1, …, name_10
        number = file.name.partition(".")[0].rpartition("_")[2]
        return (int(number) if number.isdigit() else 0, file.name)

    files = [
        file
        for file in path.iterdir()
        if kind_of(file) and (compressed or not file.name.endswith(_COMPRESSED))
    ]
    return tuple(sorted(files, key=key))


def read_bag(path: Path, joints: Sequence[str] | None, topic: str = DEFAULT_TOPIC) -> Samples:
    """Read the JointState messages of one topic.

    Args:
        path: rosbag2 folder, or a ``.mcap`` or ``.db3`` file.
        joints: the joints to read, in this order; None for those of the first message.
        topic: the topic to read; if it is absent and only one topic carries JointState, that one.

    Raises:
        RecordingError: the bag cannot be read, or topic, joints or effort are absent.
    """

    def collect(readers: Sequence[Reader]) -> tuple[str, list[str], JointStates]:
        name, notes = choose_topic(path, topics_of(readers), topic)
        states = JointStates(joints, f"{path.name}, topic {name}")
        for receive_time, raw in raw_joint_states(readers, name):
            states.add(receive_time, raw)
        return name, notes, states

    (used, notes, states), repairs = with_bag(path, collect)
    data = states.samples()
    sources = tuple(
        Source(file.name, digest(file), kind_of(file), used, int(data.stamps[0]))
        for file in storage_files(path, compressed=True)
    )
    return replace(data, sources=sources, repairs=(*repairs, *notes, *data.repairs))


def with_bag(
    path: Path, action: Callable[[Sequence[Reader]], ResultT]
) -> tuple[ResultT, tuple[str, ...]]:
    """The result of an action on the opened bag, and sentences on what was mended to open it.

    A damaged bag is found out while it is read; then the action runs once more, from its start,
    on a temporary copy of what could be saved.

    Raises:
        RecordingError: nothing can be saved.
    """
    files = storage_files(path)
    if any(left_open(file) for file in files):
        reason = "its recorder did not close it"
    else:
        try:
            with ExitStack() as stack:
                whole = [path] if path.is_file() or (path / "metadata.yaml").exists() else files
                return action([stack.enter_context(Reader(file)) for file in whole]), ()
        except RecordingError:
            raise
        # rosbags meets damaged bytes with exceptions of many types, all meaning the same here
        except Exception as error:  # noqa: BLE001
            reason = str(error) or type(error).__name__
    sentences: list[str] = []
    with TemporaryDirectory() as folder, ExitStack() as stack:
        try:
            saved = [salvage(file, Path(folder)) for file in files]
            readers = [stack.enter_context(Reader(file)) for file, _ in saved]
            if not readers:
                raise RecordingError(f"{path.name}: cannot be read as a rosbag2 ({reason}).")
            sentences = [sentence for _, sentence in saved if sentence]
            result = action(readers)
        except RecordingError as error:
            told = "; ".join([str(error).rstrip("."), *sentences])
            raise RecordingError(f"{told.rstrip('.')}.") from None
        except Exception:  # noqa: BLE001
            raise RecordingError(
                f"{path.name}: cannot be read as a rosbag2 recording ({_one_line(reason)})."
            ) from None
    if not sentences:
        sentences = [f"{path.name} was read file by file because {_one_line(reason)}."]
    return result, tuple(sentences)


def topics_of(readers: Sequence[Reader]) -> tuple[Topic, ...]:
    """The topics of opened storage files, sorted by name."""
    found: dict[tuple[str, str], int] = {}
    for reader in readers:
        for connection in reader.connections:
            key = (connection.topic, connection.msgtype)
            found[key] = found.get(key, 0) + connection.msgcount
    return tuple(Topic(name, kind, count) for (name, kind), count in sorted(found.items()))


def choose_topic(path: Path, topics: Sequence[Topic], wanted: str) -> tuple[str, list[str]]:
    """The topic to read joint states from, and a sentence where it is not the wanted one.

    Raises:
        RecordingError: no topic will do.
    """
    candidates = sorted({topic.name for topic in topics if topic.type == JOINT_STATE})
    if wanted in candidates:
        return wanted, []
    told = ", ".join(f"{topic.name} ({topic.type})" for topic in topics) or "none at all"
    if len(candidates) == 1 and wanted not in {topic.name for topic in topics}:
        return candidates[0], [
            f"Topic {wanted} is absent; {candidates[0]}, the only one with joint states, was read."
        ]
    problem = "carries no" if wanted in {topic.name for topic in topics} else "is absent; expected"
    raise RecordingError(
        f"{path.name}: topic {wanted} {problem} {JOINT_STATE}; available topics are {told}."
    )


def raw_joint_states(readers: Sequence[Reader], topic: str) -> Iterator[tuple[int, bytes]]:
    """(receive time [ns], raw message) of the JointState messages of a topic."""
    for reader in readers:
        chosen = [
            connection
            for connection in reader.connections
            if connection.topic == topic and connection.msgtype == JOINT_STATE
        ]
        if not chosen:
            continue
        for _, receive_time, raw in _raw_messages(reader, chosen):
            yield receive_time, raw


def _raw_messages(
    reader: Reader, connections: list[Connection]
) -> Iterator[tuple[Connection, int, bytes]]:
    storage = reader.storage
    if isinstance(storage, McapReader) and not storage.chunks:
        # without an index, rosbags insists on the order of receive times; ours comes from stamps
        return storage.messages_scan(connections)
    return reader.messages(connections)


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
