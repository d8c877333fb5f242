"""Delayed torque: estimated to a fraction of a sample, and not confused with friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import RATE, arm, fitted_case, with_terms
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.evaluation.diagnosis.sampled_fit import sampled
from dynid.evaluation.diagnosis.time_shift import find_delay, time_shift
from dynid.recording.model import Recording
from dynid.robot.torque_settings import FeedforwardSettings


def shifted(recording: Recording, samples: int) -> Recording:
    return replace(recording, effort=np.roll(recording.effort, samples, axis=0))


@pytest.mark.parametrize("samples", [2, 5, -5, 12])
def test_shift_is_found_with_size_and_direction(samples: int) -> None:
    robot, _, recording = arm()
    (found,) = time_shift(fitted_case(robot, shifted(recording, samples)))
    assert found.joint is None
    assert found.severity == "warning"
    assert found.evidence["delay [s]"] == pytest.approx(samples / RATE, abs=0.2 / RATE)
    word = "later" if samples > 0 else "earlier"
    milliseconds = abs(found.evidence["delay [s]"]) * 1e3
    assert f"torque is recorded {abs(samples)} samples ({milliseconds:.3g} ms" in found.sentence
    assert f"{word} than its motion" in found.sentence


@pytest.mark.parametrize("rate", [50.0, 100.0])
def test_shift_is_found_at_a_low_sampling_rate_too(rate: float) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05, rate=rate)
    (found,) = time_shift(fitted_case(robot, shifted(recording, 3)))
    assert found.evidence["delay [s]"] == pytest.approx(3 / rate, abs=0.2 / rate)


def test_late_torque_proposes_a_delay_of_the_additive_torque() -> None:
    robot, _, recording = arm()
    feedforward = robot.settings(FeedforwardSettings).model_copy(
        update={"additive_torque_delay": 0.002}
    )
    robot = robot.with_settings(feedforward)
    (late,) = time_shift(fitted_case(robot, shifted(recording, 5)))
    assert "feedforward.additive_torque_delay: 0.027" in late.remedy
    (early,) = time_shift(fitted_case(robot, shifted(recording, -5)))
    assert "additive_torque_delay" not in early.remedy


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5])
def test_torque_without_delay_gives_no_finding(noise: float, seed: int) -> None:
    robot, _, recording = arm(noise, seed)
    assert list(time_shift(fitted_case(robot, recording))) == []


def test_delay_is_within_its_standard_deviations() -> None:
    robot, _, recording = arm(noise=0.5)
    case = fitted_case(robot, shifted(recording, 3))
    delay = find_delay(case, sampled(case, reach=50), 50)
    assert abs(delay.seconds - 3 / RATE) < 4 * delay.standard_deviation
    assert delay.standard_deviation < 0.5 / RATE


def test_missing_friction_is_not_taken_for_a_shift() -> None:
    dry = arm_robot(terms=[{"kind": "coulomb"}, {"kind": "stribeck", "scale": 0.3}])
    mechanism = dry.mechanism()
    friction = {f"Fc{j}": 6.0 for j in (1, 2, 3)} | {f"Fs{j}": 4.0 for j in (1, 2, 3)}
    recording = recorded(mechanism, with_terms(mechanism, **friction), noise=0.05, rate=RATE)
    model = arm_robot(terms=[{"kind": "viscous"}, {"kind": "offset"}])
    case = fitted_case(model, recording)
    assert case.relative_errors.max() > 0.2
    assert list(time_shift(case)) == []


@pytest.mark.parametrize("seconds", [0.3, 0.4])
def test_too_few_rows_for_the_parameters_give_no_shift(seconds: float) -> None:
    robot, _, recording = arm()
    case = fitted_case(robot, shifted(recording, 3).cut(None, seconds))
    assert list(time_shift(case)) == []


def test_a_very_short_recording_gives_no_shift() -> None:
    robot, _, recording = arm()
    assert list(time_shift(fitted_case(robot, recording.cut(None, 0.5)))) == []
