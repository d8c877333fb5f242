from __future__ import annotations

import numpy as np
import pytest

from dynid.report.report import correlation_map, correlations
from dynid.robot.provenance import BaseEstimate


def estimate(covariance: np.ndarray | None, names=("a<b", "c", "d")) -> BaseEstimate:
    count = len(names)
    return BaseEstimate(
        names=tuple(names),
        regroupings=tuple(names),
        values=np.zeros(count),
        consistent_values=np.zeros(count),
        standard_deviations=np.ones(count),
        covariance=covariance,
    )


COVARIANCE = np.array([[4.0, -1.9, 0.0], [-1.9, 1.0, 0.15], [0.0, 0.15, 9.0]])


def test_correlations_are_covariances_over_standard_deviations():
    found = correlations(COVARIANCE)
    assert found[0, 1] == pytest.approx(-0.95)
    assert np.allclose(np.diag(found), 1)
    assert not correlations(np.zeros((2, 2))).any()


def test_the_strongest_pairs_come_first():
    found = correlation_map(estimate(COVARIANCE))
    assert [pair.first for pair in found.pairs] == ["a<b", "c", "a<b"]
    assert found.pairs[0].correlation == pytest.approx(-0.95)


def test_the_map_shows_signs_and_leaves_weak_ones_out():
    found = correlation_map(estimate(COVARIANCE)).markup
    assert found.count("<rect") == 4  # the diagonal and one pair
    assert '<rect class="error" x="0" y="1"' in found
    assert "c, a&lt;b: -0.95" in found


def test_there_is_no_map_without_covariance_or_of_one_parameter():
    assert correlation_map(estimate(None)) is None
    assert correlation_map(estimate(np.eye(1), names=("a",))) is None


@pytest.mark.parametrize(("count", "named"), [(60, 60), (61, 31), (100, 50)])
def test_names_of_many_rows_do_not_overlap(count, named):
    names = tuple(f"p{number}" for number in range(count))
    found = correlation_map(estimate(np.eye(count), names)).markup
    assert found.count('<span class="y"') == named
