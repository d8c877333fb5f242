"""The command line from outside: exit codes, one sentence for a mistake, JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.command_line import Ran, dynid
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.cli.loading import robot_of_model
from dynid.profile import load_model
from dynid.recording.convert import write_bag

MOTION = ["identify", "motion_0", "-p", "arm.yaml"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    robot = arm_robot()
    folder = tmp_path_factory.mktemp("written")
    (folder / "arm.urdf").write_text(ARM_URDF)
    (folder / "arm.yaml").write_text(yaml.safe_dump(robot.yaml_content(exclude_unset=True)))
    mechanism = robot.mechanism()
    for seed in (0, 1):
        recording = recorded(mechanism, true_parameters(mechanism), noise=0.05, seed=seed)
        write_bag(recording, folder / f"motion_{seed}")
    return folder


@pytest.fixture
def workshop(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with a robot's profile, its URDF, and two bags of its motion."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(written, tmp_path, dirs_exist_ok=True)


def test_identifies_and_validates_and_leaves_four_files(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = workshop / "out"
    ran = dynid(*MOTION)
    assert ran.code == 0
    assert "shoulder" in ran.out
    names = {"model.yaml", "signals.mcap", "report.html", "arm_identified.urdf"}
    assert {path.name for path in out.iterdir()} == names
    ran = dynid("validate", "motion_1", "--model", out / "model.yaml", "--json")
    assert ran.code == 0
    validation = json.loads(ran.out)
    assert validation["success"] is True
    # torque noise is 0.05 N m: what is left of the wrist is mostly that
    assert all(joint["rmse"] < 0.08 for joint in validation["joints"].values()), validation
    # the robot of the next command is the profile, from wherever it is, or unknown
    written = load_model(out / "model.yaml")
    for folder, robot in ((workshop, "arm.yaml"), (out, "")):
        monkeypatch.chdir(folder)
        assert robot_of_model(written, out / "model.yaml") == robot
    (workshop / "arm.yaml").rename(out / "my robot.yaml")
    (workshop / "arm.urdf").rename(out / "arm.urdf")
    assert robot_of_model(written, Path("model.yaml")) == "my robot.yaml"
    monkeypatch.chdir(workshop)
    assert robot_of_model(written, Path("out/model.yaml")) == "out/my robot.yaml"


def test_an_interruption_leaves_the_results_of_one_identification(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dynid(*MOTION)
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dynid.report.write.write_report", interrupted)
    dynid("identify", "motion_1", "-p", "arm.yaml")
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


@pytest.mark.usefixtures("workshop")
def test_json_is_one_object_and_several_recordings_make_one_model() -> None:
    one, both = (json.loads(dynid(*MOTION, *more, "--json").out) for more in ([], ["motion_1"]))
    keys = {"joints", "success", "reasons", "condition_number", "base_parameters", "samples"}
    assert keys <= one.keys()
    assert set(one["joints"]) == {"shoulder", "elbow", "wrist"}
    errors = {"rmse", "nrmse", "relative_error"}
    errors |= {"max_relative_torque_error", "mean_relative_torque_error"}
    assert errors <= one["joints"]["elbow"].keys()
    assert both["samples"] == 2 * one["samples"]


def test_a_failed_criterion_exits_with_1_and_keeps_earlier_results(workshop: Path) -> None:
    out = workshop / "out"
    out.mkdir()
    (out / "model.yaml").write_text("of an earlier run")
    strict = "identification.max_relative_torque_error=0.0001"
    ran = dynid(*MOTION, "-o", out, "--set", strict)
    assert ran.code == 1
    assert "failed" in (out / "report.failed.html").read_text().lower()
    written = yaml.safe_load((out / "model.failed.yaml").read_text())
    assert written["/**"]["ros__parameters"]["model"]["status"] == "failed"
    assert (out / "model.yaml").read_text() == "of an earlier run"
    assert f"{out}/model.yaml of an earlier identification" in ran.err


def is_one_sentence(ran: Ran, part: str) -> bool:
    lines = ran.err.strip().splitlines()
    return ran.code == 2 and len(lines) == 1 and part.lower() in lines[0].lower()


@pytest.mark.usefixtures("workshop")
@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["identify", "nowhere", "-p", "arm.yaml"], "nowhere"),
        (["identify", "motion_0", "-p", "no_such_robot"], "no_such_robot"),
        ([*MOTION, "--set", "identification.cutof_hz=5"], "did you mean 'cutoff_hz'"),
        ([*MOTION, "--set", "identification.cutoff_hz=500"], "Nyquist"),
        ([*MOTION, "--estimator", "magic"], "estimator"),
        ([*MOTION, "--urdf", "gone.urdf"], "gone.urdf"),
        ([*MOTION, "--start", "9999"], "start"),
        ([*MOTION, "-o", "arm.yaml"], "arm.yaml"),
        (["validate", "motion_0", "--model", "arm.urdf"], "arm.urdf"),
        (["validate", "motion_0", "--model", "gone.yaml"], "gone.yaml"),
        (["info", "convert", "arm.yaml", "motion_0"], "motion_0"),
        (["info", "gone.mcap"], "gone.mcap"),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(arguments: list[str], part: str) -> None:
    ran = dynid(*arguments)
    assert is_one_sentence(ran, part), ran


def test_convert_writes_the_motion_of_a_csv_file_to_a_bag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    time = np.arange(200) / 100
    table = np.column_stack([time, np.sin(time), np.cos(time)])
    np.savetxt("log.csv", table, delimiter=",", fmt="%.17g")
    columns = {
        "delimiter": ",",
        "header": False,
        "time": {"column": 1},
        "joints": ["axis"],
        "position": {"columns": [2]},
        "effort": {"columns": [3]},
    }
    Path("map.yaml").write_text(yaml.safe_dump(columns))
    assert dynid("info", "convert", "log.csv", "bag", "--columns", "map.yaml").code == 0
    ran = dynid("info", "bag")
    assert ran.code == 0
    assert "200" in ran.out
    assert "axis" in ran.out
