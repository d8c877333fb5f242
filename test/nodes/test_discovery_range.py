"""Nodes are found only on this machine, unless the environment sets another range."""

from __future__ import annotations

import pytest

from dynid_ros.discovery_range import RANGE, stay_on_this_machine


@pytest.mark.parametrize("environment", [{}, {RANGE: ""}, {"ROS_LOCALHOST_ONLY": ""}])
def test_without_a_choice_only_this_machine_is_discovered(environment: dict[str, str]) -> None:
    assert stay_on_this_machine(environment)
    assert environment[RANGE] == "LOCALHOST"


@pytest.mark.parametrize(
    "chosen",
    [{RANGE: "SUBNET"}, {RANGE: "OFF"}, {RANGE: "SYSTEM_DEFAULT"}, {"ROS_LOCALHOST_ONLY": "0"}],
)
def test_a_choice_of_the_user_is_kept(chosen: dict[str, str]) -> None:
    environment = dict(chosen)
    assert not stay_on_this_machine(environment)
    assert environment == chosen


def test_child_processes_keep_the_range() -> None:
    environment: dict[str, str] = {}
    assert stay_on_this_machine(environment)
    assert not stay_on_this_machine(environment)
