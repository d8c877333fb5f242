"""Bags of ROS: folders and single storage files, intact or damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from dynid.errors import RecordingError
from dynid.input_file import check_regular
from dynid.limits import RECORDING_MESSAGE_BYTES
from dynid.recording.bag_folder import COMPRESSED, BagFolder, bag_folder
from dynid.recording.db3_file import Db3File
from dynid.recording.jointstate import JOINT_STATE, NoJointStatesError
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.mcap_file import McapFile
from dynid.recording.ros1_file import Ros1File
from dynid.recording.storage import (
    MessageBlock,
    StorageFile,
    topics_of_counts,
    unpack_file,
    unpacked,
)
from dynid.text import shown, shown_names

DEFAULT_TOPIC = "/joint_states"


class StampedMessage(NamedTuple):
    """A message in CDR, and when the recorder received it [ns]."""

    receive_time: int
    raw: bytes


class Bag:
    """An opened bag: its readable messages, and notes on lost ones."""

    def __init__(self, path: Path, folder: BagFolder, files: dict[str, StorageFile]) -> None:
        """Combine opened storage files, which have their names, in the order of writing."""
        self.name = shown(path)
        self._folder, self._files = folder, files
        messages: Counter[tuple[str, str]] = Counter()
        for file in files.values():
            for topic in file.topics:
                messages[topic.name, topic.type] += topic.messages
        self.topics = topics_of_counts(messages)

    @property
    def checksums(self) -> str:
        """Description of the checksums; empty if a file has none."""
        kinds = [file.condition.checksums for file in self._files.values()]
        return "" if "" in kinds else ", ".join(dict.fromkeys(kinds))

    def blocks(self, topic: str, kind: str = JOINT_STATE) -> Iterator[MessageBlock]:
        """Yield the raw messages of a topic and type, many at a time."""
        most = RECORDING_MESSAGE_BYTES.most
        for file in self._files.values():
            for block in file.blocks(topic, kind):
                yield from unpacked(block, most)

    def definition(self, kind: str) -> bytes:
        """Return the stored definition of a message type; empty without one."""
        texts = (file.definition(kind) for file in self._files.values())
        return next(filter(None, texts), b"")

    def notes(self, topics: Sequence[str]) -> tuple[str, ...]:
        """Return sentences on repairs and lost messages of these topics."""
        sentences = list(self._folder.repairs)
        for topic in topics:
            known: int | None = 0
            total = 0
            for name, file in self._files.items():
                read = sum(info.messages for info in file.topics if info.name == topic)
                expected = file.condition.expected
                total += read
                known = None if known is None or expected is None else known + expected[topic]
                sentences += file.condition.report(name, topic, read)
            expected_here = self._folder.expected
            listed = total if expected_here is None else expected_here.get(topic, 0)
            if listed not in (total, known):
                sentences.append(
                    f"metadata.yaml lists {listed} messages of {shown(topic)}, but {total} were "
                    "read."
                )
        return tuple(dict.fromkeys(sentences))


@contextmanager
def open_bag(path: Path) -> Iterator[Bag]:
    """Open the files of a rosbag2 folder, or of a ``.mcap``, ``.db3`` or ``.bag`` file.

    Raises:
        RecordingError: no file can be read, or something exceeds a limit.
    """
    folder = bag_folder(path)
    files: dict[str, StorageFile] = {}
    errors: list[RecordingError] = []
    with TemporaryDirectory() as temporary:
        for number, file in enumerate(folder.files):
            scratch = Path(temporary) / str(number)
            scratch.mkdir()
            try:
                files[shown(file)] = _open(file, scratch)
            except RecordingTooLargeError:
                raise
            except RecordingError as error:
                errors.append(error)
            except OSError as error:
                errors.append(
                    RecordingError(f"{shown(file)}: cannot be read ({error.strerror or error}).")
                )
        if not files:
            raise errors[0] if errors else RecordingError(f"{shown(path)}: contains no bag.")
        folder.repairs.extend(map(str, errors))
        yield Bag(path, folder, files)


def choose_topic(bag: Bag, wanted: str) -> tuple[str, list[str]]:
    """Choose the topic of joint states; return also a note if it is not the wanted one.

    Raises:
        NoJointStatesError: there is no suitable topic.
    """
    names = {topic.name for topic in bag.topics}
    candidates = sorted({topic.name for topic in bag.topics if topic.type == JOINT_STATE})
    if wanted in candidates:
        return wanted, []
    if len(candidates) == 1 and wanted not in names:
        return candidates[0], [
            f"Topic {wanted} is missing; {shown(candidates[0])}, the only one with joint states, "
            "was read."
        ]
    available = shown_names(f"{info.name} ({info.type})" for info in bag.topics)
    problem = "has no messages of type" if wanted in names else "is missing; expected"
    damage = "".join(f" {sentence}" for sentence in bag.notes(sorted(names)))
    raise NoJointStatesError(
        f"{bag.name}: topic {wanted} {problem} {JOINT_STATE}; available topics are {available}."
        f"{damage}"
    )


def read_messages(path: Path, topic: str = DEFAULT_TOPIC) -> list[StampedMessage]:
    """Read every JointState message of a bag's topic, in the order of reception.

    Raises:
        RecordingError: the bag cannot be read, or has no such topic.
    """
    with open_bag(path) as bag:
        name, _ = choose_topic(bag, topic)
        messages = [StampedMessage(*one) for block in bag.blocks(name) for one in block.messages()]
    # stable: messages of one instant stay in the order in which they were written
    return sorted(messages, key=lambda message: message.receive_time)


def _open(file: Path, folder: Path) -> StorageFile:
    check_regular(file, RecordingError)
    damage = ""
    if file.name.endswith(COMPRESSED):
        unpacked = folder / file.name.removesuffix(COMPRESSED)
        damage = unpack_file(file, unpacked)
        file = unpacked
    opened: StorageFile
    suffix = file.suffix.lower()
    if suffix == ".db3":
        opened = Db3File(file, folder)
    else:
        opened = McapFile(file) if suffix == ".mcap" else Ros1File(file)
    if damage:
        opened.condition.damage.append(damage)
    return opened
