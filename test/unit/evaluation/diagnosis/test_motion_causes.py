"""Motion with too little information: each cause is found, and none without a fault."""

from __future__ import annotations

import numpy as np
import pytest
from support.representatives import representatives
from support.swung_arm import AMPLITUDES, FREQUENCIES, findings, limited_arm, swung
from support.synthetic import true_parameters

from dynid.identification.diagnose import diagnose_recordings
from dynid.robot.model import nominal_model


@pytest.mark.parametrize("noise", representatives([0.02, 0.1, 0.0], 1))
def test_wide_fast_and_long_motion_gives_no_finding(noise: float) -> None:
    robot = limited_arm()
    assert findings(robot, swung(robot, noise=noise)) == {}


# --- too slow ---------------------------------------------------------------------------------


def test_motion_at_a_tenth_of_the_speed_is_too_slow() -> None:
    robot = limited_arm()
    slow = swung(robot, frequencies=np.array(FREQUENCIES) / 10, duration=200.0)
    (found,) = findings(robot, slow)["too_slow"]
    assert "motion is too slow" in found.sentence
    assert found.severity == "warning"
    assert 0 < found.evidence["inertia share of elbow"] < 0.03
    peak = np.abs(slow.velocity[:, 1]).max()
    assert found.evidence["speed share of elbow"] == pytest.approx(peak / 8.0, rel=0.01)


def test_fast_but_light_joint_is_not_too_slow() -> None:
    limits = {"position": [[-2.0, 2.0]] * 3, "velocity": 1.0}  # reached by the same motion
    robot = limited_arm(limits=limits)
    slow = swung(robot, frequencies=np.array(FREQUENCIES) / 10, duration=200.0)
    assert "too_slow" not in findings(robot, slow)


def test_joint_at_rest_is_named() -> None:
    robot = limited_arm()
    (found,) = findings(robot, swung(robot, amplitudes=(1.0, 0.0, 1.2)))["too_slow"]
    assert found.joint == "elbow"
    assert found.severity == "problem"
    assert found.evidence == {"moving share of elbow": 0.0}


def test_recording_without_any_motion_is_diagnosed_without_a_model() -> None:
    robot = limited_arm()
    still = swung(robot, amplitudes=(0.0, 0.0, 0.0))
    diagnosis = diagnose_recordings(robot, [still])
    assert diagnosis.no_model is not None
    assert [finding.cause for finding in diagnosis.findings] == ["too_slow"]
    assert diagnosis.findings[0].joint is None


# --- too short --------------------------------------------------------------------------------


def test_cycles_of_every_joint_are_counted() -> None:
    robot = limited_arm()
    brief = swung(robot, frequencies=(0.2, 0.21, 0.9), overtone=0.0, duration=7.4)
    (found,) = findings(robot, brief)["too_short"]
    assert found.joint is None
    # half cycles with one sign of velocity, including incomplete ones
    signs = np.sign(brief.velocity)
    turns = np.count_nonzero(np.diff(signs, axis=0), axis=0)
    expected = {"shoulder": (turns[0] + 1) / 2, "elbow": (turns[1] + 1) / 2}
    assert found.evidence == {f"cycles of {joint}": n for joint, n in expected.items()}


def test_three_cycles_are_enough() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.2, 0.31, 0.9), overtone=0.0, duration=15.0)
    assert "too_short" not in findings(robot, recording)


# --- small region -----------------------------------------------------------------------------


def test_joint_in_a_small_region_is_named_with_its_span() -> None:
    robot = limited_arm()
    amplitudes = (1.0, 0.1, 1.2)
    recording = swung(robot, amplitudes=amplitudes)
    (found,) = findings(robot, recording)["small_region"]
    assert found.joint == "elbow"
    share = np.ptp(recording.position[:, 1]) / np.pi  # half a turn, less than the limits' 4 rad
    assert found.evidence["coverage of elbow"] == pytest.approx(share, rel=1e-3)


def test_joint_with_wide_limits_needs_no_full_turn() -> None:
    robot = limited_arm(limits={"position": [[-6.3, 6.3]] * 3})
    assert "small_region" not in findings(robot, swung(robot))


# --- overlapping frequencies ------------------------------------------------------------------


def test_joints_that_move_together_are_named_for_any_phase() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.47, 0.61, 0.47), overtone=0.0)
    (found,) = findings(robot, recording)["overlapping_frequencies"]
    assert found.sentence.startswith("shoulder and wrist move together")
    assert abs(found.evidence["correlation"]) < 0.5  # two radians apart
    assert found.evidence["share of velocity in common"] > 0.95


def test_sines_that_repeat_early_are_found_with_their_period() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.25, 0.5, 0.75), overtone=0.0, duration=30.0)
    (found,) = findings(robot, recording)["overlapping_frequencies"]
    assert "repeats every 4 s, which is 1 cycle" in found.sentence
    assert found.evidence["period [s]"] == pytest.approx(4.0, abs=0.05)


def test_repetition_of_a_period_of_several_cycles_is_allowed() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.5, 0.6, 0.7), overtone=0.0, duration=40.0)
    assert "overlapping_frequencies" not in findings(robot, recording)


# --- a given model ----------------------------------------------------------------------------


def test_given_model_may_be_compared_with_any_motion() -> None:
    robot = limited_arm()
    model = nominal_model(robot, true_parameters(robot.mechanism()))
    brief = swung(robot, amplitudes=AMPLITUDES, duration=2.0)
    assert diagnose_recordings(robot, [brief], model=model).findings == ()
