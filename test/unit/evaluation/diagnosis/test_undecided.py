"""Causes between which recordings do not decide: another one is possible where much is left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.searched_arm import crane_recording, trial_of

from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.tested import _undecided
from dynid.evaluation.hypotheses.search import ChosenCause
from dynid.evaluation.hypotheses.tried import TriedCause


@pytest.mark.parametrize(("left", "is_open"), [(0.01, False), (0.13, True)])
def test_something_else_is_an_alternative_where_the_best_cause_leaves_much(
    left: float, is_open: bool
) -> None:
    present = trial_of(crane_recording()).present
    refit = replace(present.refit, held_out=np.array([0.01, 0.01, left]))
    outcome = replace(present, refit=refit)
    first = TriedCause("factor", (2,), outcome)
    other = TriedCause("zero", (2,), outcome)
    step = ChosenCause(present, first, (other,), other)
    meaning = Finding("torque_factor", ("elbow",), "problem", "elbow: one.", "Check it.")
    found = _undecided(step, meaning, [replace(meaning, sentence="elbow: two.")], "it falls")
    assert "elbow: one; or elbow: two" in found.sentence
    assert ("or something else" in found.sentence) is is_open


@pytest.mark.parametrize(
    ("other", "cause"), [("torque_factor", "torque_factor"), ("encoder_zero", "unexplained")]
)
def test_of_different_causes_none_is_asserted(other: str, cause: str) -> None:
    present = trial_of(crane_recording()).present
    first = TriedCause("factor", (2,), present)
    step = ChosenCause(present, first, (first,), first)
    one = Finding("torque_factor", ("elbow",), "problem", "elbow: one.", "Check it.")
    two = replace(one, cause=other, joints=("lift",))
    found = _undecided(step, one, [two], "it falls")
    assert found.cause == cause
    listed = (found.cause, *(alternative for alternative, _ in found.alternatives))
    assert {"torque_factor", other} <= set(listed)
    assert found.joints == (() if cause == "unexplained" else ("elbow",))
