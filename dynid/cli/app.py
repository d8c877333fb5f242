"""The command line: arguments in, calls into the library, tables or JSON out.

Exit codes: 0 good, 1 ran but failed its criterion, 2 bad input.
"""

from __future__ import annotations

import sys
import warnings
from io import TextIOWrapper
from typing import Annotated

import typer

from dynid import __version__
from dynid.cli.commands import CommandGroup
from dynid.errors import DynidError

app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    help="From a recording of a robot to a dynamic model that can be trusted and run.",
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dynid {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version, and exit."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; a user's mistake becomes one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without UTF-8 gets question marks
            stream.reconfigure(errors="replace")
    warnings.showwarning = _print_warning
    try:
        app()
    except DynidError as error:
        typer.echo(f"dynid: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has had enough
    except OSError as error:
        name = error.filename or "a file"
        typer.echo(f"dynid: {name}: {error.strerror or error}.", err=True)
        sys.exit(2)


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A warning is one sentence too, without the line of code that it is from."""
    typer.echo(f"dynid: warning: {message}", err=True)
