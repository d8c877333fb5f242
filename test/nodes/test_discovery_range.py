"""Nodes of this machine only are accepted, unless the environment opens more."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dynid_ros.discovery_range import (
    LOOPBACK,
    OPEN_BY,
    OPEN_BY_PROFILE,
    PROFILES,
    RANGE,
    stay_on_this_machine,
)

CLOSED = {RANGE: "LOCALHOST", **dict.fromkeys(PROFILES, LOOPBACK)}


@pytest.mark.parametrize("environment", [{}, {RANGE: ""}, {"ROS_LOCALHOST_ONLY": ""}])
def test_without_a_choice_only_this_machine_is_accepted(environment: dict[str, str]) -> None:
    assert stay_on_this_machine(environment) == OPEN_BY
    assert environment.items() >= CLOSED.items()


@pytest.mark.parametrize(
    "chosen",
    [{RANGE: "SUBNET"}, {RANGE: "OFF"}, {RANGE: "SYSTEM_DEFAULT"}, {"ROS_LOCALHOST_ONLY": "0"}],
)
def test_a_choice_of_the_user_is_kept(chosen: dict[str, str]) -> None:
    environment = dict(chosen)
    assert not stay_on_this_machine(environment)
    assert environment == chosen


@pytest.mark.parametrize("chosen", [{RANGE: "LOCALHOST"}, {"ROS_LOCALHOST_ONLY": "1"}])
def test_a_user_who_chooses_this_machine_gets_closed_sockets(chosen: dict[str, str]) -> None:
    environment = dict(chosen)
    assert not stay_on_this_machine(environment)
    assert environment == chosen | dict.fromkeys(PROFILES, LOOPBACK)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_of_the_user_is_kept_and_reported(name: str) -> None:
    environment = {name: "mine.xml"}
    assert stay_on_this_machine(environment) == OPEN_BY_PROFILE
    assert environment == CLOSED | {name: "mine.xml"}


def test_child_processes_keep_the_range() -> None:
    environment: dict[str, str] = {}
    assert stay_on_this_machine(environment)
    closed = dict(environment)
    assert not stay_on_this_machine(environment)
    assert environment == closed


def test_an_own_domain_replaces_a_profile_of_the_user() -> None:
    program = (
        "import os; from dynid_ros.discovery_range import enter_own_domain; enter_own_domain(); "
        f"print(*(os.environ[name] for name in {(RANGE, *PROFILES)}))"
    )
    environment = os.environ | dict.fromkeys(PROFILES, "mine.xml")
    command = [sys.executable, "-c", program]
    printed = subprocess.check_output(command, env=environment, text=True)
    assert printed.split() == ["LOCALHOST", LOOPBACK, LOOPBACK]


def test_the_middleware_accepts_its_profile() -> None:
    program = (
        "from dynid_ros.discovery_range import listen_on_loopback; import os, rclpy; "
        "listen_on_loopback(os.environ, force=True); rclpy.init(); rclpy.create_node('probe')"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "XMLPARSER" not in done.stdout + done.stderr
