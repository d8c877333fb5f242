"""Verdicts and findings as messages of ``dynid_interfaces``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.recording.contradiction import SEVERITIES, Contradiction
from dynid_ros.interface_types import interface_type

if TYPE_CHECKING:
    from dynid.evaluation.diagnosis.finding import Finding
    from dynid.evaluation.joint_errors import JointErrors
    from dynid.identification.result import Identification
    from dynid.identification.validate import Validation
    from dynid.report.card import Card


def verdict_fields(result: Identification | Validation, card: Card) -> dict[str, Any]:
    """Return the fields of a Verdict, except its stamp; empty where its type is not installed."""
    joint_verdict, finding = interface_type("msg", "JointVerdict"), interface_type("msg", "Finding")
    if joint_verdict is None or finding is None:
        return {}
    verdict = card.verdict
    return {
        "robot": result.model.robot.name,
        "passed": verdict.success,
        "summary": card.summary,
        "next": card.next,
        "mean_error": verdict.mean_error,
        "mean_urdf_error": verdict.mean_urdf_error,
        "joints": [joint_verdict(**_joint_fields(joint)) for joint in verdict.joints],
        "reasons": list(verdict.reasons),
        "warnings": list(verdict.warnings),
        "findings": [finding(**finding_fields(one)) for one in result.findings],
        "samples": result.samples,
    }


def finding_fields(found: Finding | Contradiction) -> dict[str, Any]:
    """Return the fields of a Finding, which a contradiction between signals is, too."""
    return {
        "cause": found.kind if isinstance(found, Contradiction) else found.cause,
        "joints": list(found.joints),
        "severity": len(SEVERITIES) - 1 - SEVERITIES.index(found.severity),  # Finding.NOTE is 0
        "sentence": found.sentence,
        "remedy": found.remedy,
        "evidence_names": list(found.evidence),
        "evidence": [float(value) for value in found.evidence.values()],
    }


def _joint_fields(joint: JointErrors) -> dict[str, Any]:
    return {
        "joint": joint.joint,
        "state": joint.state,
        "rmse": joint.rmse_torque,
        "relative_error": joint.relative_error,
        "held_out_error": joint.held_out_error,
        "urdf_error": joint.urdf_error,
        "detectable_torque": joint.detectable_torque,
        "serves": [use.use for use in joint.uses if use.serves],
        "too_inaccurate_for": [use.use for use in joint.uses if use.serves is False],
    }
