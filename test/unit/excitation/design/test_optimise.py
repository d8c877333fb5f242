"""Optimised excitations: better than random ones, within limits, repeatable, interruptible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.excitation_designs import SETTINGS, WISH, small_design, small_robot

from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.design.design import Wish
from dynid.excitation.design.optimise import optimise
from dynid.excitation.design.proposal import propose_series
from dynid.excitation.design.search import Robot, Search, design_for
from dynid.profile import load_profile, shipped_profiles

TIGHT = {"torque_max": [10.0, 1.6]}


def test_it_is_better_than_the_best_of_fifty_random_motions() -> None:
    robot, design = small_robot(), small_design()
    best = np.inf
    for seed in range(50):
        settings = SETTINGS.model_copy(update={"seed": seed, "ramp": 0.0})
        random = build_random(settings, robot.profile.limits, robot.profile.joints)
        best = min(best, design.condition_number(random))
    found = optimise(robot, WISH, starts=2, jobs=1)
    assert found.condition_number < 0.7 * best


def build_random(settings, limits, joints):
    """Random motions do not start at rest without a ramp; their period is what is compared."""
    ramped = settings.model_copy(update={"ramp": 2.0})
    motion = build_excitation(ramped, limits, joints)
    return replace(motion, ramp=replace(motion.ramp, rise=0.0))


def test_its_file_describes_the_same_motion() -> None:
    robot = small_robot()
    found = optimise(robot, WISH, starts=1)
    again = build_excitation(found.settings, robot.profile.limits, robot.profile.joints)
    time = np.linspace(0, again.duration, 100)
    expected = found.excitation.evaluate(time).position
    np.testing.assert_array_equal(again.evaluate(time).position, expected)


@pytest.mark.parametrize("seed", range(5))
def test_torque_limits_that_bind_are_kept_between_the_samples_too(seed: int) -> None:
    robot = small_robot(**TIGHT)
    found = optimise(robot, WISH, starts=1, seed=seed)
    time = np.linspace(0, found.excitation.duration, 10 * 16 * SETTINGS.harmonics + 1)
    mechanism = robot.profile.mechanism(robot.urdf_xml)
    torque = np.abs(mechanism.torque(*found.excitation.evaluate(time), robot.parameters))
    used = torque.max(axis=0) / TIGHT["torque_max"]
    assert np.all(used <= 1.0)
    assert used.max() > 0.8  # they did bind


def test_the_same_seed_gives_the_same_motion_whatever_the_number_of_processes() -> None:
    robot = small_robot()
    here = optimise(robot, WISH, starts=2, seed=4, jobs=1)
    there = optimise(robot, WISH, starts=2, seed=4, jobs=2)
    assert here.settings == there.settings
    assert here.worths == there.worths
    assert here.settings != optimise(robot, WISH, starts=2, seed=5, jobs=1).settings


def test_an_interruption_leaves_the_best_motion_so_far() -> None:
    robot, shares = small_robot(), []

    def interrupt(share: float) -> None:
        shares.append(share)
        if len(shares) == 5:
            raise KeyboardInterrupt

    found = optimise(robot, WISH, starts=3, jobs=1, progress=interrupt)
    assert found.interrupted
    assert len(shares) == 5
    assert np.isfinite(found.worths[0])
    assert np.isnan(found.worths[1])
    assert found.condition_number > optimise(robot, WISH, starts=1).condition_number


def test_an_interruption_reaches_the_processes() -> None:
    wish = replace(WISH, settings=SETTINGS.model_copy(update={"harmonics": 12}))

    def interrupt(share: float) -> None:
        if share > 0:
            raise KeyboardInterrupt

    found = optimise(small_robot(), wish, starts=8, jobs=2, progress=interrupt)
    assert found.interrupted
    assert np.isnan(found.worths).any()
    assert np.isfinite(found.condition_number)


def test_an_interruption_before_there_is_a_motion_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "dynid.excitation.design.optimise.search_here", lambda *_: Search((), interrupted=True)
    )
    with pytest.raises(ExcitationError, match="stopped before there was a motion"):
        optimise(small_robot(), WISH, starts=1)


def test_it_starts_where_it_is_told_to() -> None:
    settings = SETTINGS.model_copy(update={"centre": (0.4, -0.3)})
    found = optimise(small_robot(), Wish(settings, from_centre=True), starts=1)
    assert found.excitation.evaluate([0.0]).position[0] == pytest.approx([0.4, -0.3])


def test_a_start_that_torque_does_not_allow_is_refused() -> None:
    settings = SETTINGS.model_copy(update={"centre": (0.0, 0.0)})
    robot = small_robot(torque_max=[1.0, 1.0])
    with pytest.raises(ExcitationError, match="cannot even rest at its centre"):
        optimise(robot, Wish(settings, from_centre=True), starts=1)


def test_a_motion_that_nothing_bounds_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"needs limits\.position"):
        optimise(small_robot(position=None), WISH, starts=1)


@pytest.mark.parametrize("objective", ["determinant", "both"])
def test_other_objectives_raise_the_determinant(objective: str) -> None:
    robot = small_robot()
    wish = Wish(SETTINGS, objective=objective)
    design = small_design(wish)
    information = replace(design.information, objective="determinant")

    def determinant(found) -> float:
        time = np.arange(64) / 64 / SETTINGS.base_frequency
        return -information.value(found.excitation.evaluate(time), 1.0)

    asked, other = (optimise(robot, w, starts=2, jobs=1) for w in (wish, WISH))
    assert determinant(asked) > determinant(other)


@pytest.mark.parametrize("robot", shipped_profiles())
def test_every_shipped_robot_has_a_pose_to_begin_at(robot: str) -> None:
    profile, urdf_xml = load_profile(robot)
    mechanism = profile.mechanism(urdf_xml)
    noise = np.ones(len(profile.joints))
    wish = Wish(propose_series(profile))
    design = design_for(Robot(profile, urdf_xml, mechanism.parameters, noise), wish)
    pose = design.pose(np.random.default_rng(0), elsewhere=False)
    barrier = design.descent(pose).barrier
    assert barrier.smallest_slack(np.zeros((len(pose), barrier.space.dimension))) > 0
