"""Recordings with gaps are used in pieces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynid.errors import PreprocessingError
from dynid.profile import make_robot
from dynid.recording.model import Recording, Source
from dynid.robot.robot import Robot
from dynid.signals.pieces import usable_pieces
from dynid.signals.preprocess import preprocess

RATE = 200.0
CUTOFF = 10.0
SETTLING = round(RATE / CUTOFF)  # [samples]


def robot_of(**identification: object) -> Robot:
    return make_robot(
        {
            "robot": "test",
            "urdf": "test.urdf",
            "joints": ["j1", "j2"],
            "identification": {"cutoff_hz": CUTOFF, "trim_rest": False} | identification,
        },
        "",
    )


def recording_with(*gaps: tuple[int, int], samples: int = 2000) -> Recording:
    time = np.arange(samples) / RATE
    position = np.sin(2 * np.pi * np.outer(time, [0.5, 0.7]))
    missing = np.zeros(samples, dtype=bool)
    for first, past in gaps:
        position[first:past] = position[first - 1]  # must not be seen by any filter
        missing[first:past] = True
    return Recording(
        time=time,
        position=position,
        velocity=None,
        effort=np.ones_like(position),
        joint_names=("j1", "j2"),
        sampling_rate=RATE,
        sources=(Source("a.mcap", "", "rosbag2 mcap"),),
        repairs=("repaired",),
        missing=missing,
        gaps=gaps,
    )


def test_a_recording_without_gaps_is_not_changed():
    whole = recording_with()
    assert usable_pieces([whole], robot_of()) == [whole]


def test_pieces_keep_the_order_and_state_source_and_repairs_once():
    first, second, third = usable_pieces([recording_with((500, 600), (1200, 1250))], robot_of())
    assert (first.piece, second.piece, third.piece) == (0, 1, 2)
    assert [len(one.time) for one in (first, second, third)] == [500, 600, 750]
    assert first.sources[0].name == "a.mcap"
    assert second.sources == third.sources == ()
    assert first.repairs[0] == "repaired"
    assert "9.25 of 9.99 s" in first.repairs[1]
    assert "in 3 pieces, with 4.5 of 5 cycles of j1" in first.repairs[1]
    assert second.repairs == ()


def test_a_piece_too_short_for_the_filters_is_left_out():
    least = 4 * SETTLING + 10
    short = recording_with((500, 600), (600 + least - 1, 800))
    assert [len(one.time) for one in usable_pieces([short], robot_of())] == [500, 1200]
    enough = recording_with((500, 600), (600 + least, 800))
    assert [len(one.time) for one in usable_pieces([enough], robot_of())] == [500, least, 1200]


def test_averaged_periods_need_two_of_them_in_a_piece():
    robot = robot_of(period=2.0)
    pieces = usable_pieces([recording_with((500, 600))], robot)
    assert [len(one.time) for one in pieces] == [1400]


@pytest.mark.parametrize(
    ("length", "left"), [(100, "in 10 pieces, with 0.5"), (140, "in 2 pieces, with 0.5")]
)
def test_refuses_what_has_less_than_a_cycle_left(length: int, left: str) -> None:
    gaps = tuple((first, first + length) for first in range(100, 1900, 200))
    with pytest.raises(PreprocessingError, match=rf"a\.mcap: samples are missing for .* {left}"):
        usable_pieces([recording_with(*gaps)], robot_of())


def test_filters_do_not_see_gaps_and_their_transients_are_left_out():
    robot = robot_of()
    one, other = (
        preprocess(piece, robot) for piece in usable_pieces([recording_with((900, 1000))], robot)
    )
    assert len(one.time) == 900 - 2 * SETTLING
    assert len(other.time) == 1000 - 2 * SETTLING
    for signals, start in ((one, 0), (other, 1000)):
        omega = 2 * np.pi * np.array([0.5, 0.7])
        truth = -(omega**2) * np.sin(omega * (signals.time + start / RATE)[:, None])
        # a low-pass of order 4 has settled to 2 % after one period of its cut-off
        assert np.abs(signals.acceleration - truth).max() < 0.05 * np.abs(truth).max()
    assert not any("begins" in note for note in one.notes)


def test_a_task_that_needs_a_whole_recording_names_the_gap():
    with pytest.raises(PreprocessingError, match=r"a\.mcap: samples are missing for 0\.505 s"):
        preprocess(recording_with((900, 1000)), robot_of())


def test_interpolated_samples_are_marked_in_signals():
    bridged = replace(recording_with(), missing=np.arange(2000) % 5 == 0)
    signals = preprocess(bridged, robot_of())
    np.testing.assert_array_equal(
        signals.missing, np.rint(signals.time * RATE).astype(int) % 5 == 0
    )
    assert len(signals.every(3).missing) == len(signals.every(3).time)
