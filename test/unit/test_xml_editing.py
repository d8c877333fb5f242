"""XML texts with changes: everything else keeps its bytes."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynid.errors import ConfigurationError
from dynid.xml_editing import XmlElement, XmlText
from dynid.xml_tree import xml_tree

TEXT = """\
<?xml version="1.0"?>
<!-- licence -->
<a  x='1'
    y = "2>3"><!-- first -->
  <b/>
  <c z="ü">text &amp; more</c>
  <d />
  <e></e>
</a>
<!-- end -->
"""


def edited() -> XmlText:
    return XmlText(TEXT, "my.xml")


def child(xml: XmlText, tag: str) -> XmlElement:
    found = xml.root.find(tag)
    assert found is not None
    return found


def test_a_text_without_changes_is_the_same() -> None:
    assert edited().text() == TEXT


def test_elements_have_their_attributes_text_and_places() -> None:
    root = edited().root
    assert (root.tag, root.attributes) == ("a", {"x": "1", "y": "2>3"})
    assert [child.tag for child in root.children] == ["b", "c", "d", "e"]
    found = child(edited(), "c")
    assert (found.text, found.attributes["z"]) == ("text & more", "ü")
    assert TEXT.encode()[found.start : found.end].decode() == '<c z="ü">text &amp; more</c>'
    assert root.find("c", "nothing") is None
    assert root.find("nothing", "c") is None


@pytest.mark.parametrize(
    ("values", "tag"),
    [
        ({"x": "9"}, '<a  x="9"\n    y = "2>3">'),
        ({"y": None}, "<a  x='1'>"),
        ({"w": 'q"<'}, "<a  x='1'\n    y = \"2>3\" w='q\"&lt;'>"),
        ({"v": None}, "<a  x='1'\n    y = \"2>3\">"),
    ],
)
def test_attributes_are_changed_in_their_places(values, tag) -> None:
    xml = edited()
    xml.set_attributes(xml.root, values)
    assert xml.text() == TEXT.replace("<a  x='1'\n    y = \"2>3\">", tag)


def test_elements_are_inserted_with_the_layout_of_their_neighbours() -> None:
    xml = edited()
    d, e = child(xml, "d"), child(xml, "e")
    xml.set_attributes(d, {"k": "1"})
    xml.insert(d, "<inner/>")
    xml.insert(e, "<n>\n  <o/>\n</n>")
    xml.append(xml.root, "<last/>")
    changed = xml.text()
    assert '  <d k="1" >\n    <inner/>\n  </d>\n' in changed
    assert "  <e>\n    <n>\n      <o/>\n    </n>\n  </e>\n  <last/>\n</a>" in changed


def test_elements_are_inserted_behind_another_one_in_the_order_of_the_calls() -> None:
    xml = edited()
    c = child(xml, "c")
    xml.set_attributes(c, {"k": "1"})
    xml.insert_after(c, "<m>\n  <o/>\n</m>")
    xml.insert_after(c, "<n/>")
    after = "</c>\n  <m>\n    <o/>\n  </m>\n  <n/>\n  <d />\n"
    assert xml.text().replace(' k="1"', "") == TEXT.replace("</c>\n  <d />\n", after)


def test_the_source_of_an_element_is_as_it_was_written() -> None:
    xml = edited()
    assert xml.source(xml.root, "c") == '<c z="ü">text &amp; more</c>'
    assert xml.source(xml.root, "nothing") == ""


def test_elements_are_replaced_and_removed_with_their_line() -> None:
    xml = edited()
    c, d = child(xml, "c"), child(xml, "d")
    xml.remove(c)
    xml.replace(d, "<dd>\n  <p/>\n</dd>")
    assert "  <b/>\n  <dd>\n    <p/>\n  </dd>\n  <e></e>" in xml.text()


def test_text_is_replaced_and_escaped() -> None:
    xml = edited()
    c, b = child(xml, "c"), child(xml, "b")
    xml.set_text(c, "<5")
    xml.set_text(b, "7")
    assert '<c z="ü">&lt;5</c>' in xml.text()
    assert "<b>7</b>" in xml.text()


def test_what_is_not_xml_is_refused_in_one_sentence() -> None:
    with pytest.raises(ConfigurationError, match=r"^my.xml: is not well-formed XML"):
        XmlText("<a>", "my.xml", ConfigurationError)


NAMES = st.text("abc", min_size=1, max_size=3)


@st.composite
def trees(draw, depth: int = 3) -> ET.Element:
    attributes = draw(st.dictionaries(NAMES, st.text(max_size=4), max_size=3))
    element = ET.Element(draw(NAMES))
    for name, value in attributes.items():
        element.set(name, "".join(c for c in value if c.isprintable()))
    if depth:
        element.extend(draw(st.lists(trees(depth - 1), max_size=3)))
    return element


@given(trees(), st.data())
def test_any_tree_reads_as_changed(tree: ET.Element, data: st.DataObject) -> None:
    text = ET.tostring(tree, encoding="unicode")
    xml = XmlText(text, "random")
    assert xml.text() == text
    elements, places = list(tree.iter()), [xml.root, *every(xml.root)]
    chosen = data.draw(st.integers(0, len(places) - 1))
    assert places[chosen].tag == elements[chosen].tag
    xml.set_attributes(places[chosen], {"new": "<&\"'>"})
    xml.insert(places[chosen], "<inserted/>")
    elements[chosen].set("new", "<&\"'>")
    elements[chosen].insert(0, ET.Element("inserted"))
    found = xml_tree(xml.text(), "changed")
    assert ET.canonicalize(ET.tostring(found), strip_text=True) == ET.canonicalize(
        ET.tostring(tree), strip_text=True
    )


def every(element):
    for child in element.children:
        yield child
        yield from every(child)
