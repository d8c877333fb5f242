"""Signals to every process at once: the robot comes to rest, the bag is whole, all end in order."""

from __future__ import annotations

import contextlib
import signal

import pytest
from support.node_processes import RESTS, begin_identification
from support.small_robot import JOINTS

from dynid.recording.load import read_samples

SERVERS = ("simulated_robot", "excitation_player", "recorder", "identifier")


@pytest.fixture
def start(graph, tmp_path):
    with contextlib.ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            begin_identification(graph, tmp_path, **options)
        )


def check_end(processes, output, code):
    """All ended in order, the robot at rest."""
    codes = processes.ended()
    assert codes == {**dict.fromkeys(SERVERS, 0), "identification_task": code}
    assert processes.speed < RESTS
    (bag,) = output.glob("recording_*")
    assert (bag / "metadata.yaml").is_file()
    samples = read_samples(bag, JOINTS)  # a busy machine leaves gaps, and that is no fault
    assert not samples.repairs
    assert len(samples.stamps) > 100


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
