"""A command's input files, which its outputs must not replace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from dynid.errors import ConfigurationError
from dynid.kept_inputs import inputs_kept
from dynid.text import printable

OUTPUTS = frozenset({"apply", "output", "profile_out", "destination"})
"""Names of the options and arguments that a command writes to."""

INTO_MODEL = "into_model"
"""Name of the option to write into the file of ``model``."""

_NAMES_OR_FILES = ("profile", "robot")  # options that take the name of a shipped robot, or a file
_RECORDINGS = ("recordings", "recording")


def keeping_inputs(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that refuses to write to the files that its other options name.

    A robot or recording that does not exist is refused before the command imports what computes.
    """

    @wraps(command)
    def kept(**options: Any) -> None:
        _check_present(options)
        with inputs_kept(_input_files(options)):
            command(**options)

    return kept


def _check_present(options: dict[str, Any]) -> None:
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if name in _NAMES_OR_FILES and isinstance(item, str):
                from dynid.robot_files import find_robot_file  # not needed by help and version

                find_robot_file(item)
            elif name in _RECORDINGS and isinstance(item, Path):
                _check_recording(item)


def _check_recording(path: Path) -> None:
    """Refuse what is no recording by its name, or does not exist.

    An episode of a LeRobot dataset exists within another file.
    """
    from dynid.input_file import exists  # not needed by help and version
    from dynid.recording.bag_folder import require_present
    from dynid.robot_files import names_robot, similar_robot

    shown = printable(path)
    if names_robot(str(path)):
        raise ConfigurationError(
            f"{shown}: is no recording but a robot or a model; `dynid view {shown}` shows a robot."
        )
    if exists(path) or path.name.startswith("episode_"):
        return
    if not path.suffix and (meant := similar_robot(path)):
        raise ConfigurationError(f"{shown}: there is no such recording, and no such robot; {meant}")
    require_present(path)


def _input_files(options: dict[str, Any]) -> Iterator[Path]:
    for name, value in options.items():
        if name == "model" and options.get(INTO_MODEL):
            continue
        for item in value if isinstance(value, list) else [value]:
            if name in _NAMES_OR_FILES and isinstance(item, str):
                yield from _files_of(Path(item))
            elif isinstance(item, Path) and name not in OUTPUTS:
                yield from _files_of(item)


def _files_of(path: Path) -> Iterator[Path]:
    """Yield a file, or the files of a bag."""
    try:
        if path.is_file():
            yield path
        elif (path / "metadata.yaml").is_file():
            yield path / "metadata.yaml"
            listed = (path / "metadata.yaml").read_text("utf-8", "replace")
            yield from (entry for entry in path.iterdir() if entry.name in listed)
    except (OSError, ValueError):  # of a name that no file can have; the command reports it
        return
