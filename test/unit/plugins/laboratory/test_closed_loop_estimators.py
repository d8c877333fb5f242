from dataclasses import replace

import numpy as np
import pytest
from support.closed_loop_arm import arm_problem, recorded_arm, scores, truth_of
from support.representatives import representatives
from support.synthetic import arm_robot, problem_of

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.estimators import make_estimator
from dynid.estimation.regression import Problem
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import FourierSettings
from dynid.recording.model import Recording
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters
from dynid_plugins.laboratory.closed_loop.didim import DirectAndInverseModel
from dynid_plugins.laboratory.closed_loop.iv import InstrumentalVariables
from dynid_plugins.laboratory.closed_loop.known_loop import simulated_loop
from dynid_plugins.laboratory.closed_loop.loop import CommandedLoop, SimulatedLoop

CLOSED_LOOP = ("iv", "didim", "cloe", "clie")


def torque_error(problem: Problem, estimator: str) -> float:
    """Return the relative error of the model's torque along the true motion."""
    clean = arm_problem(recorded_arm(position_noise=0.0), cutoff_hz=None).rows[0].signals
    motion = (clean.position, clean.velocity, clean.acceleration)
    regressor = problem.mechanism.regressor(*motion)[:, :, problem.base.independent]
    found = make_estimator(estimator).fit(problem, problem.mechanism.urdf_parameters).base
    return relative_error(regressor, found - truth_of(problem), truth_of(problem))


def loop_behind(recording: Recording, delay: float) -> CommandedLoop:
    """Return a loop whose commands are the true motion, with an unknown additional delay."""

    def reference(time: np.ndarray) -> np.ndarray:
        columns = [np.interp(time, recording.time, column) for column in recording.position.T]
        return np.stack(columns, axis=1)

    one, position = np.ones(3), recording.position
    lower, upper = position.min(axis=0), position.max(axis=0)
    return CommandedLoop((reference,), delay, 10 * one, one, np.inf * one, lower, upper)


def relative_error(regressor: np.ndarray, error: np.ndarray, truth: np.ndarray) -> float:
    """Return the root mean square over the joints of the relative torque error."""
    squares = (((regressor @ base) ** 2).mean(axis=0) for base in (error, truth))
    return float(np.sqrt(np.mean(np.divide(*squares))))


@pytest.mark.parametrize("estimator", representatives([*CLOSED_LOOP], 2))
def test_finds_the_truth_within_its_standard_deviations_with_a_suitable_filter(
    estimator: str,
) -> None:
    recording = recorded_arm(position_noise=1e-5, torque_noise=0.5, samples=1200)
    problem = arm_problem(recording, cutoff_hz=10.0)
    estimate = make_estimator(estimator).fit(problem, problem.mechanism.urdf_parameters)
    assert estimate.determined.all()
    assert np.sqrt(np.mean(scores(problem, estimate) ** 2)) < 1.6


@pytest.mark.parametrize(("estimator", "share"), [("iv", 0.3), ("didim", 0.05)])
def test_noise_passed_by_a_high_cutoff_hardly_biases(estimator: str, share: float) -> None:
    problem = arm_problem(recorded_arm(position_noise=3e-3, torque_noise=0.0), cutoff_hz=60.0)
    assert torque_error(problem, estimator) < share * torque_error(problem, "wls")


def test_a_cutoff_within_the_motion_does_not_bias_didim() -> None:
    problem = arm_problem(recorded_arm(position_noise=1e-4, torque_noise=0.0), cutoff_hz=0.8)
    assert torque_error(problem, "didim") < 0.01 * torque_error(problem, "wls")


def test_instruments_need_not_be_the_motion_itself() -> None:
    """A simulated motion that is 30 ms late biases DIDIM, but not instrumental variables."""
    recording = recorded_arm(position_noise=0.0)
    problem = arm_problem(recording, cutoff_hz=20.0)
    late = loop_behind(recording, delay=0.03)
    motion = problem.rows[0].signals
    regressor = problem.mechanism.regressor(motion.position, motion.velocity, motion.acceleration)
    regressor, truth = regressor[:, :, problem.base.independent], truth_of(problem)
    start = problem.mechanism.urdf_parameters
    iv, didim = (
        relative_error(regressor, estimator(late).fit(problem, start).base - truth, truth)
        for estimator in (InstrumentalVariables, DirectAndInverseModel)
    )
    assert iv < 0.02
    assert didim > 3 * iv


