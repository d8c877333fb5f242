"""Velocity and acceleration from noisy positions: a Kalman smoother against fixed low-passes.

    python benchmarks/bench_derivatives.py [--seeds 3]

A random motion of five joints between rest and rest is sampled with white noise. Prints root mean
square errors over those of the motion itself, with the best of three fixed cut-offs beside them.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.console import Console

from dynid.arrays import Array
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import FourierSettings
from dynid.report.terminal.tables import table
from dynid.robot.limits import Limits
from dynid.signals.kalman_smoother import KalmanSmoother
from dynid.signals.motion_filter import DifferenceFilter, MotionFilter

_NOISE = (1e-6, 1e-5, 1e-4, 1e-3)  # [rad]
_RATES = (100.0, 250.0, 1000.0)  # [Hz]
_CUTOFFS = (5.0, 10.0, 20.0)  # [Hz]
_JOINTS = tuple(f"j{joint}" for joint in range(1, 6))
_LIMITS = Limits(position=((-2.0, 2.0),), velocity=(3.0,), acceleration=(15.0,))


def motion(rate: float, seed: int) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration, half a second of rest at either end."""
    settings = FourierSettings(base_frequency=0.15, harmonics=5, periods=2, ramp=1.5, seed=seed)
    excitation = build_excitation(settings, _LIMITS, _JOINTS)
    time = np.arange(round((excitation.duration + 1.0) * rate)) / rate
    found = excitation.evaluate(time - 0.5)
    return found.position, found.velocity, found.acceleration


def errors(filters: MotionFilter, measured: Array, velocity: Array, acceleration: Array) -> Array:
    """Of velocity and acceleration, over the size of these, (2,)."""
    _, found_velocity, found_acceleration = filters.motion(measured)
    return np.array(
        [
            np.std(found_velocity - velocity) / np.std(velocity),
            np.std(found_acceleration - acceleration) / np.std(acceleration),
        ]
    )


def case(noise: float, rate: float, seeds: int) -> tuple[Array, Array, float, float]:
    """Mean errors of the smoother (2,) and of each low-pass (3, 2), its band width and noise."""
    smoothed, filtered, bands, deviations = [], [], [], []
    for seed in range(seeds):
        position, velocity, acceleration = motion(rate, seed)
        random = np.random.default_rng(100 + seed)
        measured = position + noise * random.normal(size=position.shape)
        smoother = KalmanSmoother.tuned(measured, rate, periodic=False)
        smoothed.append(errors(smoother, measured, velocity, acceleration))
        filtered.append(
            [
                errors(DifferenceFilter(hz, 4, rate, False), measured, velocity, acceleration)
                for hz in _CUTOFFS
            ]
        )
        bands.append(smoother.bandwidth_hz.mean())
        deviations.append(smoother.standard_deviation.mean())
    return (
        np.mean(smoothed, axis=0),
        np.mean(filtered, axis=0),
        float(np.mean(bands)),
        float(np.mean(deviations)),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    filters = ("kalman", *(f"{hz:g} Hz" for hz in _CUTOFFS))
    errors = [f"{signal} {name}" for signal in ("dq", "ddq") for name in filters]
    result = table("noise", "rate", "found", "band", *errors)
    for noise in _NOISE:
        for rate in _RATES:
            smoothed, filtered, band, deviation = case(noise, rate, seeds)
            result.add_row(
                *(f"{noise:.0e}", f"{rate:g}", f"{deviation:.1e}", f"{band:.1f}"),
                *(f"{100 * value:.3f}" for value in (smoothed[0], *filtered[:, 0])),
                *(f"{100 * value:.3f}" for value in (smoothed[1], *filtered[:, 1])),
            )
    console = Console()
    console.print(
        f"Errors in % of the motion's own, mean of {seeds} motions of {len(_JOINTS)} joints; noise "
        "[rad], sampling rate [Hz], what the smoother found of noise [rad] and of band width [Hz].",
        markup=False,
    )
    console.print(result)


if __name__ == "__main__":
    main()
