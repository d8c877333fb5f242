from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dynid.report.chart import Axis, Chart, Layer, bar_edges, grid, round_step

numbers = st.floats(-1e6, 1e6)


@given(numbers, numbers, st.integers(2, 10))
def test_ticks_are_inside_the_axis_and_of_equal_distance(first, second, most):
    low, high = sorted((first, second))
    assume(high - low > 1e-6 * max(abs(low), abs(high), 1e-3))
    places = np.array([tick.at for tick in Axis(low, high).ticks(most)])
    assert np.all((places >= -1e-6) & (places <= 1 + 1e-6))
    assert 2 <= len(places) <= max(most + 1, 5)  # one number alone gives no scale
    assert len(places) < 3 or np.ptp(np.diff(places)) < 1e-6


@given(st.floats(1e-9, 1e9))
def test_a_step_is_round_and_at_most_two_and_a_half_times_larger(rough):
    step = round_step(rough)
    assert rough * (1 - 1e-9) <= step <= 2.5 * rough * (1 + 1e-9)
    assert f"{step:.0e}"[0] in "125"


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (-1.0, 1.0, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
        (0.0, 400.0, ["0", "100", "200", "300", "400"]),
        (-2.6e-5, 4.4e-5, ["−2e−5", "0", "2e−5", "4e−5"]),
        (0.0, 4e-6, ["0", "1e−6", "2e−6", "3e−6", "4e−6"]),
        (9e-5, 1.2e-4, ["9e−5", "10e−5", "11e−5", "12e−5"]),
        (-3e-4, 1e-4, ["−0.0003", "−0.0002", "−0.0001", "0.0000", "0.0001"]),
        (0.0, 2e7, ["0", "5.0 × 10⁶", "1.0 × 10⁷", "1.5 × 10⁷", "2.0 × 10⁷"]),
    ],
)
def test_ticks_have_the_digits_of_their_step(low, high, texts):
    assert [tick.text for tick in Axis(low, high).ticks(4)] == texts


def test_a_logarithmic_axis_has_powers_of_ten():
    assert [tick.text for tick in Axis(1e-3, 1e3, log=True).ticks(4)] == [
        "0.001",
        "0.1",
        "10",
        "1000",
    ]
    assert [tick.text for tick in Axis(0.9, 60, log=True).ticks(4)] == [
        "1",
        "2",
        "5",
        "10",
        "20",
        "50",
    ]


def test_an_axis_is_over_finite_values_and_never_empty():
    assert Axis.over(np.array([np.nan, 2.0, np.inf, 5.0])) == Axis(2.0, 5.0)
    assert Axis.over(np.array([np.nan])).low < Axis.over(np.array([np.nan])).high
    assert Axis.over(np.full(3, 4.0)) == Axis(0.0, 8.0)
    assert Axis.over(np.array([-1.0, 0.0, 0.1, 10.0]), log=True) == Axis(0.1, 10.0, log=True)


def drawn(layer: Layer, **options) -> str:
    chart = Chart("what", "x", "y", (layer,), **options)
    return re.findall(rf'<path class="{layer.style}[^"]*" d="([^"]*)"', chart.markup())[0]


def test_a_line_goes_through_its_points_and_stops_at_nan():
    x, y = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, np.nan, 1.0, 0.5])
    path = drawn(Layer(x, y, "model"), x_axis=Axis(0, 4), y_axis=Axis(0, 1))
    assert path == "M0 2000 1000 0M3000 0 4000 1000"


def test_bars_stand_on_zero():
    layer = Layer(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.0]), "model", "bars")
    assert drawn(layer, x_axis=Axis(0, 2), y_axis=Axis(0, 2)) == "M0 2000V1000H2000V2000Z"


def test_each_dot_has_its_place():
    layer = Layer(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "error", "dots")
    assert drawn(layer, x_axis=Axis(0, 1), y_axis=Axis(0, 1)) == "M0 2000h0M4000 0h0"


def test_dashed_lines_outside_of_the_axes_are_left_out():
    layer = Layer(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "model")
    markup = Chart("what", "x", "y", (layer,), upright=(0.5, 7.0), across=(-9.0,)).markup()
    assert '<path class="dashed" d="M2000 0V2000"/>' in markup


def test_names_are_at_the_whole_numbers_in_place_of_numbers():
    layer = Layer(np.array([0.5, 2.5]), np.array([0.0, 1.0]), "model")
    chart = Chart("what", "x", "y", (layer,), x_axis=Axis(0.5, 2.5), x_names=("first", "other"))
    labels = re.findall(r'class="x" style="left:([^%]*)%">([^<]*)<', chart.markup())
    assert labels == [("25", "first"), ("75", "other")]


def test_texts_cannot_become_markup():
    evil = '<b>"&'
    layer = Layer(np.arange(2.0), np.arange(2.0), "model", label=evil)
    markup = grid([Chart(evil, evil, evil, (layer,), title=evil, marks={"of": evil})])
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append(tag)
    parser.feed(markup)
    assert "b" not in tags
    assert markup.count("&lt;b&gt;&#34;&amp;") == 6


@pytest.mark.parametrize(("low", "high"), [(-1.9, 1.9), (-0.19, 0.19), (0.1, 3.9), (-5.0, 0.5)])
def test_an_axis_has_two_numbers_or_more(low, high):
    assert len(Axis(low, high).ticks(3)) >= 2


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
