"""``dynid drives gains``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.stored_recording import stored
from support.synthetic import ARM_URDF
from support.weighed_arm import CONSTANTS, ROBOT, WEIGHED, currents, loaded
from typer.testing import CliRunner

from dynid.cli import app
from dynid.errors import EstimationError


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("gains")
    (folder / "arm.urdf").write_text(ARM_URDF)
    content = ROBOT.yaml_content(exclude_unset=True)
    (folder / "arm.yaml").write_text(yaml.safe_dump(content))
    paths = [
        stored(recording, folder / name)
        for recording, name in ((currents(), "without.npz"), (loaded(), "with.npz"))
    ]
    words = [paths[0], "--loaded", paths[1], "--payload-mass", WEIGHED.mass]
    return ["drives", "gains", *map(str, words), "--profile", str(folder / "arm.yaml")]


def test_prints_constants_and_writes_lines_for_the_profile(
    arguments: list[str], tmp_path: Path
) -> None:
    result = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "new")])
    assert result.exit_code == 0, result.output
    for words in ("torque constant", "std. dev.", "consistent", "elbow", "Succeeded."):
        assert words in result.output
    text = (tmp_path / "new/drive_gains.yaml").read_text()
    assert "without.npz, SHA-256" in text
    constants = yaml.safe_load(text)["drives"]["torque_constant"]
    assert np.allclose(constants / CONSTANTS, 1.0, atol=0.02)


def test_json_has_the_constants_and_their_standard_deviations(
    arguments: list[str],
) -> None:
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert found["success"]
    elbow = found["joints"]["elbow"]
    assert set(found) == {*("robot", "quantity", "payload_mass", "joints", "success", "reasons")}
    assert set(elbow) == {"profile", "value", "standard_deviation", "consistent_value"}
    assert elbow["profile"] == -1.0
    assert abs(elbow["value"] - CONSTANTS[1]) < 5 * elbow["standard_deviation"]
    assert abs(elbow["consistent_value"] / CONSTANTS[1] - 1) < 0.02


def test_centre_and_inertia_of_the_payload_reduce_the_uncertainty(arguments: list[str]) -> None:
    centre = ["--payload-centre", "0.04", "-0.03", "0.1"]
    rough = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    fine = json.loads(CliRunner().invoke(app, [*arguments, *centre, "--json"]).stdout)
    for name, joint in fine["joints"].items():
        assert joint["standard_deviation"] < rough["joints"][name]["standard_deviation"]


def test_a_constant_that_is_not_identifiable_is_null_with_exit_code_1(arguments: list[str]) -> None:
    drives, gains, recording, loaded, _, *rest = arguments
    words = [drives, gains, recording, loaded, recording, *rest]  # no payload at all
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["joints"]["wrist"]["value"] is None
    assert found["reasons"]


def test_recordings_of_torque_are_refused(arguments: list[str]) -> None:
    options = ["--set", "drives={effort: torque}"]
    result = CliRunner().invoke(app, [*arguments, *options])
    assert isinstance(result.exception, EstimationError)
