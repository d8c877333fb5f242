"""Faults of sensors and drives: each is found, and none without a fault."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.swung_arm import RATE, findings, limited_arm, swung
from tried_faults import behind_play

from dynid.evaluation.diagnosis import causes
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding
from dynid.recording.model import Recording

ELBOW = np.array([0.0, 1.0, 0.0])


# --- saturation -------------------------------------------------------------------------------


@pytest.mark.parametrize("share", representatives([0.6, 0.35, 0.8], 1))
def test_clipped_torque_is_named_with_its_level(share: float) -> None:
    robot = limited_arm()
    recording = swung(robot)
    level = share * float(np.abs(recording.effort[:, 1]).max())
    bound = np.where(ELBOW > 0, level, np.inf)
    clipped = replace(recording, effort=np.clip(recording.effort, -bound, bound))
    every = findings(robot, clipped)
    assert "torque_factor" not in every  # as little torque as a smaller factor gives
    (found,) = every["saturation"]
    assert found.joint == "elbow"
    assert found.severity == "problem"
    assert abs(found.evidence["plateau [N m]"]) == pytest.approx(level, rel=0.02)
    assert "the model exceeds it" in found.sentence


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_torque_behind_a_play_is_not_saturated(share: float) -> None:
    recording = swung(limited_arm())
    effort = recording.effort.copy()
    effort[:, 1] = behind_play(effort[:, 1], share * effort[:, 1].std())
    assert "saturation" not in findings(limited_arm(), replace(recording, effort=effort))


def test_torque_at_the_profiles_limit_is_named() -> None:
    robot = limited_arm()
    recording = swung(robot)
    peak = np.abs(recording.effort).max(axis=0)
    limits = robot.limits.model_copy(update={"torque_max": tuple(peak * [2.0, 0.8, 2.0])})
    (found,) = findings(robot.model_copy(update={"limits": limits}), recording)["saturation"]
    assert found.joint == "elbow"
    assert found.evidence["torque_max [N m]"] == pytest.approx(0.8 * peak[1])


@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_torque_as_flat_as_friction_makes_it_is_not_saturation(noise: float) -> None:
    robot = limited_arm()
    recording = swung(robot)
    assert recording.velocity is not None
    effort = recording.effort.copy()
    effort[:, 2] = 10 * np.tanh(recording.velocity[:, 2] / 0.02)
    effort[:, 2] += noise * np.random.default_rng(0).standard_normal(len(effort))
    # samples lost behind regular stamps: acceleration varies where torque is flat
    kept = np.delete(np.arange(len(effort)), np.arange(30, len(effort), 400)[:, None] + range(30))
    lossy = replace(
        recording,
        time=recording.time[: len(kept)],
        position=recording.position[kept],
        velocity=None,
        effort=effort[kept],
    )
    assert "saturation" not in findings(robot, lossy)


@pytest.mark.parametrize("threshold", representatives([0.15, 0.02, 0.5], 1))
@pytest.mark.parametrize("side", representatives([1, -1], 1))
def test_small_torque_reported_as_zero_is_not_saturation(side: int, threshold: float) -> None:
    robot = limited_arm()
    recording = swung(robot)
    effort = recording.effort.copy()
    # as of a joint whose load pulls it to one side
    effort[:, 1] = side * (effort[:, 1] + 1.1 * np.abs(effort[:, 1]).max())
    effort[np.abs(effort[:, 1]) < threshold * np.abs(effort[:, 1]).max(), 1] = 0.0
    assert "saturation" not in findings(robot, replace(recording, effort=effort))


def test_pause_at_the_largest_torque_is_not_saturation() -> None:
    robot = limited_arm()
    recording = swung(robot)
    worst = int(np.argmax(np.abs(recording.effort[:, 0])))
    still = np.full(400, worst)
    order = np.concatenate([np.arange(worst), still, np.arange(worst, len(recording.time))])
    paused = replace(
        recording,
        time=np.arange(len(order)) / RATE,
        position=recording.position[order],
        velocity=recording.velocity[order],
        effort=recording.effort[order],
    )
    assert "saturation" not in findings(robot, paused)


# --- noise ------------------------------------------------------------------------------------


def test_large_noise_is_found_and_the_model_reported_as_usable() -> None:
    robot = limited_arm()
    recording = swung(robot)
    size = recording.effort[:, 2].std()
    noise = size * np.random.default_rng(2).standard_normal(len(recording.time))
    noisy = replace(recording, effort=recording.effort + np.outer(noise, [0, 0, 1]))
    (found,) = findings(robot, noisy)["noise"]
    assert found.joint == "wrist"
    assert found.evidence["noise over torque"] == pytest.approx(np.sqrt(0.5), rel=0.1)
    assert "although its torque errors are large" in found.sentence


def test_wrong_model_is_not_taken_for_noise() -> None:
    robot = limited_arm(terms=[{"kind": "offset"}])  # no friction
    assert "noise" not in findings(robot, swung(robot))


# --- quantised, held and clipped --------------------------------------------------------------


def test_coarse_steps_of_position_are_named() -> None:
    robot = limited_arm()
    recording = swung(robot)
    coarse = replace(recording, position=np.round(recording.position / 1e-3) * 1e-3)
    (found,) = findings(robot, coarse)["quantised_feedback"]
    assert found.evidence["step of elbow"] == pytest.approx(1e-3)


def test_steps_of_an_encoder_give_no_finding() -> None:
    robot = limited_arm(identification={"cutoff_hz": 10.0})
    recording = swung(robot)
    step = 2 * np.pi / 2**20
    fine = replace(recording, position=np.round(recording.position / step) * step)
    assert "quantised_feedback" not in findings(robot, fine)


def test_coarse_steps_of_effort_are_named_with_their_number() -> None:
    robot = limited_arm()
    recording = swung(robot)
    step = np.ptp(recording.effort, axis=0) / 20
    coarse = replace(recording, effort=np.round(recording.effort / step) * step)
    (found,) = findings(robot, coarse)["quantised_feedback"]
    assert found.evidence["levels of wrist"] == pytest.approx(20, abs=1)


@pytest.mark.parametrize("samples", [4, 10])
@pytest.mark.parametrize("with_velocity", [True, False])
def test_held_values_are_named_with_their_number(samples: int, with_velocity: bool) -> None:
    robot = limited_arm()
    recording = swung(robot)
    last = np.arange(len(recording.time)) // samples * samples
    held = replace(recording, position=recording.position[last], effort=recording.effort[last])
    held = held if with_velocity else replace(held, velocity=None)
    found = findings(robot, held)
    for cause in ("held_position", "effort"):
        (finding,) = found[cause]
        assert finding.joints == robot.joints
        assert finding.evidence["samples held"] == pytest.approx(samples, rel=0.05)
        assert ("velocity" in finding.sentence) == (with_velocity and cause == "held_position")
    # what follows from it
    assert not {"quantised_feedback", "torque_factor"} & set(found)


def reported_above_a_threshold(recording: Recording, share: float) -> Recording:
    """The recording whose wrist has effort 0 in this share of the samples, as of a dead band."""
    effort = recording.effort.copy()
    size = np.abs(effort[:, 2])
    effort[size < np.quantile(size, share), 2] = 0.0
    return replace(recording, effort=effort)


def test_effort_that_is_mostly_zero_is_a_problem_of_its_joint() -> None:
    robot = limited_arm()
    found = findings(robot, reported_above_a_threshold(swung(robot), 0.8))
    (one,) = found["effort"]
    assert (one.joint, one.severity) == ("wrist", "problem")
    assert 0.5 < one.evidence["share of zeros"] < 0.85
    assert all(other.joint != "wrist" for other in found.get("too_slow", ()))


def test_effort_with_a_small_dead_band_is_a_warning() -> None:
    robot = limited_arm()
    (one,) = findings(robot, reported_above_a_threshold(swung(robot), 0.2))["effort"]
    assert (one.joint, one.severity) == ("wrist", "warning")


@pytest.mark.parametrize(
    ("slow", "coarse", "kept"),
    [
        ("elbow", "elbow wrist", True),
        ("elbow wrist", "elbow wrist", False),
        ("elbow wrist", "elbow wrist shoulder", False),
    ],
)
def test_slow_joints_hide_coarse_feedback_of_most_of_themselves(
    slow: str, coarse: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def several(cause: str, joints: str) -> Finding:
        return Finding(cause, tuple(joints.split()), "warning", "", "", {})

    looks = {
        "too_slow": lambda _: [several("too_slow", slow)],
        "quantised_feedback": lambda _: [several("quantised_feedback", coarse)],
    }
    monkeypatch.setattr(causes, "CAUSES", looks)
    robot = limited_arm()
    found = causes.diagnose(Case(robot, robot.mechanism(), (), ()))
    assert ("quantised_feedback" in {one.cause for one in found}) is kept


def test_clipped_position_is_found_as_a_problem() -> None:
    robot = limited_arm()
    recording = swung(robot)
    clipped = replace(recording, position=np.minimum(recording.position, [9.0, 0.8, 9.0]))
    found = findings(robot, clipped)["quantised_feedback"]
    assert [(f.joint, f.severity) for f in found] == [("elbow", "problem")]
    assert found[0].evidence["clipped at"] == 0.8


def test_pause_at_the_end_of_the_range_is_not_clipping() -> None:
    robot = limited_arm()
    recording = swung(robot)
    furthest = int(np.argmax(recording.position[:, 1]))
    order = np.concatenate(
        [np.arange(furthest), np.full(50, furthest), np.arange(furthest, len(recording.time))]
    )
    paused = replace(
        recording,
        time=np.arange(len(order)) / RATE,
        position=recording.position[order],
        velocity=recording.velocity[order],
        effort=recording.effort[order],
    )
    assert "quantised_feedback" not in findings(robot, paused)
