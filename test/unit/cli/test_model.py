"""``dynid model`` on the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.command_line import Ran, dynid
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.identification.identify import identify
from dynid.profile import load_model
from dynid.recording.convert import write_bag

JOINTS = ("shoulder", "elbow", "wrist")
FRICTION = {"Fv1": 3.0, "Fv2": 1.5, "Fv3": 0.3, "Fc1": 4.0, "Fc2": 2.0, "Fc3": 0.5}


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """A profile with a simulated robot, its URDF beside it."""
    robot = arm_robot(simulation={"parameters": FRICTION})
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    settings = robot.yaml_content(exclude_unset=True)
    path = tmp_path / "arm.yaml"
    path.write_text(yaml.safe_dump(settings))
    return path


def run(*words: object, code: int = 0) -> Ran:
    ran = dynid("model", *words)
    assert ran.code == code, ran
    return ran


def test_at_a_state_gives_the_torque_of_the_simulated_robot(arm: Path) -> None:
    motion = {"--q": "30,-45,10", "--dq": "60,0,-60", "--ddq": "0,90,0", "--tau": "9,5,1"}
    options = [word for option in motion.items() for word in option]
    found = json.loads(run("at", "-p", arm, *options, "--degrees", "--json").out)
    bare = arm_robot().mechanism()
    values = bare.parameters.copy()
    for name, value in FRICTION.items():
        values[bare.parameter_names.index(name)] = value
    model = bare.with_parameters(values)
    q, dq, ddq = (np.radians([float(x) for x in motion[o].split(",")]) for o in list(motion)[:3])
    np.testing.assert_allclose(found["inverse_dynamics"], model.inverse_dynamics(q, dq, ddq))
    np.testing.assert_allclose(found["forward_dynamics"], model.forward_dynamics(q, dq, [9, 5, 1]))
    np.testing.assert_allclose(found["mass_matrix"], model.mass_matrix(q))
    np.testing.assert_allclose(found["torque"]["coulomb"], [4.0, 0.0, -0.5])
    assert "simulated robot" in found["parameters"]
    assert set(found) == {
        *("robot", "parameters", "joints", "q", "dq", "ddq", "mass_matrix", "eigenvalues"),
        *("condition", "coriolis_matrix", "torque", "inverse_dynamics", "tau", "forward_dynamics"),
    }


def test_at_a_state_prints_tables(arm: Path) -> None:
    printed = run("at", "-p", arm, "--q", "0,0.5,0").out
    for words in ("Mass matrix", "condition number", "Coriolis matrix", "gravity", "viscous"):
        assert words in printed


def test_along_a_recording_splits_torque_into_named_columns(arm: Path, tmp_path: Path) -> None:
    mechanism = arm_robot().mechanism()
    write_bag(recorded(mechanism, true_parameters(mechanism), noise=0.0), tmp_path / "motion")
    split = tmp_path / "split.csv"
    assert "RMS of each part" in run("along", tmp_path / "motion", "-p", arm, "-o", split).out
    with split.open() as file:
        header, *rows = csv.reader(file)
    values = np.array(rows, dtype=float)
    column = {name: values[:, k] for k, name in enumerate(header)}
    kinds = ("inertia", "coriolis", "gravity", "viscous", "coulomb", "offset")
    for joint in JOINTS:
        parts = sum(column[f"{joint}.{kind} [N*m]"] for kind in kinds)
        np.testing.assert_allclose(parts, column[f"{joint}.model [N*m]"], atol=1e-6)
        left = column[f"{joint}.measured [N*m]"] - column[f"{joint}.model [N*m]"]
        np.testing.assert_allclose(left, column[f"{joint}.error [N*m]"], atol=1e-6)
        expected = FRICTION[f"Fv{JOINTS.index(joint) + 1}"] * column[f"{joint}.velocity [rad/s]"]
        np.testing.assert_allclose(column[f"{joint}.viscous [N*m]"], expected, atol=1e-6)


def test_along_a_recording_writes_arrays(arm: Path, tmp_path: Path) -> None:
    mechanism = arm_robot().mechanism()
    write_bag(recorded(mechanism, true_parameters(mechanism), noise=0.0), tmp_path / "motion")
    split = tmp_path / "split.npz"
    run("along", tmp_path / "motion", "-p", arm, "-o", split, "--json")
    with np.load(split) as arrays:
        assert tuple(arrays["joints"]) == JOINTS
        assert arrays["gravity"].shape == (len(arrays["time"]), 3)
        np.testing.assert_allclose(arrays["error"], arrays["measured"] - arrays["model"])


def test_base_parameters_go_to_the_terminal_or_a_file(arm: Path, tmp_path: Path) -> None:
    assert "ZZ1R" in run("base", "-p", arm).out
    table = tmp_path / "base.yaml"
    run("base", "-p", arm, "--format", "yaml", "-o", table)
    assert yaml.safe_load(table.read_text())["robot"] == "arm"


def test_code_is_two_files_and_a_count_of_operations(arm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "code"
    arguments = ("code", "-p", arm, "-o", folder, "--name", "my_arm", "--without", "offset")
    printed = run(*arguments).out
    assert {path.name for path in folder.iterdir()} == {"my_arm.c", "my_arm.h"}
    header = (folder / "my_arm.h").read_text()
    assert "void my_arm_inverse_dynamics(" in header
    assert "Omitted: joint terms of kind offset." in header
    assert "Off1" not in header
    assert "general robot" in printed


@pytest.mark.parametrize(("target", "file"), [("st", "arm.st"), ("fmi", "arm.fmu")])
def test_code_for_other_targets_is_one_file(
    target: str, file: str, arm: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "code"
    run("code", "-p", arm, "-o", folder, "--target", target)
    assert [path.name for path in folder.iterdir()] == [file]


def test_an_identified_model_has_standard_deviations_and_an_origin(
    arm: Path, tmp_path: Path
) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    model = tmp_path / "model.yaml"
    identify(robot, recording).model.save(model)
    printed = run("base", "-m", model).out
    assert "identified parameters, model.yaml of 20" in printed
    (zz,) = (line for line in printed.splitlines() if line.startswith("ZZ1R"))
    assert " ± " in zz
    at_point = json.loads(run("at", "-m", model, "--q", "0,0,0", "--json").out)
    identified = load_model(model).mechanism
    np.testing.assert_allclose(at_point["mass_matrix"], identified.mass_matrix(np.zeros(3)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("at", "--q", "0,0,0"), ["--model", "--profile"]),
        (("at", "--q", "0,0", "-p", "ARM"), ["--q", "3", "shoulder, elbow, wrist"]),
        (("at", "--q", "0,0,zero", "-p", "ARM"), ["--q", "commas"]),
        (("at", "--q", "0,0,nan", "-p", "ARM"), ["--q", "finite"]),
        (("along", "no_such.mcap", "-p", "ARM"), ["no_such.mcap"]),
        (("along", "ARM", "-p", "ARM", "-o", "split.csv"), ["no recording", "dynid view"]),
        (("base", "-m", "no_such.yaml"), ["no_such.yaml"]),
        (("base", "-m", "no_such.yaml", "--set", "a=1"), ["--set", "profile"]),
        (("code", "-o", "code", "-p", "ARM", "--name", "3 arms"), ["3 arms", "--name"]),
        (("code", "-o", "code", "-p", "ARM", "--without", "spring"), ["spring", "viscous"]),
        (("code", "-o", "code", "-p", "ARM", "--target", "st", "--name", "a__b"), ["a__b"]),
        (("code", "-o", "code", "-p", "ARM", "--target", "fmi", "--float"), ["--float", "FMU"]),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    arm: Path, arguments: tuple[str, ...], words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(arm.parent)
    words = (str(arm) if word == "ARM" else word for word in arguments)
    printed = run(*words, code=2).err
    assert len(printed.strip().splitlines()) == 1
    assert printed.strip().endswith(".")
    for word in words:
        assert word in printed
    assert not (arm.parent / "code").exists()


def test_softmc_writes_the_program_of_a_single_axis(tmp_path: Path) -> None:
    program = tmp_path / "IDNT1.PRG"
    options = ["-p", "axis_crank_vertical", "--without", "offset", "--axis", "A3"]
    assert str(program) in run("softmc", *options, "--arm-length", 0.4, "-o", program).out.replace(
        "\n", ""
    )
    text = program.read_text()
    assert "A3.DynamicModel = 3\n" in text
    assert "'Omitted: joint terms of kind offset." in text


def test_softmc_says_what_its_model_has_no_parameter_for(tmp_path: Path) -> None:
    program = tmp_path / "IDNT1.PRG"
    ran = run("softmc", "-p", "axis_crank_vertical", "-o", program, code=2)
    assert "--without offset" in ran.said
    assert not program.exists()
