"""The command line, called in the process of a test."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

import pytest
from typer.testing import CliRunner

from dynid import cli

if TYPE_CHECKING:
    from collections.abc import Callable


class Ran(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Standard error with single spaces, wherever lines were broken."""
        return " ".join(self.err.split())


def dynid(*words: object) -> Ran:
    """Call ``dynid`` with these words."""
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as err,
    ):
        code = run_dynid(patch, *words)
    return Ran(code, out.getvalue(), err.getvalue())


def output_of(*words: object, answer: str | None = None) -> str:
    """Return what a command prints, if it succeeds; what it refuses is raised."""
    result = CliRunner().invoke(cli.app, [*map(str, words)], input=answer)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


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
