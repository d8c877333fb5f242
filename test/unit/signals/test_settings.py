"""Default settings of signals, and invalid settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.signals.preprocess import preprocess
from dynid.signals.settings import MedianSettings, SignalSettings


@pytest.mark.parametrize(
    ("order", "sentence"),
    [(4, "must be odd, got 4"), (8, "must be odd, got 8"), (1, "equal to 3"), (2, "equal to 3")],
)
def test_an_order_of_the_median_is_odd_and_at_least_three(order: int, sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        MedianSettings(order=order)
    assert MedianSettings(order=order // 2 * 2 + 3).order == order // 2 * 2 + 3


def test_motion_has_no_cutoff_with_a_kalman_smoother() -> None:
    assert SignalSettings(cutoff_hz=7.0).motion_cutoff_hz == 7.0
    assert SignalSettings(cutoff_hz=None).motion_cutoff_hz is None
    assert SignalSettings(cutoff_hz=7.0, derivatives="kalman").motion_cutoff_hz is None


def test_default_is_to_trim_rest_and_filter_motion_but_not_torque() -> None:
    robot = arm_robot(identification={})
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=800, noise=1.0)
    position = recording.position.copy()
    position[:300] = position[300]
    recording = replace(recording, position=position)
    said = {"cutoff_hz": 10.0, "filter_order": 4, "velocity": "differentiated"}
    found = preprocess(recording, robot)
    whole = preprocess(recording, arm_robot(identification=said | {"trim_rest": False}))
    first = len(whole.time) - len(found.time)
    assert 270 < first <= 300
    for name in ("position", "velocity", "acceleration", "torque"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name)[first:])
    np.testing.assert_array_equal(found.torque, recording.effort[first:][: len(found.time)])


def test_a_model_keeps_the_settings_of_signals() -> None:
    """Recordings for validation are filtered like those of the identification."""
    content = arm_robot(identification={"cutoff_hz": 17.0}).yaml_content(with_model_only=True)
    assert content["identification"]["cutoff_hz"] == 17.0
