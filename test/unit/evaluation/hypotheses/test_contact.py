"""Intervals of contact: windows whose errors are far beyond the others', away from the ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.searched_arm import crane_recording, trial_of

from dynid.arrays import Array
from dynid.evaluation.hypotheses.contact import contact_interval, errors_of
from dynid.evaluation.hypotheses.state import Hypothesis
from dynid.evaluation.hypotheses.trial import FLOOR, RefitOutcome, Trial, cost
from dynid.recording.model import Recording

GOOD = crane_recording()
PUSH = 20.0  # [N m]


def pushed(*spans: tuple[float, float], recording: Recording = GOOD) -> Recording:
    """Return a recording whose boom is pushed in spans of time [s]."""
    effort = recording.effort.copy()
    for start, stop in spans:
        effort[(recording.time >= start) & (recording.time < stop), 1] += PUSH
    return replace(recording, effort=effort)


def outcomes(trial: Trial) -> list[RefitOutcome]:
    return list(contact_interval(trial, trial.outcome(Hypothesis.unchanged(trial.samples))))


def excluded_times(trial: Trial) -> Array:
    (outcome,) = outcomes(trial)
    return trial.samples.time[~trial.samples.outside(outcome.state.excluded)]


def test_without_a_contact_nothing_is_left_out() -> None:
    assert outcomes(trial_of(GOOD)) == []


@pytest.mark.parametrize(("start", "stop"), [(7.0, 8.0), (12.0, 12.6)])
def test_the_interval_has_the_contact_and_little_else(start: float, stop: float) -> None:
    times = excluded_times(trial_of(pushed((start, stop))))
    assert start - 0.6 < times.min() <= start
    assert stop - 0.02 <= times.max() < stop + 0.6


def test_two_contacts_are_two_intervals() -> None:
    times = excluded_times(trial_of(pushed((5.0, 5.8), (13.0, 13.8))))
    for start, stop in ((5.0, 5.8), (13.0, 13.8)):
        here = times[(times > start - 1) & (times < stop + 1)]
        assert here.min() <= start
        assert here.max() >= stop - 0.02
    assert not np.any((times > 7.0) & (times < 12.0))


def test_what_is_left_fits_without_an_error_worth_a_claim() -> None:
    trial = trial_of(pushed((7.0, 8.0)))
    assert trial.outcome(Hypothesis.unchanged(trial.samples)).refit.held_out[1] > 0.1
    (outcome,) = outcomes(trial)
    assert np.all(outcome.refit.held_out < FLOOR / 2)


def test_errors_most_of_the_time_are_no_contact() -> None:
    assert outcomes(trial_of(pushed((3.0, 16.0)))) == []


def test_a_contact_is_of_its_recording() -> None:
    trial = trial_of(GOOD, pushed((7.0, 8.0), recording=crane_recording(1)))
    (outcome,) = outcomes(trial)
    assert {recording for recording, _, _ in outcome.state.excluded} == {1}


def test_errors_are_relative_to_each_joints_torque() -> None:
    trial = trial_of(pushed((7.0, 8.0)))
    outcome = trial.outcome(Hypothesis.unchanged(trial.samples))
    errors = errors_of(trial, outcome)
    inside = (trial.samples.time > 7.3) & (trial.samples.time < 7.7)
    torque = trial.samples.rows("torque")
    size = np.sqrt(np.mean(torque**2, axis=0))
    assert errors.shape == torque.shape
    # the refit takes a part of the push for friction and weight
    assert 0.6 * PUSH < np.abs(errors[inside, 1] * size[1]).mean() < 1.1 * PUSH
    assert np.abs(errors[:, [0, 2]][trial.samples.kept[:, [0, 2]]]).max() < 0.1


def test_what_is_left_out_costs_its_own_error() -> None:
    """Otherwise whatever leaves out what it does not explain would be best."""
    trial = trial_of(pushed((7.0, 8.0)))
    (outcome,) = outcomes(trial)
    plain = cost(outcome.refit.held_out)
    assert plain < outcome.cost < trial.present.cost
    larger = trial_of(replace(pushed((7.0, 8.0)), effort=pushed((7.0, 8.0), (7.0, 8.0)).effort))
    (of_larger,) = outcomes(larger)
    assert of_larger.cost - cost(of_larger.refit.held_out) > outcome.cost - plain
