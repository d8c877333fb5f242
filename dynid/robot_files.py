"""Files of robots: those that come with dynid, by name, and a user's own.

Nothing here imports what computes, so that a wrong name is reported at once.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from dynid.errors import ConfigurationError
from dynid.files import share_directories
from dynid.input_file import exists, is_file
from dynid.text import printable

DESCRIPTIONS = (".urdf", ".xacro", ".xml", ".mjcf")
"""Endings of files that describe a robot without a profile."""
_ENDINGS = (".yaml", ".yml", *DESCRIPTIONS)
_LONGEST_NAME = 80  # shown of a name that is none
_HEAD = 1 << 16  # [bytes] of a model.yaml with its first keys


def shipped_profiles() -> list[str]:
    """Return the names of the profiles that are part of dynid."""
    profiles = [p for root in share_directories()[:1] for p in root.glob("config/robots/*.yaml")]
    return sorted(path.stem for path in profiles)


def names_robot(text: str) -> bool:
    """Return whether a text ends as a file of a robot does, or is the name of a shipped robot."""
    path = Path(text)
    return path.suffix.lower() in _ENDINGS or (text in shipped_profiles() and not exists(path))


def names_model(text: str) -> bool:
    """Return whether a text is the path of a model.yaml, or of other parameters of ROS."""
    path = Path(text)
    if path.suffix.lower() not in (".yaml", ".yml") or not is_file(path):
        return False
    try:
        with path.open("rb") as file:
            return b"ros__parameters:" in file.read(_HEAD)
    except OSError:
        return False


def find_robot_file(name: str) -> Path:
    """Return the profile of a shipped robot, or the file that a name is.

    Raises:
        ConfigurationError: there is none; the sentence names a similar one.
    """
    path = Path(name)
    if path.suffix.lower() in _ENDINGS:
        if not exists(path):
            hint = f"; {near}" if (near := similar_robot(path)) else "."
            raise ConfigurationError(f"{printable(path)}: there is no such file{hint}")
        return path
    for root in share_directories():
        candidate = root / "config" / "robots" / f"{name}.yaml"
        if is_file(candidate):
            return candidate
    if exists(path):
        raise ConfigurationError(
            f"{printable(path)}: is no profile; expected a file that ends in .yaml, .urdf, .xacro "
            "or, of MuJoCo, .xml, or the name of a shipped robot (dynid robots)."
        )
    shipped = similar_robot(path) or f"those shipped are {', '.join(shipped_profiles())}."
    raise ConfigurationError(
        f"profile '{printable(name[:_LONGEST_NAME])}': not shipped with dynid, and not a file that "
        f"ends in .yaml, .urdf, .xacro or, of MuJoCo, .xml; {shipped}"
    )


def similar_robot(path: Path) -> str:
    """Return a question for the shipped robot, or the file in the folder, that was meant; or ""."""
    try:
        files = [file.name for file in path.parent.iterdir() if file.suffix.lower() in _ENDINGS]
    except (OSError, ValueError):  # no such folder, or a name that no folder can have
        files = []
    shipped = shipped_profiles() if path.parent == Path() else []
    known = {name.lower(): name for name in (*files, *shipped)}
    near = get_close_matches(path.name.lower(), known, n=1)
    if not near:
        return ""
    meant = printable(path.with_name(known[near[0]]))
    return f"did you mean '{meant}'? 'dynid robots' lists the robots that come with dynid."
