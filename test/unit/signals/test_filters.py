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


def test_pass_band_sine_keeps_phase_and_amplitude() -> None:
    # a Butterworth filter run twice: 1 / (1 + (f/fc)^8) = 1 - 2.6e-6 at f = fc / 5
    passed = low_pass(sine(2.0), 10.0, 4, RATE)
    inner = slice(2000, 6000)
    np.testing.assert_allclose(passed[inner], sine(2.0)[inner], atol=1e-5)


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


@pytest.mark.parametrize("order", [1, 2, 4, 6])
@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
def test_low_pass_has_the_squared_butterworth_response(order: int, ratio: float) -> None:
    cutoff = 20.0
    passed = low_pass(sine(ratio * cutoff), cutoff, order, RATE)
    # the bilinear transform maps frequencies by their tangents
    warped = np.tan(np.pi * ratio * cutoff / RATE) / np.tan(np.pi * cutoff / RATE)
    expected = 1 / (1 + warped ** (2 * order))
    gain = amplitude_in(passed, ratio * cutoff) / amplitude_in(sine(ratio * cutoff), ratio * cutoff)
    assert gain.real == pytest.approx(expected, rel=1e-6)
    assert gain.imag == pytest.approx(0.0, abs=1e-6)


def test_amplitude_is_minus_6_db_at_the_cutoff() -> None:
    gain = abs(amplitude_in(low_pass(sine(50.0), 50.0, 4, RATE), 50.0))
    assert 20 * np.log10(gain) == pytest.approx(-6.02, abs=0.01)


@pytest.mark.parametrize("cutoff", [1e-308, 1e-9, 5e-5])
def test_refuses_a_cutoff_that_leaves_no_motion(cutoff: float) -> None:
    sentence = f"cutoff_hz = {cutoff:g} Hz leaves no motion of a recording that lasts 1 s"
    with pytest.raises(PreprocessingError, match=sentence):
        low_pass(white(0, 100, 2), cutoff, 4, 100.0)


@pytest.mark.parametrize("cutoff", [50.0, 80.0])
def test_refuses_cutoff_at_or_above_nyquist(cutoff: float) -> None:
    sentence = f"cutoff_hz = {cutoff:g} Hz is not below the Nyquist frequency 50 Hz .* 100 Hz"
    with pytest.raises(PreprocessingError, match=sentence):
        low_pass(white(0, 100, 2), cutoff, 4, 100.0)


def test_accepts_cutoff_just_below_nyquist() -> None:
    assert np.all(np.isfinite(low_pass(white(0, 100, 2), 49.9, 4, 100.0)))


@pytest.mark.parametrize("cutoff", [0.3, 1.0, 20.0])
def test_a_straight_line_passes_up_to_its_ends(cutoff: float) -> None:
    line = np.linspace(-1.0, 1.0, 2001)[:, None]
    # the mirrored ends are three periods of the cut-off long: exp(-2 pi 3 / sqrt(2)) is 1.6e-6
    assert np.allclose(low_pass(line, cutoff, 2, 100.0), line, atol=1e-5)


@pytest.mark.parametrize("samples", [2, 20, 300])
def test_a_recording_shorter_than_the_transient_is_filtered(samples: int) -> None:
    constant = np.full((samples, 2), 3.0)
    np.testing.assert_allclose(low_pass(constant, 1.0, 4, RATE), constant, atol=1e-9)


def test_low_pass_filters_every_column_independently() -> None:
    values = white(1, 500, 3)
    alone = [low_pass(values[:, [i]], 20.0, 4, RATE) for i in range(3)]
    np.testing.assert_allclose(low_pass(values, 20.0, 4, RATE), np.hstack(alone), atol=1e-12)


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


def test_periodic_low_pass_is_that_of_a_repeated_period() -> None:
    period = white(2, 250, 2)
    tiled = low_pass(np.tile(period, (41, 1)), 15.0, 4, RATE)
    middle = tiled[20 * 250 : 21 * 250]
    np.testing.assert_allclose(low_pass(period, 15.0, 4, RATE, periodic=True), middle, atol=1e-6)


def test_plain_low_pass_of_one_period_differs_at_its_ends() -> None:
    period = white(2, 250, 1)
    difference = low_pass(period, 15.0, 4, RATE) - low_pass(period, 15.0, 4, RATE, periodic=True)
    assert np.abs(difference[0]).max() > 0.01


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


def test_differentiate_does_not_shift_a_sine() -> None:
    derivative = differentiate(sine(3.0, phase=0.0), RATE)
    gain = amplitude_in(derivative, 3.0)
    # central differences lose (w h)^2 / 6 of the amplitude, and no phase
    omega = 2 * np.pi * 3.0
    assert gain.real == pytest.approx(0.0, abs=1e-9 * omega)
    assert gain.imag == pytest.approx(np.sin(omega / RATE) * RATE, rel=1e-9)


