"""``dynid servo``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.stored_recording import stored
from typer.testing import CliRunner

from dynid.cli import app
from dynid.errors import DynidError
from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.robot.recordings import load_recording
from dynid.robot.servo import load_motor
from dynid_plugins.servo.rig_runs import LoadSettings, RunSettings
from dynid_plugins.servo.simulated_rig import simulated_run
from dynid_plugins.servo.simulated_servo import record_servos

RIG = (
    "drives.effort=position_command",
    "servo={position_gain: 300, velocity_gain: 20, output_max: 200}",
    "simulation.parameters={Fv1: 2.0, Fc1: 1.5}",
    "excitation.periods=1",
)
SET = [word for one in RIG for word in ("--set", one)]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    robot = load_robot("pendulum", overrides=RIG)
    made = record_servos(robot, make_plan(robot).excitation, sampling_rate=100.0)
    return stored(made, tmp_path_factory.mktemp("rig") / "rig.npz")


def test_identify_prints_what_is_found_and_what_only_in_combination(recording: Path) -> None:
    words = ["servo", "identify", str(recording), "-p", "pendulum", *SET]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.output
    assert "servo.bias=[" in shown.output
    assert "position_gain1 kept 300" in " ".join(shown.output.split())
    known = CliRunner().invoke(app, [*words, "--known", "MX1", "--json"])
    found = json.loads(known.stdout)
    assert found["parameters"]["position_gain1"]["value"] == pytest.approx(300, rel=0.01)
    assert found["combinations"] == {}


@pytest.mark.thorough
def test_roll_out_prints_errors_of_every_joint(recording: Path, tmp_path: Path) -> None:
    robot = load_robot("pendulum", overrides=RIG)
    model = tmp_path / "model.yaml"
    identify(robot, load_recording(recording, robot)).model.save(model)
    words = ["servo", "roll-out", str(recording), "-m", str(model)]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.output
    assert "joint_1" in shown.output
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    joint = found["joints"]["joint_1"]
    assert 0 < joint["rms"] < 0.01 * joint["motion"]


def test_refuses_a_robot_whose_torque_is_measured(recording: Path) -> None:
    result = CliRunner().invoke(app, ["servo", "identify", str(recording), "-p", "pendulum"])
    assert result.exit_code != 0
    assert "position_command" in str(result.exception)


@pytest.mark.thorough
def test_rig_identifies_a_servo_from_the_recordings_that_a_file_names(tmp_path: Path) -> None:
    robot = load_robot("servo_rig")
    loads = {"light": (0.3, 0.18), "heavy": (0.6, 0.14)}
    lines = ["runs:"]
    for seed, (name, (mass, distance)) in enumerate(loads.items()):
        entry = {"mass": mass, "centre": [distance, 0, 0]}
        settings = RunSettings(recording=f"{name}.npz", load=LoadSettings.model_validate(entry))
        stored(simulated_run(robot, settings, seed=seed).recording, tmp_path / f"{name}.npz")
        lines.append(f"  - {{recording: {name}.npz, load: {json.dumps(entry)}}}")
    rig = tmp_path / "rig.yaml"
    rig.write_text("\n".join(lines))
    words = ["servo", "rig", str(rig), "--json", "--motor", str(tmp_path / "own_servo.yaml")]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.output
    motor = load_motor(tmp_path / "own_servo.yaml")
    constant = motor.values["torque_constant"]
    resistance = motor.values["resistance"].value
    assert constant.value / resistance == pytest.approx(0.45273, rel=0.005)
    assert 0 < constant.standard_deviation < 0.01 * constant.value
    assert {"coulomb", "viscous", "rotor_inertia"} <= set(motor.values)
    again = CliRunner().invoke(app, words)
    assert "already exists" in str(again.exception), "nothing is replaced"
    found = json.loads(shown.stdout)
    assert found["parameters"]["torque_per_volt"]["value"] == pytest.approx(0.45273, rel=0.005)
    assert [one["run"] for one in found["held_out"]] == ["light.npz", "heavy.npz"]
    table = CliRunner().invoke(app, ["servo", "rig", str(rig), "--friction", "m1"])
    assert table.exit_code == 0, table.output
    assert "drives.torque_constant=1.2" in table.output
    assert "Identifiable only in combination" in table.output


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("runs: []", "runs"),
        ("runs: [{recording: none.npz}]", "none.npz"),
        pytest.param(f"runs: [{{recording: {5000 * 'a'}}}]", "no such file", id="long"),
        pytest.param(
            f"profile: {5000 * 'a'}\nruns: [{{recording: a}}]",
            "not a file that ends in",
            id="profile",
        ),
        ("profile: so101\nruns: [{recording: none.npz}]", "a rig has one joint"),
        ("runs: [{recording: a.npz, weight: 3}]", "weight"),
        ("runs: [{recording: a.npz, position_gain: 1e-300}]", "position_gain"),
        ("runs: [{recording: a.npz, supply_voltage: 1e+308}]", "supply_voltage"),
        ("runs: [{recording: a.npz, load: {mass: 1e+308, centre: [0, 0, 0]}}]", "load.mass"),
        ("runs: [{recording: a.npz, load: {mass: 1, centre: [1e+308, 0, 0]}}]", "load.centre"),
        (
            "runs: [{recording: a.npz, load: {mass: 1, centre: [0, 0, 0], inertia: 1e+308}}]",
            "load.inertia",
        ),
    ],
)
def test_rig_refuses_a_file_with_a_sentence(tmp_path: Path, content: str, words: str) -> None:
    rig = tmp_path / "rig.yaml"
    rig.write_text(content)
    shown = CliRunner().invoke(app, ["servo", "rig", str(rig)])
    assert isinstance(shown.exception, DynidError)
    assert words in str(shown.exception)
