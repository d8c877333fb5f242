"""Recordings that a robot can hardly have made."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from support.small_robot import JOINTS, write_small_robot

from dynid.errors import RecordingWarning
from dynid.profile import load_robot
from dynid.robot.recordings import load_recording

TIME = np.arange(500) / 100
POSITION = np.sin(TIME[:, None] * [1.0, 2.0])


def stored(folder: Path, position: np.ndarray) -> Path:
    path = folder / "log.npz"
    effort = np.ones_like(position)
    names = np.array(JOINTS)
    np.savez(path, time=TIME, position=position, effort=effort, joint_names=names)
    return path


def test_positions_in_degrees_are_named(tmp_path: Path) -> None:
    robot = load_robot(write_small_robot(tmp_path))
    message = r"log\.npz: joint 'shoulder' is at -?57.*, but its limits are -2 and 2; check"
    with pytest.warns(RecordingWarning, match=message):
        recording = load_recording(stored(tmp_path, np.degrees(POSITION)), robot)
    assert np.abs(recording.position).max() > 50  # as recorded


@pytest.mark.parametrize("spikes", [0, 3])
def test_positions_in_reach_are_not_named(tmp_path: Path, spikes: int) -> None:
    robot = load_robot(write_small_robot(tmp_path))
    position = POSITION * 2.5  # somewhat beyond the limits
    position[100 : 100 + spikes, 0] = 1000.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_recording(stored(tmp_path, position), robot)
