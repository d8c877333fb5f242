import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support.representatives import representatives
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import ConfigurationError
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.estimators import (
    estimator_class,
    estimator_names,
    is_estimator,
    make_estimator,
)
from dynid.estimation.fitting import build_problem, essential_parameters
from dynid.estimation.regression import Problem
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.plugins import ESTIMATORS, registered
from dynid.recording.model import Recording
from dynid.report.words import estimation_steps
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess


def posed(robot: Robot, *recordings: Recording) -> Problem:
    mechanism = robot.mechanism()
    signals = [preprocess(recording, robot) for recording in recordings]
    return build_problem(
        mechanism, base_parameterization(mechanism), signals, robot.settings(IdentificationSettings)
    )


class Halved(Estimator):
    """An estimator of a plug-in, with a setting: a share of ordinary least squares."""

    name = "halved"
    summary = "a share of ordinary least squares"

    def __init__(self, share: float = 0.5) -> None:
        self._share = share

    def fit(self, problem: Problem, start: np.ndarray) -> Estimate:
        estimate = make_estimator("ols").fit(problem, start)
        return replace(estimate, base=self._share * estimate.base)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder of installed distributions, with a plug-in of one file."""
    distribution = tmp_path / "halved-1.0.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: halved\nVersion: 1.0\n")
    (distribution / "entry_points.txt").write_text(
        f"[{ESTIMATORS}]\nhalved = plugin_of_a_test:Halved\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "plugin_of_a_test", SimpleNamespace(Halved=Halved))
    for cached in (registered, estimator_class):
        cached.cache_clear()
    yield tmp_path
    for cached in (registered, estimator_class):
        cached.cache_clear()


def still_arm(estimator: object) -> tuple[Robot, Recording]:
    robot = arm_robot(identification={"estimator": estimator, "physical": {"enabled": False}})
    mechanism = robot.mechanism()
    return robot, recorded(mechanism, true_parameters(mechanism))


@cache
def least_squares() -> np.ndarray:
    """Base parameters of the arm by ordinary least squares."""
    return np.array([one.value for one in identify(*still_arm("ols")).base_parameters])


@pytest.mark.parametrize("name", estimator_names())
def test_every_estimator_declares_itself(name: str) -> None:
    declared = estimator_class(name)
    assert declared.name == name
    assert declared.summary
    assert declared.round_share is None or 0 < declared.round_share < 1
    assert is_estimator(declared())


def test_a_plug_in_adds_an_estimator_by_an_entry_point(installed: Path) -> None:
    assert "halved" in estimator_names()
    result = identify(*still_arm("halved"))
    assert result.provenance.estimator == "halved"
    values = [one.value for one in result.base_parameters]
    np.testing.assert_allclose(values, 0.5 * least_squares())
    assert "a share of ordinary" in dict(estimation_steps(result))["Estimator"]


def test_an_estimator_that_is_registered_by_another_name_is_refused(installed: Path) -> None:
    entry_points = installed / "halved-1.0.dist-info/entry_points.txt"
    entry_points.write_text(entry_points.read_text().replace("halved =", "half ="))
    with pytest.raises(ConfigurationError, match="'halved' is registered as 'half'"):
        estimator_class("half")


def test_a_plug_in_that_cannot_be_imported_is_named(installed: Path) -> None:
    entry_points = installed / "halved-1.0.dist-info/entry_points.txt"
    entry_points.write_text(f"[{ESTIMATORS}]\nhalved = absent_module:Halved\n")
    with pytest.raises(ConfigurationError, match="absent_module, which is missing"):
        estimator_class("halved")


def test_an_object_keeps_its_settings_and_is_stored_by_its_name(tmp_path: Path) -> None:
    robot, recording = still_arm("wls")
    result = identify(robot, recording, estimator=Halved(share=0.25))
    values = [one.value for one in result.base_parameters]
    np.testing.assert_allclose(values, 0.25 * least_squares())
    assert result.provenance.estimator == "halved"
    assert result.model.robot.yaml_content()["identification"]["estimator"] == "halved"


@pytest.mark.parametrize("wrong", ["lms", dict, 3])
def test_what_is_no_estimator_is_refused(wrong: object) -> None:
    with pytest.raises(ConfigurationError, match="key 'estimator': must be 'ols', 'wls', "):
        identify(*still_arm("wls"), estimator=wrong)


def posed_on_all_rows(noise: float) -> tuple[Problem, np.ndarray]:
    """Return a problem that fits every row, and its stacked regressor."""
    robot = arm_robot(
        identification={
            "cutoff_hz": None,
            "trim_rest": False,
            "velocity_threshold": {"fit": "all"},
        }
    )
    mechanism = robot.mechanism()
    problem = posed(robot, recorded(mechanism, true_parameters(mechanism), noise=noise))
    signals = problem.rows[0].signals
    regressor = mechanism.regressor(signals.position, signals.velocity, signals.acceleration)
    stacked = regressor[:, :, problem.base.independent]
    return problem, stacked.reshape(-1, len(problem.base.names))


def fitted(problem: Problem, estimator: str = "wls") -> Estimate:
    return make_estimator(estimator).fit(problem, problem.mechanism.urdf_parameters)


def truth(problem: Problem) -> np.ndarray:
    return problem.base.project(true_parameters(problem.mechanism))


@pytest.mark.parametrize("estimator", ["ols", "wls", "irls"])
def test_recovers_the_base_parameters_of_noiseless_data(estimator: str) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    problem = posed(robot, recorded(mechanism, true_parameters(mechanism)))
    # the only error is that of the velocities, central differences of positions at 200 Hz
    np.testing.assert_allclose(fitted(problem, estimator).base, truth(problem), atol=5e-3)


def test_ordinary_least_squares_agrees_with_lstsq_on_the_stacked_regressor() -> None:
    problem, stacked = posed_on_all_rows(noise=0.5)
    expected = np.linalg.lstsq(stacked, problem.rows[0].torque.ravel(), rcond=None)[0]
    np.testing.assert_allclose(fitted(problem, "ols").base, expected, rtol=1e-6, atol=1e-8)


def test_weighting_joints_by_their_noise_is_better_than_equal_weights() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    errors = {"ols": 0.0, "wls": 0.0}
    for seed in range(8):
        recording = recorded(mechanism, true_parameters(mechanism), samples=1500, seed=seed)
        noise = np.random.default_rng(seed).standard_normal(recording.effort.shape)
        noisy = replace(recording, effort=recording.effort + noise * [8.0, 0.1, 0.01])
        problem = posed(robot, noisy)
        hand = [number for number, name in enumerate(problem.base.names) if "3" in name]
        for name in errors:
            difference = (fitted(problem, name).base - truth(problem))[hand]
            errors[name] += float(np.sum(difference**2))
    assert errors["wls"] < 0.5 * errors["ols"]


def test_a_few_outliers_hardly_change_the_robust_estimate() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.1)
    effort = recording.effort.copy()
    for sample in range(10):  # too long for a spike, which no estimator gets
        effort[sample::400] += 30.0
    wild = replace(recording, effort=effort)
    problem = posed(robot, wild)
    standard_deviation = {
        name: float(np.abs(fitted(problem, name).base - truth(problem)).max())
        for name in ("wls", "irls")
    }
    assert standard_deviation["irls"] < 0.2 * standard_deviation["wls"]


@pytest.mark.parametrize("correlated", representatives([True, False], 1))
def test_standard_deviations_cover_the_truth(correlated: bool) -> None:
    """Two thirds of the errors are within one standard deviation, for white and coloured noise."""
    robot = arm_robot(
        identification={"cutoff_hz": None, "trim_rest": False, "velocity": "measured"}
    )
    mechanism = robot.mechanism()
    scores = []
    for seed in range(12):
        recording = recorded(mechanism, true_parameters(mechanism), samples=2000, seed=seed)
        noise = np.random.default_rng(100 + seed).standard_normal(recording.effort.shape)
        if correlated:
            kernel = np.ones(20) / np.sqrt(20)
            noise = np.apply_along_axis(np.convolve, 0, noise, kernel, "same")
        noisy = replace(recording, effort=recording.effort + noise)
        problem = posed(robot, noisy)
        estimate = fitted(problem)
        scores.append((estimate.base - truth(problem)) / np.sqrt(np.diag(estimate.covariance)))
    spread = float(np.sqrt(np.mean(np.concatenate(scores) ** 2)))
    assert 0.7 < spread < 1.4


def test_blocks_give_the_normal_equations_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = arm_robot(
        terms=[{"kind": "viscous"}, {"kind": "presliding", "scale": 0.01}],
        identification={
            "cutoff_hz": None,
            "trim_rest": False,
            "parallel_filter": {"cutoff_hz": 10.0, "decimation": 4},
        },
    )
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=6000)
    whole = posed(robot, recording).normal_equations()
    monkeypatch.setattr("dynid.estimation.regression._BLOCK", 512)
    in_blocks = posed(robot, recording).normal_equations()
    scale = np.abs(whole.gram).max()
    np.testing.assert_allclose(in_blocks.gram, whole.gram, atol=1e-6 * scale)


def test_normal_equations_give_the_squared_error_of_the_residuals() -> None:
    robot = arm_robot(identification={"cutoff_hz": 20.0, "trim_rest": False})
    mechanism = robot.mechanism()
    problem = posed(
        robot,
        recorded(mechanism, true_parameters(mechanism), noise=0.3),
        recorded(mechanism, true_parameters(mechanism), noise=0.3, seed=5, samples=900),
    )
    base = truth(problem) * 1.1
    expected = sum(
        (errors**2 * rows.fitted).sum(axis=0)
        for errors, rows in zip(problem.residuals(base), problem.rows, strict=True)
    )
    np.testing.assert_allclose(problem.normal_equations().squared_error(base), expected, rtol=1e-8)


def test_a_joint_that_never_moves_keeps_its_urdf_values_as_not_determined() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism))
    position = recording.position.copy()
    position[:, 2] = 0.3
    still = replace(recording, position=position, velocity=None)
    problem = posed(robot, still)
    estimate = fitted(problem)
    viscous = problem.base.names.index("Fv3")
    assert not estimate.determined[viscous]
    assert estimate.base[viscous] == 0.0
    assert estimate.determined[problem.base.names.index("Fv1")]


def test_elimination_drops_parameters_without_effect_and_keeps_the_others() -> None:
    robot = arm_robot(terms=[{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "viscous_cubic"}])
    mechanism = robot.mechanism()
    problem = posed(robot, recorded(mechanism, true_parameters(mechanism), noise=1.0))
    essential, values = essential_parameters(fitted(problem))
    kept = {name for name, keep in zip(problem.base.names, essential, strict=True) if keep}
    assert {"Fv1", "Fc1", "Fv2", "Fc2"} <= kept
    assert not {"Fcub1", "Fcub2", "Fcub3"} <= kept
    np.testing.assert_array_equal(values[~essential], 0.0)


def test_condition_number_is_that_of_the_column_scaled_regressor() -> None:
    problem, stacked = posed_on_all_rows(noise=0.1)
    expected = np.linalg.cond(stacked / np.linalg.norm(stacked, axis=0))
    assert fitted(problem, "ols").condition_number == pytest.approx(expected, rel=1e-4)
