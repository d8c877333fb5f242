"""Charts keep extremes, show changes where they are, and stay inside of their picture."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from dynid_plugins.fleet.drift.history import DAY
from dynid_plugins.fleet.site.chart import HEIGHT, WIDTH, Timeline, draw, sparkline


def points(svg: str, kind: str) -> np.ndarray:
    """Return where the strokes of a path begin, whose moves may be relative to the last end."""
    path = re.search(rf'<path class="{kind}" d="([^"]*)"', svg)
    assert path is not None
    found, place = [], np.zeros(2)
    for letter, numbers in re.findall(r"([MmVvHh])([^MmVvHh]*)", path[1]):
        values = [float(one) for one in re.findall(r"-?[\d.]+", numbers)]
        if letter in "Mm":
            place = np.array(values) + (place if letter == "m" else 0.0)
            found.append(place)
        else:
            axis = int(letter in "Vv")
            place = place.copy()
            place[axis] = values[0] + (place[axis] if letter.islower() else 0.0)
    return np.array(found)


@pytest.mark.parametrize("count", [1, 2, 30, 2000])
@pytest.mark.parametrize("scale", [0.0, 1e-9, 1.0, 1e9])
def test_everything_is_inside_of_the_picture(count, scale):
    values = scale * np.random.default_rng(0).normal(size=count)
    deviations = np.full(count, max(scale, 1e-12))
    svg = draw(Timeline(DAY * np.arange(count), values, deviations, (-scale, scale)), "values")
    places = points(svg, "dots")
    assert (places >= 0).all()
    assert (places <= [WIDTH, HEIGHT]).all()
    assert "nan" not in svg


def test_of_many_recordings_the_extreme_one_is_drawn():
    values = np.zeros(2000)
    values[777] = 5.0
    svg = draw(Timeline(DAY * np.arange(2000), values), "values")
    places = points(svg, "dots")
    assert len(places) < 200
    share = (places[np.argmin(places[:, 1]), 0] - places[0, 0]) / np.ptp(places[:, 0])
    assert abs(share - 777 / 1999) < 1 / np.ptp(places[:, 0])


def test_bars_are_around_their_dots_however_many_there_are():
    for count in (30, 2000):
        values = np.random.default_rng(0).normal(size=count)
        svg = draw(Timeline(DAY * np.arange(count), values, np.full(count, 0.1)), "values")
        dots, bars = points(svg, "dots"), points(svg, "bars")
        np.testing.assert_allclose(bars[:, 0], dots[:, 0], atol=1e-9)
        below = bars[:, 1] - dots[:, 1]
        # rounding to a pixel must not add up from dot to dot
        assert np.ptp(below[1:-1]) <= 2
        assert (below > 0).all()


def test_a_change_is_where_it_begins_and_its_description_is_escaped():
    times = DAY * np.arange(11)
    change = SimpleNamespace(start=5, earliest=4, latest=7)
    svg = draw(Timeline(times, np.arange(11.0), changes=[change]), 'a "quoted" <name>')
    dots = points(svg, "dots")
    assert abs(points(svg, "change")[0, 0] - dots[5, 0]) < 0.11
    assert 'aria-label="a &#34;quoted&#34; &lt;name&gt;"' in svg


def test_evidence_above_the_threshold_is_marked():
    svg = sparkline(np.array([0.0, 1.0, 20.0, 1.0]), 10.0)
    assert len(points(svg, "above")) == 1
    assert "above" not in sparkline(np.array([0.0, 1.0, 9.0, 1.0]), 10.0)
