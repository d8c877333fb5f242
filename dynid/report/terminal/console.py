"""What all printed results share: where they go, tables, and a bar for what takes long."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path


PIPE_WIDTH = 100
"""Columns of a table that goes into a file or another program."""


PATIENCE = 1.0
"""[s] after which a bar shows that something is going on."""


def result_console(as_json: bool) -> Console:
    """Return where tables go: the standard output, unless that belongs to JSON."""
    return Console(stderr=as_json, quiet=as_json)


def print_written(console: Console, paths: Iterable[Path]) -> None:
    """Print where results are."""
    for path in paths:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


@contextmanager
def progress(console: Console, *, steps: int | None = None) -> Iterator[Callable[[str], None]]:
    """Yield a function that is told each step's name as it begins.

    On a terminal, a bar appears once the block has taken longer than ``PATIENCE``, and leaves
    nothing behind; it fills where the number of steps is known. Anywhere else nothing is printed.
    """
    begun = 0
    with _bar(console, "", steps) as (bar, task):

        def begin(step: str) -> None:
            nonlocal begun
            bar.update(task, description=step, completed=begun)
            begun += 1

        yield begin


@contextmanager
def share_progress(console: Console, what: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that is told the share of the work that is behind, from 0 to 1.

    The bar is that of :func:`progress`.
    """
    with _bar(console, what, 1.0) as (bar, task):
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def _bar(
    console: Console, description: str, total: float | None
) -> Iterator[tuple[Progress, TaskID]]:
    bar = Progress(
        BarColumn(bar_width=24),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task(description, total=total)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    if console.is_terminal:
        timer.start()
    try:
        yield bar, task
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()  # a bar that starts after it was stopped would never stop
        bar.stop()


def roomy(console: Console) -> Console:
    """Return a console as wide as tables need where nobody's window limits it: in a pipe."""
    if console.is_terminal or console.quiet or console.width >= PIPE_WIDTH:
        return console
    return Console(file=console.file, width=PIPE_WIDTH, color_system=None)


def table(first: str, *others: str) -> Table:
    """Return an empty table: names to the left, numbers to the right."""
    rows = Table(box=None, pad_edge=False, header_style="bold")
    rows.add_column(first, no_wrap=True, overflow="fold")
    for name in others:
        rows.add_column(name, justify="right", overflow="fold")
    return rows


def print_sentences(console: Console, title: str, sentences: Sequence[str], style: str) -> None:
    """Print sentences below their title, if there are any."""
    if sentences:
        console.print(Text(f"{title}:", style=style))
        for sentence in sentences:
            # programs look for whole sentences
            console.print(Text(f"  - {sentence}"), soft_wrap=not console.is_terminal)