@pytest.mark.parametrize(("order", "lost"), [(2, 0.0793), (6, 0.0007)])
def test_differences_lose_some_of_nine_samples_per_cycle(order: int, lost: float) -> None:
    angle = 2 * np.pi / 9 * np.arange(360)[:, None]
    for periodic in (False, True):
        derivative = differentiate(np.sin(angle), 9 / (2 * np.pi), periodic=periodic, order=order)
        expected = (1 - lost) * np.cos(angle)
        np.testing.assert_allclose(derivative[3:-3], expected[3:-3], atol=1e-4)


# --- outliers ---------------------------------------------------------------------------------


def test_isolated_spikes_are_replaced_and_counted() -> None:
    clean = np.hstack([sine(0.5), 3 * sine(0.3, phase=1.0)])
    at = np.arange(100, 7900, 300)
    spiked = clean.copy()
    spiked[at, 0] += 5.0 * (-1.0) ** np.arange(len(at))
    repaired, count = replace_outliers(spiked, MedianSettings())
    assert count == len(at)
    # the median of five neighbours is at most two steps away
    step = np.abs(np.diff(clean[:, 0])).max()
    np.testing.assert_allclose(repaired, clean, atol=2 * step)
    untouched = np.setdiff1d(np.arange(len(clean)), at)
    np.testing.assert_array_equal(repaired[untouched], clean[untouched])


def test_spike_on_a_constant_channel_is_replaced() -> None:
    values = np.full((500, 1), 2.0)
    values[[100, 300]] = [[7.0], [2.1]]
    repaired, count = replace_outliers(values, MedianSettings())
    assert count == 2
    assert np.all(repaired == 2.0)


def test_many_spikes_are_replaced_too() -> None:
    values = np.linspace(0.0, 1.0, 2000)[:, None]
    values[50::60] += 1.0
    repaired, count = replace_outliers(values, MedianSettings())
    assert count == len(values[50::60])
    np.testing.assert_allclose(repaired[:, 0], np.linspace(0.0, 1.0, 2000), atol=2e-3)


def test_spike_among_noise_is_replaced() -> None:
    values = sine(0.5) + 0.01 * white(3, 8000, 1)
    values[4000] += 1.0
    repaired, count = replace_outliers(values, MedianSettings())
    assert 1 <= count <= 8  # very few of 8000 normal samples are that far from their neighbours
    assert abs(repaired[4000, 0] - sine(0.5)[4000, 0]) < 0.05


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


@pytest.mark.parametrize("value", [0.0, -3.5, 1e9])
def test_constant_channel_is_not_changed(value: float) -> None:
    repaired, count = replace_outliers(np.full((100, 2), value), MedianSettings())
    assert count == 0
    assert np.all(repaired == value)


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


def test_higher_threshold_replaces_fewer_samples() -> None:
    values = white(5, 5000, 1)
    counts = [replace_outliers(values, MedianSettings(threshold=t))[1] for t in (1.0, 2.0, 6.0)]
    assert counts[0] > counts[1] > counts[2]


# --- periods ----------------------------------------------------------------------------------


def test_mean_period_of_a_periodic_signal_is_that_period() -> None:
    period = white(6, 125, 3)
    mean, periods = average_periods(np.tile(period, (7, 1)), 0.125, RATE)
    assert periods == 7
    np.testing.assert_allclose(mean, period, atol=1e-12)


def test_samples_after_the_last_whole_period_are_ignored() -> None:
    period = white(6, 125, 1)
    values = np.vstack([np.tile(period, (3, 1)), 1e6 * np.ones((90, 1))])
    mean, periods = average_periods(values, 0.125, RATE)
    assert periods == 3
    np.testing.assert_allclose(mean, period, atol=1e-9)


@pytest.mark.parametrize("length", [333.333, 250.5, 199.7])
def test_period_of_a_fractional_number_of_samples_is_interpolated_at_equal_phases(
    length: float,
) -> None:
    at = np.arange(int(8 * length) + 1)[:, None]
    mean, periods = average_periods(np.sin(2 * np.pi * at / length), length / RATE, RATE)
    assert periods == 8
    phase = np.arange(len(mean)) / len(mean)
    # the error of linear interpolation of a sine is at most (step)^2 / 8
    bound = (2 * np.pi / length) ** 2 / 8 + 2 * np.pi / length / 8
    np.testing.assert_allclose(mean[:, 0], np.sin(2 * np.pi * phase), atol=bound)
    np.testing.assert_allclose(mean[:-2, 0], np.sin(2 * np.pi * phase)[:-2], atol=2e-4)


