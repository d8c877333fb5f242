"""Mechanics of the simulated robot, and its recordings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from support.simulated_puma import (
    EXACT,
    MECHANISM,
    RATE,
    ROBOT,
    SIMULATION,
    largest,
    puma,
    short_excitation,
    targets,
)

from dynid.profile import load_robot, make_robot
from dynid.robot.robot import Robot
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters


class Truth(NamedTuple):
    """True states, in the middle of integration steps except for velocity; (N, n)."""

    position: np.ndarray
    velocity: np.ndarray  # at the steps' ends
    middle_velocity: np.ndarray
    acceleration: np.ndarray
    torque: np.ndarray


def truth_of(robot: Robot, *, steps: int = 1) -> Truth:
    """Return the truth after every integration step: ``steps`` of them to a millisecond."""
    simulated = SimulatedRobot(robot, control_rate=RATE * steps)
    aims = targets(RATE * steps)
    simulated.reset(aims[0])
    states = [simulated.truth]
    for target in aims:
        simulated.step(target)
        states.append(simulated.truth)
    assert simulated.fault is None
    position = np.array([state.position for state in states])
    velocity = np.array([state.velocity for state in states])
    return Truth(
        # a step drifts with the old velocity for one half, and with the new one for the other
        position[:-1] + velocity[:-1] / (2 * RATE * steps),
        velocity[1:],
        (velocity[:-1] + velocity[1:]) / 2,
        np.array([state.acceleration for state in states])[1:],
        np.array([state.torque for state in states])[1:],
    )


def residual(motion: Truth, true: np.ndarray) -> np.ndarray:
    """Return what torque is not explained by the true model at the true state (N, n)."""
    state = (motion.position, motion.middle_velocity, motion.acceleration)
    return motion.torque - MECHANISM.torque(*state, true)


# --- mechanics -------------------------------------------------------------------------------


def test_the_motion_obeys_the_true_model_while_joints_move() -> None:
    robot = puma(stribeck_torque=(0.0,), integration_rate=1000.0)
    motion = truth_of(robot)
    errors = residual(motion, true_parameters(MECHANISM, SIMULATION))
    # the scheme's error is of the order of (step / shortest time constant)^2 of the torques
    moving = np.abs(motion.middle_velocity) > 0.05
    assert largest(errors[moving]) < 2e-3 * largest(motion.torque)


def test_the_integration_is_of_second_order() -> None:
    frictionless = {name: v for name, v in SIMULATION.parameters.items() if name.startswith("Ia")}
    errors = []
    for steps in (1, 2):
        robot = puma(parameters=frictionless, stribeck_torque=(0.0,), integration_rate=1.0)
        motion = truth_of(robot, steps=steps)
        true = true_parameters(MECHANISM, robot.find(SimulationSettings) or SIMULATION)
        errors.append(np.sqrt(np.mean(residual(motion, true) ** 2)))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)


# --- the recording ------------------------------------------------------------------------------


def test_the_recording_rests_before_and_after_the_motion() -> None:
    recording = simulate(puma(**EXACT), short_excitation())
    assert recording.time[-1] == pytest.approx(short_excitation().duration + 2 * SIMULATION.rest)
    assert recording.velocity is not None
    assert largest(recording.velocity[recording.time < SIMULATION.rest]) < 1e-9
    assert recording.joint_names == ROBOT.joints


def test_the_same_seed_gives_the_same_recording_and_another_one_other_noise() -> None:
    first, same, other = (
        simulate(ROBOT, short_excitation(), control_rate=250.0, seed=seed) for seed in (5, 5, 6)
    )
    assert np.array_equal(first.effort, same.effort)
    assert np.array_equal(first.position, other.position)
    assert not np.array_equal(first.effort, other.effort)


def test_noise_has_the_standard_deviation_of_the_settings() -> None:
    noisy, exact = (
        simulate(puma(**(EXACT | {"torque_noise": noise})), short_excitation())
        for noise in (SIMULATION.torque_noise, (0.0,))
    )
    deviation = (noisy.effort - exact.effort).std(axis=0) / np.array(SIMULATION.torque_noise)
    # a deviation from N samples is uncertain by 1 / sqrt(2 N); four of these
    assert np.allclose(deviation, 1.0, atol=4 / np.sqrt(2 * len(noisy.time)))


def drives(effort: str) -> Robot:
    electric = {
        "effort": effort,
        "rated_current_ma": (3400.0,),
        "torque_constant": (0.2,),
        "gear_ratio": (62.6, -107.8, 53.7, 76.0, 71.9, 76.7),
    }
    content = ROBOT.yaml_content() | {"drives": electric}
    content["simulation"] = SIMULATION.content() | {"rated_torque": None, "torque_noise": (0.0,)}
    return make_robot(content, ROBOT.urdf_xml)


@pytest.mark.parametrize("effort", ["torque", "current", "rated_current_permille"])
def test_effort_is_recorded_in_the_unit_of_the_profiles_drives(effort: str) -> None:
    robot = drives(effort)
    recording = simulate(robot, short_excitation())
    exact = simulate(puma(**EXACT), short_excitation())
    torque = recording.effort * robot.drives.torque_factor(6)
    permille = 1e-6 * 3400 * 0.2 * np.abs(robot.drives.gear_ratio)
    assert np.all(np.abs(torque - exact.effort) <= permille / 2 + 1e-9)
    assert np.allclose(torque / permille, np.round(torque / permille), atol=1e-6)


def test_a_coupled_robot_is_commanded_and_recorded_at_its_motors() -> None:
    coupling = np.eye(6)
    coupling[5, 4] = -1.0
    sides = {}
    for side in ("joint", "motor"):
        content = puma(**EXACT).yaml_content() | {"coupling": coupling.tolist()}
        content["recording"] = {"side": side}
        robot = make_robot(content, ROBOT.urdf_xml)
        sides[side] = simulate(robot, short_excitation())
    at_joints = sides["motor"].position @ coupling.T
    assert np.allclose(at_joints, sides["joint"].position, atol=1e-9)
    torque = sides["motor"].effort @ np.linalg.inv(coupling)
    assert np.allclose(torque, sides["joint"].effort, atol=1e-6)


def test_an_empty_simulation_is_simulated_from_the_urdf() -> None:
    robot = load_robot("ur10e").with_settings(SimulationSettings())
    simulated = SimulatedRobot(robot)
    mechanism = robot.mechanism()
    for _ in range(5):
        state = simulated.step(simulated.home)
    torque = state.effort * robot.drives.torque_factor(6)
    assert np.allclose(torque, mechanism.gravity_torque(simulated.home), atol=1e-9)
