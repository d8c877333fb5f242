"""What changes within a recording: torque, friction, or the load, and when."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.searched_arm import NOISE, RATE, crane, crane_parameters, crane_recording
from support.synthetic import recorded

from dynid.arrays import Array
from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.diagnose import diagnose_recordings
from dynid.recording.model import Recording

GOOD = crane_recording()
HALF = len(GOOD.time) // 2
SIZE = GOOD.effort.std(axis=0)


def differing(*recordings: Recording) -> list[Finding]:
    """Return what is said of recordings that differ, or parts of them."""
    findings = diagnose_recordings(crane(), recordings).found
    assert {one.cause for one in findings} <= {"recordings_differ"}
    return list(findings)


def with_torque(change: Array) -> Recording:
    """Return the recording with another torque of its second joint."""
    effort = GOOD.effort.copy()
    effort[:, 1] = change
    return replace(GOOD, effort=effort)


def later(first: int = HALF) -> Array:
    return np.arange(len(GOOD.time)) >= first


def instant(finding: Finding) -> float:
    """Return the time [s] at which a finding says that something changed."""
    (text,) = re.findall(r"(?:from|until) ([\d.]+) s", finding.sentence.split(":")[0])
    return float(text)


def test_a_recording_in_which_nothing_changes_is_whole() -> None:
    assert differing(GOOD) == []


@pytest.mark.parametrize("first", representatives([HALF // 2, HALF], 1))
def test_a_torque_constant_that_changes_is_found_with_its_time(first: int) -> None:
    (finding,) = differing(with_torque(GOOD.effort[:, 1] * np.where(later(first), 1.4, 1.0)))
    assert (finding.joints, finding.severity) == (("lift",), "problem")
    ratio = finding.evidence["ratio"]
    assert max(ratio, 1 / ratio) == pytest.approx(1.4, rel=0.02)
    assert instant(finding) == pytest.approx(GOOD.time[first], abs=0.5)


def test_an_offset_that_changes_is_a_warning_with_its_size() -> None:
    (finding,) = differing(with_torque(GOOD.effort[:, 1] + SIZE[1] * later()))
    assert (finding.joints, finding.severity) == (("lift",), "warning")
    assert abs(finding.evidence["offset [N m]"]) == pytest.approx(SIZE[1], rel=0.1)
    assert instant(finding) == pytest.approx(GOOD.time[HALF], abs=0.5)


def test_an_offset_that_grows_is_a_warning_with_its_growth() -> None:
    growth = np.linspace(0, 2 * SIZE[1], len(GOOD.time))
    (finding,) = differing(with_torque(GOOD.effort[:, 1] + growth))
    assert finding.evidence["growth [N m]"] == pytest.approx(2 * SIZE[1], rel=0.1)


def test_a_load_that_is_taken_up_is_weighed() -> None:
    robot, parameters = crane(), crane_parameters(crane())
    parameters[20:22] += [1.5, 1.5 * 0.3]  # mass and first moment of the jib
    parameters[[26, 29]] += 1.5 * 0.3**2
    loaded = recorded(
        robot.mechanism(), parameters, samples=len(GOOD.time), rate=RATE, noise=NOISE, seed=0
    )
    taken = replace(GOOD, effort=np.where(later()[:, None], loaded.effort, GOOD.effort))
    (finding,) = differing(taken)
    assert abs(finding.evidence["mass [kg]"]) == pytest.approx(1.5, rel=0.05)
    assert instant(finding) == pytest.approx(GOOD.time[HALF], abs=0.5)
