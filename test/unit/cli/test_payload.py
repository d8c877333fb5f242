"""``dynid payload``: identify, measure and write."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.carried_body import CENTRE, INERTIA, MASS
from support.pushed_robot import followed
from support.small_robot import write_small_robot
from support.stored_recording import stored
from typer.testing import CliRunner, Result

from dynid.cli import app
from dynid.errors import ConfigurationError, DynidError, ModelFileError
from dynid.profile import load_model, load_robot
from dynid.robot.parameter_file import ros_parameters
from dynid.simulation.true_parameters import carrying


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small robot's profile, its recordings without and with payload, and its model."""
    folder = tmp_path_factory.mktemp("payload")
    name = write_small_robot(folder)
    robot = load_robot(str(name))
    stored(followed(robot), folder / "without.npz")
    stored(followed(carrying(robot, MASS, CENTRE, INERTIA)), folder / "with.npz")
    assert run("identify", folder / "without.npz", "-p", name, "-o", folder / "base").exit_code == 0
    return folder


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def identify(folder: Path, *words: object, base: object = "base/model.yaml") -> Result:
    given = (folder / "with.npz", "--base-model", folder / str(base))
    return run("payload", "identify", *given, *words)


def test_payload_yaml_and_a_table_are_written(folder: Path, tmp_path: Path) -> None:
    given = (folder / "with.npz", "--model", folder / "base/model.yaml")
    result = run("payload", "identify", *given, "-o", tmp_path / "new")
    assert result.exit_code == 0, result.output
    for words in ("mass", "with payload", "no effect on the torque", "Succeeded.", "payload.yaml"):
        assert words in result.output
    text = (tmp_path / "new/payload.yaml").read_text()
    assert abs(ros_parameters(text, "")["payload.mass"] - MASS) < 0.05 * MASS
    assert "with.npz, SHA-256" in text
    assert "model.yaml, SHA-256" in text
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["payload.yaml"]


def test_json_has_errors_without_and_with_the_payload(folder: Path, tmp_path: Path) -> None:
    found = json.loads(identify(folder, "-o", tmp_path, "--json").stdout)
    assert found["success"]
    assert found["payload"]["centre_z"]["standard_deviation"] is None
    assert set(found) == {
        *("robot", "joint", "base_model", "payload", "parameters", "not_identifiable", "joints"),
        *("success", "reasons", "warnings", "samples"),
    }
    assert set(found["base_model"]) == {"name", "sha256"}
    assert set(next(iter(found["joints"].values()))) == {
        *("rmse_torque_without", "rmse_torque", "relative_error_without", "relative_error"),
        "held_out_relative_error",
    }
    mass = found["payload"]["mass"]
    assert set(mass) == {"value", "standard_deviation", "unit"}
    assert abs(mass["value"] - MASS) < 0.05 * MASS
    for joint in found["joints"].values():
        assert joint["rmse_torque"] < 0.5 * joint["rmse_torque_without"]


def test_a_failed_payload_is_not_written(folder: Path, tmp_path: Path) -> None:
    strict = ["--set", "identification.max_relative_torque_error=1e-6"]
    result = identify(folder, "-p", folder / "duo.yaml", *strict, "-o", tmp_path / "new")
    assert result.exit_code == 1
    assert "Failed." in result.output
    assert not (tmp_path / "new").exists()


def test_the_mass_is_found_with_the_robot_at_rest(folder: Path, tmp_path: Path) -> None:
    base = folder / "base/model.yaml"
    arguments = ("payload", "measure", folder / "with.npz", "--base-model", base, "-o", tmp_path)
    result = run(*arguments)
    assert "friction at rest" in result.output
    found = json.loads(run(*arguments, "--json").stdout)
    assert found["dwells"] == 2
    assert set(found) == {
        *("robot", "joint", "base_model", "payload", "parameters", "not_identifiable", "joints"),
        *("mass", "mass_standard_deviation", "dwells", "success", "impossible"),
    }
    assert set(next(iter(found["joints"].values()))) == {"friction", "from_both_sides"}
    assert abs(found["mass"] - MASS) < 3 * found["mass_standard_deviation"]
    assert result.exit_code == (0 if found["success"] else 1)
    assert (tmp_path / "payload.yaml").exists() == found["success"]


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ([], ConfigurationError, "identify needs a robot: name one before the recordings"),
        (["--payload", "--base-model", "nowhere.yaml"], ModelFileError, "nowhere.yaml"),
    ],
)
def test_missing_options_are_named(
    folder: Path, arguments: list[str], error: type[DynidError], sentence: str
) -> None:
    result = run("identify", folder / "with.npz", *arguments)
    assert isinstance(result.exception, error)
    assert sentence in str(result.exception)


