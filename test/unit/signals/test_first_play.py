"""How far positions at rest appear to move."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.signals.first_play import first_play

RATE = 100.0


def test_covers_two_steps() -> None:
    still = np.zeros((400, 2))
    assert first_play(still, np.array([1e-4, 0.0]), RATE) == pytest.approx([2e-4, 0.0])


def test_covers_the_range_of_noise() -> None:
    noise = 1e-4 * np.random.default_rng(3).normal(size=(1000, 200))
    play = first_play(noise, np.zeros(200), RATE)
    assert np.all(np.abs(noise - noise[0]).max(axis=0) < 1.5 * play)
    # six standard deviations; third differences of 50 samples are some 20 % uncertain
    assert np.median(play) == pytest.approx(6e-4, rel=0.05)


def test_motion_hardly_counts() -> None:
    time = np.arange(400)[:, None] / RATE
    moving = np.sin(2 * np.pi * 0.5 * time)  # reaches 0.03 rad in a hundredth of a second
    assert first_play(moving, np.zeros(1), RATE)[0] < 1e-4
