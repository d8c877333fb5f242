"""A clock that is set back between two runs."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone

import pytest

from dynid import demonstration
from dynid.identification import provenance
from dynid.identification.identify import identify
from dynid.profile import load_model, load_robot
from dynid.report.write import write_outputs
from dynid.robot.recordings import load_recording

FUTURE = datetime(2040, 1, 1, tzinfo=timezone.utc)


class _Clock(datetime):
    current = FUTURE

    @classmethod
    def now(cls, tz=None):
        return cls.current.astimezone(tz)


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(provenance, "datetime", _Clock)
    monkeypatch.setattr(demonstration, "datetime", _Clock)
    yield _Clock
    _Clock.current = FUTURE


def test_the_later_run_is_valid_whatever_its_time(workshop, earlier, clock, monkeypatch) -> None:
    monkeypatch.setattr("dynid.report.write.write_report", lambda _, path, *__: path.write_text(""))
    robot = load_robot(workshop.profile)
    for path in earlier.iterdir():
        os.utime(path, (FUTURE.timestamp(), FUTURE.timestamp()))
    recording = load_recording(workshop.bag, robot)
    for current in (FUTURE, FUTURE - timedelta(days=9000)):
        clock.current = current
        write_outputs(identify(robot, recording), earlier)
        assert load_model(earlier / "model.yaml").identified_provenance.created == current


def test_a_bag_gets_a_new_name_after_the_clock_is_set_back(tmp_path, clock) -> None:
    names = []
    for _ in range(3):
        names.append(demonstration.named(tmp_path, "recording"))
        names[-1].mkdir()
    assert len(set(names)) == 3
    assert all(name.name.startswith("recording_") for name in names)


def test_the_demonstration_finds_its_files_without_a_clock(tmp_path) -> None:
    pytest.importorskip("rclpy")
    from dynid_ros.demo import _changed, _state

    for name in ("kept", "replaced", "removed"):
        (tmp_path / name).write_text("old")
        os.utime(tmp_path / name, (FUTURE.timestamp(), FUTURE.timestamp()))
    before = _state(tmp_path)
    (tmp_path / "removed").unlink()
    (tmp_path / "next").write_text("new")
    (tmp_path / "next").replace(tmp_path / "replaced")
    (tmp_path / "new").write_text("new")
    assert [path.name for path in _changed(tmp_path, before)] == ["new", "replaced"]
