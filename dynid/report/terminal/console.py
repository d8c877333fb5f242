"""What all printed results share: where they go, and how sentences wrap.

Consoles are made here and nowhere else. They print text as it is: ``[m]`` is a unit, not markup.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.text import Text

from dynid.json_text import json_text

PIPE_WIDTH = 100
"""Columns of a table that goes into a file or another program."""

NOT_IDENTIFIABLE = "not identifiable"
"""In place of a number that the recordings do not determine."""


def result_console(as_json: bool = False) -> Console:
    """Return where tables go: the standard output, unless that belongs to JSON."""
    return Console(stderr=as_json, quiet=as_json, markup=False, highlight=False, emoji=False)


def message_console() -> Console:
    """Return where messages go: the standard error."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False)


def roomy(console: Console, width: int = PIPE_WIDTH) -> Console:
    """Return a console as wide as tables need where no window limits it: in a pipe."""
    if console.is_terminal or console.quiet or console.width >= width:
        return console
    return _pipe(console.file, width)


def _pipe(file: TextIO | object, width: int) -> Console:
    return Console(
        file=file,  # type: ignore[arg-type]  # rich's own stream
        width=width,
        color_system=None,
        markup=False,
        highlight=False,
        emoji=False,
    )


def print_result(
    console: Console,
    as_json: Callable[..., object],
    as_text: Callable[..., None],
    *result: object,
    written: Iterable[Path | None] = (),
) -> None:
    """Print a result for people, and where it was written; or as JSON, which quiets the console.

    Args:
        console: of ``result_console``.
        as_json: returns the result's content for JSON.
        as_text: prints the result on the console, its first argument.
        result: what both take.
        written: paths of files.
    """
    if console.quiet:
        print_json(as_json(*result))
    else:
        as_text(console, *result)
        print_written(console, written)


def print_written(console: Console, paths: Iterable[Path | None]) -> None:
    """Print where results are, if anywhere; a path is never broken, so that it can be copied."""
    for path in filter(None, paths):
        console.print(Text(f"wrote {path}"), soft_wrap=True)


def print_text(console: Console, text: str, style: str = "", *, first: str = "") -> None:
    """Print a sentence; a terminal wraps it between words with a hanging indent.

    In a pipe it stays in one line, because programs search for whole sentences.

    Args:
        console: where to print.
        text: the sentence.
        style: of rich.
        first: what precedes the sentence, such as ``- ``; wrapped lines are indented by as much.
    """
    if not console.is_terminal:
        console.print(Text(first + text, style=style), soft_wrap=True)
        return
    room = max(console.width - len(first), 1)
    start = first
    for line in Text(text, style=style).wrap(console, room):
        line.rstrip()
        console.print(Text(start, style=style) + line, soft_wrap=True)
        start = " " * len(first)


def print_sentences(console: Console, title: str, sentences: Sequence[str], style: str) -> None:
    """Print sentences below their title, if there are any."""
    if sentences:
        print_text(console, f"{title}:", style)
        for sentence in sentences:
            print_text(console, sentence, first="  - ")


def print_outcome(console: Console, success: bool) -> None:
    """Print whether a task met its criterion."""
    outcome = ("Succeeded.", "bold green") if success else ("Failed.", "bold red")
    console.print(Text(*outcome))


def print_message(text: str, *, kind: str = "") -> None:
    """Print an error, or another kind of message such as a ``warning``, to standard error."""
    first = "dynid: " if not kind else f"dynid: {kind}: "
    print_text(message_console(), text, first=first)


def print_json(content: object) -> None:
    """Print one JSON object; what is not a finite number is null."""
    sys.stdout.write(f"{json_text(content)}\n")
