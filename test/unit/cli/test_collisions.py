"""``dynid collisions``: thresholds on recordings with and without contact."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_robot import write_small_robot

from dynid import cli
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.simulation.simulate import simulate

ONSET, LENGTH, PUSH = 2.0, 0.3, 40.0  # [s], [s], [N m] far beyond any threshold of this robot


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A robot's model, thresholds, free motion, and the same motion with a push."""
    folder = tmp_path_factory.mktemp("workshop")
    robot = load_robot(write_small_robot(folder))
    settings = find_excitation(robot)
    assert settings is not None
    motion = build_excitation(settings, robot.limits, robot.joints)
    free = simulate(robot, motion)
    time = free.time - free.time[0]
    effort = np.array(free.effort)
    effort[(time >= ONSET) & (time < ONSET + LENGTH), 1] += PUSH
    write_bag(free, folder / "free")
    write_bag(replace(free, effort=effort), folder / "pushed")
    write_bag(simulate(robot, motion, seed=3), folder / "tuning")
    identify(robot, free).model.save(folder / "model.yaml")
    with pytest.MonkeyPatch.context() as patch:
        tuning = ["tune-collision", folder / "tuning", "-m", folder / "model.yaml"]
        assert run(patch, *tuning, "-o", folder / "collision.yaml") == 0
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["dynid", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


def play(monkeypatch: pytest.MonkeyPatch, folder: Path, names: list[str], *more: object) -> int:
    given = [folder / name for name in names]
    thresholds = ["--thresholds", folder / "collision.yaml"]
    return run(monkeypatch, "collisions", *given, "-m", folder / "model.yaml", *thresholds, *more)


def played(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *given: Any
) -> dict[str, Any]:
    capsys.readouterr()
    assert play(monkeypatch, *given, "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_push_is_one_alarm_of_its_joint_at_its_time(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = played(capsys, monkeypatch, workshop, ["pushed"])
    assert found["alarms"] == 1
    assert set(found) == {"robot", "alarms", "minutes", "recordings"}
    assert set(found["recordings"][0]) == {"recording", "minutes", "alarms", "margins"}
    (alarm,) = found["recordings"][0]["alarms"]
    assert set(alarm) == {"time", "until", "joint", "cause", "value", "threshold"}
    margin = found["recordings"][0]["margins"][0]
    assert set(margin) == {"joint", "time", "value", "threshold", "share"}
    assert alarm["joint"] == "elbow"
    assert alarm["cause"] == "torque_error"
    assert ONSET <= alarm["time"] < ONSET + 0.1
    assert alarm["until"] < ONSET + LENGTH + 0.1
    assert abs(alarm["value"]) > alarm["threshold"]


def test_free_motion_reports_the_smallest_margin_of_every_joint(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = played(capsys, monkeypatch, workshop, ["free"])
    assert found["alarms"] == 0
    margins = found["recordings"][0]["margins"]
    assert [margin["joint"] for margin in margins] == ["shoulder", "elbow"]
    assert all(0 < margin["share"] < 1 for margin in margins)


def test_times_count_from_the_start_of_the_recording_with_start(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = played(capsys, monkeypatch, workshop, ["pushed"], "--start", 1.0)
    assert ONSET <= found["recordings"][0]["alarms"][0]["time"] < ONSET + 0.1


def test_alarms_and_margins_are_printed(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert play(monkeypatch, workshop, ["free", "pushed"]) == 0
    printed = capsys.readouterr().out
    assert "free: no alarm in" in printed
    assert "pushed: 1 alarm in" in printed
    assert "torque error" in printed
    assert "duo: 1 alarm in" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "has no collision thresholds: name a file of `dynid tune-collision -o`"),
        (["--thresholds", "model.yaml"], "has no parameter 'collision.torque_error_max'"),
        (["--payload", "model.yaml"], "has no payload.mass"),
        (["--set", "collision.boost_time=1"], "--set changes a profile"),
        (["-p", "scara"], "is of robot 'duo', this is 'scara'"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(
    workshop: Path,
    arguments: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(workshop)
    assert run(monkeypatch, "collisions", "free", "-m", "model.yaml", *arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_a_wrong_payload_reduces_the_margins(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    payload = workshop / "payload.yaml"
    payload.write_text(
        "/**: {ros__parameters: {payload: {mass: 5.0, centre: [0.3, 0.0, 0.0],"
        " inertia: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]}}}"
    )
    without = played(capsys, monkeypatch, workshop, ["free"])
    loaded = played(capsys, monkeypatch, workshop, ["free"], "--payload", payload)
    for plain, heavy in zip(
        without["recordings"][0]["margins"], loaded["recordings"][0]["margins"], strict=True
    ):
        assert heavy["share"] > plain["share"]  # the robot does not carry it
