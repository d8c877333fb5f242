from dataclasses import replace

import numpy as np
import pytest
from support.closed_loop_arm import arm_problem, recorded_arm
from support.simulated_puma import RATE, ROBOT, targets
from support.synthetic import arm_robot, true_parameters

from dynid.errors import EstimationError
from dynid.identification.settings import IdentificationSettings
from dynid.simulation.build import build_plant
from dynid_plugins.laboratory.closed_loop.didim import DirectAndInverseModel
from dynid_plugins.laboratory.closed_loop.loop import CommandedLoop, SimulatedLoop
from dynid_plugins.laboratory.closed_loop.reference import measured_reference


def test_the_reference_reaches_the_recorded_motion_smoothly_from_rest() -> None:
    signals = arm_problem(recorded_arm(position_noise=1e-5), cutoff_hz=20.0).rows[0].signals
    q, dq, ddq = signals.raw_position, signals.velocity, signals.acceleration
    reference = measured_reference(signals, step=5)
    speed = np.diff(reference.position, axis=0) * 1000.0
    sure = slice(reference.unreliable, -reference.unreliable)
    np.testing.assert_allclose(
        reference.position[reference.run_in :: reference.step][sure], q[sure], atol=2e-4
    )
    assert np.abs(speed[0]).max() < 0.05
    # no step in velocity: accelerations stay near those of the motion and its run-in
    largest = np.abs(ddq).max() + 2 * np.abs(dq).max() / 0.25
    assert np.abs(np.diff(speed, axis=0)).max() * 1000.0 < 1.5 * largest


def test_the_simulated_motion_is_the_recorded_one_without_noise() -> None:
    problem = arm_problem(recorded_arm(position_noise=1e-3), cutoff_hz=50.0)
    clean = arm_problem(recorded_arm(position_noise=0.0), cutoff_hz=None).rows[0].signals
    motion = SimulatedLoop(problem, None).run(true_parameters(problem.mechanism))[0]
    noisy = problem.rows[0].signals
    for name in ("velocity", "acceleration"):
        exact = getattr(clean, name)
        error = np.std(getattr(motion, name) - exact) / np.std(exact)
        plain = np.std(getattr(noisy, name) - exact) / np.std(exact)
        assert error < 0.3 * plain


def test_simulated_torque_is_the_models_along_the_simulated_motion() -> None:
    problem = arm_problem(recorded_arm(position_noise=1e-4), cutoff_hz=20.0)
    truth = true_parameters(problem.mechanism)
    motion = SimulatedLoop(problem, None).run(truth)[0]
    model = problem.mechanism.torque(*motion[:3], truth)
    moving = np.abs(motion.velocity) > 0.05
    error = np.where(moving, model - motion.torque, 0.0)
    assert np.all(np.std(error, axis=0) < 0.02 * np.std(motion.torque, axis=0))


def test_a_run_returns_the_true_state_after_every_step() -> None:
    stepped, run = (build_plant(ROBOT, control_rate=RATE, seed=0) for _ in range(2))
    aims = targets()[:1500]
    for plant in (stepped, run):
        plant.reset(aims[0])
    truth = []
    for target in aims:
        stepped.step(target, np.zeros(6))
        now = stepped.truth
        truth.append([now.position, now.velocity, now.acceleration, now.torque])
    np.testing.assert_array_equal(run.run_truth(aims), np.swapaxes(truth, 0, 1))


def test_refuses_a_missing_reference() -> None:
    problem = arm_problem(recorded_arm(position_noise=0.0), cutoff_hz=20.0)
    one = np.ones(3)
    none = CommandedLoop((), 0.0, 10 * one, one, one, -one, one)
    with pytest.raises(EstimationError, match="0 references for 1 recordings"):
        DirectAndInverseModel(none).fit(problem, problem.mechanism.urdf_parameters)


@pytest.mark.parametrize("name", ["Fc1", "M2"])
def test_refuses_inconsistent_parameters_and_proposes_another_estimator(name: str) -> None:
    problem = arm_problem(recorded_arm(position_noise=1e-5), cutoff_hz=20.0)
    driving = true_parameters(problem.mechanism)
    driving[problem.mechanism.parameter_names.index(name)] = -1.0
    with pytest.raises(EstimationError, match=r"cannot be simulated: .* such as wls\."):
        SimulatedLoop(problem, None).run(driving)


def test_a_recording_at_rest_is_refused() -> None:
    recording = recorded_arm(position_noise=0.0)
    still = replace(recording, position=np.zeros_like(recording.position))
    problem = arm_problem(still, cutoff_hz=None)
    with pytest.raises(EstimationError, match="no motion"):
        DirectAndInverseModel().fit(problem, problem.mechanism.urdf_parameters)


def test_profiles_select_the_estimators_by_name() -> None:
    for name in ("iv", "didim", "cloe", "clie"):
        robot = arm_robot(identification={"estimator": name})
        assert robot.settings(IdentificationSettings).estimator == name
