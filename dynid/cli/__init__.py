"""The command line ``dynid``: one module a command.

A command parses options, calls one task and prints its result.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dynid.cli.interruption import interrupted_between_imports

if TYPE_CHECKING:
    from typer import Typer

    app: Typer

__all__ = ["app", "main"]

_INTERRUPTED = 130  # as of a program that SIGINT ended, in shells


def main() -> None:
    """Run the command line; Ctrl-C ends it without a complaint, also while it is imported."""
    try:
        with interrupted_between_imports():
            from dynid.cli.application import run

            run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def __getattr__(name: str) -> object:
    """Import the Typer application when it is first used: ``main`` must begin before that."""
    if name != "app":
        raise AttributeError(f"module 'dynid.cli' has no attribute '{name}'")
    from dynid.cli.application import app

    return app
