"""What docs/development.md calls deprecated ends in time, and llms.txt has ten lines."""

from __future__ import annotations

import re

import pytest
from support.pages import ROOT, read_blocks

import dynid
from dynid.guessed_names import REMOVED_IN

PAGE = (ROOT / "docs/development.md").read_text("utf-8")
DEPRECATED = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.partition("### Deprecated now")[2].partition("\n## ")[0].splitlines()
    if re.match(r"\| \d", line)
]


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


@pytest.mark.parametrize("row", DEPRECATED, ids=lambda row: row[1][:30])
def test_what_is_deprecated_ends_after_a_whole_minor_release(row: list[str]) -> None:
    since, *_, removed = row
    assert _number(since) < _number(removed)
    assert _number(dynid.__version__) < _number(removed)


def test_former_commands_end_in_the_release_that_the_page_names() -> None:
    (removed,) = {row[-1] for row in DEPRECATED if "commands" in row[1]}
    assert removed == REMOVED_IN


def test_llms_txt_identifies_a_robot_in_ten_lines_of_public_names() -> None:
    (block,) = (one for one in read_blocks(ROOT / "llms.txt") if one.language == "python")
    statements = [line for line in block.code.splitlines() if line]
    assert len(statements) <= 10
    assert set(re.findall(r"\bdynid\.(\w+)", block.code)) <= set(dynid.__all__)
