"""White noise of torque: its size, and the error of the model without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import RATE, arm, fitted_case

from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.noise import noise, torque_noise

LEVEL = 1.0  # [N m] at the wrist, as large as its torque


def noisy_case() -> Case:
    robot, _, recording = arm(noise=0.05)
    drawn = np.random.default_rng(3).standard_normal(len(recording.time))
    effort = recording.effort + np.outer(drawn, [0.0, 0.0, LEVEL])
    return fitted_case(robot, replace(recording, effort=effort))


def test_white_noise_is_estimated_for_each_joint() -> None:
    found = torque_noise(noisy_case())
    # the median of 4000 differences has a standard deviation of about 2 %
    assert found[2] == pytest.approx(LEVEL, rel=0.1)
    assert np.all(found[:2] < 0.1)


def test_fast_torque_that_a_model_explains_is_not_noise() -> None:
    case = noisy_case()
    exact = tuple(replace(c, raw_model=c.signals.raw_torque + 0.01) for c in case.comparisons)
    np.testing.assert_allclose(torque_noise(replace(case, comparisons=exact)), 0.01, rtol=0.5)
    assert torque_noise(replace(case, comparisons=()))[2] == pytest.approx(LEVEL, rel=0.1)


def test_noise_is_named_with_its_size_and_share() -> None:
    case = noisy_case()
    (found,) = noise(case)
    assert found.joint == "wrist"
    level, size = found.evidence["noise [N m]"], case.signals[0].raw_torque[:, 2].std()
    assert level == pytest.approx(LEVEL, rel=0.1)
    assert found.evidence["noise over torque"] == pytest.approx(level / size)
    assert found.sentence.endswith("although its torque errors are large.")
    assert found.plot is not None
    measured, model = found.plot.traces
    drawn = len(measured.x)
    assert drawn > 100
    np.testing.assert_array_equal(measured.x, np.arange(drawn) / RATE)
    np.testing.assert_array_equal(model.x, measured.x)
    np.testing.assert_array_equal(measured.y, case.signals[0].raw_torque[:drawn, 2])
    np.testing.assert_array_equal(model.y, case.comparisons[0].raw_model[:drawn, 2])


def test_noise_without_a_model_is_found_without_the_model_error() -> None:
    (found,) = noise(replace(noisy_case(), comparisons=()))
    assert set(found.evidence) == {"noise over torque", "noise [N m]"}
    assert found.plot is not None
    assert len(found.plot.traces) == 1


@pytest.mark.parametrize("worse", [0.5, 3.0])
def test_error_without_noise_grows_with_the_held_out_error(worse: float) -> None:
    case = noisy_case()
    held_out = HeldOut(5, (0.0,) * 3, tuple((worse * case.relative_errors).tolist()))
    (found,) = noise(replace(case, held_out=held_out))
    (compared,) = case.comparisons
    torque = compared.signals.raw_torque[:, 2]
    error = np.sqrt(np.mean((compared.raw_model[:, 2] - torque) ** 2))
    level = found.evidence["noise [N m]"]
    # a smaller held-out error is chance
    beyond = np.sqrt(max((max(worse, 1.0) * error) ** 2 - level**2, 0.0))
    share = found.evidence["error beyond noise over torque without it"]
    # where noise is all of the error, the root of rounding errors is left
    assert share == pytest.approx(beyond / np.sqrt(torque.var() - level**2), rel=1e-6, abs=1e-6)
    assert ("although its torque" in found.sentence) is (worse < 1)
