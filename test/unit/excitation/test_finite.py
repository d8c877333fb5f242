"""Nothing that is not a finite number passes as a kept limit."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.walled_arm import JOINTS, walled, walled_robot

from dynid.errors import DynidError, ExcitationError
from dynid.excitation.build import build_excitation, described_excitation
from dynid.excitation.checks import check_motion, examine_motion
from dynid.excitation.limit_use import limit_use
from dynid.excitation.limits import check_limits, check_rest
from dynid.excitation.motion import Motion
from dynid.excitation.settings import FourierSettings, SineSettings, SplineSettings
from dynid.excitation.spline import SplineExcitation, spline_through
from dynid.robot.limits import Limits

ROBOT = walled_robot(self_collision=True)
MECHANISM = ROBOT.mechanism()
LARGEST = st.sampled_from([1e308, -1e308, 1e300, 1e200, 1e160])


def at(value: float) -> tuple[float, ...]:
    return (0.0, 0.0, value, 0.0)


def spline(value: float) -> SplineSettings:
    return SplineSettings(times=(0, 1, 2), waypoints=(at(0), at(value), at(0)))


def broken_spline(value: float) -> SplineExcitation:
    """A spline of which one coefficient is a given value, unseen by what builds excitations."""
    motion = spline_through(np.arange(3.0), np.array([at(0), at(0.1), at(0)]))
    motion.polynomials.c[2, 1, 2] = value
    return motion


@given(LARGEST)
def test_a_waypoint_that_a_spline_cannot_be_computed_of_is_refused(value: float) -> None:
    with pytest.raises(ExcitationError):
        check_motion(
            described_excitation(spline(value), ROBOT.limits, JOINTS),
            ROBOT.limits,
            MECHANISM,
            walled(self_collision=True),
        )


def test_the_refusal_names_the_joint() -> None:
    with pytest.raises(ExcitationError, match=r"joint 'elbow': the velocity of the motion is not"):
        described_excitation(spline(1e308), ROBOT.limits, JOINTS)


@pytest.mark.parametrize(
    "settings",
    [
        SineSettings(start=at(0), target=at(1e308), frequency=1.0, duration=3),
        SineSettings(start=at(0), target=at(1), frequency=1e200, duration=3),
        SineSettings(start=at(0), target=at(1), frequency=1.0, duration=1e300),
        FourierSettings(harmonics=1, sine=[[1e308]] * 4, cosine=[[1e308]] * 4),
        FourierSettings(base_frequency=1e-308),
        SplineSettings(times=(0, 1, 1e300), waypoints=(at(0), at(1), at(0))),
    ],
    ids=lambda settings: settings.type,
)
def test_numbers_that_overflow_are_refused_in_a_sentence(settings) -> None:
    with pytest.raises(ExcitationError, match=r"; .*\.$"):
        described_excitation(settings, ROBOT.limits, JOINTS)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("limits", [ROBOT.limits, Limits()])
def test_a_motion_that_is_not_finite_is_a_violation_whatever_the_limits(value, limits) -> None:
    check = examine_motion(broken_spline(value), limits, MECHANISM, walled())
    assert check.violation is not None


@pytest.mark.parametrize(
    "limits",
    [Limits(position=((-3.0, 3.0),)), Limits(velocity=(9.0,)), Limits(acceleration=(99.0,))],
    ids=["position", "velocity", "acceleration"],
)
def test_a_limit_is_not_kept_by_what_is_not_a_number(limits: Limits) -> None:
    with pytest.raises(ExcitationError, match=r"joint 'elbow': .* is not a finite number"):
        check_limits(broken_spline(np.nan), limits, JOINTS)


def test_no_rest_is_found_where_the_end_is_not_a_number() -> None:
    motion = broken_spline(0.0)
    motion.polynomials.c[5, 1, 2] = np.nan
    with pytest.raises(ExcitationError, match="joint 'elbow': velocity is"):
        check_rest(motion, JOINTS)


def test_a_margin_that_is_not_a_number_counts_as_a_violation_from_then_on() -> None:
    time = np.arange(4.0)
    values = np.array([0.0, np.nan, 0.5, 0.0])
    use = limit_use(("torque", "joint 'a'", "N m"), time, values, 1.0, values - 1.0)
    assert use.passed == 1.0
    assert "not a finite number" in use.sentence()


def test_torque_that_overflows_is_a_violation() -> None:
    # of finite accelerations, but of squared velocities that are not
    settings = SineSettings(start=at(0), target=at(1e160), frequency=1.0, duration=3)
    motion = described_excitation(settings, Limits(), JOINTS)
    check = examine_motion(motion, Limits(torque_max=(1.0,)), MECHANISM, walled())
    assert check.violation is not None


@pytest.mark.thorough
def test_a_proof_that_cannot_end_is_a_violation() -> None:
    settings = SineSettings(start=at(0), target=at(1e9), frequency=1.0, duration=3)
    motion = described_excitation(settings, Limits(), JOINTS)
    far = walled(planes={"far": {"point": [0.0, 3.0, 0.0], "normal": [0.0, -1.0, 0.0]}})
    check = examine_motion(motion, Limits(), MECHANISM, far)
    assert check.violation is not None
    assert "cannot be proven" in check.violation


def test_margins_of_positions_that_are_not_finite_are_not_kept() -> None:
    workspace = walled(
        self_collision=True, tool_speed=1.0, tool_box={"low": [-9, -9, -9], "high": [9, 9, 9]}
    )
    position = np.array([at(np.nan), at(np.inf)])
    still = np.zeros_like(position)
    with np.errstate(invalid="ignore"):
        margins = workspace.margins(Motion(position, position, still))
    assert not (margins >= 0).any()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (FourierSettings(base_frequency=1e-9, ramp=1e9, span=1.0), "DYNID_MAX_MOTION_SECONDS"),
        (FourierSettings(base_frequency=1e-9, ramp=0.0, span=1.0), "lasts 3e.09 s, but at most"),
        (FourierSettings(harmonics=10**9, span=1.0), "DYNID_MAX_MOTION_COEFFICIENTS"),
        (FourierSettings(harmonics=10**30, span=1.0), "DYNID_MAX_MOTION_COEFFICIENTS"),
        (FourierSettings(periods=10**30, span=1.0), "lasts 1e.31 s"),
        (FourierSettings(harmonics=500, periods=300, span=1.0), "DYNID_MAX_MOTION_NUMBERS"),
        (SineSettings(start=at(0), target=at(1), frequency=1, duration=1e7), "MOTION_SECONDS"),
        (SineSettings(start=at(0), target=at(1), frequency=1e5, duration=9), "MOTION_NUMBERS"),
    ],
)
def test_sizes_are_checked_before_memory_is_taken(settings, sentence) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(DynidError, match=sentence):
            build_excitation(settings, Limits(), JOINTS)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10_000_000
