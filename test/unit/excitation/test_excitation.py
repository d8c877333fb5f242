"""Excitations are what their settings describe, and within limits at every instant."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.motions import FOURIER, JOINTS, LIMITS, SINE
from support.representatives import representatives

from dynid.configuration import Settings, parse
from dynid.errors import ConfigurationError, DynidError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.limits import check_limits, sample_peaks
from dynid.excitation.ramp import Ramp
from dynid.excitation.settings import (
    ExcitationSettings,
    FourierSettings,
    SineSettings,
    SplineSettings,
)
from dynid.excitation.sine import SineExcitation
from dynid.robot.limits import Limits


class Group(Settings):
    excitation: ExcitationSettings


FREE = Limits()


def fourier(**changes: object) -> FourierExcitation:
    excitation = build_excitation(FOURIER.model_copy(update=changes), LIMITS, JOINTS)
    assert isinstance(excitation, FourierExcitation)
    return excitation


def sine(**changes: object) -> SineExcitation:
    excitation = build_excitation(SINE.model_copy(update=changes), LIMITS, JOINTS)
    assert isinstance(excitation, SineExcitation)
    return excitation


def test_bounds_of_a_single_harmonic_are_its_amplitudes() -> None:
    excitation = FourierExcitation(
        np.zeros(1), np.array([[0.3]]), np.array([[0.4]]), 0.5, Ramp(0.0, 2.0)
    )
    for order in (1, 2, 3, 4):
        assert excitation.derivative_bound(order)[0] == pytest.approx(0.5 * np.pi ** (order - 1))


def test_bounds_on_a_ramp_follow_leibniz_rule() -> None:
    # (s p)'' = s'' p + 2 s' p' + s p'', with |s'| <= 15 / 8 / rise
    only_speed = [np.array([value]) for value in (0.0, 1.0, 0.0)]
    assert Ramp(0.5, 4.0).derivative_bound(2, only_speed)[0] == pytest.approx(2 * 15 / 8 / 0.5)


def test_fourier_repeats_between_its_ramps() -> None:
    excitation = fourier(periods=3)
    time = np.linspace(1.5, 1.5 + 2 * excitation.period, 300)
    first, next_ = excitation.evaluate(time), excitation.evaluate(time + excitation.period)
    for one, other in zip(first, next_, strict=True):
        assert np.allclose(one, other, atol=1e-12)


def test_sine_is_softmcs_wave_between_its_ramps() -> None:
    excitation = sine()
    time = np.linspace(0.0, 20.0, 200)[:, np.newaxis]
    start, target = np.array(SINE.start), np.array(SINE.target)
    wave = start + (target - start) / 2 * (1 - np.cos(2 * np.pi * time * SINE.frequency))
    assert np.allclose(excitation.evaluate(time[:, 0] + SINE.ramp).position, wave, atol=1e-12)


@pytest.mark.parametrize("seed", representatives([*range(50)], 25))
def test_random_motion_keeps_its_limits_at_finer_sampling(seed: int) -> None:
    excitation = fourier(seed=seed, harmonics=1 + seed % 7, ramp=(0.3, 1.5)[seed % 2])
    time = np.linspace(0.0, excitation.duration, 10 * len(sample_peaks(excitation).time))
    motion = excitation.evaluate(time)
    margin = FOURIER.margin
    middle, half = np.array([-0.5, 0.0, 0.0]), np.array([1.5, 1.5, 3.0])
    used = np.array(
        [
            np.max(np.abs(motion.position - middle), axis=0) / half,
            np.max(np.abs(motion.velocity), axis=0) / LIMITS.velocity,
            np.max(np.abs(motion.acceleration), axis=0) / LIMITS.acceleration,
        ]
    )
    assert np.all(used <= margin)
    # the proof between samples costs little: one limit of every joint is nearly used up
    assert np.all(used.max(axis=0) > 0.97 * margin)


def test_the_same_seed_gives_the_same_motion_and_another_seed_another() -> None:
    time = np.linspace(0.0, 5.0, 50)
    first = fourier().evaluate(time).position
    assert np.array_equal(first, fourier().evaluate(time).position)
    assert not np.allclose(first, fourier(seed=4).evaluate(time).position)


def test_span_keeps_the_motion_near_its_centre() -> None:
    excitation = fourier(centre=(0.2,), span=(0.1,))
    position = excitation.evaluate(np.linspace(0.0, excitation.duration, 5000)).position
    assert np.all(np.abs(position - 0.2) <= 0.1)


def test_given_coefficients_are_taken_as_they_are() -> None:
    settings = FourierSettings(
        base_frequency=0.25, harmonics=1, periods=1, ramp=0.5, sine=((0.3,),), cosine=((0.0,),)
    )
    excitation = build_excitation(settings, FREE, ("axis",))
    quarter = excitation.evaluate([0.5 + 1.0])  # sin(pi / 2) / w
    assert quarter.position[0, 0] == pytest.approx(0.3 / (2 * np.pi * 0.25))
    assert excitation.duration == pytest.approx(5.0)
    assert excitation.highest_frequency == 0.25


def test_needs_no_ramp_where_the_coefficients_start_at_rest() -> None:
    # sum of a is 0: no velocity; sum of l b is 0: no acceleration
    settings = FourierSettings(
        base_frequency=0.2,
        harmonics=2,
        periods=1,
        ramp=0.0,
        sine=((0.4, -0.4),),
        cosine=((0.2, -0.1),),
    )
    excitation = build_excitation(settings, FREE, ("axis",))
    assert np.allclose(excitation.evaluate([0.0]).velocity, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (
            Limits(position=((-1, 1), (-1, 1), (-1, 0.9))),
            r"position reaches 1 rad at \d+\.\d+ s, 0\.1 rad beyond its limit of 0\.9 rad",
        ),
        (
            Limits(velocity=(9, 0.2, 9)),
            r"joint 'elbow': velocity reaches 0\.3267 rad/s at 3\.420 s, 0\.13 rad/s beyond "
            r"its limit of 0\.2 rad/s, which it passes at 2\.310 s",
        ),
        (
            Limits(acceleration=(0.1, 9, 9)),
            r"joint 'shoulder': acceleration reaches 0\.3001 rad/s\^2 at 0\.158 s, 0\.2 rad/s\^2 "
            r"beyond its limit of 0\.1 rad/s\^2, which it passes at 0\.030 s",
        ),
    ],
)
def test_a_violation_names_joint_time_and_amount(limits: Limits, sentence: str) -> None:
    with pytest.raises(ExcitationError, match=sentence):
        build_excitation(SINE, limits, JOINTS)


@pytest.mark.parametrize(
    ("settings", "limits", "sentence"),
    [
        (
            FourierSettings(harmonics=1, ramp=0.0, sine=((0.4,),) * 3, cosine=((0.0,),) * 3),
            FREE,
            "joint 'shoulder': velocity is 0.4 at the start of the motion instead of 0",
        ),
        (
            FOURIER.model_copy(update={"centre": (0.95, 0.0, 0.0)}),
            LIMITS,
            "joint 'shoulder': the excitation's centre 0.95 is outside the part",
        ),
        (FOURIER, FREE, "need 'span' or a limit"),
        (
            SINE.model_copy(update={"target": (0.1, 0.2)}),
            LIMITS,
            "'target' has 2 values, expected 1 or 3",
        ),
        (
            FourierSettings(harmonics=1, sine=((0.4,),), cosine=((0.0,),)),
            LIMITS,
            "'sine' has 1 rows, expected 3",
        ),
        (
            SplineSettings(times=(0, 1), waypoints=((0, 0, 0), (1, 1))),
            FREE,
            "waypoint 2 has 2 positions, expected 3",
        ),
    ],
    ids=["in motion", "no room", "unbounded", "values", "rows", "waypoints"],
)
def test_refuses_what_is_no_motion_of_the_joints(settings, limits: Limits, sentence: str) -> None:
    with pytest.raises(DynidError, match=re.escape(sentence)):
        build_excitation(settings, limits, JOINTS)


def test_messages_on_a_prismatic_joint_are_in_metres() -> None:
    with pytest.raises(ExcitationError, match=r"joint 'wrist': velocity reaches \S+ m/s at"):
        build_excitation(SINE, Limits(velocity=(9, 9, 0.1)), JOINTS, prismatic=("wrist",))


def test_keeps_limits_that_it_just_reaches() -> None:
    excitation = sine()
    peaks = sample_peaks(excitation)
    sampled = np.max(np.abs(peaks.motion.velocity), axis=0)
    check_limits(excitation, Limits(velocity=tuple(sampled + peaks.slack[1])), JOINTS)
    between = tuple(sampled + peaks.slack[1] / 2)  # perhaps exceeded between the samples
    with pytest.raises(ExcitationError, match="velocity"):
        check_limits(excitation, Limits(velocity=between), JOINTS)


def test_one_limit_stands_for_every_joint() -> None:
    excitation = build_excitation(FOURIER, Limits(velocity=1.2), JOINTS)
    velocity = excitation.evaluate(np.linspace(0, excitation.duration, 5000)).velocity
    assert np.all(np.max(np.abs(velocity), axis=0) < 1.2)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            {"type": "chirp"},
            "p.yaml: key 'excitation': type must be fourier, sine, spline or trajectory",
        ),
        ({"harmonic": 3}, "unknown key 'excitation.harmonic'; did you mean 'harmonics'"),
        ({"type": "sine"}, "key 'excitation.start' is missing"),
        ({"sine": [[0.1] * 5]}, "'sine' and 'cosine' coefficients must be given together"),
        (
            {"harmonics": 2, "sine": [[0.1]], "cosine": [[0.1]]},
            "'sine' has a row of 1 coefficients, expected 2",
        ),
        ({"margin": 1.5}, "margin"),
        ({"base_frequency": 0}, "base_frequency"),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(content: dict, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        parse(Group, {"excitation": content}, "p.yaml")


def test_settings_are_read_by_their_type() -> None:
    content = {"type": "sine", "start": 0, "target": 1, "frequency": 0.5, "duration": 10}
    assert isinstance(parse(Group, {"excitation": content}, "p.yaml").excitation, SineSettings)
    fourier = parse(Group, {"excitation": {}}, "p.yaml")
    assert isinstance(fourier.excitation, FourierSettings)
