"""A command's input files, which its outputs must not replace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from dynid.kept_inputs import inputs_kept

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
    def kept(**options: Any) -> None:  # noqa: ANN401  of any command
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
            elif name in _RECORDINGS and isinstance(item, Path) and not _may_be_recording(item):
                from dynid.recording.bag_folder import require_present  # likewise

                require_present(item)


def _may_be_recording(path: Path) -> bool:
    """Return whether a path exists, or has the name of an episode of a LeRobot dataset."""
    from dynid.input_file import exists  # likewise

    return exists(path) or path.name.startswith("episode_")


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
