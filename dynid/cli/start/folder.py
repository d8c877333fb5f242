"""What the folder of the page holds, by the names of its files: robots, recordings and results."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import WriteError
from dynid.file_names import SIGNAL_FILES, checked_file_name
from dynid.files import whole_file
from dynid.recording.bag_folder import is_bag
from dynid.recording.load import SUFFIXES as RECORDING_SUFFIXES
from dynid.robot_files import DESCRIPTIONS
from dynid.text import listed, printable

if TYPE_CHECKING:
    from dynid.report.local_server import HttpUpload

_PROFILES = (".yaml", ".yml")
_HEAD = 1 << 16  # [bytes] of a YAML file in which a profile names its URDF
_CHUNK = 1 << 20  # [bytes]


def robots_in(folder: Path) -> list[str]:
    """Return profiles and robot descriptions."""
    return [
        str(path)
        for path in _visible(folder)
        if path.suffix.lower() in DESCRIPTIONS
        or (path.suffix.lower() in _PROFILES and _names_urdf(path))
    ]


def recordings_in(folder: Path) -> list[str]:
    """Return recordings, except the signals that dynid writes beside a model."""
    return [
        str(path)
        for path in _visible(folder)
        if (is_bag(path) if path.is_dir() else path.suffix.lower() in RECORDING_SUFFIXES)
        and path.name not in SIGNAL_FILES
    ]


def files_in(folder: Path) -> list[Path]:
    """Return all files in it, with those of bags; not those that a link is to."""
    found: list[Path] = []
    for path in _visible(folder):
        found += _visible(path) if path.is_dir() else [path]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def make(folder: Path) -> None:
    """Create the folder if it does not exist.

    Raises:
        WriteError: it cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder}: cannot be created ({error.strerror}); start the page with another -o."
        raise WriteError(message) from None


def store(folder: Path, name: str, upload: HttpUpload) -> Path:
    """Write what a browser sends as a new file.

    Raises:
        WriteError: the name is not one of a recording or robot, the file exists or cannot be
            written, or less was sent than announced.
    """
    ending = Path(name).suffix.lower()
    try:
        path = folder / checked_file_name(name)
    except ValueError as error:
        raise WriteError(f"The name of the file {error}.") from None
    if ending not in (*RECORDING_SUFFIXES, *_PROFILES, *DESCRIPTIONS) or name.startswith("-"):
        endings = listed(sorted({*RECORDING_SUFFIXES, *_PROFILES, *DESCRIPTIONS}))
        raise WriteError(
            f"{printable(name)}: is no recording and no robot by its name, which must end in "
            f"{endings}, and not begin with '-'."
        )
    if os.path.lexists(path):
        raise WriteError(f"{path}: already exists; rename the file that you send.")
    make(folder)
    with whole_file(path) as unfinished, unfinished.open("wb") as file:
        while data := upload.read(_CHUNK):
            file.write(data)
        if file.tell() != upload.length:
            raise WriteError(f"{path}: was not sent completely; send it again.")
    return path


def _visible(folder: Path) -> list[Path]:
    """Return what is in a folder by a name that a command and a browser can have.

    One that begins with '-' would be an option.
    """
    found: list[Path] = []
    with suppress(OSError):
        found += folder.iterdir()
    return sorted(
        path for path in found if path.name.isprintable() and not path.name.startswith((".", "-"))
    )


def _names_urdf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return any(line.startswith(b"urdf:") for line in file.read(_HEAD).splitlines())
    except OSError:
        return False
