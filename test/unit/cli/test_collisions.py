"""``dynid collisions play``: thresholds on recordings with and without contact."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from support.command_line import run_dynid as run
from support.small_robot import write_small_robot

from dynid.errors import ModelFileError
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.profile import load_model, load_robot
from dynid.recording.convert import write_bag
from dynid.robot.recordings import load_recording
from dynid.robot.torque_settings import CollisionSettings
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
        tuning = ["collisions", "tune", folder / "tuning", "-m", folder / "model.yaml"]
        assert run(patch, *tuning, "-o", folder / "collision.yaml") == 0
    return folder


def play(monkeypatch: pytest.MonkeyPatch, folder: Path, names: list[str], *more: object) -> int:
    given = [folder / name for name in names]
    thresholds = ["--thresholds", folder / "collision.yaml"]
    return run(
        monkeypatch, "collisions", "play", *given, "-m", folder / "model.yaml", *thresholds, *more
    )


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
    assert set(found) == {"robot", "thresholds", "next", "alarms", "minutes", "recordings"}
    assert found["thresholds"] == f"of {workshop / 'collision.yaml'}"
    assert found["next"] is None
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


def test_alarms_of_thresholds_that_were_not_tuned_name_the_command_that_does(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["collisions", "play", workshop / "free", "-m", workshop / "model.yaml"]
    words += ["-p", workshop / "duo.yaml", "--set"]
    capsys.readouterr()
    assert run(monkeypatch, *words, "collision.torque_error_max=[0.01]") == 0
    printed = capsys.readouterr().out
    assert "These thresholds were not tuned with this model." in printed
    tune = f"dynid collisions tune FREE_MOTION --model {workshop / 'model.yaml'} --into-model"
    assert f"Next: {tune}" in printed
    assert run(monkeypatch, *words, "collision.torque_error_max=[0.01]", "--json") == 0
    assert json.loads(capsys.readouterr().out)["next"] == tune
    assert run(monkeypatch, *words, "collision.torque_error_max=[1000]") == 0
    assert "not tuned" not in capsys.readouterr().out


def test_alarms_of_tuned_thresholds_name_no_command(
    workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    model = tmp_path / "model.yaml"
    model.write_bytes((workshop / "model.yaml").read_bytes())
    tuning = ["collisions", "tune", workshop / "tuning", "-m", model, "--into-model"]
    assert run(monkeypatch, *tuning) == 0
    capsys.readouterr()
    assert run(monkeypatch, "collisions", "play", workshop / "pushed", "-m", model) == 0
    printed = capsys.readouterr().out
    assert "duo: 1 alarm in" in printed
    assert "Next" not in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "has no collision thresholds: name a file of `dynid "),
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
    assert run(monkeypatch, "collisions", "play", "free", "-m", "model.yaml", *arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_thresholds_of_gears_do_not_go_into_a_model_of_motors(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model, before = workshop / "model.yaml", (workshop / "model.yaml").read_bytes()
    profile = workshop / "duo.yaml"
    tune = ["collisions", "tune", workshop / "tuning", "-m", model, "-p", profile, "--into-model"]
    assert run(monkeypatch, *tune, "--set", "elastic.link_torque=true") == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "elastic.link_torque: true, but" in error
    assert model.read_bytes() == before


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


@pytest.fixture(scope="module")
def travelling(workshop: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose profile has settings of the detector, and its recordings."""
    folder = tmp_path_factory.mktemp("travelling")
    group = {"torque_error_time_constant": 0.032, "low_speed": 0.07, "boost_time": 0.2}
    robot = load_robot(write_small_robot(folder, collision=group))
    identify(robot, load_recording(workshop / "free", robot)).model.save(folder / "model.yaml")
    for name in ("free", "pushed", "tuning"):
        (folder / name).symlink_to(workshop / name)
    return folder


