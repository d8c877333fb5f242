"""The objective of an optimised excitation, against numpy and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.excitation_designs import small_design

from dynid.excitation.design.information import Information, Objective
from dynid.excitation.motion import Motion

OBJECTIVES: tuple[Objective, ...] = ("condition", "determinant", "both")


@pytest.fixture(params=[False, True], ids=["as it is", "scaled"])
def information(request: pytest.FixtureRequest) -> Information:
    return replace(small_design().information, scaled=request.param)


@pytest.fixture
def motion() -> Motion:
    random = np.random.default_rng(0)
    return Motion(*(scale * random.standard_normal((40, 2)) for scale in (1.0, 2.0, 10.0)))


def regressor(information: Information, motion: Motion) -> np.ndarray:
    rows = information.mechanism.regressor(*motion)[:, :, information.columns]
    stacked = (rows * information.row_weights[:, np.newaxis]).reshape(-1, rows.shape[2])
    return stacked / np.linalg.norm(stacked, axis=0) if information.scaled else stacked


def test_the_condition_number_is_that_of_the_stacked_regressor(
    information: Information, motion: Motion
) -> None:
    expected = np.linalg.cond(regressor(information, motion))
    assert information.condition_number(motion) == pytest.approx(expected)


def test_the_smooth_condition_number_nears_the_true_one_from_above(
    information: Information, motion: Motion
) -> None:
    true = 2 * np.log(information.condition_number(motion))
    smooth = [information.value(motion, sharpness) for sharpness in (1.0, 4.0, 64.0)]
    assert smooth[0] > smooth[1] > smooth[2] > true
    # the sum of k powers is at most k times the largest
    assert smooth[2] - true < 2 * np.log(len(information.columns)) / 64.0


def test_the_determinant_is_that_of_the_information_matrix(
    information: Information, motion: Motion
) -> None:
    plain = regressor(replace(information, scaled=False), motion)
    expected = -np.linalg.slogdet(plain.T @ plain)[1] / plain.shape[1]
    value = replace(information, objective="determinant").value(motion, 1.0)
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_its_slopes_are_those_of_finite_differences(
    information: Information, motion: Motion, objective: Objective
) -> None:
    information = replace(information, objective=objective)
    random = np.random.default_rng(1)
    way = Motion(*(random.standard_normal(part.shape) for part in motion))
    slopes = information.slopes(motion, 3.0)
    expected = sum(float((slope * part).sum()) for slope, part in zip(slopes, way, strict=True))
    step = 1e-5
    ahead, behind = (information.value(moved(motion, sign * step, way), 3.0) for sign in (1, -1))
    assert (ahead - behind) / (2 * step) == pytest.approx(expected, rel=1e-5)


def moved(motion: Motion, step: float, way: Motion) -> Motion:
    return Motion(*(part + step * change for part, change in zip(motion, way, strict=True)))


def test_its_slopes_are_the_same_in_pieces_of_any_size(
    information: Information, motion: Motion, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = information.slopes(motion, 3.0)
    monkeypatch.setattr("dynid.arrays._BYTES", 1)  # a piece for each sample
    for one, other in zip(information.slopes(motion, 3.0), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
