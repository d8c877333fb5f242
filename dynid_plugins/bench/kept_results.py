"""Results of earlier runs: a file for each, named by a hash of all that it depends on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

import dynid
from dynid.errors import ConfigurationError
from dynid.files import write_text
from dynid.json_text import json_text
from dynid.profile import load_robot
from dynid_plugins.bench.contenders.interface import Contender
from dynid_plugins.bench.evaluation import ToolErrors, evaluate_apart
from dynid_plugins.bench.registry import OWN, PublicRecording

_RESULT = TypeAdapter(ToolErrors)


def check_kept(folder: Path) -> None:
    """Make a folder for results.

    Raises:
        ConfigurationError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--keep {folder}: is no folder and cannot be made one ({error.strerror})."
        raise ConfigurationError(message) from error


def evaluate_kept(
    keep: Path | None,
    name: str,
    recording: PublicRecording,
    folder: Path,
    limit: float,
    begin: Callable[[str], object],
    tool: tuple[str, Contender],
) -> ToolErrors:
    """Return a result that is kept, or evaluate a tool, of this name, and keep its result.

    A process that ended without a result is no property of a tool, and is not kept.

    Args:
        keep: folder of results; None to keep none.
        name: of the recording.
        recording: where it is from, and how it is read.
        folder: of the recordings.
        limit: of the time [s].
        begin: called with what comes next.
        tool: name and tool.
    """
    begin(f"{name}: {tool[0]}")
    path = keep and keep / kept_name(name, recording, *tool, limit)
    try:
        if path is not None:
            return _RESULT.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        pass
    found = evaluate_apart(name, recording, folder, tool[0], limit)
    if path is not None and not found.crashed:
        write_text(path, json_text(found))
    return found


def kept_name(
    name: str, recording: PublicRecording, tool: str, contender: Contender, limit: float
) -> str:
    """Return the name of a result's file.

    Its hash covers the recording's files, split and filter, the robot's profile, the tool with the
    versions of its packages and its settings, the time limit, and all code.
    """
    parts = [recording.model_dump_json(), contender.with_versions(), contender.settings, f"{limit}"]
    if recording.profile is not None:
        robot = load_robot(recording.profile)
        parts += [json_text(robot.yaml_content()), robot.urdf_xml]
    whole = hashlib.sha256("\n".join(parts).encode() + _code())
    if (own := Path(tool.rpartition(":")[0])).is_file():
        whole.update(own.read_bytes())
    title = re.sub(r"[^\w+]+", "-", tool)  # of a file of one's own, a path
    return f"{name}.{title}.{whole.hexdigest()[:16]}.json"


@cache
def _code() -> bytes:
    """Return a hash of every file of dynid and of the benchmark."""
    whole = hashlib.sha256()
    for folder in (Path(dynid.__file__).parent, OWN):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                whole.update(str(path.relative_to(folder)).encode())
                whole.update(path.read_bytes())
    return whole.digest()