def test_every_fitted_row_counts_with_known_commands() -> None:
    recording = recorded_arm(position_noise=0.0, samples=800)
    problem = arm_problem(recording, cutoff_hz=20.0)
    (rows,) = problem.rows
    everything = replace(problem, rows=(replace(rows, fitted=np.ones_like(rows.fitted)),))
    (known,) = SimulatedLoop(everything, loop_behind(recording, delay=0.0)).fitted
    np.testing.assert_array_equal(known, 1.0)
    # a smoother of measured positions is unreliable at the ends
    (unknown,) = SimulatedLoop(everything, None).fitted
    assert not unknown[0].any()
    assert not unknown[-1].any()
    np.testing.assert_array_equal(unknown[len(unknown) // 4 : -len(unknown) // 4], 1.0)


def test_didim_with_the_true_loop_needs_no_positions() -> None:
    simulation = SimulationSettings(
        parameters={"Fv1": 3.0, "Fc1": 4.0, "Fv2": 1.5, "Fc2": 2.0, "Fv3": 0.3, "Fc3": 0.5},
        torque_noise=(0.5, 0.3, 0.05),
    )
    robot = arm_robot(
        simulation=simulation.model_dump(),
        limits={"position": [[-3, 3]] * 3, "velocity": [4.0] * 3, "acceleration": [20.0] * 3},
        identification={
            "trim_rest": False,
            "parallel_filter": {"cutoff_hz": 10, "decimation": 20},
            "velocity_threshold": {"fit": "all"},
        },
    )
    settings = FourierSettings(base_frequency=0.3, harmonics=3, periods=2, ramp=0.5, seed=2)
    excitation = build_excitation(settings, robot.limits, robot.joints)
    recording = simulate(robot, excitation)
    noise = 0.01 * np.random.default_rng(0).standard_normal((2, *recording.position.shape))
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    didim = DirectAndInverseModel(simulated_loop(robot, [excitation]))
    found = []
    for one in (replace(recording, position=recording.position + some) for some in noise):
        problem = problem_of(robot, one)
        found.append(didim.fit(problem, mechanism.urdf_parameters).base)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    motion = excitation.evaluate(np.arange(0, excitation.duration, 0.01))
    regressor = mechanism.regressor(*motion)[:, :, base.independent]
    right = base.project(true_parameters(mechanism, simulation))
    assert relative_error(regressor, found[1] - right, right) < 0.03


@pytest.mark.parametrize("estimator", ["iv", "didim", "clie"])
def test_undetermined_parameters_keep_their_start_values(estimator: str) -> None:
    recording = recorded_arm(position_noise=1e-5, samples=800)
    resting = recording.position * [0.0, 1.0, 1.0]
    problem = arm_problem(replace(recording, position=resting), cutoff_hz=10.0)
    start = problem.mechanism.urdf_parameters
    estimate = make_estimator(estimator).fit(problem, start)
    friction = problem.base.names.index("Fv1")
    assert not estimate.determined[friction]
    assert estimate.base[friction] == pytest.approx(problem.base.project(start)[friction])


@pytest.mark.thorough
@pytest.mark.parametrize("estimator", ["iv", "didim", "clie"])
def test_iterations_begin_where_those_of_the_last_parameters_ended(
    estimator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = arm_problem(recorded_arm(position_noise=1e-4, samples=1200), cutoff_hz=10.0)
    start, run, runs = problem.mechanism.urdf_parameters, SimulatedLoop.run, []

    def counted(loop: SimulatedLoop, *arguments: object, **named: object) -> object:
        runs.append(arguments)
        return run(loop, *arguments, **named)

    monkeypatch.setattr(SimulatedLoop, "run", counted)
    first = make_estimator(estimator).fit(problem, start)
    needed = len(runs)
    again = make_estimator(estimator).fit(problem.with_parameters(start, first.state), start)
    assert len(runs) - needed < needed
    deviation = np.sqrt(np.diag(first.covariance))
    assert np.all(np.abs(again.base - first.base) < 0.1 * deviation)
    runs.clear()
    afresh = make_estimator(estimator).fit(problem, start)
    assert len(runs) == needed
    np.testing.assert_allclose(afresh.base, first.base, atol=1e-6 * deviation.max())
