"""Splines go through their points, are smooth, and their bounds are not far off."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.motions import ACCELERATION, POSITION, SPLINES, TIME, VELOCITY

from dynid.configuration import parse
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.limits import check_limits
from dynid.excitation.settings import SplineSettings
from dynid.excitation.spline import spline_through
from dynid.playback.trajectory import interpolate
from dynid.robot.limits import Limits

every = pytest.mark.parametrize("given", SPLINES)


@every
def test_goes_through_its_points_and_whatever_is_given_there(given: str) -> None:
    motion = SPLINES[given].evaluate(TIME - TIME[0])
    count = 1 + list(SPLINES).index(given)
    for made, wanted in list(zip(motion, (POSITION, VELOCITY, ACCELERATION), strict=True))[:count]:
        assert np.allclose(made, wanted, atol=1e-12)


@pytest.mark.parametrize(("given", "smooth"), [("positions", 4), ("velocities", 3)])
def test_derivatives_do_not_jump_between_pieces(given: str, smooth: int) -> None:
    spline = SPLINES[given]
    inner, tiny = TIME[1:-1] - TIME[0], 1e-9
    derivative = spline.polynomials.derivative(smooth)
    jump = np.abs(derivative(inner + tiny) - derivative(inner - tiny))
    steepest = np.abs(spline.polynomials.derivative(smooth + 1).c).max()
    assert np.all(jump <= 2 * tiny * steepest + 1e-9 * spline.derivative_bound(smooth))
    assert spline.breakpoints == (0.0, spline.duration)


def test_with_accelerations_it_is_what_a_trajectory_controller_makes_of_the_points() -> None:
    curve = interpolate(TIME - TIME[0], POSITION, VELOCITY, ACCELERATION)
    time = np.linspace(0.0, TIME[-1] - TIME[0], 1000)
    for ours, theirs in zip(
        SPLINES["accelerations"].evaluate(time), curve.motion(time), strict=True
    ):
        assert np.allclose(ours, theirs, atol=1e-9)
    assert np.allclose(SPLINES["accelerations"].breakpoints, TIME - TIME[0])


def test_two_points_make_the_quintic_step() -> None:
    motion = spline_through(np.array([0.0, 2.0]), np.array([[0.0], [1.0]])).evaluate([1.0])
    assert motion.position[0, 0] == pytest.approx(0.5)
    assert motion.velocity[0, 0] == pytest.approx(15 / 8 / 2)


@every
def test_bounds_of_derivatives_are_not_far_off(given: str) -> None:
    spline = SPLINES[given]
    time = np.linspace(0.0, spline.duration, 20001)
    for order in (1, 2, 3, 4):
        reached = np.abs(spline.polynomials.derivative(order)(time)).max(axis=0)
        bound = spline.derivative_bound(order)
        assert np.all(bound <= 4 * reached)


def test_the_highest_frequency_is_near_that_of_the_sine_it_follows() -> None:
    time = np.arange(0.0, 10.0, 0.05)
    envelope = np.sin(np.pi * time / time[-1]) ** 4
    spline = spline_through(time, (envelope * np.sin(2 * np.pi * 1.5 * time))[:, np.newaxis])
    assert spline.highest_frequency == pytest.approx(1.5, rel=0.2)


def test_a_spline_that_goes_beyond_its_waypoints_and_a_limit_is_refused() -> None:
    settings = SplineSettings(times=(0, 1, 2, 3), waypoints=((0,), (1,), (1,), (0,)))
    highest = build_excitation(settings, Limits(), ("axis",)).evaluate([1.5]).position[0, 0]
    assert highest > 1.05
    check_limits(build_excitation(settings, Limits(), ("axis",)), Limits(velocity=2.0), ("axis",))
    with pytest.raises(ExcitationError, match=r"joint 'axis': position reaches 1\.\d+ rad at"):
        build_excitation(settings, Limits(position=((-1.0, 1.05),)), ("axis",))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"times": [0, 1], "waypoints": [[0, 0]]}, "there are 1 waypoints for 2 times"),
        (
            {"times": [0, 2, 1], "waypoints": [[0], [1], [0]]},
            "times must increase by 0.001 s or more, but 1 comes after 2",
        ),
        ({"times": [0], "waypoints": [[0]]}, "key 'times': must have at least 2 values"),
        ({"times": [0, 1], "waypoints": [[0], ["up"]]}, "must be a number, got 'up'"),
        ({"times": [0, 1], "waypoints": [[0], [float("nan")]]}, "must be a finite number"),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(content: dict, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        parse(SplineSettings, content, "p.yaml")
