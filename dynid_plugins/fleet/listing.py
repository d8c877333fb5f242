"""The recordings of a fleet: found by patterns and tables, wherever fsspec reads."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynid.errors import ConfigurationError
from dynid.file_names import is_short_file_name
from dynid.input_file import read_text
from dynid.text import printable
from dynid_plugins.fleet.drift.history_table import parse_temperature, parse_time
from dynid_plugins.fleet.settings import ROBOT, Fleet, TypeSettings

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_REQUIRED = ("robot", "recording")
_OPTIONAL = ("time", "temperature")
_ATTRIBUTES = ("ETag", "etag", "mtime", "LastModified", "last_modified")


@dataclass(frozen=True)
class Entry:
    """A recording of a fleet.

    Attributes:
        robot: name.
        type: of the robot.
        recording: path, or URL.
        fingerprint: what a listing says of its content, such as size and time of change; empty
            where it says nothing.
        recorded_at: from a table; None: from the recording, if it has a date.
        temperature: from a table [°C].
    """

    robot: str
    type: str
    recording: str
    fingerprint: str
    recorded_at: datetime | None = None
    temperature: float | None = None


def list_recordings(fleet: Fleet) -> tuple[Entry, ...]:
    """Return the recordings of a fleet, by robot and then by path.

    Raises:
        ConfigurationError: a table or place cannot be read, there are no recordings, or one
            belongs to two robots.
    """
    found: dict[str, Entry] = {}
    for name, settings in fleet.settings.types.items():
        for entry in _of_type(fleet.folder, name, settings):
            _check_names(entry)
            other = found.setdefault(entry.recording, entry)
            if (other.robot, other.type) != (entry.robot, entry.type):
                raise ConfigurationError(
                    f"{printable(entry.recording)}: belongs to {other.robot} ({other.type}) and "
                    f"to {entry.robot} ({entry.type}); a recording is of one robot."
                )
    types: dict[str, str] = {}
    for entry in found.values():
        if types.setdefault(entry.robot, entry.type) != entry.type:
            raise ConfigurationError(
                f"robot '{printable(entry.robot)}': is of type {types[entry.robot]} and of type "
                f"{entry.type}; names must be different."
            )
    if not found:
        raise ConfigurationError(
            f"{printable(fleet.folder)}: no recording matches the patterns of the fleet."
        )
    return tuple(sorted(found.values(), key=lambda one: (one.robot, one.recording)))


def _check_names(entry: Entry) -> None:
    """Raise unless the names can be texts of the data set, and the robot's one of a file in it."""
    try:
        "".join((entry.robot, entry.type, entry.recording)).encode()
    except UnicodeEncodeError:
        raise ConfigurationError(
            f"{printable(entry.recording)}: its name, or that of its robot or type, is not UTF-8; "
            "rename it."
        ) from None
    if not is_short_file_name(entry.robot):
        raise ConfigurationError(
            f"robot '{printable(entry.robot[:40])}...': the name is too long for names of files."
        )


def _of_type(folder: Path, name: str, settings: TypeSettings) -> Iterator[Entry]:
    # rows of a table come first, as they may have a time
    if settings.table is not None:
        yield from _of_table(folder / settings.table, name)
    for pattern in settings.recordings:
        yield from _of_pattern(folder, name, pattern)


def _of_pattern(folder: Path, name: str, pattern: str) -> Iterator[Entry]:
    system, path = file_system(_located(folder, pattern))
    expected = _expression(path)
    try:
        matches = system.glob(path.replace(ROBOT, "*"), detail=True)
    except Exception as problem:  # noqa: BLE001  whatever the file system's package raises
        raise ConfigurationError(
            f"pattern '{printable(pattern)}': cannot be listed ({problem}); name the recordings in "
            "a table."
        ) from None
    for match in sorted(matches):
        robot = expected.fullmatch(match)
        if robot is not None:
            place = match if _is_local(system) else system.unstrip_protocol(match)
            yield Entry(robot[1], name, place, fingerprint(matches[match]))


def _of_table(path: Path, name: str) -> Iterator[Entry]:
    try:
        lines = list(csv.DictReader(read_text(path).splitlines(), restkey="", strict=True))
    except csv.Error as problem:
        raise ConfigurationError(f"{printable(path)}: is not a CSV table ({problem}).") from None
    header = set(lines[0]) if lines else set()
    if not set(_REQUIRED) <= header <= {*_REQUIRED, *_OPTIONAL}:
        raise ConfigurationError(
            f"{printable(path)}: its columns are '{printable(','.join(sorted(header)))}', expected "
            "robot, recording and, if known, time and temperature."
        )
    for number, cells in enumerate(lines, 2):
        where = f"{printable(path)}, line {number}"
        if None in cells.values() or not all(cells[column].strip() for column in _REQUIRED):
            raise ConfigurationError(f"{where}: has no robot, or no recording.")
        place = _located(path.parent, cells["recording"].strip())
        time, temperature = cells.get("time", ""), cells.get("temperature", "")
        yield Entry(
            cells["robot"].strip(),
            name,
            place,
            _fingerprint_of(place),
            parse_time(where, time) if time.strip() else None,
            parse_temperature(where, temperature) if temperature.strip() else None,
        )


def file_system(place: str) -> tuple[AbstractFileSystem, str]:
    """Return what reads a path or URL, and the path in it.

    Raises:
        ConfigurationError: the protocol is unknown, or its package is not installed.
    """
    from fsspec.core import url_to_fs  # noqa: PLC0415  slow, and an extra

    try:
        system, path = url_to_fs(place)
    except Exception as problem:  # noqa: BLE001  of any protocol, with arguments of the place
        raise ConfigurationError(f"{printable(place)}: cannot be read ({problem}).") from None
    return system, str(path)


def fingerprint(details: dict[str, Any]) -> str:
    """Return what a listing says of a file's content; empty where that is too little."""
    if details.get("type") == "directory":
        return ""
    marks = [str(details[name]) for name in _ATTRIBUTES if details.get(name) is not None]
    return f"{details.get('size')} {' '.join(marks)}" if marks else ""


def _fingerprint_of(place: str) -> str:
    system, path = file_system(place)
    try:
        return fingerprint(system.info(path))
    except Exception:  # noqa: BLE001  whatever the file system's package raises
        return ""  # a missing recording is the finding of its own identification


def _located(folder: Path, place: str) -> str:
    return place if "://" in place else str(folder.resolve() / place)


def _is_local(system: AbstractFileSystem) -> bool:
    return "file" in (system.protocol if isinstance(system.protocol, tuple) else [system.protocol])


def _expression(pattern: str) -> re.Pattern[str]:
    """Return what matches the paths of a pattern, with the robot as its group."""
    parts = {"**": ".*", "*": "[^/]*", "?": "[^/]", ROBOT: "([^/]+)"}
    split = re.split(r"(\*\*|\*|\?|\{robot\})", pattern)
    return re.compile("".join(parts.get(one, re.escape(one)) for one in split))
