"""Processes run in separate ROS graphs."""

from __future__ import annotations

import subprocess
import sys

ENTER = "from dynid_ros.discovery_range import enter_own_domain; print(enter_own_domain()); input()"
ONLY = "from dynid_ros import discovery_range; discovery_range.DOMAINS = range({0}, {0} + 1); "


def test_ten_processes_at_once_enter_ten_domains():
    processes = [python(ENTER) for _ in range(10)]
    domains = [process.stdout.readline() for process in processes]
    for process in processes:
        process.communicate("\n")
    assert len({int(domain) for domain in domains}) == 10


def test_a_domain_is_free_again_when_its_process_was_killed():
    """Otherwise every aborted test run would occupy a domain."""
    first = python(ENTER)
    domain = int(first.stdout.readline())  # whichever nobody else on this machine has
    again = ONLY.format(domain) + ENTER
    refused = f"all ROS domains {domain} to {domain} are in use"
    assert refused in python(again).communicate()[1]
    first.kill()
    first.communicate()
    assert python(again).communicate("\n")[0] == f"{domain}\n"


def python(program: str) -> subprocess.Popen[str]:
    """A process of this very Python, which prints without delay."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-u", "-c", program]
    return subprocess.Popen(command, text=True, **pipes)
