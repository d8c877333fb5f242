"""Which missing samples are interpolated."""

import numpy as np
import pytest

from dynid.recording.gaps import find_gaps, gap_list, runs

RATE = 1000.0


def motion(hz, position_noise=0.0, torque_noise=0.0, count=10_000):
    random = np.random.default_rng(0)
    phase = 2 * np.pi * hz * np.arange(count)[:, None] / RATE + np.arange(2)
    position = np.sin(phase) + random.normal(0, position_noise or 1e-12, phase.shape)
    return position, np.cos(phase) + random.normal(0, torque_noise or 1e-12, phase.shape)


def longest(hz, lengths=range(2, 1001), **noise):
    missing = np.zeros(10_000, dtype=bool)
    position, effort = motion(hz, **noise)
    found = 1
    for length in lengths:
        missing[:] = False
        missing[5000 : 5000 + length] = True
        if find_gaps(position, effort, missing).gaps:
            break
        found = length
    return found


def test_what_is_bridged_is_shorter_for_faster_motion():
    lengths = [2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256]
    slow, fast = longest(0.5, lengths), longest(4.0, lengths)
    # error of acceleration: 0.19 / 9 (omega D)^2, one per cent allowed
    assert 128 <= slow <= 256
    assert 16 <= fast <= 32


def test_noise_of_torque_allows_longer_stretches():
    lengths = [32, 64, 96, 128, 192, 256]
    assert longest(1.0, lengths, torque_noise=0.1) > longest(1.0, lengths)


def test_noise_of_positions_does_not_forbid_short_stretches():
    assert longest(0.5, [2, 4, 8, 16], position_noise=1e-3) == 16


def test_a_single_missing_sample_is_always_interpolated():
    position, effort = np.random.default_rng(0).normal(size=(2, 500, 3))
    missing = np.zeros(500, dtype=bool)
    missing[[100, 200, 201]] = True
    assert find_gaps(position, effort, missing).longest >= 1


def test_nothing_missing_gives_no_gap():
    bridging = find_gaps(*motion(1.0), np.zeros(10_000, dtype=bool))
    assert bridging.gaps == ()
    assert bridging.sentences(RATE) == ()


def test_runs_are_found_at_the_ends_too():
    assert runs(np.array([True, False, True, True, False, True])) == [(0, 1), (2, 4), (5, 6)]


@pytest.mark.parametrize(("count", "more"), [(2, ""), (322, " and 319 times more")])
def test_many_gaps_are_one_sentence(count, more):
    text = gap_list([(10 * k + 1, 10 * k + 3) for k in range(count)], 10.0)
    assert text.startswith("0.300 s after 0.000 s")
    assert text.endswith(more)
    assert len(text) < 120
