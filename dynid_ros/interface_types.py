"""Types of the package ``dynid_interfaces``, where it is installed, and verdicts in them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal

from std_msgs.msg import String

from dynid.recording.contradiction import SEVERITIES, Contradiction
from dynid_ros.qos import LATCHED

if TYPE_CHECKING:
    from rclpy.node import Node

    from dynid.evaluation.diagnosis.finding import Finding
    from dynid.evaluation.joint_errors import JointErrors
    from dynid.identification.result import Identification
    from dynid.identification.validate import Validation
    from dynid.report.card import Card


def interface_type(kind: Literal["action", "msg"], name: str) -> Any:
    """Return an action or message of ``dynid_interfaces``, or None where it is not installed."""
    try:
        return getattr(importlib.import_module(f"dynid_interfaces.{kind}"), name, None)
    except ImportError:
        return None


class TypedTopic:
    """A topic with a message of ``dynid_interfaces`` that late subscribers get, too.

    Where that package is not installed, there is no topic.
    """

    def __init__(self, node: Node, kind: str, name: str) -> None:
        """Offer the topic ``name`` with messages of type ``kind``."""
        self._node = node
        self._kind = interface_type("msg", kind)
        self._publisher = None
        if self._kind is not None:
            self._publisher = node.create_publisher(self._kind, name, LATCHED)

    def publish(self, **fields: object) -> None:
        """Publish a message with these fields, stamped now if its type has a stamp."""
        if self._publisher is None:
            return
        message = self._kind(**fields)
        if hasattr(message, "stamp"):
            message.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


class StateTopics:
    """The state of a node, such as ``idle`` or ``aborted: REASON``.

    As a NodeState on ``~/node_state``, and as text on ``~/state``, which is deprecated.
    """

    def __init__(self, node: Node) -> None:
        self._typed = TypedTopic(node, "NodeState", "~/node_state")
        self._text = node.create_publisher(String, "~/state", LATCHED)

    def publish(self, text: str) -> None:
        """Publish a state, with its reason after a colon."""
        state, _, reason = text.partition(": ")
        self._typed.publish(state=state, reason=reason)
        self._text.publish(String(data=text))


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
