"""Optimised excitations: better than random ones, within limits, repeatable, interruptible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.excitation_designs import NOISE, SETTINGS, SPEC, small_design, small_model
from support.representatives import representatives

from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.design.design import ExcitationSpec, make_design
from dynid.excitation.design.information import Objective
from dynid.excitation.design.optimise import Search, optimise, propose_series
from dynid.profile import load_robot
from dynid.robot.model import nominal_model
from dynid.robot_files import shipped_profiles

TIGHT = {"torque_max": [10.0, 1.6]}
USED = small_model()  # by every example, one after the other


def test_it_is_better_than_the_best_of_fifty_random_motions() -> None:
    model, design = small_model(), small_design()
    best = np.inf
    for seed in range(50):
        settings = SETTINGS.model_copy(update={"seed": seed, "ramp": 0.0})
        random = build_random(settings, model.robot.limits, model.robot.joints)
        best = min(best, design.condition_number(random))
    found = optimise(model, SPEC, NOISE, starts=2, jobs=1)
    assert found.condition_number < 0.7 * best


def build_random(settings, limits, joints):
    """Random motions do not start at rest without a ramp; their period is what is compared."""
    ramped = settings.model_copy(update={"ramp": 2.0})
    motion = build_excitation(ramped, limits, joints)
    return replace(motion, ramp=replace(motion.ramp, rise=0.0))


def test_its_file_describes_the_same_motion() -> None:
    model = small_model()
    found = optimise(model, SPEC, NOISE, starts=1)
    again = build_excitation(found.settings, model.robot.limits, model.robot.joints)
    time = np.linspace(0, again.duration, 100)
    expected = found.excitation.evaluate(time).position
    np.testing.assert_array_equal(again.evaluate(time).position, expected)


@pytest.mark.parametrize("seed", representatives([*range(5)], 2))
def test_torque_limits_that_bind_are_kept_between_the_samples_too(seed: int) -> None:
    model = small_model(**TIGHT)
    found = optimise(model, SPEC, NOISE, starts=1, seed=seed)
    time = np.linspace(0, found.excitation.duration, 10 * 16 * SETTINGS.harmonics + 1)
    torque = np.abs(model.mechanism.torque(*found.excitation.evaluate(time), model.parameters))
    used = torque.max(axis=0) / TIGHT["torque_max"]
    assert np.all(used <= 1.0)
    assert used.max() > 0.8  # they did bind


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_motion_whatever_the_number_of_processes() -> None:
    model = small_model()
    here = optimise(model, SPEC, NOISE, starts=2, seed=4, jobs=1)
    there = optimise(model, SPEC, NOISE, starts=2, seed=4, jobs=2)
    assert here.settings == there.settings
    assert here.objectives == there.objectives
    assert here.settings != optimise(model, SPEC, NOISE, starts=2, seed=5, jobs=1).settings


@pytest.mark.thorough
@given(st.integers(0, 3), st.sampled_from(["condition", "determinant", "both"]))
@settings(max_examples=4)
def test_what_ran_before_makes_no_difference(seed: int, objective: Objective) -> None:
    """Neither do another design, a used model, or what a property test does to its process."""
    spec = replace(SPEC, objective=objective)
    first = optimise(USED, spec, NOISE, starts=2, seed=seed, jobs=1)
    optimise(small_model(**TIGHT), SPEC, NOISE, starts=1, seed=seed + 1, jobs=1)
    again = optimise(USED, spec, NOISE, starts=2, seed=seed, jobs=1)
    fresh = optimise(small_model(), spec, NOISE, starts=2, seed=seed, jobs=2)
    assert first.settings == again.settings == fresh.settings
    assert first.objectives == again.objectives == fresh.objectives


def test_an_interruption_leaves_the_best_motion_so_far() -> None:
    model, shares = small_model(), []

    def interrupt(share: float) -> None:
        shares.append(share)
        if len(shares) == 5:
            raise KeyboardInterrupt

    found = optimise(model, SPEC, NOISE, starts=3, jobs=1, progress=interrupt)
    assert found.interrupted
    assert len(shares) == 5
    assert np.isfinite(found.objectives[0])
    assert np.isnan(found.objectives[1])
    assert found.condition_number > optimise(model, SPEC, NOISE, starts=1).condition_number


def test_an_interruption_reaches_the_processes() -> None:
    spec = replace(SPEC, settings=SETTINGS.model_copy(update={"harmonics": 12}))

    def interrupt(share: float) -> None:
        if share > 0:
            raise KeyboardInterrupt

    found = optimise(small_model(), spec, NOISE, starts=8, jobs=2, progress=interrupt)
    assert found.interrupted
    assert np.isnan(found.objectives).any()
    assert np.isfinite(found.condition_number)


def test_an_interruption_before_a_motion_is_found_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "dynid.excitation.design.optimise.search", lambda *_: Search((), interrupted=True)
    )
    with pytest.raises(ExcitationError, match="stopped before it found a motion"):
        optimise(small_model(), SPEC, NOISE, starts=1)


def test_it_starts_at_the_centre_on_request() -> None:
    settings = SETTINGS.model_copy(update={"centre": (0.4, -0.3)})
    found = optimise(small_model(), ExcitationSpec(settings, from_centre=True), NOISE, starts=1)
    assert found.excitation.evaluate([0.0]).position[0] == pytest.approx([0.4, -0.3])


def test_a_start_that_torque_does_not_allow_is_refused() -> None:
    settings = SETTINGS.model_copy(update={"centre": (0.0, 0.0)})
    model = small_model(torque_max=[1.0, 1.0])
    with pytest.raises(ExcitationError, match="cannot rest at its centre"):
        optimise(model, ExcitationSpec(settings, from_centre=True), NOISE, starts=1)


def test_a_motion_that_nothing_bounds_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"needs limits\.position"):
        optimise(small_model(position=None), SPEC, NOISE, starts=1)


@pytest.mark.parametrize("objective", representatives(["determinant", "both"], 1))
def test_other_objectives_raise_the_determinant(objective: str) -> None:
    model = small_model()
    spec = ExcitationSpec(SETTINGS, objective=objective)
    design = small_design(spec)
    information = replace(design.information, objective="determinant")

    def determinant(found) -> float:
        time = np.arange(64) / 64 / SETTINGS.base_frequency
        return -information.value(found.excitation.evaluate(time), 1.0)

    found, other = (optimise(model, w, NOISE, starts=2, jobs=1) for w in (spec, SPEC))
    assert determinant(found) > determinant(other)


@pytest.mark.thorough
@pytest.mark.parametrize("name", shipped_profiles())
def test_every_shipped_robot_has_a_start_pose(name: str) -> None:
    robot = load_robot(name)
    noise = np.ones(len(robot.joints))
    spec = ExcitationSpec(propose_series(robot))
    design = make_design(nominal_model(robot), spec, noise)
    pose = design.pose(np.random.default_rng(0), elsewhere=False)
    barrier = design.descent(pose).barrier
    assert barrier.smallest_slack(np.zeros((len(pose), barrier.space.dimension))) > 0
