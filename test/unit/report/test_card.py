"""The outcome of a verdict in one sentence."""

from __future__ import annotations

from dataclasses import replace

from dynid.evaluation.joint_errors import JointState
from dynid.identification.result import Identification
from dynid.report.card import Card

FINDING = "the torque contains no gravity."


def failed_card(identification: Identification, state: JointState) -> Card:
    """Return the card of an identification that a finding fails, and the state of a joint."""
    first, *others = identification.verdict.joints
    joints = (replace(first, state=state), *others)
    verdict = replace(identification.verdict, joints=joints, success=False, reasons=(FINDING,))
    return Card.of(replace(identification, verdict=verdict))


def test_a_finding_that_fails_a_model_is_its_reason(identification: Identification) -> None:
    summary = failed_card(identification, "good").summary
    assert FINDING in summary
    assert "well enough" not in summary


def test_an_error_that_fails_a_model_is_its_reason(identification: Identification) -> None:
    assert "well enough: the largest" in failed_card(identification, "poor").summary


def test_the_error_of_a_joint_that_was_not_identified_is_not_the_largest(
    identification: Identification,
) -> None:
    first, *others = identification.verdict.joints
    still = replace(first, state="not_moved", unexplained_error=1e13)
    verdict = replace(identification.verdict, joints=(still, *others))
    assert f"({first.joint})" not in Card.of(replace(identification, verdict=verdict)).summary
