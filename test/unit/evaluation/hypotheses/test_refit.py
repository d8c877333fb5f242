"""Refits: errors in blocks that were left out, friction of any shape, and possible bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.searched_arm import RATE, crane, crane_parameters
from support.synthetic import swinging

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.evaluation.hypotheses.refit import (
    Data,
    Equations,
    friction_shapes,
    nearest_consistent,
    residual,
)
from dynid.evaluation.hypotheses.samples import FOLDS

COUNT = 1600
MECHANISM = crane().mechanism()
BASE = base_parameterization(MECHANISM)
TRUTH = crane_parameters(crane())
MOTION = swinging(COUNT, 3, RATE)
TORQUE = MECHANISM.torque(*MOTION, TRUTH)
FOLD = np.arange(COUNT) * FOLDS // COUNT
BODIES = [i for i, column in enumerate(BASE.independent) if column < MECHANISM.first_term]


def noise(size: float, seed: int = 0) -> Array:
    return size * np.random.default_rng(seed).standard_normal((COUNT, 3))


def data_with(torque: Array, extra: Array | None = None) -> Data:
    nothing = np.zeros((COUNT, 3, 0))
    kept = np.ones((COUNT, 3), dtype=bool)
    return Data(MECHANISM, BASE, MOTION, torque, nothing if extra is None else extra, kept)


def size_of(torque: Array) -> Array:
    return np.asarray(np.linalg.norm(torque, axis=0))


def test_exact_torque_leaves_no_error_and_has_the_true_bodies() -> None:
    refit = Equations(data_with(TORQUE), FOLD).refit()
    assert np.all(refit.held_out < 1e-5)
    assert np.all(refit.seen < 1e-5)
    np.testing.assert_allclose(refit.base[BODIES], BASE.project(TRUTH)[BODIES], atol=1e-4)


def test_errors_are_relative_to_torque_and_larger_where_a_block_was_left_out() -> None:
    torque = TORQUE + noise(1.0)
    refit = Equations(data_with(torque), FOLD).refit()
    expected = np.sqrt(COUNT) / size_of(torque)
    np.testing.assert_allclose(refit.held_out, expected, rtol=0.1)
    assert np.all(refit.seen < refit.held_out)


def test_a_block_is_judged_by_the_others_alone() -> None:
    """A factor that has the other sign in one block is that of the others where it is left out."""
    shape = np.sin(np.arange(COUNT) / 2.0)
    here = FOLD == 3
    extra = np.zeros((COUNT, 3, 1))
    extra[:, 1, 0] = shape
    torque = TORQUE.copy()
    torque[:, 1] += np.where(here, -5.0, 5.0) * shape
    refit = Equations(data_with(torque, extra), FOLD).refit()
    assert refit.factors[0] == pytest.approx(5.0 * 6 / 8, rel=0.02)
    relative = np.sqrt(FOLDS) * np.linalg.norm(shape[here]) / size_of(torque)[1]
    assert refit.blocks[3, 1] == pytest.approx(10.0 * relative, rel=0.02)
    others = np.delete(refit.blocks[:, 1], 3)
    np.testing.assert_allclose(others, (5.0 - 5.0 * 5 / 7) * relative, rtol=0.05)


def test_errors_of_blocks_add_up_to_the_error_of_all() -> None:
    refit = Equations(data_with(TORQUE + noise(1.0)), FOLD).refit()
    assert refit.blocks.shape == (FOLDS, 3)
    np.testing.assert_allclose(np.sqrt(np.mean(refit.blocks**2, axis=0)), refit.held_out)


@pytest.mark.parametrize("joint", [0, 1, 2])
def test_friction_of_any_shape_is_no_error(joint: int) -> None:
    share = MOTION[1][:, joint] / np.abs(MOTION[1][:, joint]).max()
    shape = np.sign(share) * np.exp(-np.abs(share) / 0.2) + share * np.abs(share) + np.abs(share)
    torque = TORQUE.copy()
    torque[:, joint] += 3.0 * shape
    data = data_with(torque)
    assert np.all(Equations(data, FOLD).refit().held_out < 1e-4)
    assert np.all(np.abs(residual(data, Equations(data, FOLD).refit())) < 1e-2)
    plain = Equations(data, FOLD, friction="uneven").refit().held_out
    assert plain[joint] > 0.003


def test_plain_friction_has_an_offset_for_each_direction_only() -> None:
    velocity = np.array([-2.0, -1.0, 0.0, 1.0])
    np.testing.assert_allclose(
        friction_shapes(velocity, velocity, "uneven"), [[1, 1], [1, 0.5], [1, 0], [1, 0.5]]
    )
    assert friction_shapes(velocity, velocity, "modelled").shape == (4, 0)
    assert friction_shapes(velocity, velocity).shape == (4, 8)
    assert np.isfinite(friction_shapes(np.zeros(3), np.zeros(3))).all()


def test_a_joint_of_which_little_is_compared_has_no_error() -> None:
    data = data_with(TORQUE + noise(0.1))
    data.kept[5:, 2] = False
    refit = Equations(data, FOLD).refit()
    assert np.isnan(refit.held_out).tolist() == [False, False, True]
    assert np.isnan(refit.blocks).any(axis=0).tolist() == [False, False, True]


def test_torque_that_is_not_compared_does_not_matter() -> None:
    torque = TORQUE.copy()
    torque[200:400, 1] += 100.0
    data = data_with(torque)
    data.kept[200:400, 1] = False
    refit = Equations(data, FOLD).refit()
    assert np.all(refit.held_out < 1e-5)
    left = residual(data, refit)[:, 1]
    np.testing.assert_allclose(left[200:400], 100.0, atol=0.1)
    assert np.abs(np.delete(left, np.s_[200:400])).max() < 0.1


def test_a_joint_with_large_errors_hardly_changes_the_others() -> None:
    noisy = TORQUE + noise(1.0) * [0.01, 0.01, 30.0]
    refit = Equations(data_with(noisy), FOLD).refit()
    alone = Equations(data_with(TORQUE + noise(1.0) * [0.01, 0.01, 0.0]), FOLD).refit()
    np.testing.assert_allclose(refit.held_out[:2], alone.held_out[:2], rtol=0.3)


@pytest.mark.parametrize("factor", [0.2, -1.0, -30.0])
def test_equations_of_scaled_torque_are_those_of_that_torque(factor: float) -> None:
    torque = TORQUE + noise(1.0)
    there = Equations(data_with(torque * [1, factor, 1]), FOLD)
    here = Equations(data_with(torque), FOLD)
    before = here.gram.copy()
    np.testing.assert_allclose(here.scaled(1, factor).gram, there.gram, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(here.gram, before)


def test_errors_with_some_of_the_columns_are_those_of_a_fit_with_these_columns() -> None:
    extra = np.random.default_rng(4).standard_normal((COUNT, 3, 5))
    extra[:, 1, 3] += np.sin(np.arange(COUNT) / 11.0)
    torque = TORQUE + 2.0 * extra[:, :, 3] + noise(1.0)
    several = Equations(data_with(torque, extra), FOLD).seen_with([(3, 1), (2,), (4,)], fixed=1)
    for columns, errors in zip(([0, 3, 1], [0, 2], [0, 4]), several, strict=True):
        expected = Equations(data_with(torque, extra[:, :, columns]), FOLD).refit().seen
        np.testing.assert_allclose(errors, expected, rtol=0.02)
    assert np.all(several[0] < 0.9 * several[1])


def test_factors_of_further_columns_have_their_standard_deviation() -> None:
    column = np.zeros((COUNT, 3, 1))
    column[:, 1, 0] = np.sin(np.arange(COUNT) / 11.0)
    errors, stated = [], []
    for seed in range(24):
        torque = TORQUE + 2.0 * column[:, :, 0] + noise(1.0, seed)
        refit = Equations(data_with(torque, column), FOLD).refit()
        errors.append(refit.factors[0] - 2.0)
        stated.append(refit.deviations[0])
    size = float(np.sqrt(np.mean(np.square(errors))))
    # two instants of independent noise in three parameters of a sine
    assert size == pytest.approx(np.sqrt(2 / COUNT), rel=0.4)
    assert np.sqrt(np.mean(np.square(stated))) == pytest.approx(size, rel=0.4)


def test_possible_bodies_fit_a_torque_of_the_right_sign_alone() -> None:
    torque = TORQUE + noise(0.2)
    errors = {}
    for sign in (1.0, -1.0):
        refit = Equations(data_with(sign * torque), FOLD, friction="uneven").refit(physical=True)
        assert refit.consistent is not None
        errors[sign] = refit.consistent / refit.held_out
    np.testing.assert_allclose(errors[1.0], 1.0, atol=0.1)
    assert np.all(errors[-1.0] > 3.0)


def test_possible_bodies_are_judged_with_the_best_factors_of_further_columns() -> None:
    column = np.zeros((COUNT, 3, 1))
    column[:, 1, 0] = np.sin(np.arange(COUNT) / 11.0)
    torque = TORQUE + 20.0 * column[:, :, 0] + noise(0.2)
    refit = Equations(data_with(torque, column), FOLD, friction="uneven").refit(physical=True)
    assert refit.consistent is not None
    np.testing.assert_allclose(refit.consistent, refit.held_out, rtol=0.1)


def test_possible_parameters_that_fit_exactly_are_returned() -> None:
    equations = Equations(data_with(TORQUE), FOLD, friction="uneven")
    gram = equations.gram.sum(axis=(0, 1))
    moved = nearest_consistent(equations.data, gram, BASE.project(TRUTH))
    assert moved is not None
    extended = np.append(moved, -1.0)
    assert extended @ gram @ extended < 1e-3


def test_instants_without_motion_and_torque_have_no_error_to_speak_of() -> None:
    still = replace(data_with(np.zeros((COUNT, 3))), motion=tuple(0 * v for v in MOTION))
    assert np.isnan(Equations(still, FOLD).refit().held_out).all()
