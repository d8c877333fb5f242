"""A pattern that names folders of something else does not read all that is in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.arm_fleet import record_day, write_profile

from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.load import load_recording
from dynid.robot.robot import Robot
from dynid_plugins.fleet import work
from dynid_plugins.fleet.listing import Entry
from dynid_plugins.fleet.work import Outcome, process


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return load_robot(write_profile(tmp_path))


def refusal(robot: Robot, place: str | Path) -> str | None:
    """Return why a recording has no result; None if it has one."""
    outcome = process(robot, Entry("one", "arm", str(place), ""), None)
    assert isinstance(outcome, Outcome)
    return outcome.row["message"] if outcome.row["status"] == "failed" else None


@pytest.mark.parametrize("protocol", ["", "local://"])
def test_a_folder_of_folders_is_not_read(robot, tmp_path, monkeypatch, protocol):
    record_day(tmp_path / "cell" / "robot" / "1.npz", seed=1)
    monkeypatch.setattr(work, "digest", lambda path: pytest.fail(f"read {path}"))
    monkeypatch.setattr(work.tempfile, "TemporaryDirectory", lambda **_: pytest.fail("copied"))
    found = refusal(robot, f"{protocol}{tmp_path / 'cell'}")
    assert found is not None
    assert "cell: is a folder without a recording; expected one of rosbag2 or LeRobot." in found


def test_a_folder_with_more_files_than_a_recording_has_is_refused(robot, tmp_path, monkeypatch):
    path = record_day(tmp_path / "1.npz", seed=1)
    write_bag(load_recording(path, None), tmp_path / "bag")
    assert refusal(robot, tmp_path / "bag") is None
    monkeypatch.setenv("DYNID_MAX_RECORDING_FILES", "1")
    found = refusal(robot, tmp_path / "bag")
    assert found is not None
    assert "bag: has 2 files or more, but at most 1 are allowed" in found
    assert "set DYNID_MAX_RECORDING_FILES" in found


@pytest.mark.parametrize(
    ("name", "words"), [("pipe", "is a pipe"), ("device", "is a device"), ("empty", "is empty")]
)
def test_what_has_no_end_is_refused(robot, tmp_path, name, words):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "empty").touch()
    assert words in str(refusal(robot, tmp_path / name))
