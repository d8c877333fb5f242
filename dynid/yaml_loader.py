"""YAML's safe loader, with limits: a text is rejected before it needs much memory or time.

PyYAML limits neither nesting nor aliases, and raises any of Python's errors for values such as
``2026-99-99``.
"""

from __future__ import annotations

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
