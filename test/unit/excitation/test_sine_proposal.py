"""Proposed sines use the limits, repeat late, and are what a profile may play."""

from __future__ import annotations

import re

import numpy as np
import pytest
from rich.console import Console

from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.limits import sample_peaks
from dynid.excitation.settings import FourierSettings, SineSettings
from dynid.excitation.sine_proposal import propose_sine
from dynid.excitation.workspace.workspace import Workspace
from dynid.playback.plan import make_plan
from dynid.profile import RobotProfile, load_profile
from dynid.report.terminal.sine import print_sine, sine_repetition, sine_rows
from dynid.robot.limits import Limits

ROBOTS = ("puma560", "scara", "ur10", "yumi_arm", "delta_3", "palletiser", "axis_linear_tilted")


def robot(name: str, **changes: object) -> tuple[RobotProfile, object]:
    profile, urdf_xml = load_profile(name)
    return profile.model_copy(update=changes), profile.mechanism(urdf_xml)


def shares(profile: RobotProfile, settings: SineSettings) -> np.ndarray:
    """What each joint uses of its velocity and its acceleration limit (2, n)."""
    peaks = sample_peaks(build_excitation(settings, profile.limits, profile.joints)).motion
    allowed = (profile.limits.velocity or np.inf, profile.limits.acceleration or np.inf)
    return np.array(
        [
            np.abs(values).max(axis=0) / limit
            for values, limit in zip(peaks[1:], allowed, strict=True)
        ]
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_a_proposal_keeps_the_limits_and_uses_them(name: str) -> None:
    profile, mechanism = robot(name)
    used = shares(profile, propose_sine(profile, mechanism)).max(axis=0)
    assert np.all(used <= 0.9)
    assert np.all(used >= 0.75 * 0.9 * 0.99)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_proposal_does_not_repeat_early(name: str) -> None:
    profile, mechanism = robot(name)
    found = sine_repetition(propose_sine(profile, mechanism), profile.joints)
    assert found.good
    assert min(found.cycles) >= 3 - 1e-4


def test_joints_swing_less_far_where_bodies_would_touch() -> None:
    profile, urdf_xml = load_profile("ur10")
    mechanism = profile.mechanism(urdf_xml)
    workspace = Workspace(profile, urdf_xml, mechanism)
    free, clear = (propose_sine(profile, mechanism, workspace=w) for w in (None, workspace))
    way = np.abs(np.subtract(clear.target, clear.start)) / np.subtract(free.target, free.start)
    assert np.allclose(way, way[0], rtol=1e-4)
    assert 0.3 <= way[0] < 1
    with pytest.raises(ExcitationError, match="distance reaches"):
        make_plan(profile.model_copy(update={"excitation": free}), urdf_xml)
    make_plan(profile.model_copy(update={"excitation": clear}), urdf_xml)


def test_it_lasts_as_long_as_is_asked_for() -> None:
    profile, mechanism = robot("scara")
    settings = propose_sine(profile, mechanism, duration=20.0)
    excitation = build_excitation(settings, profile.limits, profile.joints)
    assert excitation.duration == pytest.approx(20.0)


def test_it_swings_about_the_profiles_centre_by_its_span() -> None:
    profile, mechanism = robot("ur10")
    settings = propose_sine(profile, mechanism)
    middle = (np.array(settings.start) + settings.target) / 2
    assert np.allclose(middle, profile.excitation.centre, atol=1e-6)
    assert np.allclose(np.subtract(settings.target, settings.start), 2.4, rtol=2e-3)


def test_start_and_target_of_a_profile_with_sines_are_kept() -> None:
    given = SineSettings(start=(0.5, 0.2), target=(-0.5, 1.0), frequency=1, duration=9)
    profile, mechanism = robot("scara_2r", excitation=given)
    settings = propose_sine(profile, mechanism)
    assert np.allclose(settings.start, given.start, atol=1e-3)
    assert np.allclose(settings.target, given.target, atol=1e-3)


def test_torque_limits_slow_all_joints_down() -> None:
    profile, mechanism = robot("scara_2r")
    free = propose_sine(profile, mechanism)
    peaks = sample_peaks(build_excitation(free, profile.limits, profile.joints)).motion
    taken = np.abs(mechanism.torque(*peaks, mechanism.parameters)).max(axis=0)
    weak = profile.limits.model_copy(update={"torque_max": tuple(taken / 2)})
    slowed = propose_sine(profile.model_copy(update={"limits": weak}), mechanism)
    assert np.all(np.array(slowed.frequency) < free.frequency)
    peaks = sample_peaks(build_excitation(slowed, weak, profile.joints)).motion
    share = np.abs(mechanism.torque(*peaks, mechanism.parameters)).max(axis=0) / weak.torque_max
    assert 0.6 < share.max() <= 0.905


def test_refuses_where_gravity_alone_takes_too_much() -> None:
    profile, mechanism = robot("puma560")
    weak = profile.limits.model_copy(update={"torque_max": (97.6, 10, 89.4, 24.2, 20.1, 21.3)})
    with pytest.raises(ExcitationError, match=r"joint 'joint_2': at 20% of its speed it still"):
        propose_sine(profile.model_copy(update={"limits": weak}), mechanism)


def test_refuses_a_time_too_short_and_says_what_is_enough() -> None:
    profile, mechanism = robot("puma560")
    with pytest.raises(ExcitationError, match=r"^20 s are too short .* take \d+ s") as error:
        propose_sine(profile, mechanism, duration=20.0)
    enough = float(re.search(r"take (\d+) s", str(error.value))[1])
    assert propose_sine(profile, mechanism, duration=enough).duration == pytest.approx(enough - 2)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (Limits(velocity=1.0), "joint 'joint_1': nothing says how far it may swing"),
        (Limits(position=((-1, 1),)), "joint 'joint_1': nothing says how fast it may swing"),
    ],
)
def test_refuses_where_limits_are_missing(limits: Limits, sentence: str) -> None:
    profile, mechanism = robot("scara_2r", limits=limits, excitation=FourierSettings())
    with pytest.raises(ConfigurationError, match=sentence):
        propose_sine(profile, mechanism)


