from __future__ import annotations

import numpy as np
import pytest

from dynid.estimation.estimate import autocorrelation
from dynid.evaluation.residual_statistics import bandwidth, spectrum, white_band
from dynid.signals.filters import low_pass
from dynid.signals.settings import SignalSettings

RATE = 500.0


@pytest.fixture(scope="module")
def white() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(40_000, 1))


def test_the_spectrum_of_white_noise_is_flat_at_its_density(white):
    _, density = spectrum(white, RATE)
    # one-sided: the variance is spread over half of the rate
    assert np.median(density) == pytest.approx(np.sqrt(2 / RATE), rel=0.1)


def test_a_sine_is_the_peak_of_its_spectrum():
    time = np.arange(5000) / RATE
    frequency, density = spectrum(np.sin(2 * np.pi * 20 * time)[:, np.newaxis], RATE)
    assert frequency[np.argmax(density[:, 0])] == pytest.approx(20, abs=0.3)


@pytest.mark.parametrize("samples", [20, 200])
def test_a_short_signal_has_a_spectrum_too(samples):
    frequency, density = spectrum(np.arange(samples, dtype=float)[:, np.newaxis] % 3, RATE)
    assert frequency[0] > 0
    assert np.isfinite(density).all()


@pytest.mark.parametrize("cutoff", [None, 20.0])
def test_about_95_percent_of_white_noise_is_within_the_band(white, cutoff):
    values = white if cutoff is None else low_pass(white, cutoff, 4, RATE)
    band = cutoff or RATE / 2
    limit = white_band(len(white) / RATE, band)
    # lags at which a filtered signal is independent of itself
    lags = autocorrelation(values, 4000)[round(RATE / band) :: max(1, round(RATE / (2 * band)))]
    assert 0.9 < np.mean(np.abs(lags) < limit) <= 1


def test_the_bandwidth_is_that_of_the_lowest_filter():
    filtered = SignalSettings(cutoff_hz=12.0, filter_torque=True, parallel_filter=None)
    assert bandwidth(filtered, RATE) == 12.0
    assert bandwidth(filtered.model_copy(update={"filter_torque": False}), RATE) == RATE / 2
    both = SignalSettings(cutoff_hz=12.0, filter_torque=True, parallel_filter={"cutoff_hz": 5.0})
    assert bandwidth(both, RATE) == 5.0
