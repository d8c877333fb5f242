"""Processes side by side are in graphs of their own."""

from __future__ import annotations

import subprocess
import sys

ENTER = "from dynid_ros.own_domain import enter_own_domain; print(enter_own_domain()); input()"
ONLY_ONE = "from dynid_ros import own_domain; own_domain.DOMAINS = range(90, 91); "


def test_ten_processes_at_once_enter_ten_domains():
    processes = [python(ENTER) for _ in range(10)]
    domains = [process.stdout.readline() for process in processes]
    for process in processes:
        process.communicate("\n")
    assert len({int(domain) for domain in domains}) == 10


def test_a_domain_is_free_again_when_its_process_was_killed():
    """Otherwise every aborted test run would take a domain away."""
    first = python(ONLY_ONE + ENTER)
    assert first.stdout.readline() == "90\n"
    assert "all of the ROS domains 90 to 90 are in use" in python(ONLY_ONE + ENTER).communicate()[1]
    first.kill()
    first.communicate()
    assert python(ONLY_ONE + ENTER).communicate("\n")[0] == "90\n"


def python(program: str) -> subprocess.Popen[str]:
    """A process of this very Python, which prints without delay."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-u", "-c", program]
    return subprocess.Popen(command, text=True, **pipes)  # noqa: S603
