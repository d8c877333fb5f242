"""``dynid collisions play``: thresholds on recordings with and without contact."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import dynid
from support.pushed_robot import LENGTH, ONSET, write_pushed_robot
from support.small_robot import write_small_robot

from dynid.errors import ModelFileError
from dynid.identification.identify import identify
from dynid.profile import load_model, load_robot
from dynid.robot.recordings import load_recording
from dynid.robot.torque_settings import CollisionSettings


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A robot's model, thresholds, free motion, and the same motion with a push."""
    folder = tmp_path_factory.mktemp("workshop")
    write_pushed_robot(folder, free=0, tuning=3)
    words = ["collisions", "tune", folder / "tuning", "-m", folder / "model.yaml"]
    assert dynid(*words, "-o", folder / "collision.yaml").code == 0
    return folder


def play(folder: Path, *names: str, more: list[object] | None = None) -> str:
    """Return what is printed of recordings in a folder, with its thresholds."""
    given = [*(folder / name for name in names), "-m", folder / "model.yaml"]
    thresholds = ["--thresholds", folder / "collision.yaml"]
    ran = dynid("collisions", "play", *given, *thresholds, *(more or []))
    assert ran.code == 0
    return ran.out


def played(folder: Path, name: str, *more: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(play(folder, name, more=[*more, "--json"]))
    return found


def test_a_push_is_one_alarm_of_its_joint_at_its_time(workshop: Path) -> None:
    found = played(workshop, "pushed")
    assert found["alarms"] == 1
    assert set(found) == {"robot", "thresholds", "next", "alarms", "minutes", "recordings"}
    assert found["thresholds"] == f"of {workshop / 'collision.yaml'}"
    assert found["next"] is None
    assert set(found["recordings"][0]) == {"recording", "minutes", "alarms", "margins"}
    (alarm,) = found["recordings"][0]["alarms"]
    assert set(alarm) == {"time", "until", "joint", "cause", "value", "threshold"}
    margin = found["recordings"][0]["margins"][0]
    assert set(margin) == {"joint", "time", "value", "threshold", "share"}
    assert (alarm["joint"], alarm["cause"]) == ("elbow", "torque_error")
    assert ONSET <= alarm["time"] < ONSET + 0.1
    assert alarm["until"] < ONSET + LENGTH + 0.1
    assert abs(alarm["value"]) > alarm["threshold"]
    later = played(workshop, "pushed", "--start", 1.0)["recordings"][0]["alarms"][0]
    assert ONSET <= later["time"] < ONSET + 0.1  # since the start of the whole recording


def test_free_motion_reports_the_smallest_margin_of_every_joint(workshop: Path) -> None:
    found = played(workshop, "free")
    assert found["alarms"] == 0
    margins = found["recordings"][0]["margins"]
    assert [margin["joint"] for margin in margins] == ["shoulder", "elbow"]
    assert all(0 < margin["share"] < 1 for margin in margins)


def test_alarms_and_margins_are_printed(workshop: Path) -> None:
    printed = play(workshop, "free", "pushed")
    for words in ("free: no alarm in", "pushed: 1 alarm in", "torque error", "duo: 1 alarm in"):
        assert words in printed


def test_alarms_of_thresholds_that_were_not_tuned_name_the_command_that_does(
    workshop: Path,
) -> None:
    words = ["collisions", "play", workshop / "free", "-m", workshop / "model.yaml"]
    words += ["-p", workshop / "duo.yaml", "--set"]
    low, high = (f"collision.torque_error_max=[{value}]" for value in (0.01, 1000))
    printed = dynid(*words, low).out
    assert "These thresholds were not tuned with this model." in printed
    tune = f"dynid collisions tune FREE_MOTION --model {workshop / 'model.yaml'} --into-model"
    assert f"Next: {tune}" in printed
    assert json.loads(dynid(*words, low, "--json").out)["next"] == tune
    assert "not tuned" not in dynid(*words, high).out


def test_alarms_of_tuned_thresholds_name_no_command(workshop: Path, tmp_path: Path) -> None:
    model = shutil.copy(workshop / "model.yaml", tmp_path)
    assert dynid("collisions", "tune", workshop / "tuning", "-m", model, "--into-model").code == 0
    printed = dynid("collisions", "play", workshop / "pushed", "-m", model).out
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
    workshop: Path, arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workshop)
    ran = dynid("collisions", "play", "free", "-m", "model.yaml", *arguments)
    assert ran.code == 2
    assert sentence in ran.said


def test_thresholds_of_gears_do_not_go_into_a_model_of_motors(workshop: Path) -> None:
    model, before = workshop / "model.yaml", (workshop / "model.yaml").read_bytes()
    tune = ["collisions", "tune", workshop / "tuning", "-m", model, "-p", workshop / "duo.yaml"]
    ran = dynid(*tune, "--into-model", "--set", "elastic.link_torque=true")
    assert ran.code == 2
    assert "elastic.link_torque: true, but" in ran.said
    assert model.read_bytes() == before


