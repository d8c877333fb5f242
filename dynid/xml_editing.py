"""Changes of an XML text that keep all other bytes: comments, order, quotes and line breaks.

Changed attributes and elements are replaced at the places that expat reports. A tree that is
written again would lose the layout of tags and everything outside of the root element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from dynid.errors import DynidError, MechanismError
from dynid.xml_tree import xml_tree

_ATTRIBUTE = re.compile(rb"""\s+([^\s=/>]+)\s*=\s*("[^"]*"|'[^']*')""")
_INDENT = b"  "


@dataclass(eq=False)
class XmlElement:
    """An element in the text, with the places of its tags as bytes.

    Attributes:
        attributes: with entities resolved.
        parent: None for the root.
        children: elements in it, in their order.
        text: all character data directly in it.
        start: of the start tag.
        content: the end of the start tag.
        end: of the element.
    """

    tag: str
    attributes: dict[str, str]
    parent: XmlElement | None
    start: int
    content: int = 0
    end: int = 0
    text: str = ""
    children: list[XmlElement] = field(default_factory=list)

    def find(self, *path: str) -> XmlElement | None:
        """Return the first element with these tags below this one, or None."""
        element: XmlElement | None = self
        for tag in path:
            if element is None:
                return None
            element = next((child for child in element.children if child.tag == tag), None)
        return element

    def text_of(self, *path: str) -> str:
        """Return the text of the first element with these tags below this one, or ""."""
        found = self.find(*path)
        return "" if found is None else found.text.strip()

    def all(self, tag: str) -> Iterator[XmlElement]:
        """Yield all elements with a tag at any depth below this one, in the order of the text."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.all(tag)


class XmlText:
    """An XML text, its elements, and changes to them; :meth:`text` returns the result.

    Args:
        text: with one root element.
        where: names the text in error messages.
        error: type of the errors.

    Raises:
        DynidError: ``error``, if the text is not XML or larger than :mod:`dynid.limits` allows.
    """

    def __init__(self, text: str, where: str, error: type[DynidError] = MechanismError) -> None:
        xml_tree(text, where, error)
        self._bytes = text.encode()
        self._edits: list[tuple[int, int, bytes]] = []
        self._filled: dict[XmlElement, bytes] = {}
        self._open: list[XmlElement] = []
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._begin, self._finish
        self._parser.CharacterDataHandler = self._characters
        self._parser.Parse(self._bytes, True)

    def source(self, parent: XmlElement, tag: str) -> str:
        """Return the first element with a tag in an element as it was written; "" without any."""
        found = parent.find(tag)
        return "" if found is None else self._bytes[found.start : found.end].decode()

    def set_attributes(self, element: XmlElement, values: Mapping[str, str | None]) -> None:
        """Set attributes of an element; None removes one. A later call adds to an earlier one."""
        present = {
            match[1].decode(): match
            for match in _ATTRIBUTE.finditer(self._bytes, element.start, element.content)
        }
        added = b""
        for name, value in values.items():
            assignment = b"" if value is None else f"{name}={quoteattr(value)}".encode()
            if name in present:
                place = present[name]
                first = place.start() if value is None else place.start(1)
                self._edits.append((first, place.end(), assignment))
            elif value is not None:
                added += b" " + assignment
        if added:
            at = self._tag_end(element)
            at -= len(self._bytes[:at]) - len(self._bytes[:at].rstrip())
            self._edits.append((at, at, added))

    def set_text(self, element: XmlElement, text: str) -> None:
        """Replace all content of an element by text."""
        self._edits.append(self._content_edit(element, escape(text).encode()))

    def replace(self, element: XmlElement, xml: str) -> None:
        """Replace an element by XML, whose further lines get its indentation."""
        self._edits.append((element.start, element.end, self._indented(element, xml)))

    def remove(self, element: XmlElement) -> None:
        """Remove an element, with the white space before it."""
        before = self._bytes[: element.start]
        self._edits.append((len(before.rstrip()), element.end, b""))

    def insert(self, parent: XmlElement, xml: str) -> None:
        """Insert XML as the first child of an element, on a line of its own."""
        if parent.children:
            first = parent.children[0]
            indent = self._line_break(first)
            self._edits.append(
                (parent.content, parent.content, indent + self._indented(first, xml))
            )
            return
        start = self._line_break(parent) + _INDENT
        lines = start + xml.encode().replace(b"\n", start)
        self._filled[parent] = self._filled.get(parent, b"") + lines

    def put(self, parent: XmlElement, tag: str, xml: str) -> None:
        """Replace the first element with a tag in an element, or insert it as the first child."""
        there = parent.find(tag)
        if there is None:
            self.insert(parent, xml)
        else:
            self.replace(there, xml)

    def append(self, parent: XmlElement, xml: str) -> None:
        """Insert XML behind the last child of an element, on a line of its own."""
        if parent.children:
            self.insert_after(parent.children[-1], xml)
        else:
            self.insert(parent, xml)

    def insert_after(self, element: XmlElement, xml: str) -> None:
        """Insert XML behind an element, on a line of its own; later calls insert further behind."""
        lines = self._line_break(element) + self._indented(element, xml)
        self._edits.append((element.end, element.end, lines))

    def text(self) -> str:
        """Return the text with all changes."""
        done, at = [], 0
        filled = [self._filled_edit(element, lines) for element, lines in self._filled.items()]
        for start, end, replacement in sorted(self._edits + filled, key=lambda edit: edit[:2]):
            done += [self._bytes[at:start], replacement]
            at = max(at, end)
        return b"".join([*done, self._bytes[at:]]).decode()

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        start = self._parser.CurrentByteIndex
        parent = self._open[-1] if self._open else None
        element = XmlElement(tag, attributes, parent, start, content=self._end_of_tag(start))
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self._open.append(element)

    def _finish(self, _tag: str) -> None:
        element = self._open.pop()
        if self._is_empty(element):
            element.end = element.content
        else:
            element.end = self._bytes.index(b">", self._parser.CurrentByteIndex) + 1

    def _characters(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text

    def _end_of_tag(self, start: int) -> int:
        """Return the place behind the tag that starts there; a value may contain ``>``."""
        at, quote = start, 0
        while True:
            byte = self._bytes[at]
            if quote:
                quote = 0 if byte == quote else quote
            elif byte in b"\"'":
                quote = byte
            elif byte == ord(">"):
                return at + 1
            at += 1

    def _is_empty(self, element: XmlElement) -> bool:
        return self._bytes[element.content - 2 : element.content] == b"/>"

    def _tag_end(self, element: XmlElement) -> int:
        """Return the place of ``>`` or ``/>`` of the start tag."""
        return element.content - (2 if self._is_empty(element) else 1)

    def _filled_edit(self, element: XmlElement, lines: bytes) -> tuple[int, int, bytes]:
        """Return the edit that puts lines into an element without children."""
        if element.text.strip():
            return element.content, element.content, lines
        return self._content_edit(element, lines + self._line_break(element))

    def _content_edit(self, element: XmlElement, content: bytes) -> tuple[int, int, bytes]:
        if self._is_empty(element):
            closed = b">" + content + f"</{element.tag}>".encode()
            return self._tag_end(element), element.content, closed
        end = self._bytes.rindex(b"</", element.content, element.end)
        return element.content, end, content

    def _line_break(self, element: XmlElement) -> bytes:
        """Return the line break and the indentation of the line that an element starts."""
        before = self._bytes[: element.start]
        line = before.rsplit(b"\n", 1)[-1]
        return b"\n" + line[: len(line) - len(line.lstrip())]

    def _indented(self, element: XmlElement, xml: str) -> bytes:
        return xml.encode().replace(b"\n", self._line_break(element))
