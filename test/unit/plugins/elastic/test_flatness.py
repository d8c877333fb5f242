"""Feedforward of elastic joints on the simulated robot, against that of rigid ones."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid_plugins.elastic.flatness_trial import RUNS, compare_feedforwards, try_flatness

SETTINGS = (
    "elastic.rotor_inertia=0.5",
    "elastic.stiffness=5000",
    "elastic.damping=0.5",
    "terms=[{kind: viscous},{kind: coulomb},{kind: rotor_inertia}]",
    "simulation.parameters={Ia1: 0.5}",
)


def swing(amplitude: float) -> Array:
    """A motion of one joint (N, 1) from rest to rest."""
    time = np.arange(1200) / 1000
    return amplitude * (1 - np.cos(2 * np.pi * 2 * np.clip(time - 0.05, 0, 0.5)))[:, None]


@pytest.mark.parametrize("backlash", [0.0, 2e-4])
def test_elastic_feedforward_reduces_the_path_error_also_with_wrong_stiffness(backlash) -> None:
    robot = load_robot("pendulum", overrides=(*SETTINGS, f"elastic.backlash={backlash}"))
    trial = compare_feedforwards(robot, swing(0.1), 20.0)
    assert trial.ratios[1] < 0.2
    assert trial.ratios[2:].max() < 1
    assert trial.delay == pytest.approx(5 / (2 * np.pi * 20))
    assert trial.limited.tolist() == [0.0] * len(RUNS)


def test_torque_beyond_the_limits_is_counted() -> None:
    robot = load_robot("pendulum", overrides=(*SETTINGS, "limits.torque_max=20"))
    assert compare_feedforwards(robot, swing(0.1), 20.0).limited.min() > 0


def test_feedforward_without_stiffness_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"needs elastic\.stiffness"):
        compare_feedforwards(load_robot("pendulum"), swing(0.1), 20.0)


def test_a_profile_without_a_motion_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="has no motion under 'tracking'"):
        try_flatness(load_robot("pendulum", overrides=SETTINGS), 20.0)