def test_settings_without_a_profile_are_refused(folder: Path) -> None:
    result = identify(folder, "--set", "identification.cutoff_hz=5")
    assert "name it with --profile" in str(result.exception)


def test_a_failed_base_model_is_refused(folder: Path, tmp_path: Path) -> None:
    model = load_model(folder / "base/model.yaml")
    provenance = replace(model.identified_provenance, status="failed")
    replace(model, provenance=provenance).save(tmp_path / "failed.yaml", force=True)
    result = identify(folder, base=tmp_path / "failed.yaml")
    assert isinstance(result.exception, ModelFileError)
    assert "its identification failed" in str(result.exception)


@pytest.fixture(scope="module")
def identified(folder: Path) -> Path:
    """The payload.yaml of the recording with payload."""
    assert identify(folder, "-o", folder / "loaded").exit_code == 0
    return folder / "loaded/payload.yaml"


def test_payload_is_written_for_the_controller_of_a_maker(
    folder: Path, identified: Path, tmp_path: Path
) -> None:
    model = folder / "base/model.yaml"
    shown = run("payload", "write", identified, "-m", model, "--to", "ur")
    assert shown.exit_code == 0, shown.output
    mass = ros_parameters(identified.read_text(), "")["payload.mass"]
    found = shown.stdout.removeprefix("set_target_payload(").split(", ")[0]
    assert float(found) == pytest.approx(mass, abs=1e-9)
    assert "kg, m and kg m^2" in shown.stderr
    file = tmp_path / "load.dat"
    kuka = run("payload", "write", identified, "-m", model, "--to", "kuka", "-o", file)
    assert kuka.exit_code == 0
    assert file.read_text().startswith("LOAD_DATA[1]={M ")
    sensor = run("payload", "write", identified, "-m", model, "--to", "force-sensor")
    assert sensor.exit_code == 0, sensor.output
    assert "gravity_field: [0.0, 0.0, -9.81]" in sensor.stdout


def test_payload_of_another_joint_than_the_models_is_refused(
    folder: Path, identified: Path, tmp_path: Path
) -> None:
    text = identified.read_text()
    joint = load_model(folder / "base/model.yaml").robot.joints[-1]
    assert f"joint '{joint}'" in text
    other = tmp_path / "payload.yaml"
    other.write_text(text.replace(f"joint '{joint}'", "joint 'shoulder'"))
    result = run("payload", "write", other, "-m", folder / "base/model.yaml", "--to", "abb")
    assert isinstance(result.exception, ConfigurationError)
    assert "in the frame of joint 'shoulder'" in str(result.exception)


def test_limits_with_the_payload_are_written_for_moveit(
    folder: Path, identified: Path, tmp_path: Path
) -> None:
    model, file = folder / "base/model.yaml", tmp_path / "joint_limits.yaml"
    arguments = ("check", "limits", "-m", model, "--payload", identified)
    shown = run(*arguments, "--velocity-scale", 0.5, "-o", file)
    assert shown.exit_code == 0, shown.output
    text = file.read_text()
    assert "# Payload: payload.yaml\n" in text
    assert "  shoulder:\n    has_velocity_limits: true\n    max_velocity: 2.0\n" in text
    assert "acceleration" in shown.stdout
    found = json.loads(run(*arguments, "--along", folder / "without.npz", "--json").stdout)
    assert found["joints"] == ["shoulder", "elbow"]
    assert max(found["highest_use"]) <= 1
