"""The command line, called in the process of a test."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from dynid import cli

if TYPE_CHECKING:
    from collections.abc import Callable


def run_dynid(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Call ``dynid`` with these words, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["dynid", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


def printed_by(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: object
) -> Callable[..., str]:
    """A function that calls a command with further words and returns what it has printed.

    With an exit ``code`` other than 0 that is the error.
    """

    def call(*words: object, code: int = 0) -> str:
        assert run_dynid(monkeypatch, *command, *words) == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return call
