"""Friction with memory or depending on load in the simulated robot: identification finds it."""

from __future__ import annotations

import numpy as np
import pytest
from support.synthetic import arm_robot

from dynid.identification.identify import identify
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.simulation.robot import SimulatedRobot

RATE = 1000.0
LUGRE = {"kind": "lugre", "scale": 0.01, "static_ratio": 0.3, "stribeck_velocity": 0.1}


def arm(term: dict[str, object], parameters: dict[str, float]) -> Robot:
    """Return the arm with one more term, which is true of it."""
    return arm_robot(
        terms=[{"kind": "viscous"}, term],
        limits={"position": [[-3.0, 3.0]], "torque_max": 200.0},
        simulation={"bandwidth_hz": 5.0, "parameters": {"Fv1": 2.0, "Fv2": 1.0} | parameters},
        identification={"cutoff_hz": None, "border": 0.3, "velocity_threshold": {"fit": "all"}},
    )


def recorded(robot: Robot, *, pause: float = 0.0) -> Recording:
    """Return what the simulated arm records on ten seconds that reverse often, and a pause."""
    time = np.arange(0, 10, 1 / RATE)
    rise = np.clip(time / 2, 0, 1) ** 2
    target = np.stack([0.5 * rise * np.sin(w * time) for w in (2.1, 3.3, 4.7)], axis=1)
    # it comes to rest by and by, without turning back
    slowing = 0.2 * (1 - np.exp(-np.arange(round(pause * RATE)) / RATE / 0.2))
    last = RATE * (target[-1] - target[-2])
    target = np.concatenate([target, target[-1] + slowing[:, None] * last])
    simulated = SimulatedRobot(robot, control_rate=RATE)
    states = simulated.run(target)
    return Recording(
        np.arange(len(target)) / RATE,
        states.position,
        states.effort,
        joint_names=robot.joints,
        sampling_rate=RATE,
    )


@pytest.mark.parametrize(
    ("term", "truth"),
    [
        ({"kind": "presliding", "scale": 0.02}, {"Fh1": 6.0, "Fh2": 3.0, "Fh3": 1.0}),
        (
            {"kind": "presliding_load", "scale": 0.02, "joints": ["shoulder", "elbow"]},
            {"Fhl1": 0.1, "Fhl2": 0.2},
        ),
        (LUGRE, {"Fb1": 6.0, "Fb2": 3.0, "Fb3": 1.0}),
        ({"kind": "coulomb_load", "joints": ["shoulder", "elbow"]}, {"Fl1": 0.1, "Fl2": 0.2}),
    ],
)
def test_true_friction_is_found(term: dict[str, object], truth: dict[str, float]) -> None:
    robot = arm(term, truth)
    result = identify(robot, [recorded(robot)])
    found = {parameter.name: parameter.value for parameter in result.parameters}
    for name, value in truth.items():
        assert found[name] == pytest.approx(value, rel=0.01), name


def test_what_is_left_out_before_the_motion_is_remembered() -> None:
    robot = arm({"kind": "presliding", "scale": 0.02}, {"Fh1": 6.0, "Fh2": 3.0, "Fh3": 1.0})
    result = identify(robot, [recorded(robot)])
    (signals,) = result.signals
    error = np.abs(result.model_torque[0] - result.measured_torque[0])
    assert signals.time[0] > 0.3  # at which the contacts are stretched already
    assert np.all(error[:200].max(axis=0) < 0.02 * np.array([6.0, 3.0, 1.0]))


@pytest.mark.parametrize("term", [{"kind": "presliding", "scale": 0.02}, LUGRE])
def test_a_joint_that_stopped_is_held_by_its_friction(term: dict[str, object]) -> None:
    name = "Fh" if term["kind"] == "presliding" else "Fb"
    robot = arm(term, {f"{name}1": 6.0})
    without = arm(term, {})
    held, free = (recorded(one, pause=3.0).effort[-1, 0] for one in (robot, without))
    assert 3.0 < abs(held - free) < 9.0


def test_a_very_stiff_contact_neither_rings_nor_explodes() -> None:
    robot = arm({"kind": "presliding", "scale": 1e-6}, {"Fh1": 50.0, "Fh3": 20.0})
    effort = recorded(robot, pause=3.0).effort
    assert np.all(np.isfinite(effort))
    # drives may still wind up against what sticks, but nothing swings
    assert np.abs(np.diff(effort[-500:], 2, axis=0)).max() < 1e-6
