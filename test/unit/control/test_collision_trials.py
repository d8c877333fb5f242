"""The simulated PUMA 560 with the thresholds of its profile, with and without collisions."""

from __future__ import annotations

import pytest
from collision_trials import Work, free_motion, pushes

from dynid.control.tracking.trial import identified
from dynid.dynamics.mechanism import Mechanism
from dynid.profile import load_robot


@pytest.fixture(scope="module")
def model() -> Mechanism:
    return identified(load_robot("puma560"))


def test_30_n_against_the_wrists_motion_are_detected_within_15_ms(model: Mechanism) -> None:
    delays = pushes(Work(load_robot("puma560"), model, 7), 15)
    assert all(delay is not None and delay <= 15 for delay in delays), delays


@pytest.mark.thorough
def test_free_motion_with_sensor_noise_gives_no_alarm(model: Mechanism) -> None:
    assert free_motion(Work(load_robot("puma560"), model, 8), hours=0.02) == []


@pytest.mark.thorough
def test_late_cycles_and_pauses_within_them_give_no_alarm(model: Mechanism) -> None:
    assert free_motion(Work(load_robot("puma560"), model, 8, late=True), hours=0.008) == []


def test_without_the_boost_at_standstill_there_would_be_alarms(model: Mechanism) -> None:
    low = load_robot("puma560", overrides=["collision.reversal_boost=0"])
    assert free_motion(Work(low, model, 8), hours=0.005)
