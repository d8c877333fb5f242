"""The canonical text of docs/model-file.md a second time, by struct and hashlib: an oracle."""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterable, Mapping


def expected_text(entries: Mapping[str, object], names: Iterable[str]) -> bytes:
    """The text that a seal of these names covers, in their order."""
    lines = []
    for name in names:
        value: object = entries
        for key in name.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        values = value if isinstance(value, list | tuple) else [] if value is None else [value]
        lines += [f"{name} {len(values)}".encode(), *map(_line, values)]
    return b"".join(line + b"\n" for line in lines)


def expected_seal(entries: Mapping[str, object], names: Iterable[str]) -> str:
    """SHA-256 of that text, in hexadecimal."""
    return hashlib.sha256(expected_text(entries, names)).hexdigest()


def _line(value: object) -> bytes:
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int | float):
        number = float(value)
        written = number * 0.0 if abs(number) < sys.float_info.min else number
        return struct.pack(">d", written).hex().encode()
    assert isinstance(value, str)
    text = value.encode("utf-8", "surrogatepass")
    return str(len(text)).encode() + b":" + text


def nested(flat: dict) -> dict:
    """Nested entries, as in a file, from names with dots."""
    entries: dict = {}
    for name, value in flat.items():
        *groups, last = name.split(".")
        group = entries
        for key in groups:
            group = group.setdefault(key, {})
        group[last] = value
    return entries
