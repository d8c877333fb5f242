"""Two models of one robot differ by chance alone; changes of it are found where they are."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

import dynid
from dynid.cli import main
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ArgumentError, ConfigurationError
from dynid.evaluation.model_comparison import compare_models
from dynid.recording.model import Recording
from dynid.report.terminal.comparison import comparison_json, sentences
from dynid.robot.model import Model, nominal_model

UNCHANGED = {"friction_repeatability": 0.0}
NOISE = 0.1  # [N m]


def changed(mechanism: Mechanism, **values: float) -> np.ndarray:
    parameters = true_parameters(mechanism)
    for name, value in values.items():
        parameters[mechanism.parameter_names.index(name)] = value
    return parameters


def record(seed: int, **values: float) -> Recording:
    mechanism = arm_robot().mechanism()
    return recorded(mechanism, changed(mechanism, **values), noise=NOISE, seed=seed)


@cache
def model(seed: int, repeatability: float = 0.0, **values: float) -> Model:
    settings = {"friction_repeatability": repeatability}
    return dynid.identify(arm_robot(), record(seed, **values), **settings).model


@pytest.mark.thorough
def test_models_of_one_robot_differ_by_chance() -> None:
    found = [compare_models(model(seed), model(seed + 1)) for seed in (0, 2, 4, 6)]
    assert all(one.freedom == len(one.parameters) > 10 for one in found)
    assert all(one.probability > 1e-3 for one in found)
    scores = [one.score for comparison in found for one in comparison.parameters]
    assert 0.3 < np.sqrt(np.mean(np.square(scores))) < 1.5
    for one in found[0].workspace:
        assert 0 < one.rms < 3 * one.expected
        assert one.rms < 0.1 * one.torque


def test_changed_friction_is_found_at_its_joint() -> None:
    found = compare_models(model(0), model(1, Fc2=3.0))
    assert found.probability < 1e-6
    assert found.parameters[0].name == "Fc2"
    assert found.parameters[0].second - found.parameters[0].first == pytest.approx(1.0, abs=0.05)
    elbow = found.workspace[1]
    assert elbow.terms == pytest.approx(1.0, abs=0.05)
    assert elbow.bodies < 0.2 * elbow.terms
    assert "more than their uncertainties" in sentences(found)[0]


def test_a_heavier_hand_is_found_in_the_torque_of_bodies() -> None:
    found = compare_models(model(0), model(1, M3=1.6))
    assert found.probability < 1e-6
    shoulder = found.workspace[0]
    assert shoulder.bodies > 10 * shoulder.terms
    assert shoulder.rms > 10 * shoulder.expected


def test_deviations_of_friction_count_once_for_each_model() -> None:
    found = compare_models(model(0, 0.1), model(1, 0.1))
    row = next(one for one in found.parameters if one.name == "Fc1")
    # two recordings differ by 10 % in the standard deviation
    assert row.standard_deviation == pytest.approx(0.1 * row.first, rel=0.05)


def test_a_recording_shows_the_errors_of_both() -> None:
    found = compare_models(model(0), model(1, Fc2=3.0), record(9))
    (along,) = found.recordings
    assert along.first_error[1] < 0.5 * along.second_error[1]
    assert along.torque[1].rms == pytest.approx(1.0, abs=0.1)


def test_what_only_one_has_is_named() -> None:
    robot = arm_robot(terms=[{"kind": "viscous"}, {"kind": "coulomb"}])
    without = dynid.identify(robot, record(1), **UNCHANGED).model
    found = compare_models(model(0), without)
    assert set(found.only_one) == {"Off1", "Off2", "Off3"}
    assert "Off1, Off2, Off3" in sentences(found)[1]
    nominal = compare_models(model(0), nominal_model(arm_robot()))
    assert (nominal.parameters, nominal.freedom, nominal.probability) == ((), 0, 1.0)
    assert "no base parameters" in sentences(nominal)[0]


def test_other_gravity_is_named() -> None:
    other = model(0).with_robot(arm_robot(gravity="by_robot"))
    assert any("Gravity differs" in one for one in sentences(compare_models(model(0), other)))


def test_other_joints_are_refused() -> None:
    other = nominal_model(dynid.load_robot("scara_2r"))
    with pytest.raises(ConfigurationError, match="shoulder, elbow, wrist and joint_1, joint_2"):
        compare_models(model(0), other)


@pytest.mark.parametrize("states", [0, 10**9, 10**20])
def test_a_number_of_states_that_no_memory_has_is_refused(states) -> None:
    with pytest.raises(ArgumentError, match="states must be an integer from 1 to 100000"):
        compare_models(model(0), model(0), states=states)


def test_the_command_prints_one_json_object(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    models = [model(0), model(1, Fc2=3.0)]
    for path, one in zip(paths, models, strict=True):
        one.save(path, force=True)
    command = ["dynid", "model", "compare", *map(str, paths), "--states", "50", "--json"]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None)
    printed = json.loads(capsys.readouterr().out)
    stated = comparison_json(compare_models(*models, states=50))
    assert printed["parameters"]["Fc2"]["score"] == pytest.approx(
        stated["parameters"]["Fc2"]["score"], rel=1e-6
    )
    assert set(printed["workspace"]) == {"shoulder", "elbow", "wrist"}
