"""A joint that something holds at rest: its error is of rest, and its times are named."""

from __future__ import annotations

import re

import numpy as np
import pytest
from rich.console import Console
from support.searched_arm import JOINTS, NOISE, RATE, crane, crane_parameters
from support.synthetic import swinging

from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.diagnose import Diagnosis, diagnose_recordings
from dynid.recording.model import Recording
from dynid.report.diagnosis import print_diagnosis


def braked(held: float) -> Recording:
    """Return a recording in which the lift stands from 8 to 14 s, its drive with a torque of 0.

    Args:
        held: share of its torque at rest that a brake takes over.
    """
    robot = crane()
    mechanism, parameters = robot.mechanism(), crane_parameters(robot)
    q, dq, ddq = swinging(2000, 3, RATE, seed=0)
    time = np.arange(2000) / RATE
    closed = (time >= 8.0) & (time < 14.0)
    # motion goes on after a stop, where it was
    rows = np.arange(2000) - np.clip(np.arange(2000) - 800, 0, 600)
    for values in (q, dq, ddq):
        values[:, 1] = values[rows, 1]
    dq[closed, 1] = ddq[closed, 1] = 0.0
    torque = mechanism.with_parameters(parameters).torque(q, dq, ddq, parameters)
    torque[closed, 1] *= 1 - held
    torque += NOISE * np.random.default_rng(1).standard_normal(torque.shape)
    return Recording(time, q, torque, velocity=dq, joint_names=JOINTS)


def of_rest(diagnosis: Diagnosis) -> list[Finding]:
    return [one for one in diagnosis.findings if "at rest" in one.sentence]


def test_a_closed_brake_is_found_with_its_joint_and_times() -> None:
    diagnosis = diagnose_recordings(crane(), [braked(1.0)])
    assert diagnosis.reasons
    (finding,) = of_rest(diagnosis)
    assert (finding.cause, finding.severity, finding.joints) == (
        "unexplained",
        "warning",
        ("lift",),
    )
    times = re.search(r"at rest from ([\d.]+) to ([\d.]+) s", finding.sentence)
    assert times is not None
    assert [float(time) for time in times.groups()] == pytest.approx([8.0, 14.0], abs=0.5)
    assert "more than static friction" in finding.sentence


def test_a_stop_without_a_brake_is_no_finding() -> None:
    assert of_rest(diagnose_recordings(crane(), [braked(0.0)])) == []


def test_a_model_that_fails_for_no_cause_is_no_success(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failing = Diagnosis("crane", (), (), reasons=("lift: too large an error.",))
    print_diagnosis(Console(width=80), failing)
    text = capsys.readouterr().out
    assert "No problem found" not in text
    assert "lift: too large an error." in text
