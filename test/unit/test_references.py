"""docs/references.bib has the methods that pages and code cite, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_ENTRY = re.compile(r"^@\w+\{(\w+),\n((?:  \w+ += \{.*\},\n)+)\}$", re.MULTILINE)
_FIELD = re.compile(r"^  (\w+) += \{(.*)\},$", re.MULTILINE)
_ROW = re.compile(r"^\| `(\w+)` \| .* \[[^]]+\]\(([^)]+)\) \|$", re.MULTILINE)


def _entries() -> dict[str, dict[str, str]]:
    text = (DOCS / "references.bib").read_text("utf-8")
    entries = {key: dict(_FIELD.findall(fields)) for key, fields in _ENTRY.findall(text)}
    assert len(entries) == text.count("\n@")
    return entries


def _rows() -> dict[str, str]:
    return dict(_ROW.findall((DOCS / "method.md").read_text("utf-8")))


def test_the_page_has_a_row_for_every_entry() -> None:
    assert _rows().keys() == _entries().keys()


@pytest.mark.parametrize("key", _rows())
def test_an_entry_is_complete_and_cited_where_the_page_says(key: str) -> None:
    entry = _entries()[key]
    assert {"author", "title", "year"} < entry.keys()
    assert {"journal", "booktitle", "publisher"} & entry.keys()
    surname = entry["author"].split(",")[0].split()[-1]
    page = (DOCS / _rows()[key]).read_text("utf-8")
    assert surname in _ROW.sub("", page)
