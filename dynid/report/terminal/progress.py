"""The progress of work that takes long: one form for all commands.

It is shown on standard error: as a bar on a terminal, as a line now and then in a pipe or file. A
program that runs a command and shows its progress itself names a file to write it to.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from dynid.report.terminal.console import message_console

Item = TypeVar("Item")

PATIENCE = 1.0
"""[s] after which the progress is shown; shorter work shows none."""

LINES_EVERY = 30.0
"""[s] between lines where there is no terminal; work that is shorter writes none."""

PROGRESS_FILE = "DYNID_PROGRESS_FILE"
"""Environment variable: file that is written in place of a display, as JSON with ``share``, the
share of the work that is done, or null, and ``text``."""

_WRITTEN_EVERY = 0.3  # [s] between states in that file

_TIME_LEFT_FROM = 0.02
"""Share of the work after which the time left is estimated."""

_LARGEST_SHARE = 0.99
"""Share that is shown at most, as the end of the display means that all is done."""


class Progress:
    """What a task reports: the name of each step as it begins, and the share of work done."""

    def __init__(self, bar: RichProgress, task: TaskID, steps: int | None) -> None:
        self._bar = bar
        self._task = task
        self._steps = steps
        self._begun = 0

    def __call__(self, step: str) -> None:
        """Begin a step; the share of all work that is done stays."""
        self._begun += 1
        count = "" if self._steps is None else f"{min(self._begun, self._steps)} of {self._steps}"
        self._bar.update(self._task, description=step, count=count)
        measured = self._bar.tasks[0].fields["since"] is not None
        if self._steps is not None and not measured:
            self._bar.update(self._task, completed=(self._begun - 1) / self._steps, total=1.0)

    def share(self, done: float) -> None:
        """Set the share of all work that is done; from now on the time left is shown.

        The time left is estimated from the time since the first share was set, and what was done in
        it: work before does not count, which may have been of another kind. A share never falls,
        and stays below 1 because the work goes on.

        Args:
            done: from 0 to 1.
        """
        task = self._bar.tasks[0]
        if task.fields["since"] is None:
            self._bar.update(self._task, since=(self._bar.get_time(), done))
        shown = (
            max(task.completed, min(done, _LARGEST_SHARE))
            if task.total
            else min(done, _LARGEST_SHARE)
        )
        self._bar.update(self._task, completed=shown, total=1.0)

    def counted(self, what: str) -> Callable[[int, int], None]:
        """Return a function that reports how many of all items are done."""
        self._bar.update(self._task, since=(self._bar.get_time(), 0.0))

        def step(done: int, count: int) -> None:
            self(f"{done} of {count} {what}")
            self.share(done / count)

        return step

    def each(
        self, items: Iterable[Item], name: Callable[[Item], str], *, of: float = 1.0
    ) -> Iterator[Item]:
        """Yield items of about equal work, each as a step of its own; together a share of all."""
        known = list(items)
        self._steps, self._begun = len(known), 0
        for number, item in enumerate(known):
            self.share(of * number / len(known))
            self(name(item))
            yield item
        self._steps = None


@contextmanager
def progress(
    console: Console,
    step: str = "",
    *,
    steps: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Progress]:
    """Yield what a task reports its progress to.

    The display appears once the block has taken longer than ``PATIENCE``, and leaves nothing
    behind. The bar fills where the number of steps or the share of work is known. Without a
    terminal, a line is written every ``LINES_EVERY``, or a file as ``PROGRESS_FILE`` names it.

    Args:
        console: of the results; a quiet one shows no progress either.
        step: the first step, where there is no other.
        steps: number of steps, if known.
        clock: returns the time [s].
    """
    messages = message_console()
    file = os.environ.get(PROGRESS_FILE)
    shown = not console.quiet and not file and _is_terminal(messages)
    bar = RichProgress(
        BarColumn(bar_width=20),
        _Percentage(),
        TimeElapsedColumn(),
        _TimeLeft(),
        TextColumn("{task.fields[count]}", markup=False),
        TextColumn("{task.description}", markup=False),
        console=messages,
        transient=True,
        redirect_stdout=False,  # results do not pass through standard error
        disable=not shown,
        get_time=clock,
    )
    task = bar.add_task(step, total=None, count="", since=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    ended = threading.Event()
    every = _WRITTEN_EVERY if file else LINES_EVERY
    report = partial(_write_file, Path(file)) if file else partial(_write_line, messages)
    lines = threading.Thread(target=_repeat, args=(every, report, bar, ended), daemon=True)
    if shown:
        timer.start()
    elif not console.quiet:
        lines.start()
    try:
        yield Progress(bar, task, steps)
    finally:
        ended.set()
        if lines.ident is not None:
            lines.join()
        timer.cancel()
        if timer.ident is not None:
            timer.join()  # a display that starts after it was stopped would never stop
        bar.stop()


def _repeat(
    every: float, report: Callable[[Task], None], bar: RichProgress, ended: threading.Event
) -> None:
    while not ended.wait(every):
        report(bar.tasks[0])


def _write_line(messages: Console, task: Task) -> None:
    messages.print(_line(task), soft_wrap=True)


def _write_file(file: Path, task: Task) -> None:
    state = {"share": task.completed if task.total else None, "text": _line(task)}
    unfinished = file.with_name(f"{file.name}.new")
    with suppress(OSError):  # who shows the progress may have ended
        unfinished.write_text(json.dumps(state), encoding="utf-8")
        unfinished.replace(file)


def _line(task: Task) -> str:
    """Return step, share of work done and time left."""
    parts = [task.description, _percentage(task) or task.fields["count"], _time_left(task)]
    return ", ".join(part for part in parts if part)


class _Percentage(ProgressColumn):
    """The share of the work that is done, where it is known."""

    def render(self, task: Task) -> Text:
        return Text(_percentage(task))


class _TimeLeft(ProgressColumn):
    """The time left, from the time that the share done has taken."""

    def render(self, task: Task) -> Text:
        return Text(_time_left(task))


def _percentage(task: Task) -> str:
    # steps that are only counted may differ in length
    return f"{task.percentage:.0f} %" if task.total and task.fields["since"] else ""


def _time_left(task: Task) -> str:
    if task.fields["since"] is None or not task.total:
        return ""
    begin, before = task.fields["since"]
    done = task.completed - before
    if done < _TIME_LEFT_FROM or task.completed >= _LARGEST_SHARE:
        return ""
    left = (task.get_time() - begin) * (1 - task.completed) / done
    return f"about {_duration(left)} left"


def _duration(seconds: float) -> str:
    """Return a duration as precisely as an estimate is: ``8 s``, ``3 min``, ``2 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


def _is_terminal(console: Console) -> bool:
    # FORCE_COLOR makes a pipe a terminal for rich
    return console.file.isatty() and console.is_terminal and not console.is_dumb_terminal
