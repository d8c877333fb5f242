"""Progress: on standard error, after a while, and gone at the end; plain lines in a pipe."""

from __future__ import annotations

import io
import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from support.deadlines import LONGEST

from dynid.report.terminal import progress as module
from dynid.report.terminal.progress import Progress, progress


class Clock:
    """A simulated clock."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error is a terminal, and all work takes long."""
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "message_console", lambda: Console(file=screen, width=80))
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    return screen


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set once the progress is shown."""
    event = threading.Event()
    start = module.RichProgress.start
    monkeypatch.setattr(module.RichProgress, "start", lambda self: (start(self), event.set()))
    return event


def test_a_step_is_shown_as_it_is_written(
    terminal: Terminal, shown: threading.Event, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sys.stdout
    with progress(Console(file=io.StringIO())) as step:
        step("estimating [bold] [m]")
        assert shown.wait(LONGEST)
        assert sys.stdout is before
    assert "estimating [bold] [m]" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_steps_are_counted_where_their_number_is_known(
    terminal: Terminal, shown: threading.Event
) -> None:
    with progress(Console(file=io.StringIO()), steps=3) as step:
        step("reading")
        step("estimating")
        assert shown.wait(LONGEST)
    assert "2 of 3" in terminal.getvalue()
    assert "left" not in terminal.getvalue()


def test_the_time_left_is_shown_where_the_share_is_known(
    terminal: Terminal, shown: threading.Event
) -> None:
    clock = Clock()
    with progress(Console(file=io.StringIO()), "optimising", clock=clock) as step:
        step.share(0.0)
        clock.now = 20.0
        step.share(0.5)
        assert shown.wait(LONGEST)
    assert "50 %" in terminal.getvalue()
    assert "about 20 s left" in terminal.getvalue()


def test_items_are_steps_with_a_time_left(terminal: Terminal, shown: threading.Event) -> None:
    with progress(Console(file=io.StringIO())) as step:
        for item in step.each(["a", "b"], lambda item: f"testing on {item}"):
            assert item == "a" or shown.wait(LONGEST)
    assert "2 of 2 testing on b" in terminal.getvalue()
    assert "left" in terminal.getvalue()


@pytest.mark.parametrize(("seconds", "text"), [(8.4, "8 s"), (100.0, "2 min"), (7200.0, "2 h")])
def test_a_duration_is_as_precise_as_an_estimate(seconds: float, text: str) -> None:
    assert module._duration(seconds) == text


@pytest.mark.parametrize(
    ("quiet", "patience", "kind"),
    [(False, 60.0, "xterm"), (True, 0.0, "xterm"), (False, 0.0, "dumb")],
    ids=["quick work", "JSON", "a dumb terminal"],
)
def test_nothing_is_shown(
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    quiet: bool,
    patience: float,
    kind: str,
) -> None:
    monkeypatch.setattr(module, "PATIENCE", patience)
    monkeypatch.setenv("TERM", kind)
    with progress(Console(file=io.StringIO(), quiet=quiet)) as step:
        step("estimating")
    assert terminal.getvalue() == ""


class Pipe(io.StringIO):
    """Sets an event as soon as a line was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def flush(self) -> None:
        super().flush()
        if self.getvalue():
            self.written.set()


def test_a_pipe_gets_plain_lines_of_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe()
    monkeypatch.setattr(module, "message_console", lambda: Console(file=pipe, width=80))
    monkeypatch.setattr(module, "LINES_EVERY", 0.01)
    clock = Clock()
    with progress(Console(file=io.StringIO()), clock=clock) as step:
        step.share(0.0)
        clock.now = 300.0
        step.share(0.5)
        step("trying models at a joint with a name so long that a window would break the line here")
        assert pipe.written.wait(LONGEST)
    first = pipe.getvalue().splitlines()[0]
    assert "\x1b" not in first
    assert first.endswith("50 %, about 5 min left")


def test_json_gets_no_lines_either(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe()
    monkeypatch.setattr(module, "message_console", lambda: Console(file=pipe, width=80))
    monkeypatch.setattr(module, "LINES_EVERY", 0.0)
    before = set(threading.enumerate())
    with progress(Console(quiet=True)) as step:
        step("estimating")
        assert set(threading.enumerate()) <= before
    assert pipe.getvalue() == ""


def test_a_pipe_shows_no_bar_even_with_forced_colours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress(Console(file=io.StringIO())) as step:
        step("estimating")
        step.share(0.5)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("terminal")
def test_no_thread_is_left_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt), progress(Console(file=io.StringIO())):
        raise KeyboardInterrupt
    assert set(threading.enumerate()) <= before


def said(step: Progress) -> tuple[str, str]:
    """Return percentage and time left, as they are shown."""
    task = step._bar.tasks[0]
    return module._percentage(task), module._time_left(task)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def step(clock: Clock) -> Iterator[Progress]:
    with progress(Console(quiet=True), clock=clock) as found:
        yield found


def test_work_before_the_first_share_does_not_count(step: Progress, clock: Clock) -> None:
    step("reading")
    clock.now = 500.0
    step("estimating")
    step.share(0.1)
    assert said(step) == ("10 %", "")
    clock.now += 20.0
    step.share(0.3)
    # 20 s for 20 %, and 70 % are left
    assert said(step) == ("30 %", "about 70 s left")


def test_the_time_left_grows_while_nothing_is_done_and_a_share_never_falls(
    step: Progress, clock: Clock
) -> None:
    step.share(0.0)
    clock.now = 10.0
    step.share(0.5)
    assert said(step) == ("50 %", "about 10 s left")
    clock.now = 40.0
    assert said(step) == ("50 %", "about 40 s left")
    step.share(0.2)
    step("a next step")
    assert said(step)[0] == "50 %"


def test_the_end_is_not_announced_before_it(step: Progress, clock: Clock) -> None:
    step.share(0.0)
    clock.now = 10.0
    step.share(1.0)
    assert said(step) == ("99 %", "")
    clock.now = 100.0
    assert said(step) == ("99 %", "")


def test_counted_items_count_from_the_start(step: Progress, clock: Clock) -> None:
    report = step.counted("robots")
    clock.now = 10.0
    report(1, 5)
    assert said(step) == ("20 %", "about 40 s left")
    report(5, 5)
    assert said(step) == ("99 %", "")


def test_items_may_be_a_part_of_the_work(step: Progress, clock: Clock) -> None:
    found = []
    for _ in step.each(["a", "b"], str, of=0.5):
        clock.now += 10.0
        found.append(said(step)[0])
    step("tuning")
    step.share(0.75)
    assert found == ["0 %", "25 %"]
    assert said(step) == ("75 %", "about 7 s left")


def test_counted_steps_are_no_share_of_time(clock: Clock) -> None:
    with progress(Console(quiet=True), steps=4, clock=clock) as step:
        step("reading")
        step("identifying")
        clock.now = 10.0
        assert said(step) == ("", "")


def test_a_program_that_shows_progress_itself_gets_it_in_a_file(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "progress.json"
    monkeypatch.setenv(module.PROGRESS_FILE, str(file))
    monkeypatch.setattr(module, "_WRITTEN_EVERY", 0.001)
    with progress(Console(file=io.StringIO())) as step:
        step("estimating")
        step.share(0.0)
        step.share(0.25)
        end = time.monotonic() + LONGEST
        while not file.exists() or json.loads(file.read_text())["share"] != 0.25:
            assert time.monotonic() < end
    assert "estimating, 25 %" in json.loads(file.read_text())["text"]
    assert terminal.getvalue() == ""
