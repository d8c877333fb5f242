"""The process of the robot continues after a signal until it is released."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from support.deadlines import LONGEST

from dynid_ros import stop_controllers
from dynid_ros.outlive import CONTROLLERS, LONGEST_AFTER_RELEASE, STOPPING
from dynid_ros.stop import LONGEST_END

COMMAND = """
import signal
received = []
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, lambda number, _: received.append(signal.Signals(number).name))
print("ready", flush=True)
while "SIGINT" not in received:
    signal.pause()
print(*received, flush=True)
raise SystemExit(7)
"""


@contextmanager
def outliving(command: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    program = [sys.executable, "-m", "dynid_ros.outlive", *options, sys.executable, "-c", command]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_a_command_gets_no_signal_until_it_is_released() -> None:
    with outliving(COMMAND) as process:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
            process.send_signal(number)
        out, _ = process.communicate(timeout=LONGEST)
    assert out == "SIGINT\n"
    assert process.returncode == 7


def test_a_command_whose_controllers_do_not_answer_ends_all_the_same() -> None:
    with outliving(COMMAND, CONTROLLERS) as process:
        process.send_signal(signal.SIGUSR1)
        out, _ = process.communicate(timeout=LONGEST)
    assert out == "SIGINT\n"
    assert process.returncode == 7


def test_a_command_that_dies_is_reported_as_a_shell_does() -> None:
    with outliving("import os; print('ready', flush=True); os.kill(os.getpid(), 6)") as process:
        assert process.wait(LONGEST) == 128 + 6


def test_no_node_is_killed_within_its_time_for_shutdown() -> None:
    assert LONGEST_AFTER_RELEASE > LONGEST_END


def test_a_process_that_waits_for_controllers_is_not_cut_off() -> None:
    assert stop_controllers.LONGEST < STOPPING
