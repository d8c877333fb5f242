"""Continuous causes: their derivatives are those of the torque that a state models."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.searched_arm import crane, crane_recording, trial_of

from dynid.arrays import Array
from dynid.evaluation.hypotheses.kinds import KINDS
from dynid.evaluation.hypotheses.knobs import Derivatives, Knob, across, knobs, limited
from dynid.evaluation.hypotheses.refit import Equations
from dynid.evaluation.hypotheses.state import Hypothesis, modified
from dynid.evaluation.hypotheses.trial import Trial

SMALL_CHANGE = dict.fromkeys(
    ("factor", "ratio", "gear", "zero", "delay", "clock", "backlash"), 1e-4
) | {"gravity": 1e-3}


EVERY = (0, 1)
"""Recordings of a knob that names none."""


@cache
def two_recordings() -> Trial:
    return trial_of(crane_recording(0), crane_recording(1))


def changed_state(trial: Trial) -> Hypothesis:
    """Return a state in which all channels are changed."""
    state = Hypothesis.unchanged(trial.samples).reversed_at(0)
    state = state.with_swapped(0, 1, position=False, torque=True)
    state = state.with_swapped(1, 2, position=False, torque=True)
    return replace(
        state,
        factor=np.array([[1.5, -0.5, 2.0], [1.0, 3.0, 0.7]]),
        zero=np.array([[0.1, -0.2, 0.3], [0.2, 0.0, -0.4]]),
        delay=np.array([[0.01, -0.02, 0.03], [0.0, 0.015, -0.01]]),
        backlash=np.array([[0.01, 0.02, 0.03], [0.02, 0.03, 0.01]]),
        gravity=np.array([2.0, -1.0, -9.0]),
    )


@cache
def derivatives(*, changed: bool = True) -> tuple[Hypothesis, Derivatives]:
    trial = two_recordings()
    state = changed_state(trial) if changed else Hypothesis.unchanged(trial.samples)
    data = modified(trial.samples, trial.mechanism, trial.base, state)
    refit = Equations(data, trial.samples.fold).refit()
    return state, Derivatives(trial.samples, data, state, refit)


def all_knobs(*, changed: bool = True) -> list[Knob]:
    return list(knobs(derivatives(changed=changed)[1], two_recordings().samples))


def beyond_measured(state: Hypothesis, standard: Array) -> Array:
    """Return the modelled torque minus the measured one, (m, n)."""
    trial = two_recordings()
    data = modified(trial.samples, trial.mechanism, trial.base, state)
    return data.mechanism.torque(*data.motion, standard) - data.torque


def finite_change(knob: Knob, component: int, *, changed: bool) -> Array:
    """Return the central difference quotient that a knob's column is the derivative of."""
    state, at = derivatives(changed=changed)
    size = SMALL_CHANGE[knob.kind]
    step = size * np.eye(knob.columns().shape[2])[component]
    ends = [beyond_measured(knob.moved(state, sign * step), at.standard) for sign in (1, -1)]
    return np.asarray((ends[0] - ends[1]) / (2 * size))


@pytest.mark.parametrize("kind", ["zero", "ratio", "gear", "delay", "clock", "backlash", "gravity"])
def test_columns_are_the_change_of_torque_by_a_small_step(kind: str) -> None:
    changed = kind not in (
        "ratio",
        "gear",
        "clock",
    )  # these do not stretch the play of a changed state
    chosen = [knob for knob in all_knobs(changed=changed) if knob.kind == kind]
    assert (
        len(chosen)
        == {
            "zero": 9,
            "ratio": 3,
            "gear": 3,
            "delay": 6,
            "clock": 3,
            "backlash": 3,
            "gravity": 1,
        }[kind]
    )
    for knob in chosen:
        columns = knob.columns()
        for component in range(columns.shape[2]):
            expected = finite_change(knob, component, changed=changed)
            assert np.linalg.norm(expected) > 0
            kept = two_recordings().samples.kept
            error = np.linalg.norm((columns[:, :, component] - expected)[kept])
            assert error < 0.02 * np.linalg.norm(expected[kept]), (knob.joints, knob.recordings)


def test_the_column_of_a_factor_is_the_model_which_has_no_noise() -> None:
    state, at = derivatives(changed=False)
    for knob in all_knobs(changed=False):
        if knob.kind != "factor":
            continue
        concerned = np.isin(two_recordings().samples.recording, knob.recordings or EVERY)
        joints = np.isin(np.arange(3), knob.joints)
        expected = -at.model * concerned[:, None] * joints
        np.testing.assert_allclose(knob.columns()[:, :, 0], expected)
        moved = knob.moved(state, np.array([np.log(2.0)]))
        torque = beyond_measured(state, at.standard) - beyond_measured(moved, at.standard)
        error = np.linalg.norm((torque + expected)[at.data.kept])
        assert error < 0.01 * np.linalg.norm(expected[at.data.kept])


