"""The simulated robot's drives, a cycle at a time, and what of its settings is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.simulated_puma import (
    EXACT,
    MECHANISM,
    ROBOT,
    SIMULATION,
    puma,
    short_excitation,
    targets,
)

from dynid.configuration import parse
from dynid.errors import ConfigurationError, SimulationError
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

DELAY = 3  # cycles from target to measurement, by default


# --- the drives ---------------------------------------------------------------------------------


def test_tracking_is_that_of_a_good_drive() -> None:
    simulated = SimulatedRobot(puma(**EXACT))
    aims = targets()
    simulated.reset(aims[0])
    states = simulated.run(aims)
    errors = np.abs(aims[:-DELAY] - states.position[DELAY:]).max(axis=0)
    # inertia alone: acceleration over the loops' stiffness, of which the integrator leaves less
    rate = 2 * np.pi * SIMULATION.bandwidth_hz[0]
    assert np.all(errors < 40 / rate**2)
    assert np.all(errors > 1e-5)


def test_a_cycle_at_a_time_is_the_same_as_all_at_once() -> None:
    aims = targets()[400:900]
    robots = [SimulatedRobot(ROBOT, seed=3) for _ in range(2)]
    for simulated in robots:
        simulated.reset(aims[0])
    states = robots[0].run(aims)
    for k, target in enumerate(aims):
        state = robots[1].step(target)
        assert all(np.array_equal(one, all_[k]) for one, all_ in zip(state, states, strict=True))


def test_the_robot_begins_at_rest_at_home() -> None:
    simulated = SimulatedRobot(ROBOT)
    home = simulated.home
    for _ in range(100):
        simulated.step(home)
    assert np.array_equal(simulated.truth.position, home)
    assert not simulated.truth.velocity.any()


def test_home_is_zero_or_just_inside_the_limit_nearest_to_it() -> None:
    limits = ROBOT.limits.model_copy(update={"position": ((0.5, 1.0),) + ((-1.0, 1.0),) * 5})
    robot = puma(home=None).model_copy(update={"limits": limits})
    assert SimulatedRobot(robot).home.tolist() == [0.51, 0, 0, 0, 0, 0]
    moved = robot.with_settings(SimulationSettings(home=(0.7,)))
    assert SimulatedRobot(moved).home.tolist() == [0.7] * 6
    outside = robot.with_settings(SimulationSettings(home=(0.4,)))
    with pytest.raises(ConfigurationError, match=r"home of joint 'joint_1' is 0.4, outside"):
        SimulatedRobot(outside)


def test_faults_are_reported_in_sentences_until_they_are_cleared() -> None:
    simulated = SimulatedRobot(ROBOT)
    assert simulated.fault is None
    simulated.trip()
    assert "fault was injected at 0.000 s" in (simulated.fault or "")
    simulated.clear_fault()
    assert simulated.fault is None
    for _ in range(5):
        simulated.step(np.array([0, 0, 2.0, 0, 0, 0]))
    assert "The drive of joint 'joint_3' lost its target at 0.001 s" in (simulated.fault or "")
    simulated.reset(simulated.home)
    assert simulated.fault is None


def test_targets_that_are_not_finite_are_counted_and_never_followed() -> None:
    simulated = SimulatedRobot(ROBOT)
    for _ in range(10):
        state = simulated.step(np.full(6, np.nan), np.full(6, np.inf))
    assert simulated.rejected_inputs == 10
    assert simulated.fault is None
    assert np.all(np.isfinite(state))


def test_a_position_error_fault_is_reported_in_a_sentence() -> None:
    with pytest.raises(SimulationError, match=r"The drive of joint 'joint_\d' lost its target at"):
        simulate(puma(following_error=(1e-4,)), short_excitation())


# --- settings -----------------------------------------------------------------------------------


def test_true_parameters_are_the_urdfs_but_for_those_named() -> None:
    settings = SimulationSettings(parameters={"Fv3": 4.0, "M6": 0.5})
    true = dict(zip(MECHANISM.parameter_names, true_parameters(MECHANISM, settings), strict=True))
    assert true["Fv3"] == 4.0
    assert true["M6"] == 0.5
    assert true["M2"] == 17.4
    assert true["Fc1"] == 0.0


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"parameters": {"Fvv3": 4.0}}, "no parameter 'Fvv3' in this model; did you mean"),
        ({"parameters": {"Fc2": -1.0}}, "coulomb friction of joint 2 is -1, but must not"),
        ({"torque_noise": (0.1, 0.2)}, "'torque_noise' has 2 values, expected 1 or 6"),
    ],
)
def test_settings_that_no_robot_has_are_refused(settings: dict, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        SimulatedRobot(puma(**settings))


def test_bodies_without_inertia_are_refused() -> None:
    massless = re.sub(r"<(mass|inertia) [^>]*/>", "", ROBOT.urdf_xml)
    massless = re.sub(r"<inertial>.*?</inertial>", "", massless, flags=re.DOTALL)
    robot = ROBOT.with_settings(SimulationSettings()).with_urdf(massless)
    with pytest.raises(ConfigurationError, match="mass matrix is not positive definite"):
        SimulatedRobot(robot)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"torque_noise": [0.1, -0.1]}, "greater than or equal to 0, got -0.1"),
        ({"bandwith_hz": 3}, "unknown key 'bandwith_hz'; did you mean 'bandwidth_hz'"),
        ({"command_delay": -1}, "command_delay"),
        ({"integration_rate": 5e-324}, "greater than or equal to 1, got 5e-324"),
        ({"integration_rate": 2e6}, "less than or equal to 1000000, got 2000000.0"),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(content: dict, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        parse(SimulationSettings, content, "p.yaml")
