"""Tables on a narrow terminal: what is printed, and whether it is whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from dynid.report.terminal.tables import ResultTable


def printed_whole(
    show: Callable[[Console], None], width: int, monkeypatch: pytest.MonkeyPatch
) -> str:
    """Print on a terminal, check that no line is too long and no cell is cut, return the words."""
    cells = _cells(monkeypatch)
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
    show(console)
    printed = console.file.getvalue()
    lines = printed.splitlines()
    assert [line for line in lines if len(line.rstrip()) > width] == []
    assert not re.search(r"\S…|…\S", printed)
    assert [cell for cell in cells if not any(cell in line for line in lines)] == []
    return " ".join(printed.split())


def _cells(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every cell of every table from now on, but names and sentences, which may wrap."""
    found: list[str] = []

    def add_row(self: ResultTable, *given, style="", add=ResultTable.add_row) -> None:
        add(self, *given, style=style)
        last = -1 if self._wrap_last else None
        found.extend(cell.plain for cell in self.rows[-1].cells[1:last])

    monkeypatch.setattr(ResultTable, "add_row", add_row)
    return found
