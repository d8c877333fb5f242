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


class _XmlBounds:
    """Counts what a parser reads, and raises if it is too much."""

    def __init__(self, where: str, error: type[DynidError]) -> None:
        self._where, self._error = where, error
        self._elements = self._depth = 0
        self._most = (XML_ELEMENTS.most, XML_DEPTH.most)

    def begin(self, _name: str, _attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > self._most[0]:
            XML_ELEMENTS.refuse(f"{self._where}: has too many XML elements", self._error)
        if self._depth > self._most[1]:
            XML_DEPTH.refuse(f"{self._where}: has too many nested XML elements", self._error)

    def end(self, _name: str) -> None:
        self._depth -= 1

    def entity(self, name: str, *_: object) -> NoReturn:
        message = (
            f"{self._where}: declares an XML entity '{name[:40]}', which is not supported; write "
            "its value instead."
        )
        raise self._error(message)


def xml_tree(text: str, where: str, error: type[DynidError] = MechanismError) -> ET.Element:
    """Return the root of an XML text.

    Args:
        text: of the file.
        where: names the text in error messages.
        error: type of the errors.

    Raises:
        DynidError: ``error``, if the text is not XML, declares entities, or is larger than
            :mod:`dynid.limits` allows.
    """
    TEXT_BYTES.check(len(text), f"{where}: has {len(text)} characters", error)
    bounds = _XmlBounds(where, error)
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = bounds.begin, bounds.end
    parser.EntityDeclHandler = bounds.entity
    try:
        parser.Parse(text, True)
        return ET.fromstring(text)  # noqa: S314  entities were rejected
    except (expat.ExpatError, ET.ParseError) as problem:
        raise error(f"{where}: is not well-formed XML ({problem}).") from None
    except ValueError:  # a lone surrogate, or a character in an unknown encoding
        raise error(f"{where}: is not well-formed XML, because it is not text.") from None
