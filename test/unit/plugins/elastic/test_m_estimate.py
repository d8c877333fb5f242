"""Standard deviations of an M-estimate whose errors are alike within groups."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from dynid_plugins.elastic.m_estimate import deviations_of

GROUPS, SIZE = 24, 10
TIMES = np.linspace(0.0, 1.0, GROUPS * SIZE)
COLUMNS = np.column_stack([np.ones_like(TIMES), TIMES, np.sin(9.0 * TIMES)])
GROUP = np.repeat(np.arange(GROUPS), SIZE)


@pytest.mark.parametrize("alike", [0.0, 0.5], ids=["independent errors", "errors alike in a group"])
def test_estimates_differ_from_the_truth_by_their_deviation(alike: float) -> None:
    rng = np.random.default_rng(0)
    normalised = []
    for _ in range(200):
        noise = rng.standard_normal(len(TIMES)) + alike * rng.standard_normal(GROUPS)[GROUP]
        found = scipy.optimize.least_squares(
            lambda values, noise=noise: COLUMNS @ values - noise,
            np.zeros(3),
            lambda _: COLUMNS,
            loss="soft_l1",
        ).x
        normalised.append(found / deviations_of(COLUMNS, COLUMNS @ found - noise, GROUP))
    within = np.mean(np.abs(normalised) < 2, axis=0)
    assert np.all(within > 0.9)
    assert np.all(within < 0.99)
