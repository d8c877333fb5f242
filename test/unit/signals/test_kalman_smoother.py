"""Derivatives by the Kalman smoother, against the textbook recursion and known motion."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from dynid.errors import PreprocessingError
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import FourierSettings
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.report.words import recording_steps
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.signals.filters import differentiate, low_pass
from dynid.signals.kalman_smoother import KalmanSmoother
from dynid.signals.preprocess import preprocess


def robot_of(joints: int, **identification: object) -> Robot:
    content = {
        "robot": "test",
        "urdf": "test.urdf",
        "joints": [f"j{joint + 1}" for joint in range(joints)],
        "identification": {"trim_rest": False, "derivatives": "kalman"} | identification,
    }
    return make_robot(content, "")


def recording_of(
    position: np.ndarray, rate: float, velocity: np.ndarray | None = None
) -> Recording:
    return Recording(
        time=np.arange(len(position)) / rate,
        position=position,
        velocity=velocity,
        effort=np.ones_like(position),
        joint_names=tuple(f"j{joint + 1}" for joint in range(position.shape[1])),
        sampling_rate=rate,
    )


def chain(order: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Transition and driving covariance of x = (q, dq / ω, …) over a sample, ``step`` = ω T."""
    index = range(order)
    transition = np.array(
        [[step ** (j - i) / factorial(j - i) if j >= i else 0.0 for j in index] for i in index]
    )
    driven = np.array(
        [
            [
                step ** (2 * order - i - j)
                / (2 * order - 1 - i - j)
                / factorial(order - 1 - i)
                / factorial(order - 1 - j)
                for j in index
            ]
            for i in index
        ]
    )
    return transition, driven


def textbook(position: np.ndarray, order: int, step: float) -> np.ndarray:
    """Rauch, Tung and Striebel's recursion (3, N) for x = (q, dq / ω, …), ``step`` = ω T."""
    transition, driven = chain(order, step)
    state, covariance = np.zeros(order), 1e6 * np.eye(order)
    ahead, filtered = [], []
    for value in position:
        ahead.append((state, covariance))
        gain = covariance[:, 0] / (covariance[0, 0] + 1.0)
        state = state + gain * (value - state[0])
        covariance = covariance - np.outer(gain, covariance[0])
        filtered.append((state, covariance))
        state, covariance = transition @ state, transition @ covariance @ transition.T + driven
    smoothed = [filtered[-1][0]]
    for (now, spread), (later, later_spread) in zip(filtered[-2::-1], ahead[:0:-1], strict=True):
        gain = spread @ transition.T @ np.linalg.inv(later_spread)
        smoothed.append(now + gain @ (smoothed[-1] - later))
    return np.array(smoothed[::-1]).T[:3]


def driven_by_white_noise(
    order: int, hz: float, rate: float, samples: int, noise: float
) -> np.ndarray:
    """Positions (N,) of the model that the smoother assumes, measured with ``noise``."""
    transition, driven = chain(order, 2 * np.pi * hz / rate)
    random = np.random.default_rng(order)
    pushes = random.standard_normal((samples, order)) @ np.linalg.cholesky(driven).T
    state, position = np.zeros(order), []
    for push in pushes:
        position.append(state[0])
        state = transition @ state + push
    return noise * (np.array(position) + random.standard_normal(samples))


