"""Filters whose cut-off is chosen by the error on data left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.swung_arm import FREQUENCIES, limited_arm, swung

from dynid.estimation.regression import Rows, make_rows
from dynid.identification.filter_choice import FilterChoice, filtered_pieces
from dynid.identification.filter_trials import FilterError, FilterTrials
from dynid.identification.friction import reduced
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.identification.validate import validate
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import ParallelFilterSettings


def arm(**identification: object) -> Robot:
    return limited_arm(identification={"trim_rest": False, **identification})


def noisy(recording: Recording, noise: float) -> Recording:
    """White noise of encoders [rad]."""
    error = np.random.default_rng(2).normal(0.0, noise, recording.position.shape)
    return replace(recording, position=recording.position + error)


def chosen(robot: Robot, recording: Recording) -> FilterChoice:
    _, _, choice = filtered_pieces(robot, [recording])
    assert choice is not None
    return choice


def test_a_fast_motion_keeps_its_bandwidth() -> None:
    robot = arm()
    assert chosen(robot, fast_motion(robot)).cutoff_hz >= 35.0


def test_noise_of_encoders_lowers_the_cut_off_as_far_as_it_spoils_the_model() -> None:
    robot = arm()
    clean = swung(robot)
    cutoffs = [chosen(robot, noisy(clean, noise)).cutoff_hz for noise in (0.0, 1e-3, 1e-2)]
    assert cutoffs[2] < cutoffs[1] <= cutoffs[0], cutoffs


def test_the_chosen_cut_off_predicts_no_worse_than_half_and_double() -> None:
    choice = chosen(arm(), noisy(swung(arm()), 3e-3))
    error = choice.error_at(choice.cutoff_hz)
    assert error is not None
    for other in (choice.cutoff_hz / 2, choice.cutoff_hz * 2):
        beside = choice.error_at(other)
        assert beside is not None
        assert error <= 1.02 * beside


def test_the_model_is_identified_with_the_chosen_filters_and_says_so() -> None:
    robot = arm()
    result = identify(robot, [noisy(swung(robot), 3e-3)])
    assert result.filters is not None
    settings = result.model.robot.settings(IdentificationSettings)
    assert settings.cutoff_hz == result.filters.cutoff_hz
    assert isinstance(settings.parallel_filter, ParallelFilterSettings)
    assert settings.parallel_filter.cutoff_hz == result.filters.parallel_hz
    assert result.filters.note() in result.notes
    assert f"{result.filters.cutoff_hz:.3g} Hz" in result.filters.note()


def test_a_given_cut_off_is_kept() -> None:
    robot, pieces, choice = filtered_pieces(arm(cutoff_hz=12.0), [swung(arm())])
    assert choice is None
    assert len(pieces) == 1
    settings = robot.settings(IdentificationSettings)
    assert settings.cutoff_hz == 12.0
    assert settings.parallel_filter == ParallelFilterSettings(cutoff_hz=12.0, decimation=3)


def test_a_motion_too_short_to_choose_by_has_the_usual_filter() -> None:
    still = swung(arm(), amplitudes=[0.0, 0.0, 0.0])
    robot, _, choice = filtered_pieces(arm(), [replace(still, effort=0 * still.effort)])
    assert choice is None
    assert robot.settings(IdentificationSettings).cutoff_hz == 10.0


def test_a_slow_recording_has_a_cut_off_below_its_nyquist_frequency() -> None:
    recording = swung(arm())
    slow = replace(
        recording,
        **{name: getattr(recording, name)[::16] for name in ("time", "position", "effort")},
        velocity=None,
        sampling_rate=recording.sampling_rate / 16,
    )
    assert chosen(arm(), slow).cutoff_hz <= 0.4 * slow.sampling_rate


def test_settings_left_to_the_data_are_those_decided_for_a_model() -> None:
    result = identify(arm(), [noisy(swung(arm()), 1e-2)])
    again = result.model.with_robot(arm()).robot.settings(IdentificationSettings)
    decided = result.model.robot.settings(IdentificationSettings)
    assert (again.cutoff_hz, again.parallel_filter) == (decided.cutoff_hz, decided.parallel_filter)
    other = result.model.with_robot(arm(cutoff_hz=15.0)).robot.settings(IdentificationSettings)
    assert other.cutoff_hz == 15.0


@pytest.mark.parametrize(("rate", "kept"), [(1000.0, 20), (100.0, 4), (30.0, 1)])
def test_a_decimation_never_goes_below_the_cut_off(rate: float, kept: int) -> None:
    given = {"cutoff_hz": 10.0, "parallel_filter": {"cutoff_hz": 10.0, "decimation": 20}}
    settings = IdentificationSettings(**given)  # type: ignore[arg-type]
    assert ParallelFilter.of(settings, rate).decimation == kept


def test_a_given_cut_off_that_loses_motion_is_named() -> None:
    robot = arm(cutoff_hz=10.0)
    fast = swung(robot, frequencies=[10 * f for f in FREQUENCIES], amplitudes=[0.1, 0.1, 0.12])
    (sentence,) = (w for w in identify(robot, [fast]).verdict.warnings if "cutoff_hz" in w)
    assert sentence.startswith("cutoff_hz = 10 Hz removes motion that the torque shows")
    slow = identify(robot, [swung(robot)])
    assert not [w for w in slow.verdict.warnings if "cutoff_hz" in w]


def test_coarse_encoders_lower_the_cut_off_instead_of_a_warning() -> None:
    recording = swung(arm())
    coarse = replace(recording, position=np.round(recording.position / 2e-3) * 2e-3)

    def warned(robot: Robot) -> list[str]:
        findings = identify(robot, [coarse]).findings
        return [finding.remedy for finding in findings if finding.cause == "quantised_feedback"]

    assert "reduce identification.cutoff_hz" in warned(arm(cutoff_hz=20.0))[0]
    assert not [remedy for remedy in warned(arm()) if "cutoff_hz" in remedy]


def test_a_model_is_validated_on_a_recording_too_slow_for_its_filters() -> None:
    robot = arm()
    model = identify(robot, [swung(robot)], cutoff_hz=30.0).model
    recording = swung(robot, frequencies=[0.3, 0.5, 0.7])
    slow = replace(
        recording,
        **{name: getattr(recording, name)[::4] for name in ("time", "position", "effort")},
        velocity=None,
        sampling_rate=recording.sampling_rate / 4,
    )
    result = validate(model, [slow])
    assert result.verdict.mean_relative_error < 0.1
    assert any("pass a low-pass of 30 Hz" in note and "20 Hz" in note for note in result.notes)
    assert not any("low-pass of 30 Hz" in note for note in validate(model, [recording]).notes)


def late_by(recording: Recording, periods: float) -> Recording:
    """Record torque some sampling periods later than its motion."""
    samples = np.arange(len(recording.time), dtype=np.float64)
    at = np.clip(samples - periods, 0, None)
    late = [np.interp(at, samples, column) for column in recording.effort.T]
    return replace(recording, effort=np.column_stack(late))


def fast_motion(robot: Robot, duration: float = 20.0) -> Recording:
    """A motion of up to 22 Hz, with nine samples per cycle."""
    frequencies = [10 * f for f in FREQUENCIES]
    return swung(robot, frequencies=frequencies, amplitudes=[0.1, 0.1, 0.12], duration=duration)


def test_a_motion_of_few_samples_per_cycle_is_no_fault_and_predicted() -> None:
    robot = arm()
    found = identify(robot, [fast_motion(robot, 8.0)])
    assert max(found.held_out.relative_error) < 0.01
    assert {one.cause for one in found.findings} <= {
        "saturation",
        "small_region",
        "ill_conditioned",
    }


def test_an_error_in_most_folds_is_worse_however_large_one_of_them_is() -> None:
    best = FilterError(np.ones((10, 1)), np.full(1, 100.0))
    worse = FilterError(np.vstack([np.full((9, 1), 3.0), [[1e6]]]), best.torque)
    once = FilterError(np.vstack([np.ones((9, 1)), [[1e6]]]), best.torque)
    assert worse.is_worse_than(best)
    assert not once.is_worse_than(best)


@pytest.mark.parametrize(
    ("periods", "duration"),
    representatives([(1.3, 8.0), (1.3, 20.0), (-0.8, 8.0), (0.0, 20.0), (-5.0, 20.0)], 2),
)
def test_a_delay_of_torque_within_two_samples_is_found_and_no_other(
    periods: float, duration: float
) -> None:
    robot = arm()
    recorded = late_by(fast_motion(robot, duration), periods)
    delay = chosen(robot, recorded).torque_delay * recorded.sampling_rate
    # longer ones are faults, which the diagnosis looks for
    assert delay == pytest.approx(periods if abs(periods) < 2 else 0.0, abs=0.1)


def test_a_model_predicts_torque_as_it_was_recorded() -> None:
    robot = arm()
    fast = fast_motion(robot)
    recorded = late_by(fast, 1.3)
    found = identify(robot, [recorded])
    predicted = found.model.predict(recorded).torque
    inside = slice(100, -100)
    error = np.linalg.norm((predicted - recorded.effort)[inside])
    assert error < 0.02 * np.linalg.norm(recorded.effort[inside])
    assert np.linalg.norm((predicted - fast.effort)[inside]) > 5 * error  # which was not late


@pytest.mark.thorough
def test_a_delay_that_is_left_out_costs_most_of_the_error() -> None:
    robot = arm()
    recorded = late_by(fast_motion(robot), 1.3)
    found = identify(robot, [recorded])
    given = identify(arm(torque_delay=0.0), [recorded])
    assert max(given.held_out.relative_error) > 5 * max(found.held_out.relative_error)


def test_all_cut_offs_are_compared_on_the_same_parts_left_out(monkeypatch) -> None:
    robot = arm()
    recording = swung(robot, frequencies=(0.5, 1.0, 1.5), overtone=0.0)  # repeats every 2 s
    usual = robot.settings(IdentificationSettings).explicit(recording.sampling_rate)
    trials = FilterTrials(robot, [recording], usual)
    rows = list[Rows]()

    def recorded(*arguments, **keywords) -> Rows:
        rows.append(make_rows(*arguments, **keywords))
        return rows[-1]

    monkeypatch.setattr(reduced, "make_rows", recorded)
    for cutoff in (5.0, 20.0):
        trials.error(cutoff)
    times = [made.parallel_filter.decimate(made.signals.time) for made in rows]
    between = np.linspace(max(t[0] for t in times), min(t[-1] for t in times), 500)
    folds = [
        made.fold[np.searchsorted(time, between).clip(max=len(time) - 1)]
        for made, time in zip(rows, times, strict=True)
    ]
    assert len(folds) == 4
    for of_one in folds[1:]:
        assert np.mean(of_one == folds[0]) > 0.8  # but where a part begins between two samples
