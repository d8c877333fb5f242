import math

import numpy as np
import pytest

from dynid.recording.averaging import Bound, averaged, bounded
from dynid.recording.model import Recording

RATE = 1000.0


def swinging(samples: int, **changes: object) -> Recording:
    time = np.arange(samples) / RATE
    position = np.sin(2 * np.pi * np.array([0.3, 0.5]) * time[:, None])
    parts = {"time": time, "position": position, "effort": 3 + position} | changes
    return Recording(sampling_rate=RATE, joint_names=("a", "b"), **parts)


def test_a_mean_of_samples_has_the_same_samples_in_every_signal() -> None:
    whole = swinging(1005)
    found = averaged(whole, 10)
    assert (len(found), found.sampling_rate, found.averaged) == (100, 100.0, 10)
    np.testing.assert_array_equal(found.time, np.arange(100) / 100.0)
    for name, values in found.measured().items():
        expected = whole.measured()[name][:1000].reshape(100, 10, 2).mean(axis=1)
        np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(found.position_step, whole.position_step)


def test_means_of_means_are_those_of_all_samples() -> None:
    whole = swinging(1200)
    twice, once = averaged(averaged(whole, 3), 4), averaged(whole, 12)
    assert twice.averaged == once.averaged == 12
    np.testing.assert_allclose(twice.position, once.position, atol=1e-15)


def test_a_mean_with_a_missing_sample_is_missing_and_gaps_include_its_group() -> None:
    missing = np.zeros(100, dtype=bool)
    missing[[5, 99]] = True
    found = averaged(swinging(100, missing=missing, gaps=((17, 22), (23, 31), (80, 81))), 10)
    np.testing.assert_array_equal(np.flatnonzero(found.missing), [0, 9])
    assert found.gaps == ((1, 4), (8, 9))


def test_recordings_that_are_short_together_stay_the_same_objects(monkeypatch) -> None:
    monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 4000)
    several = [swinging(1200), swinging(800)]
    assert all(a is b for a, b in zip(bounded(several, 100.0), several, strict=True))


@pytest.mark.parametrize(("lowest", "rate"), [(100.0, 250.0), (400.0, 500.0), (math.inf, RATE)])
def test_long_recordings_are_averaged_no_further_than_to_the_lowest_rate(
    monkeypatch, lowest, rate
) -> None:
    monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 4000)
    found = bounded([swinging(4000), swinging(4000)], lowest)
    assert {one.sampling_rate for one in found} == {rate}
    assert sum(one.effort.size for one in found) <= 4000
    assert bounded(found, lowest) == found


def test_spans_of_a_recording_that_is_still_too_long_are_evenly_spread_pieces(monkeypatch) -> None:
    monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 8000)
    whole = swinging(40_000)
    found = bounded([whole], math.inf)
    assert [one.piece for one in found] == list(range(10))
    for one, begin in zip(found, np.linspace(0, 39_600, 10), strict=True):
        np.testing.assert_array_equal(one.position, whole.position[int(begin) :][:400])
    assert "10 spans of 0.4 s" in found[0].repairs[0]
    assert all(one.repairs == () for one in found[1:])


def test_spans_are_chosen_between_gaps(monkeypatch) -> None:
    monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 8000)
    found = bounded([swinging(40_000, gaps=((10_000, 10_500),))], math.inf)
    assert [one.piece for one in found] == list(range(len(found)))
    assert all(one.gaps == () for one in found)
    assert sum(one.effort.size for one in found) <= 8000


def test_several_recordings_share_the_memory(monkeypatch) -> None:
    monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 1000)
    assert not Bound(100.0, 4).is_long(1000)
    assert Bound(100.0, 1).step(2000, RATE) == 2
    assert Bound(100.0, 4).step(2000, RATE) == 8
    assert Bound(100.0, 4).step(2000, 300.0) == 3
