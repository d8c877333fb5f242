"""Values as ROS 2 parameters in YAML, which every reader reads back exactly."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TypeAlias

from dynid.configuration import yaml_mapping
from dynid.errors import ConfigurationError

ANY_NODE = "/**"
"""Key in a parameter file for the parameters of any node."""
PARAMETERS = "ros__parameters"
"""Key below a node's name."""

_WIDTH = 100
_INDENT = "  "
_READ_AS_OTHER_THAN_TEXT = frozenset({"y", "yes", "on", "true", "n", "no", "off", "false", "null"})

Scalar: TypeAlias = bool | int | float | str


@dataclass(frozen=True)
class LiteralBlock:
    """A text of several lines, written as a literal block that ends with one line break."""

    text: str


@dataclass(frozen=True)
class Listed:
    """A list with one value and one comment per line."""

    values: Sequence[Scalar]
    comments: Sequence[str]


ParameterValue: TypeAlias = (
    bool | int | float | str | list[bool] | list[int] | list[float] | list[str]
)
"""A value of a ROS 2 parameter."""
Value: TypeAlias = "Scalar | LiteralBlock | Listed | Sequence[Scalar] | Mapping[str, Value] | None"


def parameter_file(
    parameters: Mapping[str, Value], header: Sequence[str], *, node: str = ANY_NODE
) -> str:
    """Return the text of a parameter file.

    Args:
        parameters: names and values, nested as the names are. None and empty values are omitted,
            because ROS 2 has no type for them. All values of a list must have one type.
        header: lines of a comment.
        node: whose parameters they are; any node (``/**``) by default.

    Raises:
        ValueError: a list mixes types.
    """
    comment = [f"# {_one_line(line)}".rstrip() for line in header]
    body = _mapping({node: {PARAMETERS: parameters}}, 0)
    return "\n".join([*comment, *body]) + "\n"


def group_text(name: str, parameters: Mapping[str, Value], remarks: Sequence[str]) -> str:
    """Return the lines of a group, to be added at the end of a parameter file for one node."""
    comment = [f"{_INDENT * 3}# {_one_line(line)}".rstrip() for line in remarks]
    lines = [f"{_INDENT * 2}{name}:", *comment, *_mapping(parameters, 3)]
    return "\n".join(lines) + "\n"


def ros_parameters(text: str, where: str) -> dict[str, ParameterValue]:
    """Return the parameters in the text of a parameter file by name, with dots for nesting.

    Raises:
        ConfigurationError: the text is not YAML, or contains no parameters.
    """
    content = yaml_mapping(text, where)
    nodes = list(content.values())
    if len(nodes) != 1 or not isinstance(nodes[0], Mapping) or PARAMETERS not in nodes[0]:
        message = f"{where}: expected one node's name, and '{PARAMETERS}:' below it."
        raise ConfigurationError(message)
    parameters = nodes[0][PARAMETERS] or {}
    if not isinstance(parameters, Mapping):
        raise ConfigurationError(f"{where}: '{PARAMETERS}' must be a group of names and values.")
    return dict(_flat(parameters, ""))


def number(value: float) -> str:
    """Return a double as text that YAML 1.1 reads as the same float.

    Subnormal numbers become 0: the C library reports an error for them, and ROS 2 then reads them
    as text.
    """
    value = float(value)
    if value != value:  # noqa: PLR0124  NaN
        return ".nan"
    if abs(value) == float("inf"):
        return ".inf" if value > 0 else "-.inf"
    if abs(value) < sys.float_info.min:
        return "0.0" if math.copysign(1.0, value) > 0 else "-0.0"
    mantissa, exponent, power = repr(value).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{exponent}{power}"


def quoted(text: str) -> str:
    """Return a double-quoted YAML scalar, which no reader converts to a number, date or bool."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable() and character.isascii():
        return character
    code = ord(character)
    if 0xD800 <= code < 0xE000:  # half a character, from a file name that is not UTF-8
        code = 0xFFFD
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _mapping(values: Mapping[str, Value], depth: int) -> list[str]:
    lines: list[str] = []
    for key, value in values.items():
        lines += _entry(key, value, depth)
    return lines


def _entry(key: str, value: Value, depth: int) -> list[str]:
    start = f"{_INDENT * depth}{key if _is_plain(key) else quoted(key)}:"
    inner = _INDENT * (depth + 1)
    if isinstance(value, Mapping):
        below = _mapping(value, depth + 1)
        return [start, *below] if below else []
    if isinstance(value, LiteralBlock):
        text = value.text.rstrip("\n").split("\n")
        return [f"{start} |", *(f"{inner}{line}" if line else "" for line in text)]
    if isinstance(value, Listed):
        pairs = zip(_scalars(value.values), value.comments, strict=True)
        lines = [f"{inner}- {scalar:<24} # {_one_line(comment)}" for scalar, comment in pairs]
        return [start, *lines] if lines else []
    if isinstance(value, str | bool | int | float):
        return [f"{start} {_scalar(value)}"]
    return _flow(start, inner, _scalars(value or []))


def _flow(start: str, inner: str, scalars: list[str]) -> list[str]:
    if not scalars:
        return []
    line = f"{start} [{', '.join(scalars)}]"
    if len(line) <= _WIDTH:
        return [line]
    if any(" " in scalar for scalar in scalars):  # a string must not be wrapped at a space
        return [start, *(f"{inner}- {scalar}" for scalar in scalars)]
    wrapped = fill(
        f"[{', '.join(scalars)}]",
        _WIDTH,
        initial_indent=inner,
        subsequent_indent=inner,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [start, *wrapped.split("\n")]


def _scalars(values: Sequence[Scalar]) -> list[str]:
    if len({type(value) for value in values}) > 1:
        raise ValueError(f"a ROS 2 parameter must have values of one type, got {values!r}")
    return [_scalar(value) for value in values]


def _scalar(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    return str(value) if isinstance(value, int) else number(value)


def _is_plain(key: str) -> bool:
    plain = key.isascii() and key.isidentifier() and key.lower() not in _READ_AS_OTHER_THAN_TEXT
    return plain or key == "/**"


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _flat(values: Mapping[str, object], prefix: str) -> Iterator[tuple[str, ParameterValue]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, bool | int | float | str | list):
            yield f"{prefix}{key}", value
