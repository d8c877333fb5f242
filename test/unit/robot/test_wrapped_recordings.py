"""Positions of joints that turn without end are unwrapped where they are wrapped to a turn."""

from pathlib import Path

import numpy as np
import pytest
from support.small_robot import JOINTS, URDF

from dynid.cli.recordings import info_command
from dynid.profile import load_robot
from dynid.recording.averaging import Bound, averaged
from dynid.robot.recordings import load_recording

LIMITED = URDF.strip()
ENDLESS = LIMITED.replace('"shoulder" type="revolute"', '"shoulder" type="continuous"')
TIME = np.arange(2000) / 200
TURNING = {
    "forward": 1.5 * TIME + 0.3 * np.sin(2 * TIME),
    "backward": -0.9 * TIME + 0.2 * np.sin(3 * TIME),
    "past the end and back": 4 * np.sin(0.6 * TIME),
}


def record(folder: Path, shoulder: np.ndarray, *, low: float = -np.pi, times=TIME) -> Path:
    wrapped = (shoulder - low) % (2 * np.pi) + low
    path = folder / "log.npz"
    position = np.column_stack([wrapped, np.sin(TIME)])
    np.savez(path, time=times, position=position, effort=1 + position, joint_names=JOINTS)
    return path


def robot_of(folder: Path, urdf: str):
    path = folder / "duo.urdf"
    path.write_text(urdf)
    return load_robot(path)


@pytest.mark.parametrize("low", [-np.pi, 0.0])
@pytest.mark.parametrize("kind", TURNING)
def test_turns_are_joined(tmp_path: Path, kind: str, low: float) -> None:
    shoulder = TURNING[kind]
    recording = load_recording(record(tmp_path, shoulder, low=low), robot_of(tmp_path, ENDLESS))
    moved = recording.position[:, 0] - recording.position[0, 0]
    np.testing.assert_allclose(moved, shoulder - shoulder[0], atol=1e-9)
    assert any("position of shoulder was unwrapped" in note for note in recording.repairs)


def test_jumps_are_joined_before_uneven_steps_are_resampled(tmp_path: Path) -> None:
    times = TIME + 1e-3 * np.random.default_rng(2).uniform(-1, 1, len(TIME))
    shoulder = 1.5 * times
    recording = load_recording(record(tmp_path, shoulder, times=times), robot_of(tmp_path, ENDLESS))
    steps = np.diff(recording.position[:, 0])
    np.testing.assert_allclose(steps, 1.5 / recording.sampling_rate, rtol=0.2)


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_turns_of_a_long_recording_are_joined_before_samples_are_averaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 1500)
    monkeypatch.setattr("dynid.recording.parts._ROWS", 400)
    monkeypatch.setattr("dynid.recording.parts._SEARCHED", 50)
    path = record(tmp_path, TURNING["forward"])
    if ending == "csv":
        load_recording(path, robot_of(tmp_path, LIMITED)).save(tmp_path / "log.csv")
        path = tmp_path / "log.csv"
    robot = robot_of(tmp_path, ENDLESS)
    expected = averaged(load_recording(path, robot), 3)
    found = load_recording(path, robot, bound=Bound(20.0))
    assert found.averaged == 3
    np.testing.assert_allclose(found.position, expected.position, atol=1e-12)


def test_a_joint_with_limits_is_left_as_it_is(tmp_path: Path) -> None:
    path = record(tmp_path, TURNING["forward"])
    recording = load_recording(path, robot_of(tmp_path, LIMITED))
    assert np.ptp(recording.position[:, 0]) < 2 * np.pi
    assert not any("unwrapped" in note for note in recording.repairs)


@pytest.mark.parametrize("low", [-np.pi, 0.0])
@pytest.mark.parametrize("kind", TURNING)
def test_the_description_of_a_recording_unwraps_what_its_reading_does(
    tmp_path: Path, kind: str, low: float, capsys: pytest.CaptureFixture[str]
) -> None:
    path = record(tmp_path, TURNING[kind], low=low)
    robot_of(tmp_path, ENDLESS)
    info_command(path, profile=str(tmp_path / "duo.urdf"))
    told = " ".join(capsys.readouterr().out.split())
    assert "position of shoulder was unwrapped" in told
    assert "is wrapped to this range" not in told


def test_the_description_leaves_a_joint_with_limits_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = record(tmp_path, TURNING["forward"])
    robot_of(tmp_path, LIMITED)
    info_command(path, profile=str(tmp_path / "duo.urdf"))
    assert "is wrapped to this range" in " ".join(capsys.readouterr().out.split())
