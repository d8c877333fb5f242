"""Findings that differ in joints and numbers only are one paragraph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.swung_arm import findings, limited_arm, swung

from dynid.evaluation.diagnosis.finding import Finding, grouped, sentences
from dynid.recording.corrections import Correction


def noisy(joint: str, share: float) -> Finding:
    return Finding(
        cause="noise",
        joints=(joint,),
        severity="warning",
        sentence=f"{joint}: noise is {100 * share:.3g} % of the torque.",
        advice="Add a filter at {joints}.",
        statement="noise",
        evidence={"noise over torque": share},
    )


def test_equal_findings_of_several_joints_are_one_paragraph() -> None:
    (one,) = grouped([noisy("joint1", 0.5), noisy("joint2", 0.4), noisy("joint10", 0.345)])
    assert one.sentence == (
        "joint1: noise is 50 % of the torque. The same applies to joint2 (noise over torque 0.400) "
        "and joint10 (noise over torque 0.345)."
    )
    assert one.remedy == "Add a filter at joint1, joint2 and joint10."
    assert one.evidence["joint2: noise over torque"] == 0.4
    assert one.joint is None
    assert one.joints == ("joint1", "joint2", "joint10")


def test_findings_with_other_words_severity_or_cause_stay_apart() -> None:
    first = noisy("joint_a", 0.5)
    others = [
        replace(noisy("joint_b", 0.5), severity="problem"),
        replace(noisy("joint_b", 0.5), cause="over_fit"),
        replace(noisy("joint_b", 0.5), advice="Do something else.", statement="other"),
    ]
    assert grouped([first, *others]) == (first, *others)


def test_findings_that_stand_alone_are_not_grouped() -> None:
    whole = replace(noisy("joint_a", 0.5), joints=(), statement="")
    assert len(grouped([whole, whole])) == 2


def test_a_group_has_one_line_for_the_profile_with_the_corrections_of_all_joints() -> None:
    reversed_joints = [
        replace(
            noisy(joint, 0.5),
            advice="Reverse {joints}: {corrections}.",
            corrections=(Correction(signal="effort", joint=joint, factor=-1.0),),
        )
        for joint in ("joint1", "joint2")
    ]
    (one,) = grouped(reversed_joints)
    assert one.remedy == (
        "Reverse joint1 and joint2: recording.corrections: [{signal: effort, joint: joint1, "
        "factor: -1.0}, {signal: effort, joint: joint2, factor: -1.0}]."
    )


def test_order_is_that_of_the_first_of_each_group() -> None:
    other = replace(noisy("joint_a", 0.5), cause="over_fit")
    found = grouped([noisy("joint_a", 0.5), other, noisy("joint_b", 0.2)])
    assert [one.cause for one in found] == ["noise", "over_fit"]


def test_warnings_are_the_sentences_of_groups_without_notes() -> None:
    note = replace(noisy("joint_c", 0.1), severity="note")
    (text,) = sentences([noisy("joint_a", 0.5), noisy("joint_b", 0.2), note])
    assert "The same applies to joint_b" in text


def test_joints_that_move_together_are_one_paragraph() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.47, 0.47, 0.47), overtone=0.0)
    (found,) = findings(robot, recording)["overlapping_frequencies"]
    assert found.sentence.startswith("shoulder, elbow and wrist move together")
    assert found.evidence["share of shoulder and wrist"] > 0.95


@pytest.mark.thorough
def test_plots_over_time_have_seconds() -> None:
    robot = limited_arm()
    recording = swung(robot)
    effort = recording.effort.copy()
    effort[:, 1] = np.clip(effort[:, 1], None, 0.6 * effort[:, 1].max())
    effort[:, 2] += 0.6 * effort[:, 0]
    found = findings(robot, replace(recording, effort=effort))
    plots = [one.plot for several in found.values() for one in several if one.plot]
    assert plots
    assert all(plot.x_label != "sample" for plot in plots)
    over_time = [plot for plot in plots if plot.x_label == "time [s]"]
    assert over_time
    assert all(plot.traces[0].x.max() <= 20.0 for plot in over_time)
