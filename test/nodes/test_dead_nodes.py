"""Nodes that are killed or suspended during an identification, and a disk that is full."""

from __future__ import annotations

import os
import resource
import signal
import time

import pytest
from support.node_processes import RESTS, begin_identification
from support.small_robot import JOINTS

from dynid.recording.load import read_samples


@pytest.fixture
def processes(graph, tmp_path):
    with begin_identification(graph, tmp_path) as begun:
        begun.until_playing()
        yield begun


def until_said(graph, processes, words) -> float:
    """Return the time until a process printed something [s]."""
    begin = time.monotonic()
    graph.until(lambda: words in processes.log.read_text())
    return time.monotonic() - begin


def until_at_rest(graph, processes, state: str) -> bool:
    """Wait until the player has ended with a state, and the robot is at rest.

    Returns:
        Whether the player has seen that: on a machine that is too slow for the robot, its wait for
        rest may time out before.
    """
    graph.until(lambda: processes.player[-1].data.startswith(state))
    graph.until(lambda: processes.speed < RESTS)
    seen = "the robot was not observed at rest" not in processes.player[-1].data
    graph.until(lambda: seen or processes.too_slow)
    return seen


def end(processes) -> dict[str, int]:
    """End the remaining processes, as launch does after its task."""
    processes.signal(signal.SIGTERM)
    return processes.ended()


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.thorough)],
    ids=["killed", "suspended"],
)
def test_a_dead_recorder_is_detected_and_the_motion_ends_at_rest(graph, processes, number) -> None:
    os.kill(processes.pids["recorder"], number)
    words = "dynid: recorder does not respond any more: its process was killed or is suspended"
    until_said(graph, processes, words)
    until_at_rest(graph, processes, "aborted: the motion was stopped on request")
    os.kill(processes.pids["recorder"], signal.SIGKILL)
    assert end(processes)["identification_task"] == 3  # the bag is incomplete
    assert "the recorder has not completed the bag" in processes.log.read_text()


@pytest.mark.thorough
def test_a_killed_player_is_detected_and_the_message_says_that_the_robot_is_not_at_rest(
    graph, processes, tmp_path
) -> None:
    os.kill(processes.pids["excitation_player"], signal.SIGKILL)
    words = "excitation_player does not respond any more: its process was killed or is suspended; "
    until_said(graph, processes, words + "the robot was not observed at rest")
    assert end(processes)["identification_task"] == 3
    (bag,) = (tmp_path / "out").glob("recording_*")
    assert not read_samples(bag, JOINTS).repairs


@pytest.mark.thorough
def test_a_killed_robot_is_the_reason_in_the_task_message(graph, processes) -> None:
    os.kill(processes.pids["simulated_robot"], signal.SIGKILL)
    until_said(graph, processes, "dynid: excitation_player: ")
    assert end(processes)["identification_task"] == 3
    assert "the robot was not observed at rest" in processes.log.read_text()


@pytest.mark.thorough
def test_a_full_disk_ends_the_motion_at_rest_and_the_recording_can_be_read(
    graph, processes, tmp_path
) -> None:
    (bag,) = (tmp_path / "out").glob("recording_*")
    size = sum(file.stat().st_size for file in bag.glob("*.mcap"))
    limit = (size + 50_000, resource.RLIM_INFINITY)
    resource.prlimit(processes.pids["recorder"], resource.RLIMIT_FSIZE, limit)
    until_said(graph, processes, "cannot be written (File too large)")
    seen = until_at_rest(graph, processes, "aborted")
    assert end(processes)["identification_task"] == (2 if seen else 3)
    assert len(read_samples(bag, JOINTS).stamps) > 100
