"""States: what they make of channels and model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.searched_arm import ELBOW, RATE, crane, crane_parameters
from support.synthetic import swinging

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.evaluation.hypotheses.refit import Data
from dynid.evaluation.hypotheses.relations import Relation, payload_columns
from dynid.evaluation.hypotheses.samples import FOLDS, SampledTrack, TrialSamples
from dynid.evaluation.hypotheses.state import Hypothesis, modified

COUNT = 400  # instants of each recording
MECHANISM = crane().mechanism()
BASE = base_parameterization(MECHANISM)
INSIDE = np.r_[50:350, 450:750]  # instants far from the ends of both recordings


def track(seed: int) -> SampledTrack:
    position, velocity, acceleration = swinging(COUNT, 3, RATE, seed)
    torque = 10 + np.cumsum(velocity, axis=0)
    settled = np.abs(velocity) > 0.2
    time = np.arange(COUNT) / RATE
    side = np.zeros((*position.shape, 3))
    size = np.ones(3)
    return SampledTrack(
        time, position, velocity, acceleration, torque, side, RATE, settled, ~settled, size
    )


def make_samples() -> TrialSamples:
    tracks = (track(0), track(1))
    return TrialSamples(
        tracks=tracks,
        at=(np.arange(COUNT),) * 2,
        of_track=(0, 1),
        kept=np.concatenate([one.settled for one in tracks]),
        fold=np.tile(np.arange(COUNT) * FOLDS // COUNT, 2),
        recording=np.repeat([0, 1], COUNT),
        torque_per_effort=np.ones(3),
    )


SAMPLES = make_samples()
UNCHANGED = Hypothesis.unchanged(SAMPLES)
POSITION, VELOCITY, ACCELERATION, TORQUE = (
    SAMPLES.rows(name) for name in ("position", "velocity", "acceleration", "torque")
)


def made(state: Hypothesis) -> Data:
    return modified(SAMPLES, MECHANISM, BASE, state)


def by_recording(first: float, second: float) -> Array:
    """Return a value for the elbow in each recording, (2, 3)."""
    return np.array([[0, 0, first], [0, 0, second]])


def test_the_unchanged_state_leaves_samples_as_they_are() -> None:
    data = made(UNCHANGED)
    for actual, expected in zip(data.motion, (POSITION, VELOCITY, ACCELERATION), strict=True):
        np.testing.assert_array_equal(actual, expected)
    np.testing.assert_array_equal(data.torque, TORQUE)
    np.testing.assert_array_equal(data.kept, SAMPLES.kept)
    assert data.mechanism is MECHANISM
    assert data.extra.shape == (2 * COUNT, 3, 0)


def test_torque_has_the_factor_of_its_joint_and_recording() -> None:
    state = UNCHANGED.scaled(np.array([[1.0, 2.0, 1.0], [1.0, 2.0, -3.0]]))
    data = made(state)
    np.testing.assert_allclose(data.torque[:COUNT], TORQUE[:COUNT] * [1, 2, 1])
    np.testing.assert_allclose(data.torque[COUNT:], TORQUE[COUNT:] * [1, 2, -3])
    again = made(state.scaled(np.array([5.0, 1.0, 1.0])))
    np.testing.assert_allclose(again.torque, data.torque * [5, 1, 1])
    np.testing.assert_array_equal(data.motion[0], POSITION)


def test_a_reversed_joint_has_the_opposite_motion_and_torque() -> None:
    data = made(UNCHANGED.reversed_at(1))
    sign = np.array([1.0, -1.0, 1.0])
    for actual, expected in zip(data.motion, (POSITION, VELOCITY, ACCELERATION), strict=True):
        np.testing.assert_array_equal(actual, expected * sign)
    np.testing.assert_array_equal(data.torque, TORQUE * sign)
    np.testing.assert_array_equal(made(UNCHANGED.reversed_at(1).reversed_at(1)).torque, TORQUE)


@pytest.mark.parametrize("position", [True, False])
@pytest.mark.parametrize("torque", [True, False])
def test_channels_are_exchanged(*, position: bool, torque: bool) -> None:
    data = made(UNCHANGED.with_swapped(0, 2, position=position, torque=torque))
    moved = [2, 1, 0] if position else [0, 1, 2]
    np.testing.assert_array_equal(data.motion[0], POSITION[:, moved])
    np.testing.assert_array_equal(data.motion[1], VELOCITY[:, moved])
    np.testing.assert_array_equal(data.motion[2], ACCELERATION[:, moved])
    np.testing.assert_array_equal(data.torque, TORQUE[:, [2, 1, 0] if torque else [0, 1, 2]])
    # torque is not compared where the motion of its joint reverses
    np.testing.assert_array_equal(data.kept, SAMPLES.kept[:, moved])


def test_exchanged_efforts_have_the_factor_of_the_joint_that_takes_them() -> None:
    per_effort = np.array([2.0, 1.0, -10.0])
    samples = replace(SAMPLES, torque_per_effort=per_effort)
    state = UNCHANGED.with_swapped(0, 2, position=False, torque=True)
    torque = modified(samples, MECHANISM, BASE, state).torque
    np.testing.assert_allclose(torque, (TORQUE / per_effort)[:, [2, 1, 0]] * per_effort)


def test_zeros_are_added_to_the_positions_of_a_recording() -> None:
    data = made(replace(UNCHANGED, zero=by_recording(0.1, -0.2)))
    np.testing.assert_allclose(data.motion[0][:COUNT], POSITION[:COUNT] + 0.1 * ELBOW)
    np.testing.assert_allclose(data.motion[0][COUNT:], POSITION[COUNT:] - 0.2 * ELBOW)
    np.testing.assert_array_equal(data.motion[1], VELOCITY)
    np.testing.assert_array_equal(data.torque, TORQUE)


def test_torque_is_taken_from_later_by_the_delay_of_its_recording() -> None:
    late = np.concatenate([np.roll(TORQUE[:COUNT], 3, axis=0), np.roll(TORQUE[COUNT:], -2, axis=0)])
    tracks = tuple(
        replace(one, torque=part)
        for one, part in zip(SAMPLES.tracks, np.split(late, 2), strict=True)
    )
    state = replace(UNCHANGED, delay=np.array([[0.03] * 3, [-0.02] * 3]))
    data = modified(replace(SAMPLES, tracks=tracks), MECHANISM, BASE, state)
    np.testing.assert_allclose(data.torque[INSIDE], TORQUE[INSIDE], atol=1e-9)


def test_a_delay_belongs_to_the_joint_and_not_to_the_channel() -> None:
    state = UNCHANGED.with_swapped(0, 1, position=False, torque=True)
    state = state.with_swapped(1, 2, position=False, torque=True)
    source = state.torque_of[0]
    assert source.tolist() == [1, 2, 0]  # its inverse is another order
    for joint in range(3):
        delay = np.zeros((2, 3))
        delay[:, joint] = 0.03
        shifted = made(replace(state, delay=delay)).torque[INSIDE]
        expected = TORQUE[INSIDE][:, source]
        expected[:, joint] = TORQUE[INSIDE + 3][:, source[joint]]
        np.testing.assert_allclose(shifted, expected, atol=1e-9)


def test_excluded_instants_are_compared_at_no_joint() -> None:
    time = SAMPLES.time
    data = made(replace(UNCHANGED, excluded=((0, time[100], time[199]),)))
    assert not data.kept[100:200].any()
    np.testing.assert_array_equal(data.kept[200:], SAMPLES.kept[200:])


def test_a_change_is_applied_to_another_state() -> None:
    before = UNCHANGED.with_swapped(0, 1, position=True, torque=True).scaled(np.array(2.0))
    after = before.with_swapped(1, 2, position=False, torque=True).reversed_at(2)
    after = replace(
        after.scaled(np.array([1.0, 3.0, 1.0])),
        zero=after.zero + 0.2,
        delay=after.delay + 0.01,
        excluded=((0, 1.0, 2.0),),
        relations=(Relation("coupling", (0, 1)),),
        clock=1.1 * after.clock,
    )
    changed = UNCHANGED.with_change(before, after)
    expected = UNCHANGED.with_swapped(1, 2, position=False, torque=True).reversed_at(2)
    np.testing.assert_array_equal(changed.position_of, expected.position_of)
    np.testing.assert_array_equal(changed.torque_of, expected.torque_of)
    np.testing.assert_array_equal(changed.direction, expected.direction)
    np.testing.assert_allclose(changed.factor, np.broadcast_to([1.0, 3.0, 1.0], (2, 3)))
    np.testing.assert_allclose(changed.zero, 0.2)
    np.testing.assert_allclose(changed.delay, 0.01)
    np.testing.assert_allclose(changed.clock, 1.1)
    assert changed.excluded == ((0, 1.0, 2.0),)
    assert changed.relations == (Relation("coupling", (0, 1)),)
    assert changed.gravity is None


def test_gravity_is_that_of_the_state() -> None:
    gravity = np.array([0.0, 3.0, -9.0])
    data = made(replace(UNCHANGED, gravity=gravity))
    np.testing.assert_array_equal(data.mechanism.gravity, gravity)
    np.testing.assert_array_equal(MECHANISM.gravity, [0, 0, -9.81])


def test_the_factors_of_a_payload_are_those_of_a_body_in_its_recording() -> None:
    parameters = crane_parameters(crane())
    body = np.array([1.0, 0.1, 0.2, 0.3, 0.05, 0.01, 0.06, 0.0, 0.0, 0.07])
    loaded = parameters.copy()
    loaded[20:30] += body  # of the jib, the last link
    motion = POSITION, VELOCITY, ACCELERATION
    expected = MECHANISM.torque(*motion, loaded) - MECHANISM.torque(*motion, parameters)
    data = made(UNCHANGED.related(Relation("payload", (), (1,))))
    assert data.extra.shape[2] == 10
    np.testing.assert_allclose((data.extra @ body)[COUNT:], expected[COUNT:], atol=1e-9)
    assert not data.extra[:COUNT].any()
    both = made(UNCHANGED.related(*(Relation("payload", (), (one,)) for one in (0, 1))))
    assert both.extra.shape[2] == 20
    everywhere = payload_columns(data, np.ones(2 * COUNT, dtype=bool))
    np.testing.assert_allclose(both.extra[:, :, :10] + both.extra[:, :, 10:], everywhere)


def test_a_coupled_motor_acts_on_the_driven_joint_alone() -> None:
    data = made(UNCHANGED.related(Relation("coupling", (2, 0)), Relation("coupling", (1, 2))))
    assert data.extra.shape[2] == 10
    columns = data.extra[:, :, :5]
    assert not columns[:, :2].any()
    assert not data.extra[:, [0, 2], 5:].any()
    # viscous and Coulomb friction of a motor that also turns with the sum of both
    sum_of_both = VELOCITY[:, 0] + VELOCITY[:, 2]
    own = VELOCITY[:, 2]
    torque = 0.7 * sum_of_both + 0.4 * np.sign(sum_of_both) + 0.2 * ACCELERATION[:, 0]
    left = torque - 0.7 * own
    factors = np.linalg.lstsq(columns[:, 2], left, rcond=None)[0]
    np.testing.assert_allclose(factors, [0.7, 0.0, 0.4, 0.0, 0.2], atol=1e-9)
