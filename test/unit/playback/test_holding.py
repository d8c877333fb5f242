"""Stops with an axis whose torque saturates under gravity, or whose brake engages."""

from __future__ import annotations

import numpy as np
import pytest
from support.fake_cell import Cell


@pytest.fixture
def cell() -> Cell:
    return Cell().playing()


def fall(cell: Cell, joint: int, speed: float, duration: float) -> None:
    """Stop the motion, and let a joint sink below its reference to an obstacle."""
    cell.playback.stop()
    begin = cell.clock.time
    for _ in range(1200):
        cell.offset[joint] = -speed * min(cell.clock.time - begin, duration)
        cell.step()


def test_a_joint_that_fell_is_named_with_time_and_distance(cell) -> None:
    fall(cell, 1, 0.5, 3.0)
    reason = cell.playback.state
    assert reason.startswith("aborted: the motion was stopped on request; joint 'joint_2' came to")
    late, away = np.array([reason.split()[k] for k in (12, 16)], dtype=float)
    assert late == pytest.approx(3.0 - 0.27, abs=0.2)  # braking takes up to 0.27 s
    assert away == pytest.approx(1.5, abs=0.01)
    assert reason.count("joint '") == 1


def test_a_joint_that_sinks_too_slowly_to_be_detected_is_named_with_its_distance(cell) -> None:
    """It counts as at rest; only the distance from its command shows that it did not hold."""
    cell.playback.stop()
    cell.until("settling")
    cell.offset[2] = -0.05
    for _ in range(200):
        cell.offset[2] -= 1e-4  # 0.01 rad/s
        cell.step()
    assert "request; joint 'joint_3' came to rest 0.0" in cell.playback.state


def test_a_brake_that_engages_during_the_motion_appears_as_a_joint_that_lags(cell) -> None:
    held = cell.measured[0]
    for _ in range(800):
        cell.offset[0] += held - cell.measured[0]
        cell.step()
    assert cell.playback.state.startswith("aborted: joint 'joint_1': its tracking error is 0.2")
    assert "; joint 'joint_1' came to rest 0." in cell.playback.state


def test_a_joint_that_never_rests_is_named(cell) -> None:
    fall(cell, 1, 0.5, np.inf)
    assert cell.playback.state == (
        "aborted: the motion was stopped on request; the robot was not observed at rest "
        "(joint 'joint_2')."
    )


def test_a_stop_that_all_joints_followed_names_none(cell) -> None:
    fall(cell, 1, 0.0, 0.0)
    assert cell.playback.state == "aborted: the motion was stopped on request."
    assert cell.playback.not_held == ""
