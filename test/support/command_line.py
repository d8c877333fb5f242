"""The command line, called in the process of a test."""

from __future__ import annotations

import sys

import pytest

from dynid import cli


def run_dynid(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Call ``dynid`` with these words, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["dynid", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)
