"""The seal of a model.yaml: SHA-256 over the canonical text of what the controller uses.

The controller checks the same seal over the parameters that it receives, with the same functions
of the core; cpp/core/include/dynid/seal.hpp describes the canonical text.
"""

from __future__ import annotations

from collections.abc import Mapping

from dynid import _core

SEALED = tuple(_core.sealed_entries())
"""Entries that the seal covers, in this order; dots for nesting."""


def seal(entries: Mapping[str, object]) -> str:
    """Return the SHA-256 of a model's entries, in hexadecimal.

    Args:
        entries: below ``model`` in the file, nested; those not in ``SEALED`` are ignored.

    Raises:
        TypeError: the type of an entry does not occur in a model.yaml.
    """
    return _core.seal(_sealed(entries))


def canonical_text(entries: Mapping[str, object]) -> str:
    """Return the text that the seal covers; raises TypeError as :func:`seal` does."""
    return _core.canonical_text(_sealed(entries)).decode("utf-8", "surrogatepass")


def _sealed(entries: Mapping[str, object]) -> dict[str, list[bool | float | bytes]]:
    return {name: _values(_entry(entries, name)) for name in SEALED}


def _entry(entries: Mapping[str, object], name: str) -> object:
    entry: object = entries
    for key in name.split("."):
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return entry


def _values(value: object) -> list[bool | float | bytes]:
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [_value(item) for item in values]


def _value(value: object) -> bool | float | bytes:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):  # some YAML writers print 0.0 as 0
        return float(value)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    raise TypeError(value)
