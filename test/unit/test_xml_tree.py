"""XML texts that expat alone would expand to gigabytes."""

from __future__ import annotations

import pytest

from dynid.errors import ConfigurationError, MechanismError
from dynid.xml_tree import xml_tree

LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1 or str()};" * 10}">' for i in range(1, 10))
    + "]><r>&a9;</r>"
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAUGHS, "declares an XML entity 'a'"),
        ('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]><r>&a;</r>', "XML entity 'a'"),
        ("<a>" * 51 + "</a>" * 51, "nested.*DYNID_MAX_XML_DEPTH"),
        ("<a>" + "<b/>" * 100_000 + "</a>", "too many XML elements.*DYNID_MAX_XML_ELEMENTS"),
        ("<a", "not well-formed XML"),
        ("", "not well-formed XML"),
        ("<a>\x00</a>", "not well-formed XML"),
        ("<a>\ud800</a>", "not well-formed XML"),
    ],
    ids=range(8),
)
def test_refuses_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^f.srdf: .*{sentence}"):
        xml_tree(text, "f.srdf", ConfigurationError)


def test_reads_a_document_type_without_entities() -> None:
    assert xml_tree("<!DOCTYPE robot><robot><link/></robot>", "f")[0].tag == "link"


def test_a_text_larger_than_the_limit_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_TEXT_BYTES", "10")
    with pytest.raises(MechanismError, match="has 11 characters, but at most 10 are allowed"):
        xml_tree("<abcdefgh/>", "f")
