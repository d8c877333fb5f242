"""The criterion: held-out error against noise, and what a model serves for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.comparison import comparison

from dynid.evaluation.criterion import unexplained
from dynid.evaluation.settings import EvaluationSettings
from dynid.evaluation.verdict import (
    ErrorReference,
    TorqueComparison,
    Verdict,
    evaluate,
    noise_floor,
)
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import ParallelFilterSettings

TIME = np.arange(4000) * 0.01
SINE = 10.0 * np.sin(TIME)
HELD_OUT = EvaluationSettings(parallel_filter=None)


def noisy(level: float, seed: int = 0) -> np.ndarray:
    return level * np.random.default_rng(seed).standard_normal(len(TIME))


def rated(
    measured: np.ndarray,
    model: np.ndarray,
    settings: EvaluationSettings = HELD_OUT,
    **reference: object,
) -> Verdict:
    one = comparison(measured, model)
    return evaluate([one], settings, reference=ErrorReference(**reference))  # type: ignore[arg-type]


def test_one_spike_in_a_good_model_is_a_warning_with_its_time() -> None:
    measured = SINE.copy()
    measured[1231] += 9.0
    verdict = rated(measured, SINE)
    assert verdict.success
    share = 9.0 / np.abs(measured).max()
    assert verdict.joints[0].max_relative_torque_error == pytest.approx(share)
    (warning,) = verdict.warnings
    assert warning == f"elbow: torque error {100 * share:.1f} % of the largest torque at 12.31 s."


def test_the_largest_error_decides_where_the_profile_says_so() -> None:
    measured = SINE.copy()
    measured[1231] += 9.0
    by_choice = rated(measured, SINE, EvaluationSettings(criterion="max_error"))
    by_limit = rated(measured, SINE, EvaluationSettings(max_relative_torque_error=0.5))
    for verdict in (by_choice, by_limit):
        assert not verdict.success
        assert verdict.reasons[0].endswith("at 12.31 s, allowed 50 %.")
    assert rated(measured, SINE, EvaluationSettings(max_relative_torque_error=0.95)).success


def test_a_model_that_explains_nothing_fails() -> None:
    verdict = rated(SINE + noisy(0.1), np.zeros_like(SINE))
    assert not verdict.success
    assert verdict.joints[0].feedforward is False
    assert verdict.joints[0].collision is False
    assert "serves neither feedforward nor collision detection" in verdict.reasons[0]


def test_the_error_on_held_out_data_decides_not_that_of_the_fit() -> None:
    assert rated(SINE, 0.9 * SINE, held_out=[0.4]).success
    failed = rated(SINE, 0.9 * SINE, held_out=[0.6])
    assert not failed.success
    assert failed.reasons[0].startswith("elbow: held-out relative torque error 60.0 %")


def test_a_model_cannot_be_better_held_out_than_fitted() -> None:
    assert rated(SINE, 0.4 * SINE, held_out=[0.1]).joints[0].held_out_error == pytest.approx(0.6)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_noise_of_the_record_is_no_error_of_the_model(share: float) -> None:
    # of noise as large as half the torque, or nearly all of it, no model can explain anything
    level = share * np.sqrt(50.0)
    verdict = rated(SINE + noisy(level), SINE)
    joint = verdict.joints[0]
    assert joint.relative_error > 0.4
    assert joint.noise_share == pytest.approx(level / np.sqrt(50 + level**2), rel=0.05)
    assert verdict.success
    assert joint.unexplained_error < 0.2


def test_a_joint_of_noise_alone_is_a_warning() -> None:
    verdict = rated(noisy(0.3) + 0.01 * SINE, np.zeros_like(SINE))
    assert verdict.success
    joint = verdict.joints[0]
    assert (joint.feedforward, joint.collision) == (None, None)
    assert "nothing to explain" in verdict.warnings[0]


def test_a_constant_torque_without_a_model_is_not_noise() -> None:
    verdict = rated(np.full_like(SINE, 20.0) + noisy(0.1), noisy(0.1, seed=1))
    assert not verdict.success


def test_feedforward_may_be_served_without_collision_detection() -> None:
    model = 0.7 * SINE  # explains 91 % of the squared torque, and misses 3 N m of 10
    verdict = rated(SINE, model)
    assert verdict.success
    joint = verdict.joints[0]
    assert (joint.feedforward, joint.collision) == (True, False)
    assert joint.detectable_torque == pytest.approx(3.0, rel=1e-3)
    assert joint.detectable_share == pytest.approx(0.3, rel=1e-3)
    assert "serves feedforward, but not collision detection" in verdict.warnings[0]
    # of a joint that may carry 100 N m, 3 N m are little
    assert rated(SINE, model, torque_max=[100.0]).joints[0].collision is True
    assert rated(SINE, model, torque_max=[np.nan]).joints[0].collision is False


def test_a_better_plain_model_is_a_warning() -> None:
    better = rated(SINE, 0.9 * SINE, held_out=[0.1], plain=[0.05])
    assert "held-out error is 5.00 % instead of 10.0 %" in better.warnings[0]
    assert rated(SINE, 0.9 * SINE, held_out=[0.1], plain=[0.095]).warnings == ()


def test_the_instant_of_the_largest_error_names_its_recording() -> None:
    second = SINE.copy()
    second[100] += 12.0
    parts = [comparison(SINE, SINE), comparison(second, SINE)]
    (warning,) = evaluate(parts, HELD_OUT).warnings
    assert warning.endswith("at 1.00 s of recording 2.")


@given(st.floats(0, 3), st.floats(0, 1))
def test_noise_never_makes_an_error_larger_than_it_is(error: float, noise: float) -> None:
    found = unexplained(error, noise)
    if 2 * noise**2 < 1:
        assert 0 <= found <= max(error, np.sqrt(2) * error)
        assert unexplained(error, 0.0) == pytest.approx(error)
    else:
        assert np.isnan(found)


def test_filters_lower_the_noise_as_they_lower_that_of_a_record() -> None:
    settings = EvaluationSettings(parallel_filter=ParallelFilterSettings(cutoff_hz=5.0))
    parallel = ParallelFilter.from_settings(settings.parallel_filter, 100.0)
    torque = SINE + noisy(2.0)
    signals = comparison(torque, SINE).signals
    left = parallel.smooth(noisy(2.0)[:, None]).std()
    assert noise_floor([signals], settings)[0] == pytest.approx(left, rel=0.15)
    both = replace(signals, raw_torque=SINE[:, None])
    pooled = noise_floor([signals, both], settings)[0]
    assert pooled == pytest.approx(noise_floor([signals], settings)[0] / np.sqrt(2), rel=0.01)


def test_comparison_of_several_joints_rates_each() -> None:
    one, other = comparison(SINE, SINE), comparison(SINE, 0.0 * SINE)
    signals = replace(
        one.signals,
        joint_names=("good", "bad"),
        **{
            name: np.column_stack([getattr(one.signals, name)] * 2)
            for name in ("torque", "raw_torque", "moving", "position", "velocity")
        },
        velocity_threshold=np.full(2, 0.1),
        torque_per_effort=np.ones(2),
    )
    model = np.column_stack([one.model, other.model])
    both = TorqueComparison(signals, np.column_stack([one.measured] * 2), model, model)
    verdict = evaluate([both], HELD_OUT)
    assert [joint.feedforward for joint in verdict.joints] == [True, False]
    assert [reason.split(":")[0] for reason in verdict.reasons] == ["bad"]


# --- a poor model is never called good ------------------------------------------------------------


def test_a_model_no_better_than_a_constant_torque_fails() -> None:
    """Gravity of 20 N m holds still while friction and inertia, 2 N m, are not explained."""
    measured = 20.0 + 2.0 * np.sin(TIME)
    verdict = rated(measured, np.full_like(TIME, 20.0))
    (joint,) = verdict.joints
    assert joint.held_out_error < 0.1
    assert joint.r_squared == pytest.approx(0.0, abs=0.01)
    assert (joint.state, joint.feedforward) == ("poor", False)
    assert not any(use.serves for use in joint.uses)
    assert "hardly more than a constant torque" in verdict.reasons[0]


def test_a_model_worse_than_a_constant_torque_is_not_excused_by_noise() -> None:
    verdict = rated(20.0 + noisy(0.1), np.full_like(TIME, 18.0))
    assert verdict.joints[0].state == "poor"
    as_good = rated(20.0 + noisy(0.1), np.full_like(TIME, 20.0)).joints[0]
    assert (as_good.state, as_good.feedforward) == ("noise", None)


@pytest.mark.parametrize("noise", [0.0, 1.0])
@given(st.floats(0.47, 3.0))
def test_more_than_a_fifth_of_the_squared_torque_is_never_good(noise: float, error: float) -> None:
    lenient = EvaluationSettings(max_held_out_error=1.0, max_feedforward_error=1.0)
    softmc = EvaluationSettings(criterion="max_error", max_relative_torque_error=100.0)
    for settings in (HELD_OUT, lenient, softmc):
        torque = 10 * np.random.default_rng(1).standard_normal(len(TIME))
        torque = np.convolve(torque, np.ones(50) / 7, mode="same")
        verdict = rated(torque + noisy(noise), (1 - error) * torque, settings)
        assert not verdict.success
        assert not any(use.serves for use in verdict.joints[0].uses)


def test_feedforward_needs_more_than_passing() -> None:
    verdict = rated(SINE, 0.601 * SINE)
    (joint,) = verdict.joints
    assert verdict.success
    assert (joint.state, joint.feedforward) == ("good", False)
    assert "does not serve feedforward: leaves 39.9 % of the torque" in verdict.warnings[0]
    assert "100 % without a model" in verdict.warnings[0]


def test_no_warning_of_a_model_that_failed_states_that_it_passes() -> None:
    failed = evaluate([comparison(SINE, 0.601 * SINE)], HELD_OUT, reasons=["a reason."])
    assert not failed.success
    assert not any("passes" in warning or "serve" in warning for warning in failed.warnings)


def test_feedforward_is_not_served_where_plain_friction_is_better() -> None:
    joint = rated(SINE, 0.8 * SINE, held_out=[0.2], plain=[0.1]).joints[0]
    (feedforward,) = [use for use in joint.uses if use.use == "feedforward"]
    assert feedforward.serves is False
    assert feedforward.reason.startswith("plain friction would leave 10.0 %")


def two_joints(first_moves: bool, second_moves: bool) -> Verdict:
    one, other = comparison(SINE, SINE), comparison(SINE, 0.95 * SINE)
    moving = np.column_stack([np.full(len(TIME), first_moves), np.full(len(TIME), second_moves)])
    signals = replace(
        one.signals,
        joint_names=("first", "second"),
        **{
            name: np.column_stack([getattr(one.signals, name)] * 2)
            for name in ("torque", "raw_torque", "position", "velocity")
        },
        moving=moving,
        velocity_threshold=np.full(2, 0.1),
        torque_per_effort=np.ones(2),
    )
    model = np.column_stack([one.model, other.model])
    both = TorqueComparison(signals, np.column_stack([one.measured] * 2), model, model)
    return evaluate([both], HELD_OUT, reference=ErrorReference(held_out=[0.0, 0.05]))


def test_a_joint_without_motion_is_not_identified_and_the_others_keep_their_verdict() -> None:
    verdict = two_joints(first_moves=False, second_moves=True)
    assert verdict.success
    still, moved = verdict.joints
    assert (still.state, moved.state) == ("not_moved", "good")
    assert (still.feedforward, moved.feedforward) == (None, True)
    assert not any(use.serves for use in still.uses)
    assert "first: no motion in these recordings: not identified, the URDF's value is kept." in (
        verdict.warnings
    )
    neither = two_joints(first_moves=False, second_moves=False)
    assert not neither.success
    assert [reason.split(":")[0] for reason in neither.reasons] == ["first", "second"]


def test_errors_in_motion_and_at_rest_are_apart() -> None:
    """At rest the error of 1 N m is within static friction of 1.5 N m."""
    measured = np.concatenate([SINE, np.full_like(SINE, 5.0)])
    model = np.concatenate([0.99 * SINE, np.full_like(SINE, 6.0)])
    moving = [*[True] * len(TIME), *[False] * len(TIME)]
    one = comparison(measured, model, moving=moving)
    reference = ErrorReference(static_friction=[1.5])
    (joint,) = evaluate([one], HELD_OUT, reference=reference).joints
    assert joint.moving_error == pytest.approx(0.01)
    assert joint.rest_rmse == pytest.approx(1.0)
    assert joint.rest_error == 0.0
    assert joint.rest_share == 0.5
    assert joint.rest_error_share == pytest.approx(1 / (1 + 1e-4 * np.mean(SINE**2)))
    assert [use.serves for use in joint.uses if use.use == "gravity"] == [True]
