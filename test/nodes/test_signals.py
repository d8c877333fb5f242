"""Signals to every process at once: the robot comes to rest, the bag is whole, all end in order."""

from __future__ import annotations

import signal

import pytest
from support.node_processes import RESTS, NodeProcesses, node_command
from support.small_robot import JOINTS, write_small_robot

from dynid.recording.load import load_recording

SERVERS = ("simulated_robot", "excitation_player", "recorder", "identifier")


@pytest.fixture
def start(graph, tmp_path):
    profile, made = str(write_small_robot(tmp_path)), []

    def make(*, terminal=False):
        commands = {
            "simulated_robot": node_command("simulated_robot", profile=profile),
            "excitation_player": node_command(
                "excitation_player", profile=profile, move_fraction=1.0, settle_time=0.1
            ),
            "recorder": node_command("recorder"),
            "identifier": node_command("identifier", profile=profile),
            "identification_task": node_command(
                "identification_task", output=str(tmp_path / "out"), validation_seed=-1
            ),
        }
        made.append(NodeProcesses(graph, tmp_path, commands, terminal=terminal))
        return made[-1]

    yield make
    for processes in made:
        processes.__exit__()


def check_end(processes, output, code):
    """All ended in order, the robot at rest."""
    codes = processes.ended()
    assert codes == {**dict.fromkeys(SERVERS, 0), "identification_task": code}
    assert processes.speed < RESTS
    (bag,) = output.glob("recording_*")
    assert (bag / "metadata.yaml").is_file()
    recording = load_recording(bag, JOINTS)
    assert not recording.repairs


@pytest.mark.parametrize(
    ("signals", "code"),
    [
        ([signal.SIGINT], 130),
        ([signal.SIGINT] * 5, 130),
        ([signal.SIGTERM], 143),
        ([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], 143),
    ],
    ids=["SIGINT", "five SIGINT", "SIGTERM", "three kinds"],
)
def test_signals_to_the_group_end_the_motion_in_rest_and_complete_the_bag(
    start, tmp_path, signals, code
) -> None:
    processes = start()
    processes.until_playing()
    processes.signal(*signals)
    check_end(processes, tmp_path / "out", code)
    said = processes.log.read_text()
    assert f"dynid: interrupted by {signals[0].name} while playing and recording" in said
    assert "Traceback" not in said


def test_a_closed_terminal_ends_the_motion_in_rest_and_completes_the_bag(start, tmp_path) -> None:
    processes = start(terminal=True)
    processes.until_playing()
    processes.close_terminal()
    check_end(processes, tmp_path / "out", 129)
