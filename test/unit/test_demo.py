"""`dynid demo` without ROS: the complete procedure in one process."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from support.command_line import run_dynid
from support.small_robot import JOINTS, write_small_robot

from dynid.demonstration import prepare, run_demo
from dynid.errors import PlaybackError
from dynid.playback.plan import second_seed
from dynid.profile import load_model, load_robot
from dynid.recording.load import load_recording
from dynid.simulation.rehearsal import rehearsal
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings


def demo(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    return run_dynid(monkeypatch, "demo", *arguments)


def test_without_rclpy_it_runs_in_one_process_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "dynid.cli.demo.find_spec", lambda name: None if name == "rclpy" else find_spec(name)
    )
    monkeypatch.setattr("dynid.cli.demo.os.execv", lambda *_: pytest.fail("nodes were started"))
    out = tmp_path / "out"
    assert demo(monkeypatch, "--robot", write_small_robot(tmp_path), "-o", out) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("rclpy is not installed: the demonstration runs without ROS 2.\n")
    assert "On a second motion, which was not used for the identification:" in printed
    assert printed.count("Succeeded.") == 2
    names = {path.name for path in out.iterdir()}
    assert names >= {"model.yaml", "report.html", "validation.html", "duo_identified.urdf"}
    assert all(f"wrote {out / name}" in printed for name in names)
    assert not load_model(out / "model.yaml").failed
    for kind in ("recording", "validation_recording"):
        (bag,) = out.glob(f"{kind}_*")
        recording = load_recording(bag, JOINTS)
        assert not recording.repairs
        assert recording.sampling_rate == pytest.approx(1000.0)


def test_without_a_second_motion_there_is_one_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sine = {
        "type": "sine",
        "start": [0.5, -0.6],
        "target": [-0.5, 0.9],
        "frequency": [0.4, 0.7],
        "duration": 2.0,
    }
    profile = write_small_robot(tmp_path, excitation=sine)
    assert second_seed(load_robot(profile)) is None
    demo(monkeypatch, "--without-ros", "--robot", profile, "-o", tmp_path / "out", "--json")
    assert list(json.loads(capsys.readouterr().out)) == ["identification"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"excitation": None, "limits": {"position": [[-1, 1]] * 2, "torque_max": [0.1, 30]}},
         "profile 'duo' has no 'excitation', and no motion was found"),
        ({"excitation": {"type": "sine", "start": 0, "target": 3, "frequency": 1, "duration": 1}},
         "joint 'shoulder'"),
    ],
)  # fmt: skip
def test_a_profile_that_cannot_be_played_is_one_sentence_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, object],
    sentence: str,
) -> None:
    profile = write_small_robot(tmp_path, **changes)
    out = tmp_path / "out"
    assert demo(monkeypatch, "--without-ros", "--robot", profile, "-o", out) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"dynid: {sentence}")
    assert len(printed.err.splitlines()) == 1
    assert not out.exists()


@pytest.mark.thorough
def test_what_a_profile_does_not_have_is_derived_stated_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = write_small_robot(tmp_path, excitation=None, simulation=None)
    out = tmp_path / "out"
    assert demo(monkeypatch, "--without-ros", "--robot", profile, "-o", out) == 0
    printed = capsys.readouterr().out
    assert "derived from the URDF's bodies and the limits, not measured." in printed
    assert f"wrote {out / 'duo_simulated.yaml'}" in printed
    completed = prepare(str(out / "duo_simulated.yaml"), tmp_path / "again")
    assert completed.assumed == ()
    assert completed.robot.find(SimulationSettings) == rehearsal(load_robot(profile)).robot.find(
        SimulationSettings
    )
    assert not (tmp_path / "again").exists()


def test_a_robot_that_loses_its_target_ends_the_demonstration_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = SimulatedRobot.step

    def trip(robot: SimulatedRobot, target: np.ndarray) -> object:
        if robot.fault is None and abs(float(target[0]) - 0.1) > 0.3:
            robot.trip()
        return step(robot, target)

    monkeypatch.setattr(SimulatedRobot, "step", trip)
    with pytest.raises(PlaybackError, match=r"^joint '.*': its tracking error is .* rad"):
        run_demo(str(write_small_robot(tmp_path)), tmp_path / "out", lambda _step: None)
