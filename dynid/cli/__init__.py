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
_BAD_INPUT = 2


def main() -> None:
    """Run the command line; Ctrl-C ends it without a complaint, also while it is imported.

    Where Python lacks a package that dynid needs, a sentence names it.
    """
    try:
        with interrupted_between_imports():
            from dynid.cli.application import run

            run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except ImportError:
        from dynid.requirements import unmet_sentence

        if not (unmet := unmet_sentence()):
            raise
        sys.stderr.write(f"dynid: {unmet}\n")
        sys.exit(_BAD_INPUT)


def __getattr__(name: str) -> object:
    """Import the Typer application when it is first used: ``main`` must begin before that."""
    if name != "app":
        raise AttributeError(f"module 'dynid.cli' has no attribute '{name}'")
    from dynid.cli.application import app

    return app
