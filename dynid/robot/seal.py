"""The seal of a model.yaml: SHA-256 over the canonical text of what the controller uses.

The canonical text has, for each entry of ``SEALED`` in this order, a line with its name and the
number of its values, then a line for each value: a number as the 16 hexadecimal digits of the IEEE
754 double (big-endian, subnormals as 0), a string as the length of its UTF-8 in bytes, a colon and
the string, a boolean as ``true`` or ``false``. An absent entry has 0 values. So it depends neither
on how numbers are printed nor on the order of a YAML file, and a program in any language can make
it.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterator, Mapping

SEALED = (
    "format",
    "status",
    "joints",
    "gravity",
    "coupling",
    "locked_joints",
    "locked_positions",
    "passive_joints",
    "passive_positions",
    "assembled_at",
    "closure_kinds",
    "closure_links",
    "closure_points",
    "closure_axes",
    "closure_lengths",
    "payload_joint",
    "semi_static",
    "terms.kinds",
    "terms.joints",
    "terms.sides",
    "terms.smoothing",
    "terms.scale",
    "terms.dead_band",
    "terms.static_ratio",
    "terms.stribeck_velocity",
    "parameter_names",
    "parameters",
    "urdf_sha256",
)


def seal(entries: Mapping[str, object]) -> str:
    """The SHA-256 of a model's entries, in hexadecimal.

    Args:
        entries: what is below ``model`` in the file, nested; others than ``SEALED`` do not count.

    Raises:
        TypeError: an entry is of a type that a model.yaml has not.
    """
    return hashlib.sha256(canonical_text(entries).encode("utf-8", "surrogatepass")).hexdigest()


def canonical_text(entries: Mapping[str, object]) -> str:
    """The text that the seal is taken over."""
    return "".join(f"{line}\n" for name in SEALED for line in _lines(name, _entry(entries, name)))


def _entry(entries: Mapping[str, object], name: str) -> object:
    found: object = entries
    for key in name.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _lines(name: str, value: object) -> Iterator[str]:
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    yield f"{name} {len(values)}"
    for one in values:
        yield _canonical(one)


def _canonical(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):  # some YAML writers print 0.0 as 0
        number = float(value)
        written = number * 0.0 if abs(number) < sys.float_info.min else number
        return struct.pack(">d", written).hex()
    if isinstance(value, str):
        return f"{len(value.encode('utf-8', 'surrogatepass'))}:{value}"
    raise TypeError(value)
