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
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},  # of the commands, too
    help="Identify the dynamic model of a robot from its own motion, and use it for control.",
    epilog="dynid COMMAND --help describes a command, dynid demo shows all steps on a simulated "
    "robot. Press Tab to complete commands, options, robots and files, after dynid "
    "--install-completion and a new shell.",
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
            "--version",
            "-V",
            callback=_show_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    pass


def run() -> None:
    """Run the command line; a user's mistake is reported in one sentence with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without UTF-8 shows question marks
            stream.reconfigure(errors="replace")
    warnings.showwarning = _print_warning
    try:
        app()
    except DynidError as error:
        _print(str(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the program that read the output has ended
    except OSError as error:
        _print(f"{error.filename or 'a file'}: {error.strerror or error}.")
        sys.exit(2)


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one sentence, without the line of code that raised it."""
    _print(str(message), kind="warning")


def _print(text: str, *, kind: str = "") -> None:
    # rich costs time that neither --version nor a completion needs
    from dynid.report.terminal.console import print_message

    print_message(text, kind=kind)