def test_the_profiles_collision_group_is_kept_with_the_model(
    travelling: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = load_model(travelling / "model.yaml").robot.settings(CollisionSettings)
    assert kept.torque_error_time_constant == (0.032,)
    assert (kept.low_speed, kept.boost_time) == ((0.07,), 0.2)
    tune = ["collisions", "tune", travelling / "tuning", "-m", travelling / "model.yaml"]
    assert run(monkeypatch, *tune) == 0
    printed = capsys.readouterr().out
    lines = yaml.safe_load(printed[printed.index("collision:\n") :])
    assert lines["collision"]["torque_error_time_constant"] == [0.032]
    assert f"Settings of the detector: of the profile in {travelling}/model.yaml" in printed


def test_thresholds_in_the_model_are_used_and_the_rest_of_the_file_stays(
    travelling: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, file = travelling / "model.yaml", travelling / "thresholds.yaml"
    before = path.read_text()
    tune = ["collisions", "tune", travelling / "tuning", "-m", path, "--into-model"]
    assert run(monkeypatch, *tune, "-o", file) == 0
    assert path.read_text().startswith(before)
    added = yaml.safe_load(path.read_text())["/**"]["ros__parameters"]["collision"]
    assert (
        added
        == next(iter(yaml.safe_load(file.read_text()).values()))["ros__parameters"]["collision"]
    )
    model = load_model(path)
    assert model.sealed
    assert (
        list(model.robot.settings(CollisionSettings).torque_error_max or ())
        == added["torque_error_max"]
    )
    capsys.readouterr()
    assert run(monkeypatch, "collisions", "play", travelling / "pushed", "-m", path) == 0
    assert f"tuned with the model, in {path}" in " ".join(capsys.readouterr().out.split())
    # a second time they are replaced, and they stay when the model is saved
    assert run(monkeypatch, *tune, "--false-alarms-per-hour", "1000") == 0
    assert path.read_text().startswith(before)
    assert path.read_text().count("torque_error_max") == before.count("torque_error_max") + 1
    assert load_model(path).text().count("\n    collision:") == 1


def test_a_model_without_the_group_gives_defaults_and_names_them(
    travelling: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (travelling / "model.yaml").read_text()
    content = yaml.safe_load(text)
    entries = content["/**"]["ros__parameters"]["model"]
    content["/**"]["ros__parameters"].pop("collision", None)
    profile = yaml.safe_load(entries["profile"])
    for group in ("collision", "feedforward", "torque_control"):
        del profile[group]
    entries["profile"] = yaml.safe_dump(profile)
    old = travelling / "old.yaml"
    old.write_text(yaml.safe_dump(content))
    assert load_model(old).robot.settings(CollisionSettings) == CollisionSettings()
    assert run(monkeypatch, "collisions", "tune", travelling / "tuning", "-m", old) == 0
    assert f"defaults, because {old} has none" in " ".join(capsys.readouterr().out.split())


def test_wrong_thresholds_in_a_model_are_refused(travelling: Path) -> None:
    content = yaml.safe_load((travelling / "model.yaml").read_text())
    for group, sentence in (
        ([1.0], "'collision' must be a group"),
        ({"torque_error_max": [1.0, 2.0, 3.0]}, "has 3 values, expected 1 or 2"),
        ({"torque_error_mix": [1.0]}, "did you mean 'torque_error_max'"),
    ):
        content["/**"]["ros__parameters"]["collision"] = group
        other = travelling / "other.yaml"
        other.write_text(yaml.safe_dump(content))
        with pytest.raises(ModelFileError, match=sentence):
            load_model(other)


def test_a_contact_is_refused_until_it_is_left_out(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = workshop / "without.yaml"
    tune = [
        "collisions",
        "tune",
        workshop / "free",
        workshop / "pushed",
        "-m",
        workshop / "model.yaml",
    ]
    assert run(monkeypatch, *tune, "-o", output) == 2
    refused = " ".join(capsys.readouterr().err.split())
    assert "nothing was written" in refused
    assert not output.exists()
    option = re.findall(r"--without ([^ ,]+)", refused)
    assert run(monkeypatch, *tune, "-o", output, "--without", *option) == 0
    assert f"Left out: {option[0]}." in output.read_text()
