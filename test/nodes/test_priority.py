"""The priority of processes that have to act in time."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dynid_ros.priority import raise_priority

PRINT = "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"
RAISE = f"from dynid_ros.priority import raise_priority; raise_priority(); {PRINT}"


def printed(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def may_raise() -> bool:
    """Whether this user may raise the priority of a process."""
    done = subprocess.run(
        [sys.executable, "-c", "import os; os.setpriority(os.PRIO_PROCESS, 0, -10)"],
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


def test_without_the_right_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: int) -> None:
        raise PermissionError

    before = os.getpriority(os.PRIO_PROCESS, 0)
    monkeypatch.setattr(os, "setpriority", refused)
    raise_priority()
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


@pytest.mark.skipif(not may_raise(), reason="this user may not raise priorities")
def test_with_the_right_a_process_and_the_robots_have_a_higher_one() -> None:
    assert printed(sys.executable, "-c", RAISE) == "-10\n"
    robot = [sys.executable, "-m", "dynid_ros.outlive", sys.executable, "-c", PRINT]
    assert printed(*robot) == "-10\n"
