"""Edges of the bars of a histogram."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.report.ticks import bar_edges


@pytest.mark.parametrize(
    ("low", "high"), [(0.3, 0.3), (0.3, np.nextafter(0.3, 1)), (-1e15, -1e15 + 1), (0.0, 0.0)]
)
def test_values_that_are_all_the_same_are_in_bars_of_a_width(low: float, high: float) -> None:
    edges = bar_edges(low, high, 40)
    assert (np.diff(edges) >= 0).all()
    assert edges[0] <= low
    assert edges[-1] >= high
    heights, _ = np.histogram([low, high, low], edges)
    assert heights.sum() == 3


def test_bars_span_the_values() -> None:
    np.testing.assert_array_equal(bar_edges(-1.0, 3.0, 4), [-1.0, 0.0, 1.0, 2.0, 3.0])
