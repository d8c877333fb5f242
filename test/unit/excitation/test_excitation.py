"""Excitations move smoothly from rest to rest, and within limits at every instant."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.representatives import representatives

from dynid.configuration import Settings, parse
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.limits import check_limits, sample_peaks
from dynid.excitation.ramp import Ramp
from dynid.excitation.settings import ExcitationSettings, FourierSettings, SineSettings
from dynid.excitation.sine import SineExcitation
from dynid.robot.limits import Limits


class Group(Settings):
    excitation: ExcitationSettings


JOINTS = ("shoulder", "elbow", "wrist")
LIMITS = Limits(
    position=((-2.0, 1.0), (-1.5, 1.5), (-3.0, 3.0)),
    velocity=(1.5, 2.0, 3.0),
    acceleration=(6.0, 8.0, 20.0),
)
FREE = Limits()

SINE = SineSettings(
    start=(-0.5, 0.0, 1.0),
    target=(0.5, 0.8, -1.0),
    frequency=(0.11, 0.13, 0.15),
    duration=20.0,
    ramp=1.5,
)
FOURIER = FourierSettings(base_frequency=0.2, harmonics=4, periods=2, ramp=1.5, seed=3)


def fourier(**changes: object) -> FourierExcitation:
    excitation = build_excitation(FOURIER.model_copy(update=changes), LIMITS, JOINTS)
    assert isinstance(excitation, FourierExcitation)
    return excitation


def sine(**changes: object) -> SineExcitation:
    excitation = build_excitation(SINE.model_copy(update=changes), LIMITS, JOINTS)
    assert isinstance(excitation, SineExcitation)
    return excitation


both = pytest.mark.parametrize("build", [fourier, sine])


@both
def test_velocity_and_acceleration_are_derivatives_of_position(build) -> None:
    excitation = build()
    step = 1e-5
    time = np.random.default_rng(0).uniform(step, excitation.duration - step, 500)
    before, here, after = (excitation.evaluate(time + shift) for shift in (-step, 0.0, step))
    velocity = (after.position - before.position) / (2 * step)
    acceleration = (after.velocity - before.velocity) / (2 * step)
    # a central difference errs by step^2 / 6 times the third derivative, and by rounding / step
    third, fourth = (excitation.derivative_bound(order) for order in (3, 4))
    assert np.all(np.abs(velocity - here.velocity) < step**2 * third / 6 + 1e-10)
    assert np.all(np.abs(acceleration - here.acceleration) < step**2 * fourth / 6 + 1e-10)


@both
def test_starts_and_ends_at_rest_where_it_began(build) -> None:
    excitation = build()
    ends = excitation.evaluate([0.0, excitation.duration])
    assert np.allclose(ends.velocity, 0.0, atol=1e-12)
    assert np.allclose(ends.acceleration, 0.0, atol=1e-12)
    assert np.allclose(ends.position[0], ends.position[1], atol=1e-12)


@both
def test_rests_before_its_start_and_after_its_end(build) -> None:
    excitation = build()
    motion = excitation.evaluate([-3.0, excitation.duration + 3.0])
    assert not motion.velocity.any()
    assert not motion.acceleration.any()
    assert np.allclose(motion.position, excitation.evaluate([0.0]).position)


@both
def test_acceleration_does_not_jump_where_ramps_begin_and_end(build) -> None:
    excitation = build()
    tiny = 1e-9
    for point in excitation.breakpoints:
        sides = excitation.evaluate([point - tiny, point + tiny])
        bound = 2 * tiny * excitation.derivative_bound(3) + 1e-12
        assert np.all(np.abs(np.diff(sides.acceleration, axis=0)) <= bound)


@both
def test_bounds_of_derivatives_hold(build) -> None:
    excitation = build()
    time = np.linspace(0.0, excitation.duration, 40001)
    step = time[1]
    motion = excitation.evaluate(time)
    jerk = np.diff(motion.acceleration, axis=0) / step
    sizes = (motion.velocity, motion.acceleration, jerk)
    for order, values in enumerate(sizes, start=1):
        assert np.all(np.abs(values) <= excitation.derivative_bound(order) * (1 + 1e-9))


def test_the_fourth_derivative_is_bounded_between_breakpoints() -> None:
    excitation = fourier()
    for start, stop in zip(excitation.breakpoints, excitation.breakpoints[1:], strict=False):
        time = np.linspace(start, stop, 2001)
        acceleration = excitation.evaluate(time).acceleration
        snap = np.diff(acceleration, 2, axis=0) / (time[1] - time[0]) ** 2
        assert np.all(np.abs(snap) <= excitation.derivative_bound(4) * (1 + 1e-4))


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


def test_peaks_between_samples_are_covered() -> None:
    excitation = sine(frequency=(0.113, 0.1377, 0.1513))
    peaks = sample_peaks(excitation)
    amplitude = np.abs(np.array(SINE.target) - SINE.start) / 2
    true = amplitude * (2 * np.pi * excitation.frequency)
    sampled = np.max(np.abs(peaks.motion.velocity), axis=0)
    assert np.all(sampled + peaks.slack[1] >= true)
    assert np.all(peaks.slack[1] < 0.01 * true)


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


def test_refuses_a_start_in_motion() -> None:
    settings = FourierSettings(harmonics=1, ramp=0.0, sine=((0.4,),), cosine=((0.0,),))
    sentence = "joint 'axis': velocity is 0.4 at the start of the motion instead of 0"
    with pytest.raises(ExcitationError, match=re.escape(sentence)):
        build_excitation(settings, FREE, ("axis",))


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


def test_refuses_a_centre_without_room() -> None:
    sentence = r"joint 'shoulder': the excitation's centre 0.95 is outside the part"
    with pytest.raises(ExcitationError, match=sentence):
        fourier(centre=(0.95, 0.0, 0.0))


def test_refuses_random_coefficients_that_nothing_bounds() -> None:
    with pytest.raises(ConfigurationError, match="need 'span' or a limit"):
        build_excitation(FOURIER, FREE, JOINTS)


def test_refuses_a_wrong_number_of_values() -> None:
    with pytest.raises(ConfigurationError, match="'target' has 2 values, expected 1 or 3"):
        sine(target=(0.1, 0.2))


def test_refuses_a_wrong_number_of_coefficient_rows() -> None:
    settings = FourierSettings(harmonics=1, sine=((0.4,),), cosine=((0.0,),))
    with pytest.raises(ConfigurationError, match="'sine' has 1 rows, expected 3"):
        build_excitation(settings, LIMITS, JOINTS)


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