def test_a_wrong_payload_reduces_the_margins(workshop: Path) -> None:
    payload = workshop / "payload.yaml"
    payload.write_text(
        "/**: {ros__parameters: {payload: {mass: 5.0, centre: [0.3, 0.0, 0.0],"
        " inertia: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]}}}"
    )
    plain, heavy = (
        [margin["share"] for margin in found["recordings"][0]["margins"]]
        for found in (played(workshop, "free"), played(workshop, "free", "--payload", payload))
    )
    # the robot does not carry it
    assert all(more > less for more, less in zip(heavy, plain, strict=True))


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


def test_the_profiles_collision_group_is_kept_with_the_model(travelling: Path) -> None:
    model = travelling / "model.yaml"
    kept = load_model(model).robot.settings(CollisionSettings)
    assert kept.torque_error_time_constant == (0.032,)
    assert (kept.low_speed, kept.boost_time) == ((0.07,), 0.2)
    ran = dynid("collisions", "tune", travelling / "tuning", "-m", model)
    assert ran.code == 0
    lines = yaml.safe_load(ran.out[ran.out.index("collision:\n") :])
    assert lines["collision"]["torque_error_time_constant"] == [0.032]
    assert f"Settings of the detector: of the profile in {model}" in ran.out


def test_thresholds_in_the_model_are_used_and_the_rest_of_the_file_stays(travelling: Path) -> None:
    path, file = travelling / "model.yaml", travelling / "thresholds.yaml"
    before = path.read_text()
    tune = ["collisions", "tune", travelling / "tuning", "-m", path, "--into-model"]
    assert dynid(*tune, "-o", file).code == 0
    assert path.read_text().startswith(before)
    added, written = (
        next(iter(yaml.safe_load(one.read_text()).values()))["ros__parameters"]["collision"]
        for one in (path, file)
    )
    assert added == written
    model = load_model(path)
    assert model.sealed
    used = model.robot.settings(CollisionSettings).torque_error_max
    assert list(used or ()) == added["torque_error_max"]
    ran = dynid("collisions", "play", travelling / "pushed", "-m", path)
    assert f"tuned with the model, in {path}" in " ".join(ran.out.split())
    # a second time they are replaced, and they stay when the model is saved
    assert dynid(*tune, "--false-alarms-per-hour", "1000").code == 0
    assert path.read_text().startswith(before)
    assert path.read_text().count("torque_error_max") == before.count("torque_error_max") + 1
    assert load_model(path).text().count("\n    collision:") == 1


def test_a_model_without_the_group_gives_defaults_and_names_them(travelling: Path) -> None:
    content = yaml.safe_load((travelling / "model.yaml").read_text())
    entries = content["/**"]["ros__parameters"]["model"]
    content["/**"]["ros__parameters"].pop("collision", None)
    profile = yaml.safe_load(entries["profile"])
    for group in ("collision", "feedforward", "torque_control"):
        del profile[group]
    entries["profile"] = yaml.safe_dump(profile)
    old = travelling / "old.yaml"
    old.write_text(yaml.safe_dump(content))
    assert load_model(old).robot.settings(CollisionSettings) == CollisionSettings()
    ran = dynid("collisions", "tune", travelling / "tuning", "-m", old)
    assert ran.code == 0
    assert f"defaults, because {old} has none" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("group", "sentence"),
    [
        ([1.0], "'collision' must be a group"),
        ({"torque_error_max": [1.0, 2.0, 3.0]}, "has 3 values, expected 1 or 2"),
        ({"torque_error_mix": [1.0]}, "did you mean 'torque_error_max'"),
    ],
)
def test_wrong_thresholds_in_a_model_are_refused(
    travelling: Path, tmp_path: Path, group: object, sentence: str
) -> None:
    content = yaml.safe_load((travelling / "model.yaml").read_text())
    content["/**"]["ros__parameters"]["collision"] = group
    (tmp_path / "other.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(ModelFileError, match=sentence):
        load_model(tmp_path / "other.yaml")


def test_a_contact_is_refused_until_it_is_left_out(workshop: Path) -> None:
    output = workshop / "without.yaml"
    tune = ["collisions", "tune", workshop / "free", workshop / "pushed"]
    tune += ["-m", workshop / "model.yaml", "-o", output]
    ran = dynid(*tune)
    assert ran.code == 2
    assert "nothing was written" in ran.said
    assert not output.exists()
    option = re.findall(r"--without ([^ ,]+)", ran.said)
    assert dynid(*tune, "--without", *option).code == 0
    assert f"Left out: {option[0]}." in output.read_text()