def test_a_factor_multiplies_and_numbers_of_other_kinds_are_added() -> None:
    state, _ = derivatives()
    for knob in all_knobs():
        if knob.kind in ("gravity", "ratio", "gear", "clock"):
            continue
        before, after = (
            getattr(one, knob.kind) for one in (state, knob.moved(state, np.array([0.1])))
        )
        concerned = np.zeros((2, 3), dtype=bool)
        concerned[np.ix_(knob.recordings or EVERY, knob.joints)] = True
        expected = before * np.exp(0.1) if knob.kind == "factor" else before + 0.1
        np.testing.assert_allclose(after, np.where(concerned, expected, before))


@pytest.mark.parametrize(("kind", "power"), [("ratio", 0), ("gear", -1)])
def test_a_ratio_multiplies_positions_and_a_gear_divides_torques(kind: str, power: int) -> None:
    state, _ = derivatives()
    for knob in (one for one in all_knobs() if one.kind == kind):
        times = np.where(np.isin(np.arange(3), knob.joints), np.exp(0.1), 1.0)
        moved = knob.moved(state, np.array([0.1]))
        np.testing.assert_allclose(moved.direction, state.direction * times)
        np.testing.assert_allclose(moved.zero, state.zero * times)
        torque = state.direction * state.factor * times**power
        np.testing.assert_allclose(moved.direction * moved.factor, torque)


def test_play_grows_and_is_never_negative() -> None:
    state, _ = derivatives()
    for knob in (one for one in all_knobs() if one.kind == "backlash"):
        of_joint = np.isin(np.arange(3), knob.joints)
        grown = knob.moved(state, np.array([0.1])).backlash
        np.testing.assert_allclose(grown, state.backlash + 0.1 * of_joint)
        assert np.all(knob.moved(state, np.array([-1.0])).backlash >= 0)


def test_gravity_turns_and_keeps_its_size() -> None:
    (knob,) = (one for one in all_knobs() if one.kind == "gravity")
    state, _ = derivatives()
    moved = knob.moved(state, np.array([1.0, -2.0])).gravity
    assert np.linalg.norm(moved) == pytest.approx(np.linalg.norm(state.gravity))
    assert moved @ state.gravity < 0.99 * np.linalg.norm(state.gravity) ** 2


def test_directions_across_gravity_are_at_right_angles() -> None:
    for gravity in np.array([[0.0, 0.0, -9.81], [1.0, 2.0, 3.0]]):
        both = across(gravity)
        np.testing.assert_allclose(both @ both.T, np.eye(2), atol=1e-12)
        np.testing.assert_allclose(both @ gravity, 0.0, atol=1e-12)


def test_every_cause_of_two_recordings_has_a_knob() -> None:
    everything, each = (0, 1, 2), ((0,), (1,), (2,))
    expected = {(kind, everything, ()) for kind in ("delay", "gravity", "clock")}
    of_all = ("factor", "zero", "ratio", "gear", "delay", "backlash")
    expected |= {(kind, joints, ()) for kind in of_all for joints in each}
    for recording in ((0,), (1,)):
        expected |= {(kind, everything, recording) for kind in ("factor", "delay", "clock")}
        expected |= {(kind, one, recording) for kind in ("factor", "zero") for one in each}
    actual = [(knob.kind, knob.joints, knob.recordings) for knob in all_knobs()]
    assert set(actual) == expected
    assert len(actual) == len(expected)
    assert all(KINDS[knob.kind].largest_step > 0 for knob in all_knobs())


def test_without_gravity_its_direction_is_no_cause() -> None:
    trial = trial_of(crane_recording(), robot=crane(gravity=[0.0, 0.0, 0.0]))
    state = Hypothesis.unchanged(trial.samples)
    data = modified(trial.samples, trial.mechanism, trial.base, state)
    refit = Equations(data, trial.samples.fold).refit()
    kinds = {
        knob.kind for knob in knobs(Derivatives(trial.samples, data, state, refit), trial.samples)
    }
    assert kinds == {"factor", "zero", "ratio", "gear", "delay", "backlash"}


@pytest.mark.parametrize(
    ("kind", "largest"), [("factor", 0.5), ("zero", 0.3), ("delay", 0.03), ("gravity", 3.0)]
)
def test_a_step_is_limited_to_what_is_nearly_linear(kind: str, largest: float) -> None:
    knob = next(one for one in all_knobs() if one.kind == kind)
    small = np.array([0.9 * largest, -0.5 * largest])
    np.testing.assert_array_equal(limited(knob, small), small)
    np.testing.assert_allclose(
        limited(knob, np.array([1.0, -4.0]) * largest), [0.25 * largest, -largest]
    )
