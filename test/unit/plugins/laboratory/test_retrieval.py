"""Feasible robots for base parameters from tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.command_line import run_dynid
from support.synthetic import ARM_URDF, arm_robot, true_parameters

from dynid.dynamics.base_parameters import base_parameterization, base_table
from dynid.errors import ConfigurationError, EstimationError
from dynid.estimation.physical import is_physically_consistent
from dynid.identification.settings import IdentificationSettings
from dynid.profile import load_robot
from dynid.report.terminal.model import base_yaml
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings
from dynid_plugins.laboratory.given_parameters import read_base_parameters, symoro_name
from dynid_plugins.laboratory.retrieval import Retrieval, retrieve

ROBOT = arm_robot()
MECHANISM = ROBOT.mechanism()
BASE = base_parameterization(MECHANISM)
TRUTH = dict(zip(BASE.names, BASE.project(true_parameters(MECHANISM)).tolist(), strict=True))


def retrieved(
    given: dict[str, float],
    *,
    robot: Robot = ROBOT,
    limits: Limits = ROBOT.limits,
    **physical: object,
) -> Retrieval:
    mechanism = robot.mechanism()
    settings = robot.settings(IdentificationSettings).physical.model_copy(update=physical)
    return retrieve(mechanism, base_parameterization(mechanism), given, limits, settings)


def test_consistent_parameters_are_feasible_and_unchanged() -> None:
    found = retrieved(TRUTH)
    assert found.feasible
    assert is_physically_consistent(MECHANISM, found.parameters)
    np.testing.assert_allclose(found.found, list(TRUTH.values()), atol=2e-4)


def test_inconsistent_parameters_give_the_nearest_robot_and_its_distance() -> None:
    impossible = TRUTH | {"ZZ3": -0.05, "Fc1": -1.0}
    found = retrieved(impossible)
    assert not found.feasible
    assert is_physically_consistent(MECHANISM, found.parameters)
    of = dict(zip(MECHANISM.parameter_names, found.parameters, strict=True))
    assert of["Fc1"] == 0.0
    assert 0.01 < found.torque_change.max() < 0.2


@pytest.mark.thorough
def test_penalty_and_cones_retrieve_the_same_base_parameters() -> None:
    np.testing.assert_allclose(
        retrieved(TRUTH, method="penalty").found, retrieved(TRUTH).found, atol=2e-3
    )


def test_parameters_that_are_not_given_keep_the_urdf_values() -> None:
    given = {name: value for name, value in TRUTH.items() if not name.startswith("XX")}
    found = retrieved(given)
    missing = [number for number, name in enumerate(BASE.names) if name not in given]
    assert len(missing) > 0
    assert np.isnan(found.given[missing]).all()
    np.testing.assert_allclose(
        found.found[missing], BASE.project(MECHANISM.urdf_parameters)[missing], atol=5e-3
    )


@pytest.mark.parametrize("given", [{}, {"ZZ3": 0.0}], ids=["empty", "zeros"])
def test_a_table_without_usable_values_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(EstimationError, match="no nonzero base parameter is given"):
        retrieved(given)


def test_distance_is_the_change_of_torque_on_motion_within_the_limits() -> None:
    """Inconsistent friction of the shoulder, -1 N m, changes the torque by that amount."""
    free = retrieved(TRUTH | {"Fc1": -1.0})
    assert free.torque_change[0] > 0.0
    assert np.all(free.torque_change[1:] < 0.1 * free.torque_change[0])
    fast, slow = (
        retrieved(TRUTH | {"Fv1": -1.0}, limits=Limits(velocity=(speed,), acceleration=(0.01,)))
        for speed in (2.0, 0.01)
    )
    # viscous friction is evaluated at the speeds within the limits
    assert slow.torque_change[0] < 0.1 * fast.torque_change[0]


def test_a_tiny_robot_is_retrieved_as_well_as_a_large_one() -> None:
    size = 1e-4
    light = re.sub(
        r'(mass value|i[xyz][xyz])="([^"]*)"',
        lambda found: f'{found[1]}="{size * float(found[2])}"',
        ARM_URDF,
    )
    given = {name: 1.2 * size * value for name, value in TRUTH.items()}
    found = retrieved(given, robot=ROBOT.with_urdf(light))
    assert found.feasible
    np.testing.assert_allclose(found.found / size, found.given / size, atol=5e-3)


@pytest.mark.parametrize("reach", [0.02, 0.5])
def test_positions_of_the_motion_are_within_the_limits(reach: float) -> None:
    """A negative stiffness is out of bounds: the change is -1 N m / rad times the positions."""
    robot = arm_robot(terms=[{"kind": "coulomb"}, {"kind": "spring_stiffness"}])
    limits = Limits(position=((-reach, reach),) * 3)
    given, bounds = {"Fc1": 1.0, "K1": -1.0}, {"K1": (0.0, 10.0)}
    found = retrieved(given, robot=robot, limits=limits, bounds=bounds)
    # positions are uniform: their rms is the reach over the square root of three
    spring = reach / np.sqrt(3)
    assert found.torque_change[0] == pytest.approx(spring / np.hypot(1.0, spring), rel=0.1)


def test_reads_a_table_with_the_names_of_symoro(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("name,value,deviation\n# a comment\nZZR1, 1.5, 0.1\nFV1,0.25\n")
    assert read_base_parameters(table, MECHANISM, BASE) == {"ZZ1R": 1.5, "Fv1": 0.25}


def test_reads_back_what_the_base_command_wrote(tmp_path: Path) -> None:
    model = MECHANISM.with_parameters(true_parameters(MECHANISM))
    path = tmp_path / "base.yaml"
    path.write_text(base_yaml(base_table(model, BASE, "arm", "a test")))
    assert read_base_parameters(path, MECHANISM, BASE) == pytest.approx(TRUTH)


def test_reads_what_the_base_command_of_an_earlier_version_wrote(tmp_path: Path) -> None:
    model = MECHANISM.with_parameters(true_parameters(MECHANISM))
    content = yaml.safe_load(base_yaml(base_table(model, BASE, "arm", "a test")))
    for row in content["base_parameters"]:
        row["name"] = symoro_name(row["name"])
        row["coefficients"] = {symoro_name(k): v for k, v in row["coefficients"].items()}
    path = tmp_path / "base.yaml"
    path.write_text(yaml.safe_dump(content))
    assert "ZZR1" in path.read_text()
    assert read_base_parameters(path, MECHANISM, BASE) == pytest.approx(TRUTH)


def test_symoro_names_put_the_mark_of_regrouping_before_the_number() -> None:
    names = ("ZZ12R", "M3", "Fc1", "Ia3R", "Fv2", "Fs2_2", "Off3R")
    expected = ("ZZR12", "M3", "FS1", "IAR3", "FV2", "Fs2_2", "OffR3")
    assert tuple(symoro_name(name) for name in names) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ZZ1R: much", "ZZ1R is 'much', expected a finite number"),
        ("ZZ1R: .nan", "ZZ1R is 'nan', expected a finite number"),
        ("ZZ1R: .inf", "ZZ1R is 'inf', expected a finite number"),
        ("{ZZ1R: 1.0, ZZR1: 2.0}", "given twice"),
        ("QQ: 1.0", "'QQ' is no.* base parameter"),
        (
            "base_parameters: [{name: ZZR1, value: 1.0, coefficients: {ZZ1: 1.0}}]",
            "another combination",
        ),
        ("base_parameters: [ZZR1]", "must have a name and a value"),
    ],
)
def test_an_error_in_a_file_is_reported_in_one_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "table.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        read_base_parameters(path, MECHANISM, BASE)


def test_the_command_writes_a_robot_that_dynid_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    settings = ROBOT.yaml_content(exclude_unset=True)
    (tmp_path / "arm.yaml").write_text(f"# My arm\n{yaml.safe_dump(settings)}")
    (tmp_path / "table.yaml").write_text(yaml.safe_dump(TRUTH))
    monkeypatch.chdir(tmp_path)
    words = ("model", "retrieve", "table.yaml", "-p", "arm.yaml", "-o", "found", "--json")
    assert run_dynid(monkeypatch, *words) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"feasible", "torque_change", "given", "base_parameters", "parameters"}
    assert printed["given"] == pytest.approx(TRUTH)
    written = Path("found/arm_retrieved.yaml")
    assert written.read_text().startswith(
        "# Parameters found by `dynid model retrieve`.\n# My arm\n"
    )
    robot = load_robot(written)
    assert robot.find(SimulationSettings) is not None
    mechanism = robot.mechanism()
    values = [robot.find(SimulationSettings).parameters[name] for name in mechanism.parameter_names]
    np.testing.assert_allclose(BASE.project(np.array(values)), list(TRUTH.values()), atol=2e-4)
    # the URDF has the same bodies
    first = mechanism.first_term
    np.testing.assert_allclose(mechanism.urdf_parameters[:first], values[:first], atol=1e-9)
