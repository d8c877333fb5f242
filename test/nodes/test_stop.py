"""Signals of a process, and the time that it has for its shutdown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from functools import partial

import pytest
from support.deadlines import LONGEST

BEGIN = """
import os, signal, sys, time
from dynid_ros import stop as module
module.LONGEST_END, module._HARD = {longest}, {hard}
stop = module.Stop()
stop.waiting_for = "the kettle to cool"
print("listening", flush=True)
while not stop.requested:
    time.sleep(0.01)
"""


PARENT = """
import os, subprocess, sys
environment = {**os.environ, "DYNID_ENDS_WITH_PARENT": str(os.getpid())}
child = [sys.executable, "-c", sys.argv[1]]
begun = subprocess.Popen(child, env=environment, stdout=subprocess.PIPE)
begun.stdout.readline()
"""


# the parent of the tests may ignore SIGHUP (nohup), and a child would inherit that
HEARS_ALL = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)"


def process(
    then, *, longest=LONGEST, hard=LONGEST, before=HEARS_ALL, **options
) -> subprocess.Popen:
    """A process that handles signals, and runs ``then`` after the first one."""
    program = before + BEGIN.format(longest=longest, hard=hard) + textwrap.dedent(then)
    begun = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    begun.received = begun.stdout.readline()
    return begun


def end(begun) -> tuple[int, str]:
    try:
        _, errors = begun.communicate(timeout=LONGEST)
    finally:
        begun.kill()
    return begun.returncode, errors


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_only_the_first_signal_has_an_effect(first) -> None:
    begun = process(
        """
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) * 2:
            os.kill(os.getpid(), number)
        stop.over()
        os.kill(os.getpid(), signal.SIGINT)
        sys.stderr.write(stop.name)
        sys.exit(stop.exit_code)
        """
    )
    begun.send_signal(first)
    assert end(begun) == (128 + first, first.name)


def test_a_shutdown_that_takes_too_long_is_ended_with_a_sentence() -> None:
    begun = process("time.sleep(1000)", longest=0.5)
    begun.send_signal(signal.SIGINT)
    code, errors = end(begun)
    assert code == 3
    assert errors == (
        "dynid: timed out after 0.5 s of waiting for the kettle to cool after the signal; the "
        "process was ended.\n"
    )


def test_a_calculation_that_holds_the_gil_is_ended_by_the_system() -> None:
    begun = process("import ctypes; ctypes.PyDLL(None).sleep(1000)", longest=0.3, hard=0.3)
    begun.send_signal(signal.SIGINT)
    code, _ = end(begun)
    assert code == 3


@pytest.mark.parametrize("code", [0, 143])
def test_a_middleware_that_does_not_close_does_not_change_the_exit_code(code) -> None:
    begun = process(
        f"""
        import ctypes
        module._CLOSING = 0.3
        stop.done({code})
        ctypes.PyDLL(None).sleep(1000)
        """
    )
    begun.send_signal(signal.SIGTERM)
    assert end(begun)[0] == code


def test_writing_to_a_closed_pipe_does_not_change_the_exit_code() -> None:
    begun = process(
        """
        module.write_error("nobody reads this")
        print("nor this")
        stop.over()
        sys.exit(stop.exit_code)
        """
    )
    begun.stdout.close()
    begun.stderr.close()
    begun.send_signal(signal.SIGTERM)
    assert begun.wait(LONGEST) == 143


def test_sighup_is_ignored_under_nohup() -> None:
    begun = process(
        "sys.exit(stop.exit_code)", before="import signal; signal.signal(1, signal.SIG_IGN)"
    )
    begun.send_signal(signal.SIGHUP)
    begun.send_signal(signal.SIGTERM)
    assert end(begun)[0] == 143


def test_a_signal_while_python_imports_the_monitor_of_rest_waits_until_it_handles_it() -> None:
    program = """
        import importlib, os, signal
        from types import SimpleNamespace
        from dynid_ros.programs import start
        from dynid_ros.stop import Stop
        def load(name):
            os.kill(os.getpid(), signal.SIGTERM)
            return SimpleNamespace(main=lambda: os._exit(42 if Stop().name == "SIGTERM" else 1))
        importlib.import_module = load
        start("rest_monitor")
    """
    program = [sys.executable, "-c", textwrap.dedent(program)]
    assert subprocess.run(program, timeout=LONGEST, check=False).returncode == 42


@pytest.mark.parametrize(("name", "code"), [("recorder", 0), ("identification_task", 143)])
def test_a_signal_while_python_imports_a_program_with_nothing_to_shut_down_ends_it(
    name, code
) -> None:
    program = f"""
        import importlib, os, signal, time
        from dynid_ros.programs import start
        def load(name):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep({10 * LONGEST})
        importlib.import_module = load
        start({name!r})
    """
    program = [sys.executable, "-c", textwrap.dedent(program)]
    ended = subprocess.run(program, timeout=LONGEST, check=False, capture_output=True)
    assert ended.returncode == code
    assert f"interrupted by SIGTERM while {name} started" in ended.stderr.decode()


@pytest.mark.parametrize(
    ("name", "code"), [("recorder", 0), ("wait_for_drives", 143), ("identification_task", 143)]
)
def test_a_program_that_gets_a_signal_before_its_first_line_ends_as_documented(name, code) -> None:
    program = [sys.executable, "-m", "dynid_ros.programs", name]
    blocked = partial(signal.pthread_sigmask, signal.SIG_BLOCK, [signal.SIGTERM])
    # as a launch file starts it; here with a signal that is there before Python is
    begun = subprocess.Popen(
        program,
        preexec_fn=lambda: (blocked(), os.kill(os.getpid(), signal.SIGTERM)),  # noqa: PLW1509
    )
    assert begun.wait(LONGEST) == code


def test_the_end_of_the_parent_is_a_signal_if_requested(tmp_path) -> None:
    left = tmp_path / "left"
    then = f"""
        import pathlib
        pathlib.Path({str(left)!r}).write_text(stop.name)
    """
    program = textwrap.dedent(BEGIN.format(longest=LONGEST, hard=LONGEST)) + textwrap.dedent(then)
    # stderr is read until the child has ended as well
    parent = subprocess.run(
        [sys.executable, "-c", PARENT, program], stderr=subprocess.PIPE, timeout=LONGEST, check=True
    )
    assert parent.stderr == b""
    assert left.read_text() == "SIGTERM"
