"""Names that become parts of file names: of robots, which are checked, and of joints."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

SIGNAL_FILES = frozenset(
    {"signals.mcap", "signals.failed.mcap", "validation.mcap", "validation.failed.mcap"}
)
"""Files of filtered signals beside a model, which look like recordings and are none."""

_LONGEST_NAME = 200  # [bytes]; file systems allow 255, including endings such as _identified.urdf
_SHOWN = 40  # [characters]
_ESCAPE = "%"


def checked_file_name(name: str) -> str:
    """Return a name that can be a file name, with or without an ending.

    Raises:
        ValueError: the name is empty, a path, hidden, not printable or too long.
    """
    fits = name.isprintable() and len(name.encode()) <= _LONGEST_NAME if name else False
    if not fits or "/" in name or name.startswith("."):
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
        raise ValueError(
            f"is used as a file name, and {shown!r} is not a valid one; expected one "
            f"without '/', without a dot in front, printable, 1 to {_LONGEST_NAME} bytes long"
        )
    return name


FileName = Annotated[str, AfterValidator(checked_file_name)]
"""A name in a profile or table that is used in names of result files."""


def likely_file_name(name: str, otherwise: str) -> str:
    """Return the nearest valid file name; ``otherwise`` if it would be empty."""
    kept = "".join(
        character if character.isprintable() and character != "/" else "_" for character in name
    ).lstrip(".")
    return _shortened(kept) or otherwise


def _shortened(name: str) -> str:
    name = name[:_LONGEST_NAME]
    while len(name.encode()) > _LONGEST_NAME:
        name = name[:-1]
    return name


def is_short_file_name(name: str) -> bool:
    """Return whether the encoded name leaves room for an ending."""
    return len(encoded_file_name(name).encode()) <= _LONGEST_NAME


def start_of_file_name(name: str) -> str:
    """Return the encoded name as far as it leaves room for an ending that makes it unique."""
    return _shortened(encoded_file_name(name))


def encoded_file_name(name: str) -> str:
    """Return a unique file name for every name, unchanged if it is valid.

    Characters that a file name cannot have are written as in a URL: ``left/elbow`` as
    ``left%2Felbow``.
    """
    return "".join(
        character if _is_kept(character, number) else _percent(character)
        for number, character in enumerate(name)
    )


def _is_kept(character: str, number: int) -> bool:
    hidden = number == 0 and character == "."
    return character.isprintable() and character not in f"/{_ESCAPE}" and not hidden


def _percent(character: str) -> str:
    return "".join(f"{_ESCAPE}{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
