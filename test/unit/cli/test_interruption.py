"""An interruption ends a command where nothing is damaged by it, and none is lost."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.deadlines import LONGEST
from support.representatives import representatives
from support.small_robot import write_small_robot

from dynid.cli import interruption
from dynid.cli.commands import all_commands
from dynid.cli.interruption import interrupted_outside

SIGNALS = (signal.SIGINT, signal.SIGTERM)

# a package with locks, a callback of the garbage collector, and a destructor
PACKAGE = """
import signal

def interrupted(steps, number=signal.SIGINT):
    signal.raise_signal(number)
    steps.append("went on")

def collected(phase, _):
    if phase == "start":
        signal.raise_signal(signal.SIGINT)
"""


@pytest.fixture(autouse=True)
def _usual_handlers() -> Iterator[None]:
    """Python's own handlers: a shell's background job begins with some ignored."""
    before = {one: signal.getsignal(one) for one in (*SIGNALS, signal.SIGALRM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def package() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "locking.part"}
    exec(PACKAGE, names)  # noqa: S102
    return names


@contextmanager
def interrupted() -> Iterator[None]:
    """Handle interruptions outside the package, of which one must be raised in the block."""
    try:
        with interrupted_outside(["locking"]):
            yield
    except KeyboardInterrupt:
        return
    pytest.fail("the interruption was lost")


def wait() -> None:
    """Be interrupted, outside any package."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        pass


def handlers() -> list[Any]:
    return [signal.getsignal(one) for one in (*SIGNALS, signal.SIGALRM)]


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interruption_is_raised_at_once(number: int) -> None:
    before, steps = handlers(), []
    with interrupted():
        signal.raise_signal(number)
        steps.append("went on")
    assert steps == []
    assert handlers() == before


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interruption_within_a_package_is_raised_after_it(package, number: int) -> None:
    steps: list[str] = []
    with interrupted():
        package["interrupted"](steps, number)
        assert steps == ["went on"]
        wait()


def test_an_interruption_in_a_callback_of_the_garbage_collector_is_not_lost(package) -> None:
    gc.callbacks.append(package["collected"])
    with interrupted():
        gc.collect()
        gc.callbacks.remove(package["collected"])
        wait()


def test_an_interruption_in_a_destructor_is_not_lost() -> None:
    class Held:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with interrupted():
        held = [Held()]
        held.clear()
        wait()


def test_an_interruption_in_a_callback_of_a_weak_reference_is_not_lost() -> None:
    class Held:
        pass

    held = Held()
    watched = weakref.ref(held, lambda _: signal.raise_signal(signal.SIGINT))
    with interrupted():
        del held
        assert watched() is None
        wait()


def test_other_exceptions_that_nobody_can_catch_are_reported(monkeypatch) -> None:
    class Faulty:
        def __del__(self) -> None:
            raise ValueError

    reported = []
    monkeypatch.setattr("sys.unraisablehook", lambda one: reported.append(one.exc_type))
    with interrupted_outside(["locking"]):
        faulty = [Faulty()]
        faulty.clear()
    assert reported == [ValueError]


def test_an_interruption_that_still_waits_is_raised_at_the_end(package) -> None:
    before = handlers()
    with interrupted():
        package["interrupted"]([])
    assert handlers() == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_second_signal_at_once_is_the_same_interruption(monkeypatch) -> None:
    monkeypatch.setattr(interruption, "_FORCED", LONGEST)
    with interrupted_outside(["locking"]):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)


def test_another_signal_later_does_not_wait(package, monkeypatch) -> None:
    monkeypatch.setattr(interruption, "_FORCED", -1.0)
    steps: list[str] = []
    with interrupted_outside(["locking"]), pytest.raises(KeyboardInterrupt):
        package["interrupted"](steps)
    assert steps == []


def test_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupted_outside(["locking"]):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_an_interruption_from_another_process_ends_a_wait() -> None:
    def later(send: Callable[[], None]) -> None:
        while not waiting:
            time.sleep(0.001)
        send()

    waiting: list[bool] = []
    sender = threading.Thread(target=later, args=(lambda: os.kill(os.getpid(), signal.SIGINT),))
    with interrupted():
        sender.start()
        waiting.append(True)
        time.sleep(LONGEST)
    sender.join()


# in the import of a module, where extension modules make an ImportError of what is raised
IN_IMPORT = """
import signal, sys
from dynid.cli import interruption, main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            try:
                signal.raise_signal(signal.{number})
            except BaseException as error:
                raise ImportError("initialization failed") from error

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background job
interruption._FORCED = {forced}
interruption._AGAIN = 0.001  # too short for a search to find anything
sys.meta_path.insert(0, Interrupting())
main()
print("went on")
"""


def interrupted_in_import(
    module: str, *arguments: str, number: str = "SIGINT", forced: float = LONGEST
) -> subprocess.CompletedProcess[str]:
    program = IN_IMPORT.format(module=module, number=number, forced=forced)
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    "name", representatives([name for name, one in all_commands().items() if one.module], 4)
)
def test_an_interruption_while_a_command_is_imported_ends_it_without_a_complaint(name: str) -> None:
    done = interrupted_in_import(all_commands()[name].module, *name.split(), "--help")
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("module", representatives(["dynid.cli.application", "typer", "rich"], 1))
def test_an_interruption_while_the_program_is_imported_ends_it_without_a_complaint(
    module: str,
) -> None:
    done = interrupted_in_import(module, "robots")
    assert (done.returncode, done.stderr) == (130, "")


def test_an_interruption_while_serve_is_imported_ends_it_without_a_complaint(tmp_path) -> None:
    done = interrupted_in_import("pyarrow", "fleet", "serve", str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.thorough
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_an_interruption_while_serve_imports_dask_ends_it_without_a_complaint(
    number: str, tmp_path: Path
) -> None:
    done = interrupted_in_import("distributed", "fleet", "serve", str(tmp_path), number=number)
    assert done.stderr == ""
    assert done.returncode in {0, 130}  # 0: the pages were served by then


def test_an_interruption_while_a_search_imports_ends_it_without_a_complaint(tmp_path: Path) -> None:
    output = tmp_path / "excitation.yaml"
    arguments = ["excite", "-p", str(write_small_robot(tmp_path)), "-o", str(output)]
    done = interrupted_in_import("dynid.excitation.design.optimise", *arguments)
    # the search may have begun when the interruption is tried again, and then says what it found
    if done.returncode == 130:
        assert done.stderr == ""
    else:
        assert done.returncode == 2
        assert re.fullmatch(r"dynid: [^\n]*run longer\.\n", done.stderr)
    assert not output.exists()


def test_another_signal_later_ends_a_process_that_imports() -> None:
    done = interrupted_in_import("typer", "robots", forced=-1.0)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_an_interruption_that_waits_is_raised_where_a_command_handles_signals_itself() -> None:
    def block() -> None:
        with interruption.interrupted_between_imports():
            exec(PACKAGE, names)  # noqa: S102
            names["interrupted"]([])
            with interrupted_outside(["locking"]):
                pytest.fail("the block was begun")

    names: dict[str, Any] = {"__name__": "importlib.part"}
    with pytest.raises(KeyboardInterrupt):
        block()


def test_a_signal_that_waits_is_ignored_once_results_are_written(package) -> None:
    with interruption.interrupted_once() as ignore:
        package["__name__"] = "importlib.part"
        package["interrupted"]([])
        ignore()
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_second_signal_does_not_interrupt_what_follows_the_first(number: int) -> None:
    with interruption.interrupted_once():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        for again in SIGNALS:
            signal.raise_signal(again)