def ramped_motion(rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Motion of two joints from rest to rest."""
    settings = FourierSettings(base_frequency=0.2, harmonics=5, periods=2, ramp=1.5, seed=4)
    limits = Limits(position=((-2.0, 2.0),), velocity=(3.0,), acceleration=(15.0,))
    excitation = build_excitation(settings, limits, ("j1", "j2"))
    time = np.arange(round((excitation.duration + 1.0) * rate)) / rate
    motion = excitation.evaluate(time - 0.5)
    return motion.position, motion.velocity, motion.acceleration


@pytest.mark.parametrize("order", [3, 6])
def test_agrees_with_the_textbook_recursion(order: int) -> None:
    rate, hz = 200.0, 8.0
    time = np.arange(500) / rate
    position = np.sin(2 * np.pi * time) + 1e-3 * np.random.default_rng(0).normal(size=500)
    smoother = KalmanSmoother(np.array([order]), np.array([hz]), np.array([1e-3]), rate, False)
    omega = 2 * np.pi * hz
    expected = textbook(position, order, omega / rate)
    found = np.array(smoother.motion(position[:, None]))[:, :, 0]
    found /= omega ** np.arange(3)[:, None]
    inner = slice(150, -150)  # the recursion does not extend the signal at its ends
    np.testing.assert_allclose(found[:, inner], expected[:, inner], atol=1e-5)


@pytest.mark.parametrize("noise", [1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("rate", [100.0, 1000.0])
def test_estimates_the_noise_and_is_better_than_a_fixed_low_pass(noise: float, rate: float) -> None:
    position, velocity, acceleration = ramped_motion(rate)
    measured = position + noise * np.random.default_rng(1).normal(size=position.shape)
    smoother = KalmanSmoother.tuned(measured, rate, periodic=False)
    np.testing.assert_allclose(smoother.standard_deviation, noise, rtol=0.15)
    _, found_velocity, found_acceleration = smoother.motion(measured)
    filtered = differentiate(low_pass(measured, 10.0, 4, rate), rate)
    for found, plain, true in (
        (found_velocity, filtered, velocity),
        (found_acceleration, differentiate(filtered, rate), acceleration),
    ):
        assert np.std(found - true) < np.std(plain - true)


# at 21 Hz with six integrators, the transient of the filter decides
@pytest.mark.parametrize(
    ("order", "hz"),
    [(order, hz) for order in (3, 4, 5, 6) for hz in (0.26, 2.0, 9.0, 21.0) if order * hz < 120],
)
def test_identifies_the_model_of_the_motion(order: int, hz: float) -> None:
    rate, noise = 100.0, 1e-3
    position = driven_by_white_noise(order, hz, rate, 4000, noise)[:, None]
    found = KalmanSmoother.tuned(position, rate, periodic=False)
    assert found.order[0] == order
    # 40 s are ω T N = 65 times the filter's time constant at 0.26 Hz: 1 / sqrt(65) = 12 %
    assert found.bandwidth_hz[0] == pytest.approx(hz, rel=0.2 if hz < 1.0 else 0.1)
    # the standard deviation of 4000 samples has an error of 1 / sqrt(8000) = 1.1 %
    assert found.standard_deviation[0] == pytest.approx(noise, rel=0.05)


def test_bandwidth_is_at_least_four_periods_of_a_short_recording() -> None:
    rate, samples = 100.0, 100
    noise = np.random.default_rng(6).normal(size=(samples, 1))
    found = KalmanSmoother.tuned(1e-3 * noise, rate, periodic=False)
    assert found.bandwidth_hz[0] * samples / rate >= 4.0 - 1e-9


def test_many_samples_of_slow_motion_are_smoothed_accurately() -> None:
    rate = 5000.0
    time = np.arange(60_000)[:, None] / rate
    omega = 2 * np.pi * 0.3
    smoother = KalmanSmoother(np.array([6]), np.array([2.0]), np.array([1e-6]), rate, False)
    position, velocity, acceleration = smoother.motion(np.sin(omega * time))
    inner = slice(25_000, -25_000)  # without transients
    passed = 1 / (1 + (0.3 / 2.0) ** 12)
    for found, true in (
        (position, np.sin(omega * time)),
        (velocity, omega * np.cos(omega * time)),
        (acceleration, -(omega**2) * np.sin(omega * time)),
    ):
        np.testing.assert_allclose(found[inner], passed * true[inner], atol=1e-6)


def test_a_period_is_smoothed_without_ends() -> None:
    rate, samples = 200.0, 1000
    time = np.arange(4 * samples)[:, None] / rate
    motion = np.sin(2 * np.pi * 0.4 * time) + 0.3 * np.cos(2 * np.pi * 1.2 * time)
    measured = motion + 1e-4 * np.random.default_rng(2).normal(size=motion.shape)
    signals = preprocess(recording_of(measured, rate), robot_of(1, period=5.0))
    assert len(signals.time) == samples
    omega = 2 * np.pi * np.array([0.4, 1.2])
    phase = omega * signals.time[:, None]
    true = -(omega[0] ** 2) * np.sin(phase[:, 0]) - 0.3 * omega[1] ** 2 * np.cos(phase[:, 1])
    # everywhere, also where the period joins
    np.testing.assert_allclose(signals.acceleration[:, 0], true, atol=0.1)


def test_notes_contain_noise_and_bandwidth() -> None:
    position, velocity, _ = ramped_motion(250.0)
    noise = 1e-4 * np.random.default_rng(3).normal(size=position.shape)
    robot = robot_of(2, cutoff_hz=5.0)
    signals = preprocess(recording_of(position + noise, 250.0), robot)
    assert np.std(signals.velocity - velocity) < 0.01 * np.std(velocity)
    assert any(note.startswith("The Kalman smoother estimated") for note in signals.notes)
    steps = dict(recording_steps(robot, (signals,), len(position)))
    assert "Kalman smoother" in steps["Filters"]
    assert "low-pass" not in steps["Filters"]
    assert "Kalman smoother" in steps["Velocity"]


def test_refuses_measured_velocity_and_too_few_samples() -> None:
    position = np.sin(np.arange(100)[:, None] / 10)
    with pytest.raises(PreprocessingError, match="use velocity 'differentiated'"):
        preprocess(recording_of(position, 100.0, position), robot_of(1, velocity="measured"))
    with pytest.raises(PreprocessingError, match="has 19 samples; at least 20"):
        KalmanSmoother.tuned(position[:19], 100.0, periodic=False)
    KalmanSmoother.tuned(position[:20], 100.0, periodic=False)


def test_a_joint_at_rest_stays_at_rest() -> None:
    position = np.full((400, 1), 0.7)
    found = KalmanSmoother.tuned(position, 100.0, periodic=False).motion(position)
    np.testing.assert_allclose(found[0], position, atol=1e-12)
    np.testing.assert_allclose(found[1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found[2], 0.0, atol=1e-12)
