"""Numbers, units, names, lists and times as text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from itertools import accumulate
from pathlib import Path

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NOT_KNOWN = "–"
_MOST_NAMES = 20
_LONGEST_EXCERPT = 80  # [characters] of a name or cell from a file
_LONGEST_LIST = 800  # [characters] of names


def significant(value: float, digits: int = 4) -> str:
    """Return a number with ``digits`` significant digits: ``0.01234``, ``1.234 × 10⁻⁵``."""
    if math.isnan(value):
        return NOT_KNOWN
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    text = f"{value:#.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa.removesuffix(".")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}" if exponent else mantissa


def percent(fraction: float) -> str:
    """Return a fraction in percent: ``13.9 %``, ``0.52 %``."""
    if not math.isfinite(fraction):
        return significant(fraction)
    share = 100 * fraction
    return f"{share:.0f} %" if abs(share) >= 100 else f"{share:.{1 if abs(share) >= 10 else 2}f} %"


def unit(text: str) -> str:
    """Return a unit with typographic signs: ``kg*m^2`` as ``kg·m²``."""
    named = {"permille": "‰", "Nm": "N·m", "1": ""}
    if text in named:
        return named[text]
    for power in ("2", "3"):
        text = text.replace(f"^{power}", power.translate(_SUPERSCRIPTS))
    return re.sub(r"(\w+)\^0\.5", r"√\1", text).replace("*", "·")


def count(number: int) -> str:
    """Return a count with separated thousands."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def printable(name: object, kept: str = "") -> str:
    r"""Return a file name, or other external text, for display in any terminal and file.

    A file name on Linux is bytes. Bytes that are not UTF-8 become ``\xff`` and the like, and so do
    control characters, which could otherwise change a terminal's display.

    Args:
        name: the text, or an object with one.
        kept: characters that stay as they are.
    """
    return "".join(c if c.isprintable() or c in kept else _escaped(c) for c in str(name))


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # Python's representation of a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def shown(name: Path | str) -> str:
    """Return the printable name of a file (without its folder), or the begin of other text."""
    if isinstance(name, Path):
        return printable(name.name)
    return printable(name if len(name) <= _LONGEST_EXCERPT else f"{name[: _LONGEST_EXCERPT - 1]}…")


def shown_names(names: Iterable[str], none: str = "none") -> str:
    """Return names as a list in words, the first ones of very many."""
    texts = [shown(name) for name in names]
    lengths = accumulate(len(text) + 2 for text in texts[:_MOST_NAMES])
    most = max(1, sum(length <= _LONGEST_LIST for length in lengths))
    remainder = f", … ({len(texts) - most} more)" if len(texts) > most else ""
    return ", ".join(texts[:most]) + remainder if texts else none


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def first_few(words: Sequence[str], most: int, rest: str = "{} more") -> list[str]:
    """Return the first of many words, and how many more there are as the last one."""
    more = len(words) - most
    return [*words[:most], *([rest.format(more)] if more > 0 else [])]


def these_joints(names: Sequence[str]) -> str:
    """Return how a sentence refers to the joints of the one before."""
    return "this joint" if len(names) == 1 else "these joints"


def joint_units(
    prismatic: Sequence[bool], joints: Iterable[int], revolute_unit: str, prismatic_unit: str
) -> str:
    """Return the unit of values of some joints: one, or both in the joints' order."""
    units = (prismatic_unit if prismatic[joint] else revolute_unit for joint in joints)
    return ", ".join(dict.fromkeys(units))


def torque_unit(prismatic: bool) -> str:
    """Return the unit of a joint's torque, or force."""
    return "N" if prismatic else "N m"


def iso_time(moment: datetime) -> str:
    """Return a time in UTC as in ``2026-01-31T12:00:00Z``."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
