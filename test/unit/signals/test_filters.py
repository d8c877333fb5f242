"""Filters against frequency responses, exact derivatives, and other algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal

from dynid._core import filter_zero_phase
from dynid.errors import PreprocessingError
from dynid.signals.filters import (
    ParallelFilter,
    average_periods,
    differentiate,
    low_pass,
    replace_outliers,
)
from dynid.signals.settings import MedianSettings, ParallelFilterSettings

RATE = 1000.0
seeds = st.integers(0, 2**32 - 1)


def sine(frequency: float, samples: int = 8000, phase: float = 0.3) -> np.ndarray:
    time = np.arange(samples) / RATE
    return np.sin(2 * np.pi * frequency * time + phase)[:, None]


def amplitude_in(values: np.ndarray, frequency: float) -> complex:
    """Return amplitude and phase of one frequency in the middle half, by least squares."""
    count = len(values)
    inner = slice(count // 4, 3 * count // 4)
    angle = 2 * np.pi * frequency * (np.arange(count)[inner] / RATE)
    columns = np.column_stack([np.sin(angle), np.cos(angle)])
    sine_part, cosine_part = np.linalg.lstsq(columns, values[inner, 0], rcond=None)[0]
    return complex(sine_part, cosine_part)


def white(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


# --- low-pass ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 2), (2, 2), (40,), (900, 2, 3)])
def test_low_pass_is_that_of_scipy_padded_by_three_periods_of_the_cutoff(
    shape: tuple[int, ...],
) -> None:
    values = white(3, *shape)
    expected = signal.sosfiltfilt(
        signal.butter(4, 20.0, fs=RATE, output="sos"), values, axis=0, padlen=min(shape[0] - 1, 150)
    )
    np.testing.assert_allclose(low_pass(values, 20.0, 4, RATE), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 3, 8, 15])
def test_signals_side_by_side_are_filtered_as_each_alone(columns: int) -> None:
    values = white(4, 200, columns)
    together = low_pass(values, 20.0, 4, RATE)
    for number in range(columns):
        alone = low_pass(values[:, number], 20.0, 4, RATE)
        np.testing.assert_allclose(together[:, number], alone, rtol=0, atol=1e-14)


def test_refuses_a_section_that_never_rests() -> None:
    integrator = np.array([[1.0, 0.0, 0.0, 1.0, -1.0, 0.0]])
    with pytest.raises(ValueError, match="pole at 0 Hz"):
        filter_zero_phase(integrator, np.ones((10, 1)), 0)


@pytest.mark.parametrize(
    ("cutoff", "sentence"),
    [
        *((low, f"{low:g} Hz leaves no motion .* lasts 1 s") for low in (1e-308, 1e-9, 5e-5)),
        *((high, f"{high:g} Hz is not below .* 50 Hz .* 100 Hz") for high in (50.0, 80.0)),
    ],
)
def test_refuses_a_cutoff_that_leaves_no_motion_or_is_not_below_nyquist(
    cutoff: float, sentence: str
) -> None:
    with pytest.raises(PreprocessingError, match=f"cutoff_hz = {sentence}"):
        low_pass(white(0, 100, 2), cutoff, 4, 100.0)
    with pytest.raises(PreprocessingError, match=f"cutoff_hz = {sentence}"):
        ParallelFilter(cutoff, 4, 1, 100.0).smooth(white(0, 100, 2))
    assert np.isfinite(low_pass(white(0, 100, 2), 49.9, 4, 100.0)).all()


@given(seeds, st.integers(40, 400), st.sampled_from([5.0, 30.0, 120.0]), st.integers(1, 6))
def test_periodic_low_pass_is_the_squared_response_on_the_spectrum(
    seed: int, samples: int, cutoff: float, order: int
) -> None:
    period = white(seed, samples, 2)
    sections = signal.butter(order, cutoff, fs=RATE, output="sos")
    frequencies = np.fft.rfftfreq(samples, 1 / RATE)
    _, response = signal.sosfreqz(sections, frequencies, fs=RATE)
    spectrum = np.fft.rfft(period, axis=0) * np.abs(response[:, None]) ** 2
    exact = np.fft.irfft(spectrum, samples, axis=0)
    np.testing.assert_allclose(
        low_pass(period, cutoff, order, RATE, periodic=True), exact, atol=1e-5
    )


# --- derivative -------------------------------------------------------------------------------


@given(*[st.floats(-10, 10)] * 3, st.integers(3, 50), st.sampled_from([1.0, 125.0, 1000.0]))
def test_differentiate_is_exact_on_quadratics_up_to_the_ends(
    a: float, b: float, c: float, samples: int, rate: float
) -> None:
    time = np.arange(samples)[:, None] / rate
    derivative = differentiate(a + b * time + c * time**2, rate)
    rounding = 1e-14 * rate * (abs(a) + abs(b) * time[-1] + abs(c) * time[-1] ** 2 + 1)
    np.testing.assert_allclose(derivative, b + 2 * c * time, atol=4 * float(rounding[0]), rtol=1e-9)


def test_periodic_derivative_connects_end_and_beginning() -> None:
    count = 200
    angle = 2 * np.pi * np.arange(count)[:, None] / count
    # central differences of a sine are a cosine times sin(h) / h
    step = 2 * np.pi / count
    expected = np.cos(angle) * np.sin(step) / step * (2 * np.pi)
    derivative = differentiate(np.sin(angle), float(count), periodic=True)
    np.testing.assert_allclose(derivative, expected, atol=1e-11)


@pytest.mark.parametrize(("order", "lost"), [(2, 0.0793), (6, 0.0007)])
def test_differences_lose_some_of_nine_samples_per_cycle(order: int, lost: float) -> None:
    angle = 2 * np.pi / 9 * np.arange(360)[:, None]
    for periodic in (False, True):
        derivative = differentiate(np.sin(angle), 9 / (2 * np.pi), periodic=periodic, order=order)
        expected = (1 - lost) * np.cos(angle)
        np.testing.assert_allclose(derivative[3:-3], expected[3:-3], atol=1e-4)


# --- outliers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clean", "at", "height"),
    [
        (np.hstack([sine(0.5), 3 * sine(0.3, phase=1.0)]), slice(100, 7900, 300), 5.0),
        (np.linspace(0.0, 1.0, 2000)[:, None], slice(50, None, 60), 1.0),
        (np.full((500, 1), 2.0), slice(100, 400, 200), 0.1),
    ],
    ids=["isolated", "many", "constant"],
)
def test_spikes_are_replaced_and_counted(clean: np.ndarray, at: slice, height: float) -> None:
    spiked = clean.copy()
    spiked[at, 0] += height * (-1.0) ** np.arange(len(spiked[at]))
    repaired, count = replace_outliers(spiked, MedianSettings())
    assert count == len(spiked[at])
    # the median of five neighbours is at most two steps away
    step = np.abs(np.diff(clean[:, 0])).max()
    np.testing.assert_allclose(repaired, clean, atol=2 * step)
    spiked[at] = repaired[at]
    np.testing.assert_array_equal(repaired, spiked)


@pytest.mark.parametrize(("order", "length"), [(5, 2), (5, 3), (7, 3), (7, 4)])
def test_median_removes_spikes_shorter_than_half_its_order(order: int, length: int) -> None:
    values = np.zeros((100, 1))
    values[50 : 50 + length] = 4.0
    _, count = replace_outliers(values, MedianSettings(order=order))
    assert count == (length if length <= order // 2 else 0)


@given(seeds)
def test_smooth_signals_are_not_changed(seed: int) -> None:
    random = np.random.default_rng(seed)
    time = np.arange(4000)[:, None] / RATE
    frequency, phase = random.uniform(0.05, 5.0, 5), random.uniform(0, 2 * np.pi, 5)
    values = (random.normal(size=5) * np.sin(2 * np.pi * frequency * time + phase)).sum(axis=1)
    repaired, count = replace_outliers(values[:, None], MedianSettings())
    assert count == 0
    np.testing.assert_array_equal(repaired[:, 0], values)


def test_encoder_counts_are_not_outliers() -> None:
    values = np.round((sine(0.5) + 1e-4 * white(4, 8000, 1)) / 1e-3) * 1e-3
    repaired, count = replace_outliers(values, MedianSettings())
    assert count == 0
    np.testing.assert_array_equal(repaired, values)


@given(seeds)
def test_outliers_are_the_same_in_reversed_time(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = np.cumsum(random.normal(size=(300, 2)), axis=0)
    values[random.integers(0, 300, 20)] += 8.0
    forwards, found = replace_outliers(values, MedianSettings(order=7, threshold=2.0))
    backwards, found_too = replace_outliers(values[::-1], MedianSettings(order=7, threshold=2.0))
    assert found == found_too
    assert np.array_equal(forwards, backwards[::-1])


# --- periods ----------------------------------------------------------------------------------


@pytest.mark.parametrize("periods", [2, 7])
def test_the_mean_of_whole_periods_is_the_period(periods: int) -> None:
    period = white(6, 125, 3)
    values = np.vstack([np.tile(period, (periods, 1)), 1e6 * np.ones((90, 3))])
    mean, averaged = average_periods(values, 0.125, RATE)
    assert averaged == periods
    np.testing.assert_allclose(mean, period, atol=1e-9)


# --- parallel filter --------------------------------------------------------------------------


def parallel(cutoff_hz: float | None, decimation: int, order: int = 4) -> ParallelFilter:
    settings = ParallelFilterSettings(cutoff_hz=cutoff_hz, decimation=decimation, order=order)
    return ParallelFilter.from_settings(settings, RATE)


@pytest.mark.parametrize(
    ("chosen", "unchanged"),
    [
        (ParallelFilter.from_settings(None, RATE), True),
        (ParallelFilter(None, 4, 1, 100.0), True),
        (ParallelFilter(10.0, 4, 1, 100.0), False),
        (ParallelFilter(None, 4, 5, 100.0), False),
    ],
)
def test_only_without_low_pass_and_decimation_nothing_changes(
    chosen: ParallelFilter, unchanged: bool
) -> None:
    assert chosen.passes_through is unchanged
    assert (chosen.margin == 0) is unchanged
    if unchanged:
        values = white(9, 100, 2)
        np.testing.assert_array_equal(chosen.decimate(chosen.smooth(values)), values)


@pytest.mark.parametrize("decimation", [2, 5, 20])
@pytest.mark.parametrize(
    ("beyond", "bound"),
    # above 1.2 times the new Nyquist frequency they alias to below 0.8 times it, the pass band
    [(1.1, -60), (1.2, -80), (1.3, -60), (1.9, -60)],
)
def test_aliases_are_attenuated(decimation: int, beyond: float, bound: float) -> None:
    frequency = beyond * RATE / 2 / decimation
    left = parallel(None, decimation).smooth(sine(frequency, 400 * decimation))
    assert 20 * np.log10(abs(amplitude_in(left, frequency))) < bound


@pytest.mark.parametrize("decimation", [2, 5, 20])
@pytest.mark.parametrize("share", [0.05, 0.4, 0.75])
def test_decimation_passes_the_pass_band_without_delay(decimation: int, share: float) -> None:
    frequency = share * RATE / 2 / decimation
    values = sine(frequency, 400 * decimation)
    gain = amplitude_in(parallel(None, decimation).smooth(values), frequency)
    # 0.05 dB of ripple, twice
    assert abs(gain / amplitude_in(values, frequency) - 1) < 1 - 10 ** (-0.1 / 20) + 1e-6


def test_the_filter_before_decimation_does_not_connect_end_and_beginning() -> None:
    line = np.linspace(-1.0, 1.0, 2001)[:, None]
    smooth = ParallelFilter(None, 4, 5, RATE).smooth(line)
    # a periodic filter would spread the step of 2 over the ends;
    # a ripple of 0.05 dB forwards and backwards is 1.2 %
    assert np.allclose(smooth, line, atol=0.02)


def test_decimation_keeps_every_nth_sample() -> None:
    values = white(10, 1003, 2)
    decimated = parallel(5.0, 20).decimate(values)
    np.testing.assert_array_equal(decimated, values[[20 * i for i in range(51)]])


@pytest.mark.parametrize("decimation", [1, 2, 8, 20])
@pytest.mark.parametrize("order", [1, 2, 4, 8])
@pytest.mark.parametrize("cutoff", [None, 10.0, 100.0])
def test_margin_is_long_enough(cutoff: float | None, order: int, decimation: int) -> None:
    chosen = parallel(cutoff, decimation, order)
    margin = chosen.margin
    values = white(11, 6 * margin + 500, 1) + 3.0
    whole = chosen.smooth(values)
    start, stop = 3 * margin, 3 * margin + 500
    block = chosen.smooth(values[start - margin : stop + margin])[margin : margin + 500]
    np.testing.assert_allclose(block, whole[start:stop], atol=1e-6)


@pytest.mark.parametrize("cutoff_hz", [0.2, 1.0, 2.5])
def test_a_low_cut_off_of_a_fast_recording_warns_of_nothing(cutoff_hz: float) -> None:
    for decimation in (1, 50):
        parallel = ParallelFilter(cutoff_hz, 4, decimation, 10_000.0)
        assert parallel.margin > 0  # warnings are errors in tests
