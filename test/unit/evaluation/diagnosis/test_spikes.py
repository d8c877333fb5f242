"""Isolated spikes and brief saturation of recorded effort."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.swung_arm import RATE, findings, limited_arm, swung

from dynid.recording.model import Recording

INSTANTS = np.arange(150, 3900, 310)  # 0.3 % of the 4000 samples


def with_spikes(recording: Recording, size: np.ndarray, at: np.ndarray = INSTANTS) -> Recording:
    """Add spikes, times the torque's standard deviations (3,), of alternating sign."""
    effort = recording.effort.copy()
    sides = np.where(np.arange(len(at)) % 2, 1.0, -1.0)
    effort[at] += sides[:, None] * size * effort.std(axis=0)
    return replace(recording, effort=effort)


def test_spikes_of_one_joint_are_named_with_their_number_and_size() -> None:
    robot, recording = limited_arm(), swung(limited_arm())
    found = findings(robot, with_spikes(recording, np.array([0.0, 4.0, 0.0])))
    (one,) = found["spikes"]
    assert one.joint == "elbow"
    # where a joint only just reverses, friction changes its sign for a sample or two
    assert one.evidence["samples"] == pytest.approx(len(INSTANTS), abs=1)
    expected = 4.0 * np.sqrt(len(INSTANTS) / len(recording.time))
    assert one.evidence["rms over torque of elbow"] == pytest.approx(expected, rel=0.05)
    assert one.plot is not None
    assert one.plot.x_label == "time [s]"


@pytest.mark.parametrize("number", representatives([1, 2], 1))
def test_few_spikes_beside_a_large_error_are_a_note_and_never_a_contact(number: int) -> None:
    robot, recording = limited_arm(), swung(limited_arm())
    # of two samples, 10 ms: shorter ones are left out of the fit
    at = np.concatenate([INSTANTS[:number], INSTANTS[:number] + 1])
    alone = with_spikes(recording, np.array([0.0, 4.0, 0.0]), at)
    # an error that no model of the arm has
    wave = np.sin(2 * np.pi * 0.29 * recording.time)[:, None] * recording.effort.std(axis=0)
    beside = replace(alone, effort=alone.effort + 0.6 * wave)
    found = [findings(robot, one) for one in (alone, beside)]
    assert [one["spikes"][0].severity for one in found] == ["warning", "note"]
    assert not any("contact" in one for one in found)


def test_spikes_too_brief_to_move_a_joint_are_a_note() -> None:
    robot = limited_arm()
    found = findings(robot, with_spikes(swung(robot), np.array([0.0, 4.0, 0.0])))
    assert [one.severity for one in found["spikes"]] == ["note"]
    assert "was made without them" in found["spikes"][0].remedy


def test_spikes_common_to_all_joints_are_one_finding_and_no_coupling() -> None:
    robot = limited_arm()
    found = findings(robot, with_spikes(swung(robot), np.full(3, 4.0)))
    (one,) = found["spikes"]
    assert one.joint is None
    assert "shoulder, elbow and wrist" in one.sentence
    assert "the same instants" in one.sentence
    assert "unmodelled_coupling" not in found


def test_spikes_at_different_instants_are_separate_findings() -> None:
    robot = limited_arm()
    first = with_spikes(swung(robot), np.array([4.0, 0.0, 0.0]))
    both = with_spikes(first, np.array([0.0, 4.0, 0.0]), INSTANTS + 40)
    assert [one.joint for one in findings(robot, both)["spikes"]] == ["shoulder", "elbow"]


@pytest.mark.parametrize("width", [1, 3])
def test_a_spike_lasts_few_samples(width: int) -> None:
    robot = limited_arm()
    at = np.concatenate([INSTANTS + step for step in range(width)])
    recording = swung(robot)
    effort = recording.effort.copy()
    effort[at] += 4.0 * effort.std(axis=0)
    assert findings(robot, replace(recording, effort=effort))["spikes"]


def test_friction_at_reversals_and_noise_are_no_spikes() -> None:
    robot = limited_arm()
    assert "spikes" not in findings(robot, swung(robot))
    assert "spikes" not in findings(robot, swung(robot, noise=2.0))


def test_the_ripple_of_a_drive_in_a_part_of_the_motion_is_no_spikes() -> None:
    robot, recording = limited_arm(), swung(limited_arm())
    effort = recording.effort.copy()
    rippled = np.arange(600, 1800, 3)  # every third sample, of less than a third of the time
    effort[rippled, 1] += 0.6 * effort[:, 1].std()
    assert "spikes" not in findings(robot, replace(recording, effort=effort))


def test_spikes_of_little_effect_are_not_reported() -> None:
    robot = limited_arm()
    found = findings(robot, with_spikes(swung(robot), np.full(3, 0.15)))
    assert "spikes" not in found


@pytest.mark.parametrize("share", [0.003, 0.01])
def test_effort_cut_off_in_few_samples_is_brief_saturation(share: float) -> None:
    robot = limited_arm()
    recording = swung(robot)
    level = float(np.quantile(np.abs(recording.effort[:, 1]), 1 - share))
    effort = recording.effort.copy()
    effort[:, 1] = np.clip(effort[:, 1], -level, level)
    (one,) = findings(robot, replace(recording, effort=effort))["saturation"]
    assert one.joint == "elbow"
    assert one.severity == "warning"
    assert one.evidence["cut off at, elbow [N*m]"] == pytest.approx(level)
    assert one.evidence["share of samples of elbow"] == pytest.approx(share, abs=0.5 * share)
    assert one.plot is not None
    assert one.plot.x_label == "time [s]"


def test_cut_off_of_all_joints_is_one_finding() -> None:
    robot = limited_arm()
    recording = swung(robot)
    level = np.quantile(np.abs(recording.effort), 0.99, axis=0)
    clipped = replace(recording, effort=np.clip(recording.effort, -level, level))
    (one,) = findings(robot, clipped)["saturation"]
    assert one.joint is None
    assert one.sentence.startswith("shoulder, elbow and wrist: effort is cut off at")


def test_a_robot_that_waits_at_its_largest_torque_is_not_saturated() -> None:
    robot = limited_arm()
    recording = swung(robot)
    worst = int(np.argmax(np.abs(recording.effort[:, 1])))
    order = np.sort(np.concatenate([np.arange(len(recording.time)), np.full(400, worst)]))
    still = replace(
        recording,
        time=np.arange(len(order)) / RATE,
        position=recording.position[order],
        velocity=None,
        effort=recording.effort[order],
    )
    assert "saturation" not in findings(robot, still)


def test_quantised_effort_is_not_saturated() -> None:
    robot = limited_arm()
    recording = swung(robot)
    step = np.ptp(recording.effort, axis=0) / 500
    quantised = replace(recording, effort=np.round(recording.effort / step) * step)
    assert "saturation" not in findings(robot, quantised)
