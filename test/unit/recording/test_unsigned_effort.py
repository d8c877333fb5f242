"""Efforts recorded as magnitudes are found; loads that keep their sign are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import swinging

from dynid.arrays import Array
from dynid.recording.model import Recording
from dynid.recording.redundancy import contradictions, unsigned_effort

RATE = 200.0


def moved(*loads: float) -> Recording:
    """Joints with inertia, friction and a constant load each, and noise."""
    q, dq, ddq = swinging(4000, len(loads), RATE, 0)
    effort = 0.5 * ddq + dq + 0.5 * np.sign(dq) + np.array(loads)
    effort += 0.02 * np.random.default_rng(0).standard_normal(q.shape)
    return Recording(
        time=np.arange(4000) / RATE,
        position=q,
        effort=effort,
        joint_names=("a", "b", "c")[: len(loads)],
        sampling_rate=RATE,
    )


def unsigned(recording: Recording, *, to: float = 0.0) -> Recording:
    sizes: Array = np.abs(recording.effort)
    return replace(recording, effort=np.round(sizes / to) * to if to else sizes)


@pytest.mark.parametrize("step", [0.0, 0.05])
@pytest.mark.parametrize("loads", [(0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 100.0)])
def test_magnitudes_of_all_joints_are_found(loads: tuple[float, ...], step: float) -> None:
    recording = unsigned(moved(*loads), to=step)
    (found,) = unsigned_effort(recording)
    assert (found.kind, found.severity) == ("unsigned_effort", "problem")
    assert found.joints == recording.joint_names
    assert "identification.unsigned_torque: true" in found.remedy
    assert found in contradictions(recording)


@pytest.mark.parametrize("loads", [(0.0, 0.0), (100.0, 0.0), (100.0, -100.0), (100.0, 100.0)])
def test_efforts_with_sign_and_loads_that_keep_it_are_not(loads: tuple[float, ...]) -> None:
    assert list(unsigned_effort(moved(*loads))) == []


def test_of_one_joint_nothing_is_claimed() -> None:
    assert list(unsigned_effort(unsigned(moved(0.0)))) == []


def test_joints_that_move_one_way_or_rest_do_not_count() -> None:
    recording = unsigned(moved(0.0, 0.0))
    position = recording.position.copy()
    position[:, 1] = 0.0
    assert list(unsigned_effort(replace(recording, position=position))) == []
    position[:, 1] = recording.time
    assert list(unsigned_effort(replace(recording, position=position))) == []
