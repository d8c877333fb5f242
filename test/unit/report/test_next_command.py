"""The command that comes after a result names what the user gave."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from support.validated import validation_of

from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.joint_errors import JointUse, UseName
from dynid.identification.result import Identification
from dynid.identification.validate import Validation
from dynid.recording.corrections import Correction
from dynid.report.card import NamedInputs, next_command, reading_options

NAMED = NamedInputs("my_arm.yaml", ("day 1.csv",), folder=Path("results"))
MODEL = ["--model", "results/model.yaml"]


def validated(identification: Identification, *uses: UseName) -> Validation:
    """Return a validation of the model, which serves these uses at every joint."""
    serving = tuple(JointUse(use, True, 0.1, 0.2, "small") for use in uses)
    verdict = identification.verdict
    joints = tuple(replace(joint, uses=serving) for joint in verdict.joints)
    return replace(validation_of(identification), verdict=replace(verdict, joints=joints))


def words(result: Identification | Validation, named: NamedInputs = NAMED) -> list[str]:
    return shlex.split(next_command(result, named))


def test_a_model_is_validated_where_it_was_written(identification: Identification) -> None:
    assert words(identification) == ["dynid", "validate", "ANOTHER_RECORDING", *MODEL]


def test_a_failed_identification_is_diagnosed_as_it_was_made(failed: Identification) -> None:
    named = replace(NAMED, reading=reading_options(1.5, None, 2, Path("a.urdf"), ["terms=auto"]))
    reading = ["--start", "1.5", "--run", "2", "--urdf", "a.urdf", "--set", "terms=auto"]
    command = ["dynid", "diagnose", "my_arm.yaml", "day 1.csv", *reading, "--output", "results"]
    assert words(failed, named) == command
    assert words(failed, NamedInputs()) == ["dynid", "diagnose", "ROBOT", "RECORDING"]


@pytest.mark.parametrize("success", [True, False])
def test_what_was_found_is_corrected_first(
    identification: Identification, failed: Identification, success: bool, tmp_path: Path
) -> None:
    delay = (Correction(signal="effort", delay=0.04),)
    late = Finding("time_shift", (), "warning", "Late.", "Shift.", {}, corrections=delay)
    result = replace(identification if success else failed, findings=(late,))
    named = replace(NAMED, folder=tmp_path)
    corrected = str(tmp_path / "corrected.yaml")
    command = ["dynid", "diagnose", "my_arm.yaml", "day 1.csv", "--output", str(tmp_path)]
    assert words(result, named) == [*command, "--apply", corrected]
    (tmp_path / "corrected.yaml").touch()
    assert "--apply" not in words(result, named)
    assert "--apply" not in words(replace(result, findings=(replace(late, severity="note"),)))


def test_a_failed_validation_is_diagnosed_with_its_model(failed: Identification) -> None:
    result = validated(failed)
    command = ["dynid", "diagnose", "b.csv", "--model", "b/model.yaml"]
    assert words(result, NamedInputs("arm", ("b.csv",), model="b/model.yaml")) == command


def test_thresholds_are_tuned_before_the_robot_is_controlled(
    identification: Identification,
) -> None:
    result = validated(identification, "feedforward", "collision")
    assert words(result) == ["dynid", "collisions", "tune", "day 1.csv", *MODEL, "--into-model"]
    control = ["ros2", "launch", "dynid", "control.launch.py"]
    assert words(result, replace(NAMED, tuned=True)) == [
        *control,
        "robot:=my_arm.yaml",
        "model:=results/model.yaml",
    ]


def test_a_part_of_a_recording_is_not_tuned_on_as_a_whole(identification: Identification) -> None:
    named = replace(NAMED, reading=reading_options(0.0, 3.0, None))
    assert "FREE_MOTION" in words(validated(identification, "collision"), named)


def test_a_model_for_no_controller_is_written_for_a_simulator(
    identification: Identification,
) -> None:
    command = words(validated(identification, "simulation"))
    assert command[:5] == ["dynid", "model", "export", "results/model.yaml", "--to"]


def test_magnitudes_of_torque_are_identified_with_their_option(failed: Identification) -> None:
    unsigned = Finding("unsigned_effort", (), "problem", "Magnitudes.", "Set it.", {})
    command = words(replace(failed, findings=(unsigned,)))
    assert command[:4] == ["dynid", "identify", "my_arm.yaml", "day 1.csv"]
    assert command[4:] == ["--unsigned-torque", "--output", "results"]
