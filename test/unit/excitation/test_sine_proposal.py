"""Proposed sines use the limits, repeat late, and are what a profile may play."""

from __future__ import annotations

import re

import numpy as np
import pytest
from rich.console import Console

from dynid.configuration import TaskSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import DynidError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.limits import sample_peaks
from dynid.excitation.settings import FourierSettings, SineSettings, find_excitation
from dynid.excitation.sine_proposal import propose_sine
from dynid.excitation.workspace.workspace import Workspace
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.report.terminal.sine import print_sine, sine_repetition, sine_rows
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot

ROBOTS = ("puma560", "scara", "ur10", "yumi_arm", "delta_3", "palletiser", "axis_linear_tilted")


def built(name: str, *settings: TaskSettings, **changes: object) -> tuple[Robot, Mechanism]:
    robot = load_robot(name)
    return robot.with_settings(*settings).model_copy(update=changes), robot.mechanism()


def limited(name: str, **limits: object) -> Robot:
    """Return a robot with these limits only, and a series in its profile."""
    return built(name, FourierSettings(), limits=Limits(**limits))[0]


def shares(robot: Robot, settings: SineSettings) -> np.ndarray:
    """What each joint uses of its velocity and its acceleration limit (2, n)."""
    peaks = sample_peaks(build_excitation(settings, robot.limits, robot.joints)).motion
    allowed = (robot.limits.velocity or np.inf, robot.limits.acceleration or np.inf)
    return np.array(
        [
            np.abs(values).max(axis=0) / limit
            for values, limit in zip(peaks[1:], allowed, strict=True)
        ]
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_a_proposal_keeps_the_limits_uses_them_and_does_not_repeat_early(name: str) -> None:
    robot, mechanism = built(name)
    settings = propose_sine(robot, mechanism)
    used = shares(robot, settings).max(axis=0)
    assert np.all(used <= 0.9)
    assert np.all(used >= 0.75 * 0.9 * 0.99)
    found = sine_repetition(settings, robot.joints)
    assert found.good
    assert min(found.cycles) >= 3 - 1e-4


def test_joints_swing_less_far_where_bodies_would_touch() -> None:
    robot = load_robot("ur10")
    mechanism = robot.mechanism()
    workspace = Workspace(robot, mechanism)
    free, clear = (propose_sine(robot, mechanism, workspace=w) for w in (None, workspace))
    way = np.abs(np.subtract(clear.target, clear.start)) / np.subtract(free.target, free.start)
    assert np.allclose(way, way[0], rtol=1e-4)
    assert 0.3 <= way[0] < 1
    with pytest.raises(ExcitationError, match="distance reaches"):
        make_plan(robot.with_settings(free))
    make_plan(robot.with_settings(clear))


def test_it_has_the_requested_duration() -> None:
    robot, mechanism = built("scara")
    settings = propose_sine(robot, mechanism, duration=20.0)
    excitation = build_excitation(settings, robot.limits, robot.joints)
    assert excitation.duration == pytest.approx(20.0)


def test_it_swings_about_the_profiles_centre_by_its_span() -> None:
    robot, mechanism = built("ur10")
    settings = propose_sine(robot, mechanism)
    middle = (np.array(settings.start) + settings.target) / 2
    assert np.allclose(middle, find_excitation(robot).centre, atol=1e-6)
    assert np.allclose(np.subtract(settings.target, settings.start), 2.4, rtol=2e-3)


def test_start_and_target_of_a_profile_with_sines_are_kept() -> None:
    given = SineSettings(start=(0.5, 0.2), target=(-0.5, 1.0), frequency=1, duration=9)
    robot, mechanism = built("scara_2r", given)
    settings = propose_sine(robot, mechanism)
    assert np.allclose(settings.start, given.start, atol=1e-3)
    assert np.allclose(settings.target, given.target, atol=1e-3)


def test_torque_limits_slow_all_joints_down() -> None:
    robot, mechanism = built("scara_2r")
    free = propose_sine(robot, mechanism)
    peaks = sample_peaks(build_excitation(free, robot.limits, robot.joints)).motion
    taken = np.abs(mechanism.torque(*peaks, mechanism.parameters)).max(axis=0)
    weak = robot.limits.model_copy(update={"torque_max": tuple(taken / 2)})
    slowed = propose_sine(robot.model_copy(update={"limits": weak}), mechanism)
    assert np.all(np.array(slowed.frequency) < free.frequency)
    peaks = sample_peaks(build_excitation(slowed, weak, robot.joints)).motion
    share = np.abs(mechanism.torque(*peaks, mechanism.parameters)).max(axis=0) / weak.torque_max
    assert 0.6 < share.max() <= 0.905


def test_refuses_a_time_too_short_and_names_a_sufficient_one() -> None:
    robot, mechanism = built("puma560")
    with pytest.raises(ExcitationError, match=r"^20 s are too short .* use \d+ s") as error:
        propose_sine(robot, mechanism, duration=20.0)
    enough = float(re.search(r"use (\d+) s", str(error.value))[1])
    assert propose_sine(robot, mechanism, duration=enough).duration == pytest.approx(enough - 2)


@pytest.mark.parametrize(
    ("robot", "sentence"),
    [
        (limited("scara_2r", velocity=1.0), "joint 'joint_1': its range is not limited"),
        (limited("scara_2r", position=((-1, 1),)), "joint 'joint_1': its speed is not limited"),
        (
            load_robot(
                "puma560", overrides=["limits.torque_max=[97.6, 10, 89.4, 24.2, 20.1, 21.3]"]
            ),
            "joint 'joint_2': at 20 % of its speed it still",
        ),
        (
            load_robot("scara_2r").with_settings(
                SineSettings(start=(0.0, 0.3), target=(1.0, 0.3), frequency=1, duration=9)
            ),
            "'joint_2': start and target are equal",
        ),
    ],
    ids=["no range", "no speed", "gravity alone takes too much", "a joint does not move"],
)
def test_refuses_where_no_sine_is_possible(robot: Robot, sentence: str) -> None:
    with pytest.raises(DynidError, match=sentence):
        propose_sine(robot, robot.mechanism())


def test_rows_have_cycles_and_the_share_of_the_speed_limit() -> None:
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


def test_the_common_factor_and_problems_are_printed(capsys) -> None:
    settings = SineSettings(start=0, target=1, frequency=(1, 2, 1.2), duration=10)
    print_sine(Console(), settings, Limits(velocity=8.0), ("J1", "J2", "J3"))
    text = capsys.readouterr().out
    assert "0.2 Hz × {5, 10, 6}" in text
    assert "The first two joints repeat after 1 cycle of J1 and 2 of J2 (1 s)." in text
    assert "Warnings:" in text
