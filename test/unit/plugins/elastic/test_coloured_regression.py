"""Standard deviations of a regression whose errors resemble their neighbours."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from dynid_plugins.elastic.coloured_regression import coloured_fit


@pytest.mark.thorough
def test_two_standard_deviations_cover_95_percent_with_coloured_errors() -> None:
    time = np.linspace(0, 1, 1500)
    columns = np.stack([np.ones_like(time), np.sin(9 * time), time], axis=1)
    used = np.ones(len(time), dtype=bool)
    far = []
    for seed in range(300):
        white = np.random.default_rng(seed).standard_normal(len(time))
        errors = scipy.signal.lfilter([1.0], [1.0, -0.9], white)
        fit = coloured_fit([columns], [columns @ [1.0, 2.0, 3.0] + errors], [used])
        far.append((fit.coefficients - [1.0, 2.0, 3.0]) / np.sqrt(np.diag(fit.covariance)))
    covered = np.mean(np.abs(far) <= 2, axis=0)
    assert np.all(np.abs(covered - 0.954) < 4 * np.sqrt(0.954 * 0.046 / 300))


def test_a_column_that_others_explain_is_not_determined() -> None:
    column = np.linspace(-1, 1, 400)[:, None]
    used = np.ones(400, dtype=bool)
    fit = coloured_fit([np.hstack([column, 2 * column])], [3 * column[:, 0]], [used])
    assert fit.determined.tolist() == [True, False]
    assert fit.coefficients[0] == 3.0 or abs(fit.coefficients[0] - 3) < 1e-9
