"""Every kind of motion goes smoothly from rest to rest, and the bounds on its derivatives hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from support.motions import FOURIER, JOINTS, LIMITS, POSITION, SINE, SPLINES

from dynid.excitation.build import build_excitation
from dynid.excitation.limits import sample_peaks
from dynid.excitation.motion import Excitation
from dynid.playback.motions import point_to_point

MOTIONS: dict[str, Excitation] = {
    "fourier": build_excitation(FOURIER, LIMITS, JOINTS),
    "sine": build_excitation(SINE, LIMITS, JOINTS),
    "spline of positions": SPLINES["positions"],
    "spline of velocities": SPLINES["velocities"],
    "spline of accelerations": SPLINES["accelerations"],
    "point to point": point_to_point(POSITION[0], POSITION[1], LIMITS, 1.0),
}
every_kind = pytest.mark.parametrize("motion", MOTIONS.values(), ids=MOTIONS)


@every_kind
def test_velocity_and_acceleration_are_derivatives_of_position(motion: Excitation) -> None:
    step = 1e-5
    time = np.random.default_rng(0).uniform(step, motion.duration - step, 500)
    apart = np.abs(time[:, np.newaxis] - motion.breakpoints).min(axis=1)
    time = time[apart > step]
    before, here, after = (motion.evaluate(time + shift) for shift in (-step, 0.0, step))
    velocity = (after.position - before.position) / (2 * step)
    acceleration = (after.velocity - before.velocity) / (2 * step)
    # a central difference errs by step^2 / 6 times the third derivative, and by rounding / step
    third, fourth = (motion.derivative_bound(order) for order in (3, 4))
    assert np.all(np.abs(velocity - here.velocity) < step**2 * third / 6 + 1e-9)
    assert np.all(np.abs(acceleration - here.acceleration) < step**2 * fourth / 6 + 1e-9)


@every_kind
def test_rests_until_its_start_and_from_its_end_on(motion: Excitation) -> None:
    end = motion.duration
    position, *others = motion.evaluate([-3.0, 0.0, end, end + 3.0])
    np.testing.assert_allclose(others, 0.0, atol=1e-12)
    np.testing.assert_array_equal(position[[0, -1]], position[[1, -2]])


@every_kind
def test_acceleration_does_not_jump_at_breakpoints(motion: Excitation) -> None:
    tiny = 1e-9
    for point in motion.breakpoints:
        sides = motion.evaluate([point - tiny, point + tiny])
        bound = 2 * tiny * motion.derivative_bound(3) + 1e-12
        assert np.all(np.abs(np.diff(sides.acceleration, axis=0)) <= bound)


@every_kind
def test_bounds_of_derivatives_hold_between_breakpoints(motion: Excitation) -> None:
    for start, stop in pairwise(motion.breakpoints):
        time, step = np.linspace(start, stop, 2001, retstep=True)
        _, velocity, acceleration = motion.evaluate(time)
        jerk = np.diff(acceleration, axis=0) / step
        snap = np.diff(acceleration, 2, axis=0) / step**2
        for order, values in enumerate((velocity, acceleration, jerk, snap), start=1):
            bound = motion.derivative_bound(order) * (1 + 1e-4) + 1e-9
            assert np.all(np.abs(values) <= bound)


@every_kind
def test_peaks_between_samples_are_covered(motion: Excitation) -> None:
    peaks = sample_peaks(motion)
    fine = motion.evaluate(np.linspace(0.0, motion.duration, 10 * len(peaks.time)))
    for sampled, slack, finer in zip(peaks.motion, peaks.slack, fine, strict=True):
        assert np.all(finer.max(axis=0) <= sampled.max(axis=0) + slack)
        assert np.all(slack <= 1e-2 * np.ptp(sampled, axis=0))
