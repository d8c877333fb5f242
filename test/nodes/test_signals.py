"""Signals to every process at once: the robot stops, the bag is complete, all end cleanly."""

from __future__ import annotations

import contextlib
import re
import signal

import pytest
from support.node_processes import RESTS, begin_identification
from support.small_robot import JOINTS

from dynid.recording.load import read_samples

UNSEEN = 3
"""Exit code if the robot was not observed at rest in time; a late one may do so after that."""

SERVERS = ("simulated_robot", "excitation_player", "recorder", "identifier")


@pytest.fixture
def start(graph, tmp_path):
    with contextlib.ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            begin_identification(graph, tmp_path, **options)
        )


def check_end(processes, output, *codes):
    """Check that all ended cleanly, the task with one of some codes, the robot at rest.

    On a machine that is too slow for the robot the player's wait for rest may time out first; but
    the robot comes to rest, and the bag is complete, on any machine.
    """
    ended = processes.ended()
    good = dict.fromkeys(SERVERS, 0)
    if processes.too_slow and ended["excitation_player"] == UNSEEN:
        codes, good["excitation_player"] = (UNSEEN,), UNSEEN
    assert ended.pop("identification_task") in codes
    assert ended == good
    assert processes.speed < RESTS
    (bag,) = output.glob("recording_*")
    assert (bag / "metadata.yaml").is_file()
    samples = read_samples(bag, JOINTS)  # a busy machine leaves gaps, and that is no fault
    assert not samples.repairs
    assert len(samples.stamps) > 100


@pytest.mark.parametrize(
    "signals",
    [
        [signal.SIGINT],
        pytest.param([signal.SIGINT] * 5, marks=pytest.mark.thorough),
        pytest.param([signal.SIGTERM], marks=pytest.mark.thorough),
        # delivered in any order
        pytest.param([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], marks=pytest.mark.thorough),
    ],
    ids=["SIGINT", "five SIGINT", "SIGTERM", "three kinds"],
)
def test_signals_to_the_group_end_the_motion_at_rest_and_complete_the_bag(
    start, tmp_path, signals
) -> None:
    processes = start()
    processes.until_playing()
    processes.signal(*signals)
    check_end(processes, tmp_path / "out", *(128 + number for number in signals))
    names = "|".join(number.name for number in signals)
    log = processes.log.read_text()
    assert re.search(rf"dynid: interrupted by ({names}) while playing and recording", log)
    assert "Traceback" not in log


@pytest.mark.thorough
def test_a_closed_terminal_ends_the_motion_at_rest_and_completes_the_bag(start, tmp_path) -> None:
    processes = start(terminal=True)
    processes.until_playing()
    processes.close_terminal()
    check_end(processes, tmp_path / "out", 129)
