"""The covariance for another recording: jackknife, time skew, friction between recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.block_jackknife import jackknife_variance, raised
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.estimation.repeatability import friction_parameters
from dynid.estimation.row_memory import RowMemory
from dynid.estimation.uncertainty import SKEW, perturbations, systematic_changes
from dynid.identification.settings import IdentificationSettings
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import ParallelFilterSettings
from dynid.simulation.simulate import simulate

EXACT = {"cutoff_hz": None, "trim_rest": False, "velocity": "measured"}


def blocks_of(seed: int, rare: float) -> np.ndarray:
    """Normal equations of 20 blocks; errors are ``rare`` times larger where a column is not 0."""
    random = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(2000), random.random(2000) < 0.1])
    errors = random.standard_normal(2000) * np.where(rows[:, 1] > 0, rare, 1.0)
    stacked = np.column_stack([rows, errors]).reshape(20, 100, 3)
    return np.einsum("gmi,gmk->gik", stacked, stacked)


@pytest.mark.parametrize("rare", [1.0, 5.0])
def test_jackknife_finds_the_variance_of_errors_of_unequal_size(rare: float) -> None:
    estimates, variances = [], []
    for seed in range(200):
        blocks = blocks_of(seed, rare)
        total = blocks.sum(axis=0)
        estimates.append(np.linalg.solve(total[:2, :2], total[:2, 2]))
        variances.append(jackknife_variance(blocks))
    # 200 estimates give their own variance within 10 %
    scatter = np.mean(np.square(estimates), axis=0)
    np.testing.assert_allclose(np.mean(variances, axis=0), scatter, rtol=0.3)


def test_what_one_block_determines_alone_is_left_to_the_formula() -> None:
    blocks = blocks_of(0, 1.0)
    blocks[1:, 1, :] = blocks[1:, :, 1] = 0.0
    variance = jackknife_variance(blocks)
    assert np.isfinite(variance).all()
    formula = np.diag([1e-9, 7.0])
    assert raised(formula, variance)[1, 1] == pytest.approx(7.0)


def test_raising_variances_keeps_correlations() -> None:
    covariance = np.array([[4.0, 1.0], [1.0, 1.0]])
    found = raised(covariance, np.array([1.0, 9.0]))
    np.testing.assert_allclose(found, [[4.0, 3.0], [3.0, 9.0]])


def arm_recordings(scales: list[float], noise: float = 0.05) -> tuple[Robot, list[Recording]]:
    """One recording for each scale of the friction."""
    robot = arm_robot(identification=EXACT)
    mechanism = robot.mechanism()
    result = []
    for seed, scale in enumerate(scales):
        parameters = true_parameters(mechanism)
        for number, name in enumerate(mechanism.parameter_names):
            parameters[number] *= scale if name.startswith(("Fv", "Fc")) else 1.0
        result.append(recorded(mechanism, parameters, samples=2000, noise=noise, seed=seed))
    return robot, result


def fitted(robot: Robot, recordings: list[Recording], **settings: object) -> Fit:
    mechanism = robot.mechanism()
    used = robot.settings(IdentificationSettings).model_copy(update=settings)
    signals = [preprocess(one, robot) for one in recordings]
    return fit(build_problem(mechanism, base_parameterization(mechanism), signals, used), used)


def test_friction_between_recordings_is_estimated_from_several() -> None:
    robot, recordings = arm_recordings([0.9, 1.1, 0.95, 1.05])
    found = fitted(robot, recordings).repeatability
    # between two recordings it is √2 times the scatter of one, 0.091
    assert found.origin == "recordings"
    assert found.relative == pytest.approx(np.sqrt(2) * 0.091, rel=0.25)


def test_equal_friction_gives_almost_no_share() -> None:
    robot, recordings = arm_recordings([1.0, 1.0, 1.0])
    assert fitted(robot, recordings).repeatability.relative < 0.02


def test_recordings_that_would_not_show_the_default_do_not_replace_it() -> None:
    robot, recordings = arm_recordings([1.0, 1.0, 1.0], noise=20.0)
    found = fitted(robot, recordings).repeatability
    assert (found.relative, found.origin) == (0.1, "default")


def test_one_recording_gets_the_default_and_a_setting_replaces_it() -> None:
    robot, recordings = arm_recordings([1.0])
    default, none = fitted(robot, recordings), fitted(robot, recordings, friction_repeatability=0.0)
    assert (default.repeatability.relative, default.repeatability.origin) == (0.1, "default")
    assert none.repeatability.origin == "setting"
    share = default.estimate.covariance - none.estimate.covariance
    problem = default.problem
    friction = friction_parameters(problem.base, problem.mechanism)
    expected = np.where(friction, (0.1 * default.estimate.base) ** 2, 0.0)
    np.testing.assert_allclose(np.diag(share), expected, atol=1e-9)
    assert "10 %" in default.repeatability.note


def test_time_skew_is_the_change_of_an_estimate_from_shifted_torque() -> None:
    robot, (recording,) = arm_recordings([1.0], noise=0.0)
    rate = recording.sampling_rate
    late = np.array(
        [np.interp(recording.time - SKEW / rate, recording.time, one) for one in recording.effort.T]
    ).T
    before = fitted(robot, [recording])
    after = fitted(robot, [replace(recording, effort=late)])
    found = np.abs(systematic_changes(before.problem, before.estimate)[1])
    changed = np.abs(after.estimate.base - before.estimate.base)
    assert changed.max() > 1e-3
    # the sign of Coulomb friction is not linear in time
    np.testing.assert_allclose(found, changed, atol=0.1 * changed.max())


@pytest.mark.parametrize("seed", [0, 1])
def test_motion_lost_in_the_filter_of_positions_is_part_of_the_uncertainty(seed: int) -> None:
    """The joint sticks at reversals, which the filter smooths; residuals show little of it."""
    robot = load_robot(
        "pendulum",
        overrides=[
            "identification.cutoff_hz=4",
            "simulation.parameters={Fc1: 6.0, Fv1: 2.0}",
            "terms=[{kind: viscous}, {kind: coulomb, smoothing: 0.02}]",
        ],
    )
    recording = simulate(robot, make_plan(robot, seed=seed).excitation, seed=seed)
    found = fitted(robot, [recording], friction_repeatability=0.0)
    filtered = systematic_changes(found.problem, found.estimate)[0]
    errors = found.estimate.base[-2:] - [2.0, 6.0]
    variance = np.diag(found.estimate.covariance)[-2:]
    rest = variance - filtered[-2:] ** 2
    assert found.problem.base.names[-2:] == ("Fv1", "Fc1")
    assert np.all(np.abs(errors) < 2 * np.sqrt(variance))
    assert np.abs(errors[1]) > 3 * np.sqrt(rest[1])


def test_measured_velocities_and_unfiltered_positions_have_no_filter_error() -> None:
    robot, recordings = arm_recordings([1.0])
    measured = fitted(robot, recordings)
    assert not systematic_changes(measured.problem, measured.estimate)[0].any()
    plain = fitted(arm_robot(identification=EXACT | {"velocity": "differentiated"}), recordings)
    assert not systematic_changes(plain.problem, plain.estimate)[0].any()


@pytest.mark.parametrize("parallel", [None, {"cutoff_hz": 20.0, "decimation": 2}])
def test_perturbations_are_those_of_least_squares_with_other_torque(
    parallel: dict[str, float] | None,
) -> None:
    robot, recordings = arm_recordings([1.0, 1.2])
    settings = {
        "estimator": "irls",
        "parallel_filter": parallel and ParallelFilterSettings(**parallel),
    }
    found = fitted(robot, recordings, **settings)
    problem, estimate = found.problem, found.estimate
    random = np.random.default_rng(5)
    errors = [random.standard_normal((2, *rows.torque.shape)) for rows in problem.rows]
    changes = perturbations(problem, estimate, errors)
    for number, change in enumerate(changes):
        other = replace(
            problem,
            rows=tuple(
                replace(rows, torque=rows.torque + error[number])
                for rows, error in zip(problem.rows, errors, strict=True)
            ),
            memory=RowMemory(),
        )
        moved, before = (
            np.einsum("j,jik->ik", estimate.used_joint_weight, one.joint_gram)
            for one in (one.normal_equations(estimate.row_weights) for one in (other, problem))
        )
        expected = np.linalg.solve(before[:-1, :-1], moved[:-1, -1] - before[:-1, -1])
        np.testing.assert_allclose(change, expected, atol=1e-7 * np.abs(expected).max())
