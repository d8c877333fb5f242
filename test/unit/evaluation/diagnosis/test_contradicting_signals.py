"""Contradictions of recordings as findings: their severity, the verdict, and one cause only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import arm
from support.representatives import representatives
from support.synthetic import arm_robot

from dynid.identification.diagnose import diagnose_recordings
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.recording.corrections import corrected
from dynid.recording.model import Recording
from dynid.robot.robot import Robot

Fault = Callable[[Recording], Recording]


def recorded_arm(velocity: str = "measured") -> tuple[Robot, Recording]:
    _, _, recording = arm()
    settings = {"cutoff_hz": None, "trim_rest": False, "velocity": velocity}
    return arm_robot(identification=settings), recording


def above_notes(robot: Robot, recording: Recording) -> list[str]:
    findings = identify(robot, recording).findings
    return [finding.cause for finding in findings if finding.severity != "note"]


def flipped(recording: Recording) -> Recording:
    return replace(recording, velocity=recording.velocity * [1, -1, 1])


def in_degrees(recording: Recording) -> Recording:
    return replace(recording, velocity=np.degrees(recording.velocity))


def swapped(recording: Recording) -> Recording:
    return replace(recording, velocity=recording.velocity[:, [1, 0, 2]])


def stretched(recording: Recording) -> Recording:
    rate = recording.sampling_rate / 1.2
    return replace(recording, time=recording.time * 1.2, sampling_rate=rate)


def wrapped(recording: Recording) -> Recording:
    """Return a shoulder whose encoder jumps back by a turn in the middle of its range."""
    position = recording.position.copy()
    position[position[:, 0] > np.median(position[:, 0]), 0] -= 2 * np.pi
    return replace(recording, position=position, position_step=None)


def copied(recording: Recording) -> Recording:
    effort = recording.effort.copy()
    effort[:, 2] = effort[:, 1]
    return replace(recording, effort=effort)


def test_a_recording_without_fault_succeeds_without_findings_of_its_signals() -> None:
    robot, recording = recorded_arm()
    identification = identify(robot, recording)
    assert identification.verdict.success
    assert not any("signal" in cause for cause in above_notes(robot, recording))


@pytest.mark.parametrize(
    ("fault", "cause"),
    representatives(
        [
            (flipped, "velocity"),
            (in_degrees, "velocity"),
            (stretched, "time"),
            (swapped, "velocity"),
            (wrapped, "wrapped_position"),
            (copied, "copied_channel"),
        ],
        3,
    ),
)
def test_a_contradiction_fails_the_verdict_as_the_only_cause(fault: Fault, cause: str) -> None:
    robot, recording = recorded_arm()
    identification = identify(robot, fault(recording))
    assert not identification.verdict.success
    (finding,) = (one for one in identification.findings if one.severity != "note")
    assert (finding.cause, finding.severity) == (cause, "problem")
    assert identification.verdict.reasons[0] == finding.sentence


@pytest.mark.parametrize("fault", representatives([flipped, in_degrees, swapped], 1))
def test_a_wrong_velocity_that_is_not_used_is_a_warning(fault: Fault) -> None:
    robot, recording = recorded_arm("differentiated")
    identification = identify(robot, fault(recording))
    assert identification.verdict.success
    (finding,) = (one for one in identification.findings if one.cause == "velocity")
    assert finding.severity == "warning"


@pytest.mark.parametrize("fault", representatives([stretched, wrapped, copied], 1))
def test_wrong_motion_fails_with_differentiated_velocity_too(fault: Fault) -> None:
    robot, recording = recorded_arm("differentiated")
    assert not identify(robot, fault(recording)).verdict.success


def test_a_velocity_that_is_not_used_hides_no_other_cause() -> None:
    robot, recording = recorded_arm("differentiated")
    effort = recording.effort * [1, -1, 1]
    causes = above_notes(robot, replace(flipped(recording), effort=effort))
    assert {"velocity", "flipped_sign"} <= set(causes)


@pytest.mark.parametrize("fault", representatives([swapped, flipped, wrapped, in_degrees], 2))
def test_the_corrections_of_a_finding_restore_the_model(fault: Fault) -> None:
    robot, recording = recorded_arm()
    wrong = fault(recording)
    corrections = [
        correction
        for finding in identify(robot, wrong).findings
        for correction in finding.corrections
    ]
    restored = identify(robot, corrected(wrong, corrections))
    assert restored.verdict.success
    assert restored.verdict.reasons == ()


def test_diagnose_has_the_finding_with_its_remedy() -> None:
    robot, recording = recorded_arm()
    (finding,) = diagnose_recordings(robot, [flipped(recording)]).found
    assert finding.joint == "elbow"
    assert (
        "recording.corrections: [{signal: velocity, joint: elbow, factor: -1.0}]" in finding.remedy
    )


@pytest.mark.parametrize(
    ("fault", "cause"),
    representatives([(wrapped, "wrapped_position"), (flipped, "velocity"), (stretched, "time")], 1),
)
def test_validation_fails_by_a_contradiction(fault: Fault, cause: str) -> None:
    robot, recording = recorded_arm()
    model = identify(robot, recording).model
    assert validate(model, recording).verdict.success
    validation = validate(model, fault(recording))
    assert not validation.verdict.success
    assert [one.cause for one in validation.findings if one.severity == "problem"] == [cause]


def test_a_contradiction_of_one_of_two_recordings_says_so() -> None:
    robot, recording = recorded_arm()
    _, _, other = arm(seed=1)
    identification = identify(robot, [recording, flipped(other)])
    assert identification.verdict.reasons[0].startswith("In 1 of 2 recordings or pieces: ")
    (finding,) = (one for one in identification.findings if one.cause == "velocity")
    assert finding.corrections == ()  # of all recordings, one of which is right
    assert finding.remedy.endswith("so use another one for those that are right.")


def test_lost_samples_do_not_hide_a_flipped_torque() -> None:
    robot, recording = recorded_arm("differentiated")
    kept = np.ones(len(recording.time), dtype=bool)
    kept[1000:1010] = False
    signals = {n: getattr(recording, n)[kept] for n in ("position", "velocity", "effort")}
    signals["effort"] = signals["effort"] * [1, -1, 1]
    lossy = replace(recording, time=recording.time[: kept.sum()], **signals)
    assert {"lost_samples", "flipped_sign"} <= set(above_notes(robot, lossy))


@pytest.mark.parametrize(
    ("joint", "size", "at"), [(1, 0.1, 0.4), (0, -0.2, 0.6), (2, 0.15, 0.3), (1, 0.01, 0.5)]
)
def test_an_encoder_that_slips_is_no_contact(joint: int, size: float, at: float) -> None:
    robot, recording = recorded_arm("differentiated")
    position = recording.position.copy()
    position[round(at * len(position)) :, joint] += size
    findings = identify(robot, replace(recording, position=position)).findings
    found = {finding.cause: finding.joints for finding in findings if finding.severity != "note"}
    assert found.get("position_jump") == (robot.joints[joint],)
    assert not {"contact", "recordings_differ", "unexplained", "torque_factor"} & set(found)
