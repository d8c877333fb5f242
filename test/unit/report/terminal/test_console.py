"""Sentences on a terminal and in a pipe."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

import dynid
from dynid.report.terminal.console import (
    print_message,
    print_sentences,
    print_text,
    print_written,
    result_console,
)

LONG = "joint 'lift': " + "a reason of several words, " * 6 + "at the end."
SOURCES = [
    path
    for folder in ("cli", "report")
    for path in (Path(dynid.__file__).parent / folder).rglob("*.py")
]


def screen(width: int = 60) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)


def test_a_wrapped_list_entry_has_a_hanging_indent() -> None:
    console = screen()
    print_sentences(console, "Warnings", [LONG, "Short."], "yellow")
    first, *entries = console.file.getvalue().splitlines()
    assert first == "Warnings:"
    assert [line[:4] for line in entries] == ["  - ", "    ", "    ", "    ", "  - "]
    assert max(map(len, entries)) <= 60


def test_a_list_entry_stays_in_one_line_in_a_pipe() -> None:
    console = Console(file=io.StringIO(), width=60)
    print_sentences(console, "Warnings", [LONG], "yellow")
    assert console.file.getvalue().splitlines() == ["Warnings:", f"  - {LONG}"]


def test_a_wrapped_message_is_indented_below_its_first_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    console = screen()
    monkeypatch.setattr("dynid.report.terminal.console.message_console", lambda: console)
    print_message(LONG, kind="warning")
    first, *others = console.file.getvalue().splitlines()
    assert first.startswith("dynid: warning: joint 'lift'")
    assert all(line.startswith(" " * len("dynid: warning: ")) for line in others)


def test_a_message_is_one_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_message(LONG)
    assert capsys.readouterr() == ("", f"dynid: {LONG}\n")


def test_a_path_is_never_broken() -> None:
    console = screen(20)
    path = Path("a_folder_of_results/[m]/a_model_with_a_long_name.yaml")
    print_written(console, [path])
    assert console.file.getvalue() == f"wrote {path}\n"


@pytest.mark.parametrize("width", [60, 200])
def test_square_brackets_are_not_markup(width: int) -> None:
    console = screen(width)
    print_text(console, "a length [m] of [red]x[/red]", "bold")
    print_sentences(console, "[m]", ["[/b]"], "")
    assert console.file.getvalue().splitlines() == [
        "a length [m] of [red]x[/red]",
        "[m]:",
        "  - [/b]",
    ]


def test_a_console_prints_plain_strings_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    result_console().print("a length [m] of [red]x[/red] :smile:")
    assert capsys.readouterr().out == "a length [m] of [red]x[/red] :smile:\n"


def test_consoles_are_made_in_one_module() -> None:
    makers = {path.name for path in SOURCES if re.search(r"\bConsole\(", path.read_text("utf-8"))}
    assert makers == {"console.py"}
