"""``dynid identify --unsigned-torque`` on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.command_line import run_dynid as run
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.profile import load_model
from dynid.recording.convert import write_bag

COMMAND = ("identify", "lost", "-p", "arm.yaml", "--unsigned-torque")


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a profile, its URDF, and a motion with and one without signs of torque."""
    robot = arm_robot()
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    settings = robot.yaml_content(exclude_unset=True)
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump(settings))
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    write_bag(recording, tmp_path / "signed")
    write_bag(replace(recording, effort=np.abs(recording.effort)), tmp_path / "lost")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
def test_the_model_from_unsigned_torque_is_that_from_signed_torque(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, *COMMAND, "-o", "found") == 0
    printed = capsys.readouterr().out
    assert "sign of torque" in printed
    assert "segments are uncertain" in printed
    report = (workshop / "found" / "report.html").read_text()
    assert "Signs of torque" in report
    assert run(monkeypatch, "identify", "signed", "-p", "arm.yaml", "-o", "signed_model") == 0
    models = [load_model(workshop / name / "model.yaml") for name in ("found", "signed_model")]
    parameters = [model.parameters[-9:] for model in models]  # friction: all of it is determined
    np.testing.assert_allclose(parameters[0], parameters[1], atol=0.02)


@pytest.mark.thorough
def test_json_has_the_certainty_of_the_signs(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, *COMMAND, "-o", str(workshop / "found"), "--json") == 0
    signs = json.loads(capsys.readouterr().out)["torque_signs"]
    assert set(signs) == {"turning_cost", "joints", "uncertain"}
    assert list(signs["joints"]) == ["shoulder", "elbow", "wrist"]
    assert set(signs["joints"]["elbow"]) == {
        *("segments", "uncertain", "least_cost", "certain_share", "turning_cost", "decided_by")
    }
    for segment in signs["uncertain"]:
        assert set(segment) == {"joint", "recording", "start", "stop", "cost"}
    for joint in signs["joints"].values():
        assert joint["segments"] > joint["uncertain"] >= 0
        assert 0.8 < joint["certain_share"] <= 1.0
        assert joint["decided_by"] == "physical consistency"


def test_torque_with_signs_is_refused_in_one_sentence(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["signed" if word == "lost" else word for word in COMMAND]
    assert run(monkeypatch, *command, "-o", str(workshop / "found")) == 2
    assert "so it has a sign" in capsys.readouterr().err
