"""YAML texts: a safe loader with limits, and changes that keep all other bytes.

A text is rejected before it needs much memory or time: PyYAML limits neither nesting nor aliases,
and raises any of Python's errors for values such as ``2026-99-99``. Changed values
are replaced at the places of PyYAML's nodes: ruamel.yaml would need its own objects, but changes
line breaks of lists and tables elsewhere, and loses comments below a list that is replaced
(docs/development.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import indent
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.nodes import MappingNode, Node
from yaml.resolver import Resolver

from dynid.errors import ConfigurationError
from dynid.limits import YAML_DEPTH, YAML_NODES, YAML_REPEATED, InputLimit

try:  # libyaml's parser: ten times as fast, and in every wheel of PyYAML
    from yaml._yaml import CParser as _Parser
except ImportError:  # pragma: no cover

    class _Parser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):  # type: ignore[no-redef]
        """The same in Python."""

        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)


_LONGEST_NUMBER = 100  # characters; the conversion of long ones takes quadratic time
_NAMES = {"int": "whole number", "float": "number", "timestamp": "date or time"}


class _RefusedError(Exception):
    """What is wrong, to be appended to the name of the text."""


class _TooLargeError(Exception):
    """What is too large, and the limit that it exceeds."""

    def __init__(self, what: str, limit: InputLimit) -> None:
        super().__init__(what)
        self.limit = limit


class _Loader(Composer, _Parser, SafeConstructor, Resolver):
    """Composes nodes one by one, to count nodes, depth and repetitions by aliases."""

    def __init__(self, text: str) -> None:
        _Parser.__init__(self, text)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)
        self._nodes = self._depth = self._repeated = 0
        self._sizes: dict[str, int] = {}  # of anchored nodes, with all nodes in them
        self._most = (YAML_NODES.most, YAML_DEPTH.most, YAML_REPEATED.most)

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        anchor = self.peek_event().anchor  # type: ignore[union-attr]
        if self.check_event(yaml.AliasEvent):
            self._count_alias(anchor)
            return super().compose_node(parent, index)
        self._nodes += 1
        self._depth += 1
        before = self._nodes + self._repeated
        if self._nodes > self._most[0]:
            raise _TooLargeError("has too many keys and values", YAML_NODES)
        # a value in the innermost list or group is not a level
        if self._depth > self._most[1] + 1:
            raise _TooLargeError("has too many nested lists and groups", YAML_DEPTH)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if anchor is not None:
            self._sizes[anchor] = self._nodes + self._repeated - before + 1
        return node

    def _count_alias(self, anchor: str) -> None:
        if anchor in self.anchors and anchor not in self._sizes:
            raise _RefusedError(f"alias '*{_cut(anchor)}' is within what it repeats")
        self._repeated += self._sizes.get(anchor, 0)
        if self._repeated > self._most[2]:
            raise _TooLargeError("has aliases (*) that repeat too many values", YAML_REPEATED)

    def compose_mapping_node(self, anchor: Any) -> MappingNode:
        """Compose a mapping, with an error for a key that is given twice."""
        node = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    line = node.start_mark.line + 1
                    raise _RefusedError(
                        f"key '{_cut(key.value)}' is given twice in the group that starts at line "
                        f"{line}"
                    )
                seen.add(key.value)
        return node

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        kind = str(node.tag).rpartition(":")[2]
        name = _NAMES.get(kind, "value")
        line = node.start_mark.line + 1
        if kind in _NAMES and len(node.value) > _LONGEST_NUMBER:
            raise _RefusedError(
                f"the {name} at line {line} has {len(node.value)} characters, at most "
                f"{_LONGEST_NUMBER} are allowed"
            )
        try:
            return super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            shown = f"'{_cut(node.value)}' " if isinstance(node, yaml.ScalarNode) else ""
            raise _RefusedError(
                f"is not valid YAML at line {line}: {shown}is written as a {name}, but is none"
            ) from None


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def load_yaml(text: str, where: str) -> Any:
    """Return the contents of a YAML text.

    Raises:
        ConfigurationError: the text is not YAML, gives a key twice, or is larger than
            :mod:`dynid.limits` allows.
    """
    try:
        return yaml.load(text, _Loader)  # type: ignore[arg-type]  # noqa: S506 (is safe)
    except _RefusedError as error:
        raise ConfigurationError(f"{where}: {error}.") from None
    except _TooLargeError as error:
        error.limit.refuse(f"{where}: {error}")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        raise ConfigurationError(f"{where}: is not valid YAML{line}.") from None
    except UnicodeError:  # a lone surrogate, which no UTF-8 file can contain
        raise ConfigurationError(f"{where}: is not valid YAML, because it is not text.") from None
    except RecursionError:  # the limit of depth was set above Python's own
        message = f"{where}: has more nested lists and groups than Python can process."
        raise ConfigurationError(message) from None


_WIDTH = 100  # columns
Edit = tuple[int, int, str]
"""Start and end in the text, and the replacement."""


def rewritten(text: str, content: Mapping[str, Any]) -> str | None:
    """Return a YAML text with ``content``, and with the comments, order and spelling of ``text``.

    Comments within a changed list are lost, but not those of a list to which entries are added.
    Keys that ``content`` lacks are removed unless they are null. A number is equal to a list of
    one.

    Args:
        text: of a mapping, as :func:`dynid.yaml_text.load_yaml` reads it.
        content: of the new text.

    Returns:
        None if that is not possible, for example if a changed value is shared by an alias.
    """
    try:
        old = load_yaml(text, "text")
        node = yaml.compose(text, yaml.SafeLoader)
        if not (
            isinstance(node, yaml.MappingNode) and _is_block(node) and _keeps_some(old, content)
        ):
            return None
        edited = edited_text(text, _edits(text, node, old, content))
        return edited if _same(load_yaml(edited, "text"), content) else None
    except (ConfigurationError, yaml.YAMLError):
        return None


def edited_text(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with all edits, whose places are those in the text as it was."""
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def _edits(
    text: str, group: yaml.MappingNode, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Edit]:
    """Yield the edits that change a group in block style from ``old`` to ``new``."""
    nodes = {key.value: (key, value) for key, value in group.value}
    column = group.value[0][0].start_mark.column
    added, last = "", 0
    for name, (key, value) in nodes.items():
        end = _line_end(text, value)
        if name not in new and old[name] is not None:
            yield key.start_mark.index - column, end + 1, ""
        else:
            last = end
    for name, value in new.items():
        if name in old and _same(old[name], value):
            continue
        if name not in nodes:
            added += "\n" + indent(_entry_text(name, value, None), column * " ")
            continue
        key, node = nodes[name]
        block = _is_block(node)
        if block and isinstance(value, Mapping) and _keeps_some(old[name], value):
            yield from _edits(text, node, old[name], value)
        elif block and isinstance(value, list) and _grows(old[name], value):
            end = _line_end(text, node)
            entries = _dumped(value[len(old[name]) :], None)
            yield end, end, "\n" + indent(entries, node.start_mark.column * " ")
        else:
            # a comment beside the end of a block is about its last entry
            end = _line_end(text, node) if block else _end(text, node)
            style = True if isinstance(node, yaml.CollectionNode) and node.flow_style else None
            lines = indent(_entry_text(name, value, style), column * " ")
            yield key.start_mark.index, end, lines[column:]
    if added:
        yield last, last, added