def test_refuses_a_joint_that_does_not_move() -> None:
    still = SineSettings(start=(0.0, 0.3), target=(1.0, 0.3), frequency=1, duration=9)
    profile, mechanism = robot("scara_2r", excitation=still)
    with pytest.raises(ConfigurationError, match="'joint_2': its start is its target"):
        propose_sine(profile, mechanism)


def test_rows_tell_cycles_and_the_share_of_the_speed_limit() -> None:
    settings = SineSettings(start=0, target=1, frequency=(1.0, 2.0), duration=10)
    first, second = sine_rows(settings, Limits(velocity=(4.0, 4.0)), ("hip", "knee"))
    assert (first.cycles, second.cycles) == (10.0, 20.0)
    # on the ramps both the wave and its amplitude move
    assert first.share == pytest.approx(np.pi / 4, rel=0.02)
    assert second.speed == pytest.approx(2 * np.pi, rel=0.02)
    (unlimited,) = sine_rows(settings.model_copy(update={"frequency": (1.0,)}), Limits(), ("hip",))
    assert unlimited.share is None


def test_a_joint_that_rests_takes_no_part_in_repetition() -> None:
    settings = SineSettings(start=0, target=(1, 0, 1), frequency=(1.1, 2.2, 1.3), duration=10)
    found = sine_repetition(settings, ("a", "b", "c"))
    assert found.joints == ("a", "c")
    assert found.good


def test_what_is_printed_tells_the_common_factor_and_what_is_not_good(capsys) -> None:
    settings = SineSettings(start=0, target=1, frequency=(1, 2, 1.2), duration=10)
    print_sine(Console(), settings, Limits(velocity=8.0), ("J1", "J2", "J3"))
    text = capsys.readouterr().out
    assert "0.2 Hz × {5, 10, 6}" in text
    assert "do so after 1 cycle of J1 and 2 of J2 (1 s)" in text
    assert "Not good:" in text
