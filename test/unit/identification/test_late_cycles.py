"""Recordings from a machine without a real-time kernel identify as well as undisturbed ones."""

from __future__ import annotations

import numpy as np
import pytest
from late_cycles_recordings import SCENARIOS, disturbed, error_on, recordings_of
from support.representatives import representatives

import dynid
from dynid.profile import load_robot
from dynid.recording.timeline import build_recording


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", representatives(["late samples, 70 ms and 1 s", "late samples, made up"], 1)
)
def test_the_error_on_a_second_motion_is_that_of_an_undisturbed_recording(name: str) -> None:
    robot = load_robot("scara")
    first, second = recordings_of(robot, seed=0)
    undisturbed = dynid.identify(robot, first)
    late = dynid.identify(robot, build_recording(disturbed(first, SCENARIOS[name], seed=0)))
    assert error_on(late.model, second) <= 1.3 * error_on(undisturbed.model, second)
    pieces = len(SCENARIOS[name].gaps) + 1
    assert 1 <= len(late.signals) <= pieces
    assert any("stamps" in note for note in late.notes)


@pytest.mark.thorough
def test_a_validation_on_a_recording_with_gaps_uses_its_pieces() -> None:
    robot = load_robot("scara")
    first, second = recordings_of(robot, seed=0)
    model = dynid.identify(robot, first).model
    gap = SCENARIOS["late samples, 70 ms and 1 s"]
    found = dynid.validate(model, build_recording(disturbed(second, gap, seed=1)))
    errors = [joint.relative_error for joint in found.verdict.joints]
    assert float(np.mean(errors)) <= 1.3 * error_on(model, second)
    assert [one.piece for one in found.signals] == list(range(len(found.signals)))
    assert len(found.sources) == 1