def _is_block(node: yaml.Node | None) -> bool:
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def _keeps_some(old: object, new: Mapping[str, Any]) -> bool:
    return isinstance(old, Mapping) and any(key in old for key in new)


def _grows(old: object, new: list[Any]) -> bool:
    """Whether a list keeps its entries, and gets more after them."""
    count = len(old) if isinstance(old, list) else 0
    return 0 < count < len(new) and _same(old, new[:count])


def _dumped(value: object, style: bool | None) -> str:
    text: str = yaml.safe_dump(
        value, sort_keys=False, default_flow_style=style, width=_WIDTH, allow_unicode=True
    )
    return text.rstrip("\n")


def _entry_text(key: str, value: object, style: bool | None) -> str:
    text = _dumped({key: value}, style)
    return text[1:-1] if text.startswith("{") else text


def _end(text: str, node: yaml.Node) -> int:
    """Return the end of a node's last value; the end mark of a block is the start of the next."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    begin = node.start_mark.index
    return begin + len(text[begin : node.end_mark.index].rstrip())


def _line_end(text: str, node: yaml.Node) -> int:
    """Return the end of the line of a node's last value."""
    line_break = text.find("\n", _end(text, node))
    return len(text) if line_break < 0 else line_break


def _same(first: object, other: object) -> bool:
    """Return whether the second value has the meaning of the first: a number is a list of one.

    A null that the second lacks is no entry; one that only the second has can be a statement, as
    in ``limits``.
    """
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        keys = {key for key, value in first.items() if value is not None} | other.keys()
        if not other.keys() <= first.keys():
            return False
        return all(_same(first.get(key), other.get(key)) for key in keys)
    if isinstance(first, list) and isinstance(other, list):
        pairs = zip(first, other, strict=False)
        return len(first) == len(other) and all(_same(*pair) for pair in pairs)
    if isinstance(first, list) != isinstance(other, list):
        first, other = (value if isinstance(value, list) else [value] for value in (first, other))
        return _same(first, other)
    return first == other or str(first) == str(other) == "nan"
