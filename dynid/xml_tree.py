"""XML texts as trees, with limits: rejected before they need much memory or time.

Expat expands entities, so that a few lines can represent gigabytes; neither URDF nor SRDF needs
its own entities, and a text that declares any is rejected.
"""

from __future__ import annotations

from typing import NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

from dynid.errors import DynidError, MechanismError
from dynid.limits import TEXT_BYTES, XML_DEPTH, XML_ELEMENTS


class _LocatedElement(ET.Element):
    """An element that knows its line in the text."""

    line: int = 0


class _TreeParser:
    """Makes elements of what a parser reads, and raises if it is too much.

    Prefixes stay as they are written, as in parsers of URDF: neither ``xmlns`` nor a prefix that
    is declared nowhere, such as ``drake:`` of Drake's URDFs, changes a name.
    """

    def __init__(self, where: str, error: type[DynidError], *, comments: bool) -> None:
        self._where, self._error = where, error
        self._elements = self._depth = 0
        self._most = (XML_ELEMENTS.most, XML_DEPTH.most)
        self._builder = ET.TreeBuilder(element_factory=_LocatedElement, insert_comments=comments)
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._begin, self._end
        parser.CharacterDataHandler = self._builder.data
        parser.CommentHandler = self._builder.comment
        parser.EntityDeclHandler = self._entity

    def parse(self, text: str) -> ET.Element:
        self._parser.Parse(text, True)
        return self._builder.close()

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > self._most[0]:
            XML_ELEMENTS.refuse(f"{self._where}: has too many XML elements", self._error)
        if self._depth > self._most[1]:
            XML_DEPTH.refuse(f"{self._where}: has too many nested XML elements", self._error)
        element = self._builder.start(name, attributes)
        assert isinstance(element, _LocatedElement)  # noqa: S101  for mypy
        element.line = self._parser.CurrentLineNumber

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._builder.end(name)

    def _entity(self, name: str, *_: object) -> NoReturn:
        raise self._error(
            f"{self._where}: declares an XML entity '{name[:40]}', which is not supported; write "
            "its value instead."
        )


def line_of(element: ET.Element) -> int:
    """Return the line of an element of :func:`xml_tree` in its text, from 1; 0 if unknown."""
    return element.line if isinstance(element, _LocatedElement) else 0


def xml_tree(
    text: str, where: str, error: type[DynidError] = MechanismError, *, comments: bool = False
) -> ET.Element:
    """Return the root of an XML text.

    Args:
        text: of the file.
        where: names the text in error messages.
        error: type of the errors.
        comments: whether those within the root are elements of the tree.

    Raises:
        DynidError: ``error``, if the text is not XML, declares entities, or is larger than
            :mod:`dynid.limits` allows.
    """
    TEXT_BYTES.check(len(text), f"{where}: has {len(text)} characters", error)
    try:
        return _TreeParser(where, error, comments=comments).parse(text)
    except expat.ExpatError as problem:
        raise error(f"{where}: is not well-formed XML ({problem}).") from None
    except ValueError:  # a lone surrogate, or a character in an unknown encoding
        raise error(f"{where}: is not well-formed XML, because it is not text.") from None