@pytest.mark.parametrize("periods", [4, 16, 64])
def test_averaging_divides_noise_by_the_root_of_the_periods(periods: int) -> None:
    noise = white(7, 500 * periods, 4)
    mean, _ = average_periods(noise, 0.5, RATE)
    # the standard deviation of 2000 samples has an error of 1 / sqrt(4000) = 1.6 %; five times
    assert mean.std() == pytest.approx(1 / np.sqrt(periods), rel=0.08)


@pytest.mark.parametrize(("samples", "whole"), [(1999, 1), (999, 0)])
def test_refuses_fewer_than_two_periods(samples: int, whole: int) -> None:
    with pytest.raises(PreprocessingError, match=rf"period = 1 s.* contains {whole} whole period"):
        average_periods(white(8, samples, 1), 1.0, RATE)


def test_two_periods_are_enough() -> None:
    assert average_periods(white(8, 2000, 1), 1.0, RATE)[1] == 2


# --- parallel filter --------------------------------------------------------------------------


def parallel(cutoff_hz: float | None, decimation: int, order: int = 4) -> ParallelFilter:
    settings = ParallelFilterSettings(cutoff_hz=cutoff_hz, decimation=decimation, order=order)
    return ParallelFilter.from_settings(settings, RATE)


def test_passes_through_only_without_low_pass_and_decimation() -> None:
    assert ParallelFilter(None, 4, 1, 100.0).passes_through
    assert not ParallelFilter(10.0, 4, 1, 100.0).passes_through
    assert not ParallelFilter(None, 4, 5, 100.0).passes_through


def test_without_settings_nothing_changes() -> None:
    identity = ParallelFilter.from_settings(None, RATE)
    values = white(9, 100, 2)
    assert identity.passes_through
    assert identity.margin == 0
    np.testing.assert_array_equal(identity.decimate(identity.smooth(values)), values)


@pytest.mark.parametrize("decimation", [2, 5, 20])
@pytest.mark.parametrize("beyond", [1.1, 1.3, 1.9])
def test_aliases_are_attenuated_by_60_db(decimation: int, beyond: float) -> None:
    nyquist = RATE / 2 / decimation
    if beyond * nyquist >= RATE / 2:
        pytest.skip("no sine above the Nyquist frequency of the recording itself")
    left = parallel(None, decimation).smooth(sine(beyond * nyquist, 400 * decimation))
    assert 20 * np.log10(abs(amplitude_in(left, beyond * nyquist))) < -60


@pytest.mark.parametrize("decimation", [2, 5, 20])
def test_aliases_in_the_pass_band_are_attenuated_by_80_db(decimation: int) -> None:
    # frequencies above 1.2 times the new Nyquist frequency alias to below 0.8 times it
    frequency = 1.2 * RATE / 2 / decimation
    left = parallel(None, decimation).smooth(sine(frequency, 400 * decimation))
    assert 20 * np.log10(abs(amplitude_in(left, frequency))) < -80


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


@given(seeds, st.floats(-5, 5), st.floats(-5, 5), st.sampled_from([1, 4]))
def test_parallel_filter_commutes_with_linear_combination(
    seed: int, a: float, b: float, decimation: int
) -> None:
    chosen = parallel(20.0, decimation)
    first, second = white(seed, 2, 300, 2)

    def run(values: np.ndarray) -> np.ndarray:
        return chosen.decimate(chosen.smooth(values))

    np.testing.assert_allclose(
        run(a * first + b * second), a * run(first) + b * run(second), atol=1e-10
    )


def test_parallel_filter_works_on_a_whole_regressor() -> None:
    regressor = white(12, 400, 3, 5)
    smooth = parallel(20.0, 4).smooth(regressor)
    np.testing.assert_allclose(
        smooth[:, 2, 4], parallel(20.0, 4).smooth(regressor[:, 2, 4]), atol=1e-12
    )


def test_parallel_filter_refuses_cutoff_above_nyquist() -> None:
    with pytest.raises(PreprocessingError, match="Nyquist"):
        parallel(500.0, 1).smooth(white(0, 100, 1))


@pytest.mark.parametrize("cutoff_hz", [0.2, 1.0, 2.5])
def test_a_low_cut_off_of_a_fast_recording_warns_of_nothing(cutoff_hz: float) -> None:
    for decimation in (1, 50):
        parallel = ParallelFilter(cutoff_hz, 4, decimation, 10_000.0)
        assert parallel.margin > 0  # warnings are errors in tests
