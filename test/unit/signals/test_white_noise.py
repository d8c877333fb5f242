"""The level of white noise on torque."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.signals.signals import white_noise

TIME = np.arange(4000) * 0.01
SINE = 10.0 * np.sin(TIME)


@pytest.mark.parametrize("level", [0.01, 1.0])
def test_white_noise_is_separated_from_motion_friction_and_spikes(level: float) -> None:
    noise = level * np.random.default_rng(0).standard_normal(len(TIME))
    torque = SINE + 3.0 * np.sign(np.cos(TIME)) + noise
    torque[::500] += 30.0
    # the standard deviation of a median of 4000 correlated values is about 2.5 %
    assert white_noise(torque[:, None])[0] == pytest.approx(level, rel=0.1)


def test_smooth_torque_has_hardly_any_noise() -> None:
    fast = np.sin(2 * np.pi * 5.0 * TIME)  # 20 samples a period
    assert white_noise(fast[:, None])[0] < 1e-3


def test_few_samples_have_no_noise() -> None:
    assert white_noise(np.random.default_rng(1).standard_normal((40, 2))).tolist() == [0.0, 0.0]
