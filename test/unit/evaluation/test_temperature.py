"""Torque errors that go with temperature, and others that do not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.signal import lfilter
from support.swung_arm import limited_arm, swung
from support.synthetic import true_parameters

from dynid.dynamics.torque_parts import torque_of_kinds
from dynid.evaluation.error_blocks import Part, divide
from dynid.evaluation.temperature import CHANCE, temperature_effects
from dynid.recording.temperature import Temperature
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import SignalSettings

ROBOT = limited_arm()
MECHANISM = ROBOT.mechanism()
MECHANISM = MECHANISM.with_parameters(true_parameters(MECHANISM))
SETTINGS = ROBOT.settings(SignalSettings)
KINDS = {term.kind for term in MECHANISM.terms if term.traits.dissipative}
SLOPE = -0.02  # of friction, for each °C


@cache
def motion(duration=120.0):
    return preprocess(swung(ROBOT, duration=duration), ROBOT)


@cache
def friction(duration=120.0):
    one = motion(duration)
    return torque_of_kinds(MECHANISM, one.position, one.velocity, one.acceleration, KINDS)


def warmed(signals, celsius):
    """Return signals with a temperature (N,) of all joints, once a second and in steps of 0.1."""
    at = np.arange(signals.time[0], signals.time[-1], 1.0)
    values = np.round(np.interp(at, signals.time, celsius), 1)
    return replace(signals, temperature=Temperature(at, np.tile(values[:, None], (1, 3))))


def noise(generator, signals, correlated=1.0):
    """Noise (N, 3) of 0.1 N m with a correlation time [s]."""
    settled = round(3 * correlated * signals.sampling_rate)
    steps = generator.normal(size=(settled + len(signals.time), 3))
    pole = np.exp(-1 / (correlated * signals.sampling_rate))
    return 0.1 * lfilter([np.sqrt(1 - pole**2)], [1, -pole], steps, axis=0)[settled:]


def bent(time):
    """A temperature that rises and settles, with an interruption, as of a gear [°C]."""
    share = (time - time[0]) / (time[-1] - time[0])
    return 25 + 8 * (1 - np.exp(-4 * share)) - 4 * np.exp(-(((share - 0.6) / 0.08) ** 2))


def evaluated(signals, error):
    return temperature_effects([signals], [error], MECHANISM, SETTINGS)


@pytest.mark.parametrize("slope", [SLOPE, -SLOPE])
def test_finds_friction_that_goes_with_temperature(slope):
    signals = motion()
    celsius = bent(signals.time)
    change = slope * (celsius - celsius.mean())
    error = noise(np.random.default_rng(1), signals)
    error[:, 1] += change * friction()[:, 1]
    found = evaluated(warmed(signals, celsius), error)
    assert [one.friction.significant for one in found] == [False, True, False]
    effect = found[1].friction
    assert abs(effect.slope - slope) < effect.half_width < 0.5 * abs(slope)
    assert effect.beyond_time
    assert not any(one.offset.significant for one in found)
    assert (found[1].low, found[1].high) == pytest.approx((25, celsius.max()), abs=0.1)


def test_friction_in_proportion_to_a_temperature_that_varies_in_a_block_has_its_slope():
    signals = motion()
    celsius = bent(signals.time)
    error = np.zeros_like(friction())
    error[:, 1] = SLOPE * (celsius - celsius.mean()) * friction()[:, 1]
    every = Temperature(signals.time, np.tile(celsius[:, None], (1, 3)))
    found = evaluated(replace(signals, temperature=every), error)
    assert found[1].friction.slope == pytest.approx(SLOPE, rel=1e-6)


def test_a_change_of_friction_that_is_extrapolated_out_of_its_block_is_not_used():
    time = np.arange(0, 120, 0.01)[:, None]
    in_block = time % 3.0
    nearly_constant = np.where(time < 60, 1 + 0.2 * in_block, np.sign(1.5 - in_block))
    part = Part(time[:, 0], 25 + time / 12, 0 * time, nearly_constant, time, time)
    found = divide([part], 0)
    used = found.friction_weight > 0
    np.testing.assert_array_equal(used, found.time > 60)
    assert (np.abs(found.moving_time - found.time)[used] < 1.5).all()


def test_finds_a_torque_offset_that_goes_with_temperature():
    signals = motion()
    celsius = bent(signals.time)
    error = noise(np.random.default_rng(2), signals)
    error[:, 2] += 0.1 * celsius
    found = evaluated(warmed(signals, celsius), error)
    assert [one.offset.significant for one in found] == [False, False, True]
    assert abs(found[2].offset.slope - 0.1) < found[2].offset.half_width
    assert not any(one.friction.significant for one in found)


def test_a_steady_rise_cannot_be_separated_from_time():
    signals = motion()
    celsius = 25 + 0.08 * (signals.time - signals.time[0])
    error = noise(np.random.default_rng(3), signals)
    error[:, 0] += SLOPE * (celsius - celsius.mean()) * friction()[:, 0]
    effect = evaluated(warmed(signals, celsius), error)[0].friction
    assert effect.significant
    assert not effect.beyond_time


@pytest.mark.thorough
def test_effects_by_chance_are_rare():
    """Noise of correlation 0.5 s to 10 s beside rising temperatures, a different one each time."""
    signals = motion()
    false = 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        shape = generator.choice([0.2, 1.0, 3.0])
        share = (signals.time - signals.time[0]) / signals.time[-1]
        celsius = 25 + 10 * share**shape
        error = noise(generator, signals, correlated=generator.choice([0.5, 3.0, 10.0]))
        found = evaluated(warmed(signals, celsius), error)
        false += any(one.friction.significant or one.offset.significant for one in found)
    # more than this has a chance of 3e-4 (binomial)
    assert false <= 60 * CHANCE + 5 * np.sqrt(60 * CHANCE)


def test_a_difference_between_recordings_is_no_effect_of_temperature():
    """Friction of two days differs; each day has its own constant temperature."""
    signals = motion()
    parts, errors = [], []
    for day, sign in enumerate((-1, 1)):
        generator = np.random.default_rng(day)
        celsius = 25 + 6 * sign + bent(signals.time) - bent(signals.time).mean()
        parts.append(warmed(signals, celsius))
        errors.append(noise(generator, signals) + 0.2 * sign * friction())
    found = temperature_effects(parts, errors, MECHANISM, SETTINGS)
    assert not any(one.friction.significant or one.offset.significant for one in found)


def test_says_why_nothing_is_estimated():
    signals = motion()
    error = noise(np.random.default_rng(4), signals)
    assert evaluated(signals, error) == ()
    constant = evaluated(warmed(signals, np.full(len(signals.time), 30.0)), error)
    assert {one.problem for one in constant} == {"changed by less than 1 °C within a recording"}
    assert (constant[0].low, constant[0].high) == (30.0, 30.0)
    heat = warmed(signals, bent(signals.time)).temperature
    celsius = heat.celsius.copy()
    celsius[:, 0] = np.nan
    partly = replace(signals, temperature=Temperature(heat.time, celsius))
    found = evaluated(partly, error)
    assert [one.problem for one in found] == ["not measured", "", ""]
    short = motion(15.0)
    found = evaluated(warmed(short, bent(short.time)), noise(np.random.default_rng(5), short))
    assert {one.problem for one in found} == {"recordings are shorter than 20 s"}


def test_a_joint_at_rest_has_no_friction_to_change():
    signals = motion()
    still = signals.velocity.copy()
    still[:, 1] = 0.0
    signals = replace(signals, velocity=still)
    error = noise(np.random.default_rng(6), signals)
    found = evaluated(warmed(signals, bent(signals.time)), error)
    assert found[1].friction is None
    assert found[1].offset is not None
