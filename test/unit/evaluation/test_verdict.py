"""Every error of a verdict by hand, and reasons for failure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.comparison import comparison

from dynid.evaluation.errors import relative_errors
from dynid.evaluation.settings import EvaluationSettings
from dynid.evaluation.verdict import Verdict, evaluate


def verdict_of(*args: object, allowed: float = 0.5, **kwargs: object) -> Verdict:
    return evaluate([comparison(*args, **kwargs)], softmc(allowed))  # type: ignore[arg-type]


def softmc(allowed: float = 0.5) -> EvaluationSettings:
    """Return the criterion of the largest error."""
    return EvaluationSettings(criterion="max_error", max_relative_torque_error=allowed)


def test_every_error_agrees_with_a_calculation_by_hand() -> None:
    # errors 1, -1, 3, -1: squares 1, 1, 9, 1, sum 12; torques' squares 4, 16, 16, 36, sum 72
    joint = verdict_of([2, -4, 4, 6], [3, -5, 7, 5], raw=[2, -4, 4, 2]).joints[0]
    assert joint.joint == "elbow"
    assert joint.rmse_torque == pytest.approx(np.sqrt(3))
    assert joint.rmse == pytest.approx(np.sqrt(3))
    assert joint.rmse_raw == pytest.approx(np.sqrt((1 + 1 + 9 + 9) / 4))
    assert joint.nrmse == pytest.approx(np.sqrt(3) / 10)
    assert joint.relative_error == pytest.approx(np.sqrt(12 / 72))
    # mean 2, differences from it 0, -6, 2, 4: squares sum 56
    assert joint.r_squared == pytest.approx(1 - 12 / 56)
    assert joint.max_relative_torque_error == pytest.approx(3 / 6)
    assert joint.mean_relative_torque_error == pytest.approx(1.5 / 6)
    assert (joint.samples, joint.moving_samples, joint.velocity_threshold) == (4, 4, 0.1)


def test_the_largest_error_may_be_negative() -> None:
    joint = verdict_of([80, 160, 40], [50, 160, 41]).joints[0]
    assert joint.max_relative_torque_error == pytest.approx(30 / 160)
    assert joint.mean_relative_torque_error == pytest.approx(31 / 3 / 160)


def test_mean_relative_error_is_the_mean_over_the_joints() -> None:
    first, second = verdict_of([3, 4], [3, 4.5]).joints[0], verdict_of([3, 4], [6, 8]).joints[0]
    both = Verdict((first, second), success=False, reasons=(), warnings=())
    assert both.mean_relative_error == pytest.approx((0.1 + 1.0) / 2)


def test_softmc_example_is_12_5_percent() -> None:
    # softMC's manual: feedback 80, command 100, largest feedback 160
    joint = verdict_of([80, 160], [100, 160]).joints[0]
    assert joint.max_relative_torque_error == pytest.approx(0.125)


def test_relative_torque_error_uses_moving_samples_only() -> None:
    moving = [True, True, False, False]
    joint = verdict_of([80, 160, 500, 10], [100, 160, 0, 900], moving=moving).joints[0]
    assert joint.max_relative_torque_error == pytest.approx(0.125)
    assert joint.mean_relative_torque_error == pytest.approx(0.0625)
    assert joint.moving_samples == 2
    assert joint.samples == 4
    assert joint.rmse_torque == pytest.approx(np.sqrt((400 + 500**2 + 890**2) / 4))


def test_largest_torque_may_be_negative() -> None:
    assert verdict_of([80, -160], [100, -160]).joints[0].max_relative_torque_error == 0.125


@pytest.mark.parametrize("factor", [10.0, -10.0])
def test_rmse_is_in_the_recorded_unit(factor: float) -> None:
    joint = verdict_of([2, -4, 4, 6], [3, -5, 7, 5], factor=factor, unit="A").joints[0]
    assert joint.unit == "A"
    assert joint.rmse == pytest.approx(np.sqrt(3) / 10)
    assert joint.rmse_torque == pytest.approx(np.sqrt(3))


@given(st.integers(0, 2**32 - 1))
def test_figures_agree_with_numpy(seed: int) -> None:
    random = np.random.default_rng(seed)
    measured = random.normal(size=40) + 0.5
    model = measured + 0.1 * random.normal(size=40)
    joint = verdict_of(measured, model).joints[0]
    error = np.linalg.norm(model - measured)
    assert joint.relative_error == pytest.approx(error / np.linalg.norm(measured))
    assert joint.nrmse * (measured.max() - measured.min()) == pytest.approx(joint.rmse_torque)
    total = np.sum((measured - measured.mean()) ** 2)
    assert joint.r_squared == pytest.approx(1 - error**2 / total)
    assert joint.mean_relative_torque_error <= joint.max_relative_torque_error


@given(st.integers(0, 2**32 - 1), st.integers(1, 38))
def test_several_recordings_are_evaluated_as_one(seed: int, cut: int) -> None:
    random = np.random.default_rng(seed)
    measured, model = random.normal(size=(2, 40))
    parts = [
        comparison(measured[:cut], model[:cut]),
        comparison(measured[cut:], model[cut:], threshold=0.3),
    ]
    pooled, whole = evaluate(parts, softmc()).joints[0], verdict_of(measured, model).joints[0]
    for name in ("rmse", "nrmse", "relative_error", "r_squared", "max_relative_torque_error"):
        assert getattr(pooled, name) == pytest.approx(getattr(whole, name))
    assert pooled.samples == 40
    assert pooled.velocity_threshold == 0.3  # the stricter of both
    assert relative_errors(parts)[0] == pytest.approx(pooled.relative_error)


def test_perfect_model_succeeds_without_reasons() -> None:
    verdict = verdict_of([1, 2, -3], [1, 2, -3])
    assert verdict.success
    assert verdict.reasons == ()
    assert verdict.joints[0].r_squared == 1.0


def test_warnings_are_not_a_failure() -> None:
    verdict = evaluate([comparison([1, 2], [1, 2])], softmc(), warnings=["look here."])
    assert verdict.success
    assert verdict.warnings == ("look here.",)


def test_nothing_is_served_by_a_model_of_recordings_that_contradict_themselves() -> None:
    torques = comparison([1, 2, -3, 4], [1, 2, -3, 4])
    assert evaluate([torques], softmc()).joints[0].uses
    verdict = evaluate([torques], softmc(), reasons=["no gravity."])
    assert not verdict.success
    assert verdict.joints[0].uses == ()
    assert verdict.joints[0].feedforward is None


def test_failure_names_joint_and_numbers() -> None:
    verdict = verdict_of([80, 160, 160, 160], [180, 160, 160, 160])
    assert not verdict.success
    assert verdict.reasons[-1:] == (
        "elbow: max relative torque error 62.5 % at 0.00 s, allowed 50 %.",
    )


def test_an_error_equal_to_the_limit_is_allowed() -> None:
    assert verdict_of([80, 160], [100, 160], allowed=0.125).success
    assert not verdict_of([80, 160], [100, 160], allowed=0.1249).success


def test_joint_that_does_not_move_fails_by_name() -> None:
    verdict = verdict_of([1, 2], [1, 2], moving=[False, False], threshold=0.25)
    assert verdict.reasons == ("elbow: no sample moves faster than 0.25 rad/s.",)
    assert not verdict.success
    (joint,) = verdict.joints
    # without motion there is no error in motion
    assert joint.max_relative_torque_error == joint.mean_relative_torque_error == 0.0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("side", ["model", "measured"])
def test_values_that_are_not_finite_fail(wrong: float, moving: bool, side: str) -> None:
    good, bad = [1.0, 2.0, 3.0], [1.0, wrong, 3.0]
    measured, model = (good, bad) if side == "model" else (bad, good)
    with np.errstate(invalid="ignore"):
        verdict = verdict_of(measured, model, moving=[True, moving, True])
    assert not verdict.success
    (reason,) = verdict.reasons
    assert reason == "elbow: model or measured torque contains values that are not finite."


def test_joint_without_torque_fails_unless_the_model_is_zero_too() -> None:
    verdict = verdict_of([0, 0, 0], [0.1, 0, 0])
    assert not verdict.success
    assert verdict.reasons == ("elbow: the measured torque is zero in all samples in motion.",)
    assert verdict.joints[0].relative_error == np.inf
    exact = verdict_of([0, 0, 0], [0, 0, 0])
    assert exact.success
    assert exact.joints[0].relative_error == 0.0


def test_constant_torque_has_no_finite_r_squared() -> None:
    joint = verdict_of([5, 5, 5], [5, 5, 6]).joints[0]
    assert np.isnan(joint.r_squared)
    assert np.isnan(joint.nrmse)
    assert joint.relative_error == pytest.approx(np.sqrt(1 / 75))


def test_pooled_zero_torque_has_no_relative_error() -> None:
    assert relative_errors([comparison([0, 0], [0, 0])])[0] == 0.0


@pytest.mark.parametrize(("level", "noise"), [(20.0, 0.1), (-3.0, 0.02), (0.5, 0.0)])
def test_a_torque_without_variation_beyond_its_noise_has_no_nrmse_and_no_r_squared(
    level: float, noise: float
) -> None:
    unfiltered = EvaluationSettings(parallel_filter=None, cutoff_hz=None)
    measured = level + noise * np.random.default_rng(0).standard_normal(2000)
    joint = evaluate([comparison(measured, np.full(2000, 1.01 * level))], unfiltered).joints[0]
    assert np.isnan(joint.nrmse)
    assert np.isnan(joint.r_squared)
    assert joint.relative_error == pytest.approx(0.01, rel=0.2)
    varied = measured + max(5 * noise, 0.1) * np.sin(np.arange(2000) / 50)
    joint = evaluate([comparison(varied, np.full(2000, level))], unfiltered).joints[0]
    assert np.isfinite([joint.nrmse, joint.r_squared]).all()
