"""Offsets of joints that move in one direction only."""

from __future__ import annotations

import numpy as np
import pytest
from support.rubbing_arm import rubbing
from support.synthetic import arm_robot

import dynid
from dynid.evaluation.diagnosis.one_direction import move_one_way
from dynid.recording.model import Recording


@pytest.fixture(scope="module")
def one_way() -> Recording:
    """The part of a recording in which the elbow goes one way and other joints come back."""
    whole = rubbing(seeds=(0,), samples=3000)[0]
    velocity = np.abs(whole.velocity)
    here = int(np.argmax(velocity[:, 1]))
    speed = whole.velocity[:, 1] * np.sign(whole.velocity[here, 1])
    others = np.flatnonzero(speed < 0)
    first, last = others[others < here].max() + 1, others[others > here].min() - 1
    return whole.cut(whole.time[first], whole.time[last])


def test_joints_that_come_back_do_not_move_one_way() -> None:
    to_and_fro, forward = np.sin(np.arange(100.0)), 1 + np.sin(np.arange(100.0))
    noise = 0.02 * np.cos(np.arange(100.0))
    still = np.zeros(100)
    first = np.column_stack([to_and_fro, forward, forward + noise, still])
    assert move_one_way([first]).tolist() == [False, True, True, False]
    assert move_one_way([first, -first]).tolist() == [False, False, False, False]


def test_automatic_terms_have_no_offset_where_friction_has_one_sign(one_way) -> None:
    robot = arm_robot(terms="auto", identification={"cutoff_hz": None, "trim_rest": False})
    found = dynid.identify(robot, one_way)
    joints = {term.kind: term.joints for term in found.model.robot.explicit_terms}
    assert "elbow" not in joints["offset"]
    (finding,) = [one for one in found.findings if one.cause == "one_direction"]
    assert "elbow" in finding.sentence
    assert "offset is 0" in finding.sentence


def test_given_terms_stay_and_the_finding_says_what_they_are_worth(one_way) -> None:
    robot = arm_robot(identification={"cutoff_hz": None, "trim_rest": False})
    found = dynid.identify(robot, one_way)
    assert "offset" in {term.kind for term in found.model.robot.explicit_terms}
    (finding,) = [one for one in found.findings if one.cause == "one_direction"]
    assert "far too large" in finding.sentence
