"""Interpolation of positions by the method that predicts best."""

import numpy as np
import pytest

from dynid.recording.gaps import Bridging
from dynid.recording.interpolation import interpolate_position, spline


def sine(times):
    return np.sin(2 * np.pi * np.outer(times, [0.5, 1.1]))


def bridging(missing, gaps=()):
    return Bridging(missing, gaps, 50)


@pytest.fixture
def grid():
    return np.arange(4000) / 1000


def test_smooth_samples_keep_the_cubic_spline(grid):
    times = np.arange(0, 4, 0.0025)
    found = interpolate_position(times, sine(times), grid, bridging(np.zeros(4000, dtype=bool)))
    np.testing.assert_array_equal(found.position, spline(times, sine(times), grid))


def test_noise_is_not_amplified_where_samples_are_missing(grid):
    random = np.random.default_rng(0)
    kept = np.ones(4000, dtype=bool)
    for first in random.integers(50, 3900, 20):
        kept[first : first + 40] = False
    position = sine(grid) + random.normal(0, 1e-4, (4000, 2))
    found = interpolate_position(grid[kept], position[kept], grid, bridging(~kept))
    error = np.abs(found.position - sine(grid))[~kept]
    plain = np.abs(spline(grid[kept], position[kept], grid) - sine(grid))[~kept]
    assert error.max() < 0.2 * plain.max()
    # the stated error is that of left-out samples, which are noisy themselves
    assert (found.error < 3e-4).all()


def test_samples_that_follow_each_other_closely_do_not_oscillate(grid):
    random = np.random.default_rng(1)
    late = np.sort(np.concatenate([grid[::10], grid[5::500] + 2e-5, grid[5::500] + 4e-5]))
    position = sine(late) + random.normal(0, 1e-4, (len(late), 2))
    found = interpolate_position(late, position, grid, bridging(np.zeros(4000, dtype=bool)))
    assert np.abs(found.position - sine(grid))[:3980].max() < 2e-3


def test_a_gap_is_filled_linearly(grid):
    kept = (grid < 1.0) | (grid > 2.0)
    gap = np.flatnonzero(~kept)
    found = interpolate_position(
        grid[kept], sine(grid[kept]), grid, bridging(~kept, ((gap[0], gap[-1] + 1),))
    )
    second = np.diff(found.position[gap], 2, axis=0)
    assert np.abs(second).max() < 1e-3
    assert np.abs(found.position[kept] - sine(grid[kept])).max() < 1e-3
