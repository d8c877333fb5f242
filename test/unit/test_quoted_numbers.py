"""Numbers that pages quote are those that commands print.

A comment before a paragraph or table names a command and numbers of what it prints; where it takes
long, it `prints slowly`, which the thorough tests run. Each number must stand in the text below.

    <!-- `dynid tracking puma560` prints slowly: 0.995, 0.71 -->

Several commands are joined by ``&&``, and the last one prints; where ``../shared/data`` has no
recordings, those that need them are skipped. A block of ``console`` that begins with ``$ dynid``
quotes what that command prints; ``...`` stands for any text. In a tutorial, numbers with a unit are
those of its blocks, whose outputs ``test_documentation`` compares with what is printed.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from support.pages import ROOT, difference

from dynid import cli

_PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_MARK = re.compile(r"^<!-- `(dynid [^`]+)` (prints(?: slowly)?): ([^>]+) -->\n", re.MULTILINE)
_CONSOLE = re.compile(r"^```console\n\$ (dynid [^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_DATA = "../shared/data"
RECORDINGS = (ROOT / _DATA).resolve()
_RELATIVE = 0.01  # other machines round otherwise


class Quotation(NamedTuple):
    """Numbers of a page that a command prints."""

    page: str
    command: str
    slow: bool
    numbers: tuple[str, ...]
    text: str


def quotations(page: str, text: str) -> list[Quotation]:
    found = []
    for mark in _MARK.finditer(text):
        below = _MARK.sub("", text[mark.end() :] + "\n\n").lstrip("\n").partition("\n\n")[0]
        numbers = tuple(number.strip() for number in mark[3].split(","))
        found.append(Quotation(page, mark[1], "slowly" in mark[2], numbers, below))
    return found


def is_printed(number: str, printed: str) -> bool:
    """Return whether a number is among those printed, within one in its last digit or 1 %."""
    value, digits = float(number), len(number.partition(".")[2])
    allowed = max(1.001 * 10.0**-digits, _RELATIVE * abs(value))
    return any(abs(float(other) - value) <= allowed for other in _NUMBER.findall(printed))


QUOTATIONS = [
    one
    for page in _PAGES
    for one in quotations(str(page.relative_to(ROOT)), page.read_text("utf-8"))
]
CONSOLES = [
    (command, quoted)
    for page in _PAGES
    for command, quoted in _CONSOLE.findall(page.read_text("utf-8"))
    if "out/" not in command
]


@pytest.fixture
def output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Return a function that runs commands in an empty folder, and what the last one prints."""

    def run(commands: str) -> str:
        if _DATA in commands and not RECORDINGS.is_dir():
            pytest.skip(f"{_DATA}: recordings that are not part of this repository")
        monkeypatch.chdir(tmp_path)
        printed = ""
        for command in commands.replace(_DATA, str(RECORDINGS)).split(" && "):
            monkeypatch.setattr(sys, "argv", shlex.split(command))
            with pytest.raises(SystemExit) as end:
                cli.main()
            printed = capsys.readouterr().out
            assert end.value.code in (None, 0, 1), printed  # 1: a model that fails
        return printed

    return run


def _marked(one: Quotation) -> object:
    marks = [pytest.mark.thorough] if one.slow else []
    return pytest.param(one, id=f"{Path(one.page).stem}: {one.command}", marks=marks)


@pytest.mark.parametrize("one", QUOTATIONS, ids=lambda one: f"{one.page}: {one.command}")
def test_a_mark_names_numbers_of_the_text_below(one: Quotation) -> None:
    assert [number for number in one.numbers if number not in one.text] == []


@pytest.mark.parametrize("one", [_marked(one) for one in QUOTATIONS])
def test_quoted_numbers_are_printed(one: Quotation, output: Callable[[str], str]) -> None:
    printed = output(one.command)
    missing = [number for number in one.numbers if not is_printed(number, printed)]
    assert missing == [], f"{one.page}: {one.command} prints\n{printed}"


@pytest.mark.parametrize(("command", "quoted"), CONSOLES, ids=lambda text: text[:40])
def test_a_console_shows_what_its_command_prints(
    command: str, quoted: str, output: Callable[[str], str]
) -> None:
    assert difference(quoted, output(command), tolerance=_RELATIVE) is None


_TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
_FENCED = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_QUANTITY = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?) (?:%|N m|N|mrad|rad/s|rad|ms|kB|Hz|kg|samples|parameters)(?!\w)"
)
_OF_NO_BLOCK = {
    "collision-thresholds": ("100 %",),  # the threshold itself
    "coming-from-softmc": ("125 Hz",),  # of a softMC
    "own-robot": ("10 %",),  # typical of real robots, as on the card
    "servo-arm": (
        *("1.5 mrad", "80 %"),  # 2 pi / 4096, and the factor 0.8 of a block
        *("40 mrad",),  # of the picture
        *("0.05 ms", "1.3 kB"),  # measured on a PC
    ),
}
"""Quantities of the text that no block has."""


def _unfounded(text: str) -> list[str]:
    """Return the quantities of a tutorial's text that none of its blocks has, once rounded."""
    blocks = " ".join(_FENCED.findall(text))
    numbers = [abs(float(number)) for number in _NUMBER.findall(blocks)]
    found = []
    for quantity in _QUANTITY.finditer(_FENCED.sub("", text)):
        value, digits = float(quantity[1]), len(quantity[1].partition(".")[2])
        if all(abs(number - value) > 0.501 * 10.0**-digits for number in numbers):
            found.append(quantity[0])
    return found


@pytest.mark.parametrize("page", _TUTORIALS, ids=lambda page: page.stem)
def test_the_text_of_a_tutorial_quotes_its_blocks(page: Path) -> None:
    found = _unfounded(page.read_text("utf-8"))
    assert set(found) == set(_OF_NO_BLOCK.get(page.stem, ()))


def test_a_quantity_of_no_block_is_found() -> None:
    text = "About 1.3 N m, not 1.4 N m.\n\n```text\ntorque_error_max: [1.26]\n```\n"
    assert _unfounded(text) == ["1.4 N m"]


def test_a_number_is_printed_within_its_last_digit_or_a_hundredth() -> None:
    assert is_printed("0.71", "error 0.0070 mrad (0.705 %)")
    assert not is_printed("0.75", "error 0.0070 mrad (0.71 %)")
    assert not is_printed("174", "settling 239 ms without, 171 ms with")


def test_marks_are_found_with_the_text_below_them() -> None:
    text = "<!-- `dynid a` prints: 1 -->\n<!-- `dynid b` prints slowly: 2, 3 -->\n\n1 and 2\n\n3\n"
    first, second = quotations("page", text)
    assert (first.command, first.slow, first.text) == ("dynid a", False, "1 and 2")
    assert (second.slow, second.numbers, second.text) == (True, ("2", "3"), "1 and 2")
