"""Changes of a YAML text that keep all other bytes.

Changed values are replaced at the places of PyYAML's nodes. ruamel.yaml would need its own objects,
but changes line breaks of lists and tables elsewhere, and loses comments below a list that is
replaced (docs/development.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import indent
from typing import Any

import yaml

from dynid.errors import ConfigurationError
from dynid.yaml_loader import load_yaml

_WIDTH = 100  # columns
Edit = tuple[int, int, str]
"""Start and end in the text, and the replacement."""


def rewritten(text: str, content: Mapping[str, Any]) -> str | None:
    """Return a YAML text with ``content``, and with the comments, order and spelling of ``text``.

    Comments within a changed list are lost, but not those of a list to which entries are added.
    Keys that ``content`` lacks are removed unless they are null. A number is equal to a list of
    one.

    Args:
        text: of a mapping, as :func:`dynid.yaml_loader.load_yaml` reads it.
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
