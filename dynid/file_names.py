"""Names that become parts of file names: those of robots, which are checked, and of joints."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

_LONGEST = 200  # [bytes]; file systems allow 255, of which endings like _identified.urdf take some
_SHOWN = 40  # [characters]
_ESCAPE = "%"


def checked_file_name(name: str) -> str:
    """Return a name that files can bear, with an ending or as it is.

    Raises:
        ValueError: it is empty, a path, hidden, not printable or too long.
    """
    fits = name.isprintable() and len(name.encode()) <= _LONGEST if name else False
    if not fits or "/" in name or name.startswith("."):
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
        raise ValueError(
            f"results are named after it, and {shown!r} cannot be in a file's name; expected one "
            f"without '/', with no dot in front, printable, 1 to {_LONGEST} bytes long"
        )
    return name


FileName = Annotated[str, AfterValidator(checked_file_name)]
"""A name in a profile or table that results are named after."""


def likely_file_name(name: str, otherwise: str) -> str:
    """Return the nearest name that files can bear; ``otherwise`` where nothing is left of it."""
    kept = "".join(one if one.isprintable() and one != "/" else "_" for one in name).lstrip(".")
    while len(kept.encode()) > _LONGEST:
        kept = kept[:-1]
    return kept or otherwise


def encoded_file_name(name: str) -> str:
    """Return a file name of its own for every name, the same one where it can be.

    What a file name cannot hold is written as in a URL: ``left/elbow`` as ``left%2Felbow``.
    """
    return "".join(
        one if _is_kept(one, number) else _percent(one) for number, one in enumerate(name)
    )


def _is_kept(character: str, number: int) -> bool:
    hidden = number == 0 and character == "."
    return character.isprintable() and character not in f"/{_ESCAPE}" and not hidden


def _percent(character: str) -> str:
    return "".join(f"{_ESCAPE}{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
