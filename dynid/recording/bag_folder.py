"""A bag's folder: its storage files and metadata.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from dynid.configuration import read_yaml
from dynid.errors import ConfigurationError, RecordingError
from dynid.input_file import check_regular, exists
from dynid.text import printable

KINDS = {".mcap": "rosbag2 mcap", ".db3": "rosbag2 sqlite3", ".bag": "rosbag1"}
"""Suffix of a storage file → kind of its source."""

COMPRESSED = ".zstd"
_LARGEST_METADATA = 2**24
"""[bytes] of a metadata.yaml."""


@dataclass(frozen=True)
class BagFolder:
    """The files of a bag.

    Attributes:
        files: the storage files in the order of writing.
        expected: number of messages by topic in metadata.yaml; None if unknown.
        repairs: sentences on a metadata.yaml that is damaged or does not match the files.
    """

    files: tuple[Path, ...]
    expected: Mapping[str, int] | None = None
    repairs: list[str] = field(default_factory=list)


def require_present(path: Path) -> None:
    """Check that a recording is a regular file or a folder: reading a pipe could block forever.

    Raises:
        RecordingError: there is no such file or folder.
    """
    if not exists(path):
        raise RecordingError(f"{printable(path)}: there is no such file or folder.")
    if not path.is_dir():
        check_regular(path, RecordingError)


def is_bag(path: Path) -> bool:
    """Whether a path looks like a rosbag2 folder or storage file."""
    if path.is_file():
        return path.suffix.lower() in KINDS
    return (path / "metadata.yaml").exists() or bool(storage_files(path))


def kind_of(file: Path) -> str:
    """Return the kind of source of a storage file, compressed or not."""
    return KINDS.get(Path(file.name.removesuffix(COMPRESSED)).suffix.lower(), "")


def storage_files(path: Path) -> tuple[Path, ...]:
    """Return the storage files in a folder, in the order of writing."""
    if not path.is_dir():
        return (path,)

    def key(file: Path) -> tuple[int, str]:
        # rosbag2 numbers its files name_0, name_1, …, name_10
        number = file.name.partition(".")[0].rpartition("_")[2]
        whole = number.isascii() and number.isdigit() and len(number) < 10
        return (int(number) if whole else 0, file.name)

    return tuple(sorted((file for file in path.iterdir() if kind_of(file)), key=key))


def bag_folder(path: Path) -> BagFolder:
    """Find the files of the bag at a path: a folder, or a single storage file.

    Raises:
        RecordingError: there is no such file or folder.
    """
    require_present(path)
    files = storage_files(path)
    if path.is_file() or not (path / "metadata.yaml").exists():
        return BagFolder(files)
    try:
        names, expected = _read(path / "metadata.yaml")
    except (
        ConfigurationError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
    ) as error:
        reason = str(error).rstrip(".") if isinstance(error, ConfigurationError) else "is damaged"
        reason = reason.removeprefix(f"{path / 'metadata.yaml'}: ")
        return BagFolder(
            files, repairs=[f"{path.name} was read file by file because metadata.yaml {reason}."]
        )
    present = {file.name for file in files if file.is_file()}
    absent = [name for name in names if name not in present]
    if absent:
        return BagFolder(
            files,
            expected,
            [
                f"{path.name} was read file by file because {absent[0]}, which metadata.yaml "
                "lists, is missing."
            ],
        )
    return BagFolder(tuple(path / name for name in names), expected)


def _read(file: Path) -> tuple[list[str], dict[str, int]]:
    """Return the names of the storage files, and the number of messages by topic."""
    if file.stat().st_size > _LARGEST_METADATA:
        raise ConfigurationError(f"{file}: is too large for a metadata.yaml.")
    content: dict[str, Any] = read_yaml(file)["rosbag2_bagfile_information"]
    names = [PurePath(str(name)).name for name in content["relative_file_paths"]]
    expected: dict[str, int] = {}
    for topic in content["topics_with_message_count"]:
        name = str(topic["topic_metadata"]["name"])
        expected[name] = expected.get(name, 0) + int(topic["message_count"])
    if not names or not all(kind_of(Path(name)) for name in names):
        raise ValueError
    return names, expected
