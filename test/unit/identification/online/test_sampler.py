"""Uniform samples from irregular messages."""

from __future__ import annotations

import numpy as np

from dynid.identification.online.sampler import Sampler

RATE = 100.0


def run(times: list[float], sampler: Sampler) -> tuple[np.ndarray, list[bool]]:
    """Samples of a signal that is its own time, and where series begin."""
    samples, begins = zip(*(sampler(t, np.array([t])) for t in times), strict=True)
    return np.concatenate(samples)[:, 0], list(begins)


def test_jitter_is_interpolated() -> None:
    times = np.arange(200) / RATE + np.random.default_rng(0).uniform(-0.003, 0.003, 200)
    samples, begins = run(times.tolist(), Sampler(RATE))
    np.testing.assert_allclose(samples, times[0] + np.arange(len(samples)) / RATE, atol=1e-9)
    assert len(samples) >= 198
    assert sum(begins) == 1


def test_a_lost_message_is_interpolated() -> None:
    samples, begins = run([0.0, 0.01, 0.03, 0.04], Sampler(RATE))
    np.testing.assert_allclose(samples, [0.0, 0.01, 0.02, 0.03, 0.04], atol=1e-12)
    assert begins == [True, False, False, False]


def test_late_and_repeated_messages_are_ignored() -> None:
    sampler = Sampler(RATE)
    samples, _ = run([0.0, 0.01, 0.01, 0.005, 0.02], sampler)
    np.testing.assert_allclose(samples, [0.0, 0.01, 0.02], atol=1e-12)
    assert sampler.messages.stale == 2
    assert sampler.messages.taken == 5


def test_messages_with_values_that_are_not_finite_are_ignored() -> None:
    sampler = Sampler(RATE)
    sampler(0.0, np.array([0.0]))
    for bad in (np.nan, np.inf):
        assert len(sampler(0.01, np.array([bad]))[0]) == 0
    assert len(sampler(np.nan, np.array([1.0]))[0]) == 0
    assert sampler.messages.not_finite == 3


def test_a_new_series_begins_after_a_gap() -> None:
    sampler = Sampler(RATE)
    _, begins = run([0.0, 0.01, 0.5, 0.51], sampler)
    assert begins == [True, False, True, False]
    assert sampler.messages.gaps == 1


def test_a_wrong_rate_is_detected() -> None:
    right, wrong = Sampler(RATE), Sampler(10 * RATE)
    for number in range(50):
        for sampler in (right, wrong):
            sampler(number / RATE, np.array([1.0]))
    assert not right.messages.too_rare
    assert wrong.messages.too_rare


def test_a_clock_set_back_begins_a_new_series() -> None:
    samples, begins = run([100.0, 100.01, 3.0, 3.01], Sampler(RATE))
    assert begins == [True, False, True, False]
    np.testing.assert_allclose(samples[2:], [3.0, 3.01], atol=1e-12)
