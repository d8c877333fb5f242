"""A robot is moved by programs of its own machine, and by those of another only if opened."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from support.node_processes import node_program
from support.small_robot import write_small_robot
from support.two_machines import HERE, TwoMachines

from dynid_ros.discovery_range import CHOSEN_BY, PROFILES, RANGE

CLEAR, FAULT = "/simulated_robot/clear_fault", "/simulated_robot/inject_fault"
NEIGHBOUR, STRANGER = 0.5, -1.0  # [rad] where they move the robot
PROGRAM = Path(__file__).parents[1] / "support" / "ros_stranger.py"
SEARCHES, SEARCH = 3, 40.0  # tries, and the time of each [s]
ATTACK = 5.0  # [s] in which the stranger, once it has found a program, may find the robot


@pytest.fixture
def machines(monkeypatch, tmp_path):
    for name in (*CHOSEN_BY, *PROFILES):  # those of this process
        monkeypatch.delenv(name, raising=False)
    with TwoMachines(tmp_path) as machines:
        yield machines


def start_robot(machines, tmp_path, **environment):
    _, *given = node_program("simulated_robot", profile=str(write_small_robot(tmp_path)))
    begun = (sys.executable, "-m", "dynid_ros.programs", "simulated_robot")
    return machines.here(*begun, *given, **environment)


def program(*arguments: object) -> list[str]:
    return [sys.executable, str(PROGRAM), *map(str, arguments)]


def attack(machines, line):
    """A program on the other machine that searches for this one until it has printed a line.

    The search itself sometimes finds nothing: then it says nothing about the robot.
    """
    reach = {RANGE: "SUBNET", "ROS_STATIC_PEERS": HERE}
    for _ in range(SEARCHES):
        stranger = machines.there(*program("stranger", STRANGER, FAULT), **reach)
        if stranger.prints(line, SEARCH):
            return stranger
        stranger.kill()
    pytest.skip(f"no discovery between network namespaces in {SEARCHES} searches of {SEARCH:g} s")


@pytest.mark.parametrize(
    ("robot", "neighbour"),
    [
        ({}, {RANGE: "SUBNET"}),
        pytest.param({RANGE: "LOCALHOST"}, {RANGE: "LOCALHOST"}, marks=pytest.mark.thorough),
    ],
    ids=["default", "range set to LOCALHOST"],
)
def test_another_machine_neither_sees_nor_moves_a_robot_that_this_machine_moves(
    machines, tmp_path, robot, neighbour
) -> None:
    start_robot(machines, tmp_path, **robot)
    local = machines.here(*program("neighbour", NEIGHBOUR, CLEAR), **neighbour)
    local.until("answered")
    assert {"states", "moved"} <= set(local.lines)
    stranger = attack(machines, "met neighbour")  # whose sockets are open: by the same search
    time.sleep(ATTACK)
    assert stranger.lines == ["met neighbour"]
    assert "carried off" not in local.lines


@pytest.mark.thorough
@pytest.mark.parametrize("opened", ["range", "profile"])
def test_another_machine_moves_a_robot_that_the_environment_opens(
    machines, tmp_path, opened
) -> None:
    """A user's profile without settings leaves the sockets as the range LOCALHOST alone does."""
    (tmp_path / "mine.xml").write_text('<dds><profiles xmlns="http://www.eprosima.com"/></dds>')
    profile = dict.fromkeys(PROFILES, str(tmp_path / "mine.xml"))
    start_robot(machines, tmp_path, **({RANGE: "SUBNET"} if opened == "range" else profile))
    stranger = attack(machines, "answered")
    assert stranger.lines == ["states", "moved", "answered"]
