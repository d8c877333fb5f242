"""Effects of temperature that the report states where there are none, and how exact real ones are.

    python benchmarks/temperature_effects.py --recordings 150

The small arm of the tests moves for 120 s while its temperature rises by 10 °C, at first slowly, in
proportion to time, or at first fast, with a time constant of 20 s. Torque errors are noise with a
correlation time of 0.5, 3 or 10 s. "Independent" takes the blocks of a recording as independent,
for comparison.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy.signal import lfilter

from dynid.arrays import Array
from dynid.dynamics.torque_parts import torque_of_kinds
from dynid.evaluation import autocorrelated_regression
from dynid.evaluation.temperature import JointTemperature, temperature_effects
from dynid.recording.temperature import Temperature
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))
from support.swung_arm import limited_arm, swung
from support.synthetic import true_parameters

DURATION = 120.0  # [s]
RISE = 10.0  # [°C]
SHAPES: tuple[Callable[[Array], Array], ...] = (  # of the rise, over the share of the duration
    lambda share: share**3,
    lambda share: share,
    lambda share: np.expm1(-6 * share) / np.expm1(-6),
)
CORRELATIONS = (0.5, 3.0, 10.0)  # [s]
NOISE = 0.1  # [N m]
SLOPE = -0.02  # of the friction of joint 2, for each °C


class Trial:
    """The arm's motion, on which errors and temperatures are drawn."""

    def __init__(self) -> None:
        robot = limited_arm()
        mechanism = robot.mechanism()
        self.mechanism = mechanism.with_parameters(true_parameters(mechanism))
        self.settings = robot.settings(SignalSettings)
        self.signals = preprocess(swung(robot, duration=DURATION), robot)
        kinds = {term.kind for term in self.mechanism.terms if term.traits.dissipative}
        motion = self.signals.position, self.signals.velocity, self.signals.acceleration
        self.friction = torque_of_kinds(self.mechanism, *motion, kinds)

    def run(self, seed: int, slope: float) -> tuple[float, tuple[JointTemperature, ...]]:
        """Return the correlation time drawn [s], and what is found."""
        random = np.random.default_rng(seed)
        share = (self.signals.time - self.signals.time[0]) / DURATION
        celsius = 25 + RISE * SHAPES[random.integers(len(SHAPES))](share)
        correlated = float(random.choice(CORRELATIONS))
        error = noise(random, self.signals, correlated)
        error[:, 1] += slope * (celsius - celsius.mean()) * self.friction[:, 1]
        warm = _warm(self.signals, celsius)
        return correlated, temperature_effects([warm], [error], self.mechanism, self.settings)


def noise(random: np.random.Generator, signals: Signals, correlated: float) -> Array:
    """Return errors (N, n) [N m] with a correlation time [s]."""
    settled = round(3 * correlated * signals.sampling_rate)
    steps = random.normal(size=(settled + len(signals.time), signals.position.shape[1]))
    pole = np.exp(-1 / (correlated * signals.sampling_rate))
    found = lfilter([np.sqrt(1 - pole**2)], [1, -pole], steps, axis=0)
    return np.asarray(NOISE * found[settled:])


def _warm(signals: Signals, celsius: Array) -> Signals:
    """Return signals with a temperature of all joints once a second, in steps of 0.1 °C."""
    at = np.arange(signals.time[0], signals.time[-1], 1.0)
    values = np.round(np.interp(at, signals.time, celsius), 1)
    columns = np.tile(values[:, None], (1, signals.position.shape[1]))
    return replace(signals, temperature=Temperature(at, columns))


def _false(trial: Trial, count: int, first: int) -> str:
    wrong = dict.fromkeys(CORRELATIONS, 0)
    for seed in range(first, first + count):
        correlated, found = trial.run(seed, 0.0)
        effects = [e for one in found for e in (one.friction, one.offset) if e is not None]
        wrong[correlated] += any(effect.significant for effect in effects)
    parts = ", ".join(f"{number} at {seconds:g} s" for seconds, number in wrong.items())
    return f"{sum(wrong.values())} of {count} recordings without any effect have one ({parts})"


def main() -> None:
    """Print both rates of false effects, and the share of intervals that have the true slope."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=150)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    trial, count, first = Trial(), options.recordings, options.first_seed
    print("as in the report:", _false(trial, count, first))
    with patch.object(autocorrelated_regression, "_correlation", lambda rest, _: np.eye(len(rest))):
        print("independent:", _false(trial, count, first))
    effects = [trial.run(seed, SLOPE)[1][1].friction for seed in range(first, first + count)]
    known = [one for one in effects if one is not None]
    inside = sum(abs(one.slope - SLOPE) < one.half_width for one in known)
    seen = sum(one.significant for one in known)
    print(f"friction of joint 2 falls by {-100 * SLOPE:g} % for each °C: {seen} of {count} stated,")
    print(f"{inside} of {len(known)} intervals of 95 % have it")


if __name__ == "__main__":
    main()
