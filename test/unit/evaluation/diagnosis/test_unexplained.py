"""What no cause explains is located: in time, speed and position of its joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.searched_arm import ELBOW, JOINTS, PAN, crane, crane_recording, trial_of

from dynid.arrays import Array
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.unexplained import unexplained
from dynid.identification.identify import identify


def disturbed(where: Array) -> Finding:
    """Return what is said of a crane whose elbow is disturbed where flags (N,) say so."""
    good = crane_recording()
    random = np.random.default_rng(1).standard_normal(len(good.time))
    disturbance = np.convolve(random, np.hanning(50), mode="same") * where
    size = 2 * good.effort[:, 2].std() / disturbance.std()
    trial = trial_of(replace(good, effort=good.effort + size * np.outer(disturbance, ELBOW)))
    (finding,) = unexplained(JOINTS, ["recording 1"], trial, trial.present)
    assert finding.joints == ("elbow",)
    return finding


def test_an_error_at_a_time_is_placed_there() -> None:
    time = crane_recording().time
    sentence = disturbed((time > 10.5) & (time < 12.0)).sentence
    _, _, place = sentence.partition("The squared error of elbow is concentrated: ")
    start, stop = (float(word) for word in place.split(" s")[0].split()[-3::2])
    assert start < 12.0
    assert stop > 10.5
    assert stop - start < 4.0


@pytest.mark.parametrize(("name", "words"), [("velocity", "at speeds"), ("position", "positions")])
def test_an_error_at_large_values_is_placed_there(name: str, words: str) -> None:
    values = np.abs(getattr(crane_recording(), name)[:, 2])
    assert words in disturbed(values > np.quantile(values, 0.85)).sentence


def test_an_error_everywhere_has_no_place() -> None:
    sentence = disturbed(np.ones(len(crane_recording().time))).sentence
    assert "at speeds" not in sentence
    assert "at positions" not in sentence


def test_only_what_was_tried_is_listed() -> None:
    """One joint has no other to be exchanged with, or to be coupled to."""
    good = crane_recording()
    noise = good.effort[:, 0].std() * np.random.default_rng(1).standard_normal(len(good.time))
    trial = trial_of(replace(good, effort=good.effort + np.outer(noise, PAN)))
    (several,) = unexplained(JOINTS, ["recording 1"], trial, trial.present)
    (one,) = unexplained(JOINTS[:1], ["recording 1"], trial, trial.present)
    for word in ("delays", "friction of any shape"):
        assert word in several.sentence
        assert word in one.sentence
    for word in ("exchanged channels", "coupling", "factors", "signs"):
        assert word in several.sentence
        assert word not in one.sentence


def test_a_cause_that_leaves_its_joint_poor_is_an_alternative() -> None:
    """A pan whose position jumps by 0.1 rad unfiltered: a factor of it suits it least badly."""
    good = crane_recording()
    teeth = np.tanh(good.effort / (0.1 * good.effort.std(axis=0)))
    ahead = replace(good, position=good.position + 0.05 * teeth * PAN, velocity=None)
    several = identify(crane(), ahead).findings
    findings = {one.cause: one for one in several if one.severity != "note"}
    assert not {"torque_factor", "nonlinear_torque", "position_factor"} & findings.keys()
    assert findings["unexplained"].joints == ("pan",)
    assert findings["unexplained"].alternatives == (("position_factor", ("pan",)),)
