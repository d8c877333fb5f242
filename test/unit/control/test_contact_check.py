"""Contacts in recordings of free motion are named, and left out only where the user says so."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from support.small_robot import write_small_robot

from dynid.control.contact_check import FALSE_REJECTION, outlying_spans
from dynid.control.free_motion import free_motion
from dynid.control.residual import CommandedResidual, without_spans
from dynid.control.tuning import Tuning, tune
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.robot.robot import Robot

RATE = 250.0  # [Hz]
SECONDS = 60.0
JOINTS = ("shoulder", "elbow")


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    folder = tmp_path_factory.mktemp("robot")
    return load_robot(write_small_robot(folder, collision={"low_speed": [0.2]}))


@pytest.fixture(scope="module")
def expected(robot: Robot) -> Tuning:
    """The thresholds without a contact."""
    return tune(robot, day(), false_alarms_per_hour=1.0)


def clean(seed: int, *, noise: float = 1.0, pause: float = 10.0) -> CommandedResidual:
    """Return two joints that swing and then rest, with Gaussian torque errors."""
    random = np.random.default_rng(seed)
    time = np.arange(round(SECONDS * RATE)) / RATE
    moves = (time < SECONDS - pause)[:, np.newaxis]
    phase = np.array([1.3, 2.1]) * time[:, np.newaxis]
    velocity = np.array([2.0, 1.5]) * np.cos(phase) * moves
    error = noise * random.normal(size=velocity.shape)
    still = np.zeros_like(error)
    acceleration = np.gradient(velocity, time, axis=0)
    return CommandedResidual(error, still + 20.0, velocity, acceleration, still, still, RATE)


def pushed(
    residual: CommandedResidual, start: float, stop: float, torques: tuple[float, float]
) -> CommandedResidual:
    time = np.arange(len(residual.error)) / RATE
    inside = ((time >= start) & (time < stop))[:, np.newaxis]
    return replace(residual, error=residual.error + inside * np.array(torques))


def day() -> list[CommandedResidual]:
    return [clean(seed) for seed in range(4)]


# from and to [s], torques [N m], and the joint that is named
IN_MOTION, ON_BOTH = (16.1, 16.7, (0.0, 15.0), "elbow"), (16.1, 16.7, (20.0, 10.0), "shoulder")
OTHER_CONTACTS = {
    "push at rest": (53.0, 53.6, (12.0, 0.0), "shoulder"),
    "slow pull of ten seconds": (20.0, 30.0, (0.0, 8.0), "elbow"),
    "contact at the start": (0.0, 0.5, (0.0, 15.0), "elbow"),
    "contact at the end": (59.5, 60.0, (0.0, 15.0), "elbow"),
}


@pytest.mark.parametrize(
    ("start", "stop", "torques", "joint"),
    [
        pytest.param(*IN_MOTION, id="push in motion"),
        pytest.param(*ON_BOTH, id="push on both joints"),
        *(
            pytest.param(*contact, id=name, marks=pytest.mark.thorough)
            for name, contact in OTHER_CONTACTS.items()
        ),
    ],
)
def test_a_contact_is_refused_with_its_time_and_joint_until_it_is_left_out(
    robot: Robot,
    expected: Tuning,
    start: float,
    stop: float,
    torques: tuple[float, float],
    joint: str,
) -> None:
    recordings = day()
    recordings[1] = pushed(recordings[1], start, stop, torques)
    with pytest.raises(ConfigurationError, match="nothing was written") as refusal:
        tune(robot, recordings, false_alarms_per_hour=1.0)
    sentence = str(refusal.value)
    assert sentence.startswith("recording 2: from ")
    assert f"joint '{joint}' reaches" in sentence
    (option,) = re.findall(r"--without ([^ ,]+)", sentence)
    begin, end = (float(part) for part in option.removeprefix("2:").split(".."))
    assert begin <= start + 0.1
    assert stop - 0.1 <= end <= stop + 0.6
    names = ["a", "b", "c", "d"]
    tuning = tune(robot, without_spans(recordings, names, [option]), false_alarms_per_hour=1.0)
    for before, after in zip(expected.joints, tuning.joints, strict=True):
        assert after.level(resting=True) == pytest.approx(before.level(resting=True), rel=0.2)


def test_two_contacts_are_both_named(robot: Robot) -> None:
    recordings = day()
    recordings[0] = pushed(recordings[0], 5.0, 5.5, (0.0, 15.0))
    recordings[3] = pushed(recordings[3], 30.0, 30.5, (0.0, 15.0))
    with pytest.raises(ConfigurationError, match=r"--without 1:4\..* --without 4:29\.") as refusal:
        tune(robot, recordings, false_alarms_per_hour=1.0)
    assert "and 1 other span is outlying" in str(refusal.value)


def test_free_motion_is_refused_no_more_often_than_stated(robot: Robot) -> None:
    random = np.random.default_rng(0)
    motions = [free_motion(robot, clean(seed)) for seed in range(4)]
    refused, trials = 0, 200
    for _ in range(trials):
        drawn = [
            replace(one, size=random.exponential(size=one.size.shape) + 0.1) for one in motions
        ]
        refused += bool(outlying_spans(JOINTS, drawn))
    # a binomial count of 200 with the stated probability exceeds 3 once in 10 000 times
    assert trials * FALSE_REJECTION < 1
    assert refused <= 3


def test_a_recording_with_larger_errors_throughout_is_no_contact(robot: Robot) -> None:
    other_day = clean(9, noise=3.0)
    assert outlying_spans(JOINTS, [free_motion(robot, one) for one in [*day(), other_day]]) == ()


def test_a_threshold_above_torque_max_is_refused_with_its_cause(robot: Robot) -> None:
    recordings = day()
    contact = clean(9)
    recordings[2] = replace(contact, error=contact.error + np.array([0.0, 25.0]))
    # more torque, so that the model explains most of it
    recordings = [replace(one, torque=one.torque + 100.0) for one in recordings]
    with pytest.raises(ConfigurationError, match="nothing was written") as refusal:
        tune(robot, recordings, false_alarms_per_hour=1.0)
    sentence = str(refusal.value)
    assert "joint 'elbow': its threshold of" in sentence
    assert "above its torque_max of 30" in sentence
    assert "of recording 3" in sentence


def test_each_threshold_has_a_cause_without_which_it_is_lower(robot: Robot) -> None:
    recordings = day()
    time = np.arange(len(recordings[2].error)) / RATE
    bump = 1.5 * np.exp(-(((time - 20.05) / 0.05) ** 2))[:, np.newaxis] * np.array([0.0, 1.0])
    recordings[2] = replace(recordings[2], error=recordings[2].error + np.sign(bump) * bump)
    tuning = tune(robot, recordings, false_alarms_per_hour=1.0)
    cause = tuning.causes[1]
    assert cause.recording == "recording 3"
    assert cause.time == pytest.approx(20.0, abs=0.2)
    assert cause.without < cause.threshold


@pytest.mark.parametrize(
    ("span", "sentence"),
    [
        ("16.1", "must be START..STOP in seconds"),
        ("a..b", "must be START..STOP in seconds"),
        ("1:17..16", "must be from an earlier to a later time within the 60 s"),
        ("1:nan..16", "must be from an earlier to a later time within the 60 s"),
        ("1:50..70", "must be from an earlier to a later time within the 60 s"),
        ("1:0..60", "leaves nothing of one.mcap"),
        ("1..2", "names no recording; write 1:START..STOP to 2:START..STOP"),
        ("3:1..2", "'3' is not one recording's name"),
        ("three.mcap:1..2", "'three.mcap' is not one recording's name"),
    ],
)
def test_spans_in_error_are_refused(span: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        without_spans([clean(0), clean(1)], ["one.mcap", "two.mcap"], [span])
    assert sentence in str(refusal.value)


def test_a_recording_is_named_by_its_file_or_its_number() -> None:
    for span in ("2:1..2", "two.mcap:1..2"):
        found = without_spans([clean(0), clean(1)], ["one.mcap", "two.mcap"], [span])
        assert [one.left_out for one in found] == [(), ((1.0, 2.0),)]
    (alone,) = without_spans([clean(0)], ["one.mcap"], ["0.5..1"])
    assert alone.hours == pytest.approx((SECONDS - 0.5) / 3600, rel=1e-4)
