"""The report's figures of the torque residual: what in it is not noise."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from markupsafe import Markup

from dynid.arrays import Array
from dynid.estimation.estimate import autocorrelation
from dynid.evaluation.residual_statistics import bandwidth, spectrum, white_band
from dynid.report.chart import Axis, Chart, Layer, bar_edges, grid
from dynid.report.decimation import evenly
from dynid.report.motion import EvaluatedMotion
from dynid.signals.settings import SignalSettings

_BINS = 50
_DOTS = 500
_MEANS = 36  # intervals of position or velocity
_LAGS = 200  # at most, drawn
_LONGEST_LAG = 25.0  # over the period of the highest frequency
_FEWEST_SAMPLES_OF_A_MEAN = 5  # samples of a mean
_FREQUENCIES = 220  # at most, drawn


class Figure(NamedTuple):
    """A figure of all joints: its name, what a reader sees in it, and the charts."""

    title: str
    meaning: str
    charts: Markup


def residual_figures(motion: EvaluatedMotion, settings: SignalSettings) -> list[Figure]:
    """Return the figures of the residual, each with a chart for every joint."""
    joints = range(len(motion.names))
    return [
        Figure(
            "Error over position",
            "Line: mean error in intervals of position. It should stay near zero; a wave is "
            "missing gravity, a spring or cogging.",
            grid([_over(motion, joint, "position") for joint in joints]),
        ),
        Figure(
            "Error over velocity",
            "Line: mean error in intervals of velocity. It should stay near zero; a step at zero "
            "or a bend is friction that the model's terms do not describe.",
            grid([_over(motion, joint, "velocity") for joint in joints]),
        ),
        Figure(
            "Distribution of the error",
            "Line: normal distribution with the same mean and standard deviation, as noise has. "
            "Long tails are outliers or friction at reversals; two peaks are a missing sign of "
            "friction.",
            grid([_histogram(motion, joint) for joint in joints]),
        ),
        *_over_time(motion, settings),
    ]


def _over_time(motion: EvaluatedMotion, settings: SignalSettings) -> list[Figure]:
    """Return spectrum and autocorrelation, of the longest recording."""
    number = int(np.argmax([len(recording.time) for recording in motion.signals]))
    rate, length = motion.signals[number].sampling_rate, motion.lengths[number]
    measured = motion.measured_torque[number]
    error = motion.model_torque[number] - measured
    band = bandwidth(settings, rate)
    lags = max(1, min(len(error) // 4, round(_LONGEST_LAG * rate / (2 * band))))
    correlation, limit = autocorrelation(error, lags), white_band(length, band)
    frequency, density = spectrum(error, rate)
    _, whole = spectrum(measured, rate)
    kept = _spaced(frequency)
    spectra, correlations = [], []
    for joint, name in enumerate(motion.names):
        unit = motion.units(joint)[3]
        spectra.append(
            _spectrum(name, unit, frequency[kept], whole[kept, joint], density[kept, joint], band)
        )
        correlations.append(_correlation(name, correlation[:, joint], rate, limit))
    return [
        Figure(
            "Spectrum of the error",
            "Amplitude density of the measured torque and of the error; dashed: the highest "
            "frequency that the filters leave. A flat error is noise; where it reaches the torque, "
            "the model describes nothing, and a peak is a resonance or a disturbance.",
            grid(spectra),
        ),
        Figure(
            "Autocorrelation of the error",
            "Dashed: 95 % of the values of white noise within the filters' band stay between the "
            "lines, beyond the first peak. What stays outside is an effect that the model does not "
            "describe, and standard deviations that assume white noise are too small.",
            grid(correlations),
        ),
    ]


def _over(motion: EvaluatedMotion, joint: int, name: Literal["position", "velocity"]) -> Chart:
    over, error = motion.joined(name, joint), motion.errors(joint)
    length, speed, _, torque = motion.units(joint)
    rows = evenly(len(over), _DOTS)
    return Chart(
        description=f"Torque error of {motion.names[joint]} over {name}",
        title=motion.names[joint],
        x_label=f"{name} [{length if name == 'position' else speed}]",
        y_label=f"error [{torque}]",
        layers=(
            Layer(over[rows], error[rows], "measured", "dots"),
            Layer(*_means(over, error), "error"),
        ),
        across=(0.0,),
    )


def _histogram(motion: EvaluatedMotion, joint: int) -> Chart:
    name, error = motion.names[joint], motion.errors(joint)
    mean, spread = float(error.mean()), float(error.std())
    low, high = mean - 5 * spread, mean + 5 * spread
    inside = np.clip(error, low, high)  # outliers are in the outermost bars
    heights, edges = np.histogram(inside, bar_edges(low, high, _BINS))
    shares = heights / max(len(error), 1)
    layers = [Layer(edges, shares, "measured", "bars")]
    if spread > 0:
        x = np.linspace(low, high, 120)
        bell = np.exp(-0.5 * ((x - mean) / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
        layers.append(Layer(x, bell * (edges[1] - edges[0]), "error"))
    return Chart(
        description=f"Distribution of the torque error of {name}",
        title=name,
        x_label=f"error [{motion.units(joint)[3]}]",
        y_label="",
        layers=tuple(layers),
        upright=(0.0,),
        y_ticks=False,
    )


def _spectrum(
    name: str, unit: str, frequency: Array, measured: Array, error: Array, band: float
) -> Chart:
    highest = float(np.concatenate([measured, error]).max())
    return Chart(
        description=f"Spectrum of the torque error of {name}",
        title=name,
        x_label="frequency [Hz]",
        y_label=f"{unit}/√Hz",
        layers=(
            Layer(frequency, measured, "measured", label="measured", wide=True),
            Layer(frequency, error, "error", label="error"),
        ),
        upright=(band,),
        # numbers below are those of rounding behind a filter
        y_axis=Axis(1e-5 * highest, 1.5 * highest, log=True) if highest > 0 else None,
        log="x" if highest <= 0 else "xy",
    )


def _correlation(name: str, values: Array, rate: float, limit: float) -> Chart:
    rows = evenly(len(values), _LAGS)
    return Chart(
        description=f"Autocorrelation of the torque error of {name}",
        title=name,
        x_label="lag [s]",
        y_label="",
        layers=(Layer(rows / rate, values[rows], "error"),),
        across=(-limit, limit),
        x_axis=Axis(0.0, float(rows[-1]) / rate),
        y_axis=Axis(min(-0.5, float(values.min())), 1.05),
    )


def _spaced(frequency: Array) -> Array:
    """Return rows that are about evenly spread over the logarithm of the frequency."""
    wanted = np.geomspace(frequency[0], frequency[-1], _FREQUENCIES)
    return np.unique(np.searchsorted(frequency, wanted).clip(0, len(frequency) - 1))


def _means(over: Array, values: Array) -> tuple[Array, Array]:
    """Return the means of values (N,) in intervals of another signal (N,)."""
    edges = np.linspace(float(over.min()), float(over.max()) + 1e-12, _MEANS + 1)
    bins = np.clip(np.digitize(over, edges) - 1, 0, _MEANS - 1)
    counts = np.bincount(bins, minlength=_MEANS)
    used = counts >= _FEWEST_SAMPLES_OF_A_MEAN
    sums = np.bincount(bins, values, minlength=_MEANS)
    middles = (edges[:-1] + edges[1:]) / 2
    return middles[used], sums[used] / counts[used]
