"""Online identification of a simulated robot, and detection of payload changes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from support.small_robot import write_small_robot

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import ConfigurationError, EstimationError
from dynid.identification.online.estimator import OnlineEstimator, OnlineSettings
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying, true_parameters

MASS = 1.0
SETTINGS = OnlineSettings(learning=4.0)


@cache
def duo() -> Robot:
    with TemporaryDirectory() as folder:
        return load_robot(write_small_robot(Path(folder)))


@cache
def recorded(mass: float, seed: int) -> Recording:
    robot = duo()
    motion = make_plan(robot).excitation
    if mass:
        robot = carrying(robot, mass, [0.25, 0, 0], [2e-3, 0, 2e-3, 0, 0, 2e-3])
    return simulate(robot, motion, seed=seed)


def estimator(settings: OnlineSettings = SETTINGS) -> OnlineEstimator:
    robot = duo()
    return OnlineEstimator(robot, robot.mechanism(), settings)


def changes_in(one: OnlineEstimator, *recordings: Recording) -> list:
    """Changes detected in recordings one after the other."""
    changes, time = [], 0.0
    for recording in recordings:
        for position, effort in zip(recording.position, recording.effort, strict=True):
            time += 1 / recording.sampling_rate
            changes += one.take(time, position, effort)
    return changes


@pytest.mark.parametrize("scalar", [False, True])
def test_finds_the_truth_within_its_standard_deviations(scalar: bool) -> None:
    robot = duo()
    mechanism = robot.mechanism()
    truth = base_parameterization(mechanism).project(
        true_parameters(mechanism, robot.find(SimulationSettings))
    )
    one = estimator(OnlineSettings(learning=4.0, scalar=scalar))
    assert changes_in(one, recorded(0.0, 0)) == []
    found = one.parameters()
    assert np.all(
        np.abs(found.values - truth) < 5 * found.standard_deviations + 0.01 * np.abs(truth)
    )
    assert found.determined.all()


def test_detects_a_payload_picked_up_and_dropped_with_its_mass() -> None:
    bare, loaded = recorded(0.0, 0), recorded(MASS, 1)
    changes = changes_in(estimator(), bare, loaded, recorded(0.0, 2))
    assert [change.kind for change in changes] == ["picked up", "dropped"]
    for change, expected, at in zip(changes, (MASS, -MASS), (1, 2), strict=True):
        assert change.mass == pytest.approx(
            expected, abs=max(0.05, 4 * change.mass_standard_deviation)
        )
        assert change.time == pytest.approx(at * bare.time[-1], abs=1.5)  # half a second at rest
    assert "payload of" in str(changes[0])


@pytest.mark.thorough
def test_continues_from_the_parameters_with_the_payload() -> None:
    robot = duo()
    mechanism = robot.mechanism()
    loaded = carrying(robot, MASS, [0.25, 0, 0], [2e-3, 0, 2e-3, 0, 0, 2e-3])
    truth = base_parameterization(mechanism).project(
        true_parameters(mechanism, loaded.find(SimulationSettings))
    )
    one = estimator()
    changes_in(one, recorded(0.0, 0), recorded(MASS, 1))
    values = one.parameters().values
    found = dict(zip(base_parameterization(mechanism).names, values, strict=True))
    true = dict(zip(base_parameterization(mechanism).names, truth, strict=True))
    assert found["MX2"] == pytest.approx(true["MX2"], rel=0.05)


def test_an_adaptive_estimator_learns_a_load_again_after_each_change() -> None:
    robot = duo()
    mechanism = robot.mechanism()
    loaded = carrying(robot, MASS, [0.25, 0, 0], [2e-3, 0, 2e-3, 0, 0, 2e-3])
    base = base_parameterization(mechanism)
    settings = OnlineSettings(
        learning=4.0, forgetting_time=20.0, largest_payload=2.0, adaptive=True
    )
    one = estimator(settings)
    for truth, recording in ((robot, recorded(0.0, 0)), (loaded, recorded(MASS, 1))):
        changes_in(one, recording)
        found = one.parameters()
        true = base.project(true_parameters(mechanism, truth.find(SimulationSettings)))
        allowed = 5 * found.standard_deviations + 0.03 * np.abs(true)
        assert np.all(np.abs(found.values - true) < allowed)


@pytest.mark.thorough
def test_detects_nothing_without_a_change() -> None:
    one = estimator()
    assert changes_in(one, *(recorded(0.0, seed) for seed in range(3))) == []
    assert one.watching
    assert one.evidence < 0.5 * SETTINGS.threshold


def test_a_change_of_friction_is_not_taken_for_a_payload() -> None:
    bare = recorded(0.0, 0)
    sticky = recorded(0.0, 1)
    braked = sticky.effort + 6.0 * np.sign(np.gradient(sticky.position, axis=0))
    changes = changes_in(estimator(), bare, Recording(**{**vars(sticky), "effort": braked}))
    assert changes
    assert changes[0].kind == "other"
    assert "not because of a payload" in str(changes[0])


def test_refuses_parameters_of_a_robot_at_rest() -> None:
    one = estimator()
    for i in range(500):
        one.take(i / 1000, [0.1, -0.2], [1.0, 0.5])
    with pytest.raises(EstimationError, match="no joint has moved"):
        one.parameters()


def corrected_duo(*corrections: dict) -> Robot:
    with TemporaryDirectory() as folder:
        return load_robot(
            write_small_robot(Path(folder)),
            overrides=[f"recording.corrections={json.dumps(corrections)}"],
        )


def test_the_profiles_corrections_are_made() -> None:
    first, second = duo().joints
    robot = corrected_duo(
        {"signal": "effort", "joint": first, "factor": -2.0},
        {"signal": "position", "joint": second, "offset": 0.4},
    )
    raw, truth = recorded(0.0, 0), estimator()
    changed = replace(
        raw, effort=raw.effort * [-0.5, 1.0], position=raw.position - np.array([0.0, 0.4])
    )
    one = OnlineEstimator(robot, robot.mechanism(), SETTINGS)
    changes_in(one, changed)
    changes_in(truth, raw)
    np.testing.assert_allclose(one.parameters().values, truth.parameters().values, rtol=1e-6)


@pytest.mark.parametrize(
    "correction",
    [
        {"signal": "effort", "delay": 0.02},
        {"signal": "position", "unwrap": True},
        {"signal": "time", "factor": 2.0},
    ],
)
def test_refuses_corrections_that_need_a_whole_recording(correction: dict) -> None:
    robot = corrected_duo(correction)
    with pytest.raises(ConfigurationError, match="needs a whole recording"):
        OnlineEstimator(robot, robot.mechanism(), SETTINGS)
