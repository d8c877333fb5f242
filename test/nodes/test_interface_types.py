"""Typed messages say what the texts on the older topics say."""

from __future__ import annotations

import json

import pytest
from std_msgs.msg import String
from support.arm_files import write_arm

from dynid.recording.contradiction import Contradiction
from dynid_ros import interface_types
from dynid_ros.identifier import Identifier
from dynid_ros.interface_types import StateTopics, finding_fields, interface_type
from dynid_ros.qos import LATCHED

NodeState = interface_type("msg", "NodeState")
Verdict = interface_type("msg", "Verdict")
Finding = interface_type("msg", "Finding")
with_messages = pytest.mark.skipif(
    Verdict is None, reason="typed messages: the package dynid_interfaces is not installed"
)


@with_messages
def test_a_verdict_has_the_errors_uses_and_reasons_of_its_json(graph, tmp_path):
    arm = write_arm(tmp_path)
    graph.start(
        Identifier,
        profile=str(arm.profile),
        output=str(tmp_path / "out"),
        recording=str(arm.bag),
        overrides=["identification.max_relative_torque_error=0.001"],
    )
    typed = graph.listen(Verdict, "/identifier/identification_verdict", LATCHED)
    text = graph.listen(String, "/identifier/identification", LATCHED)
    assert not graph.call("/identifier/identify").success
    graph.until(lambda: typed and text)
    expected, verdict = json.loads(text[-1].data), typed[-1]
    assert verdict.robot == "arm"
    assert verdict.passed is expected["success"] is False
    assert (verdict.summary, verdict.next) == (expected["summary"], expected["next"])
    assert verdict.reasons == expected["reasons"]
    assert verdict.warnings == expected["warnings"]
    assert verdict.samples == expected["samples"]
    assert verdict.stamp.sec > 0
    assert [joint.joint for joint in verdict.joints] == list(expected["joints"])
    for joint in verdict.joints:
        errors = expected["joints"][joint.joint]
        assert joint.rmse == errors["rmse_torque"]
        assert joint.held_out_error == errors["held_out_error"]
        assert joint.state == errors["state"]
        serves = {use["use"]: use["serves"] for use in errors["uses"]}
        assert joint.serves == [use for use, good in serves.items() if good]
        assert joint.too_inaccurate_for == [use for use, good in serves.items() if good is False]


@with_messages
def test_a_state_and_its_reason_are_apart(graph):
    node = graph.peer
    typed = graph.listen(NodeState, f"{node.get_fully_qualified_name()}/node_state", LATCHED)
    text = graph.listen(String, f"{node.get_fully_qualified_name()}/state", LATCHED)
    StateTopics(node).publish("aborted: joint 'elbow': too far.")
    graph.until(lambda: typed and text)
    assert typed[-1].state == NodeState.ABORTED
    assert typed[-1].reason == "joint 'elbow': too far."
    assert text[-1].data == "aborted: joint 'elbow': too far."


@with_messages
@pytest.mark.parametrize("severity", ["note", "warning", "problem"])
def test_a_contradiction_between_signals_is_a_finding(severity):
    found = Contradiction("velocity", ("elbow",), severity, "It is.", "Do.", {"factor": 57.3})
    message = Finding(**finding_fields(found))
    assert message.severity == getattr(Finding, severity.upper())
    assert (message.cause, message.joints) == ("velocity", ["elbow"])
    assert dict(zip(message.evidence_names, message.evidence, strict=True)) == {"factor": 57.3}


def test_without_the_interfaces_the_text_is_published_alone(graph, monkeypatch):
    monkeypatch.setattr(interface_types, "interface_type", lambda _kind, _name: None)
    node = graph.peer
    text = graph.listen(String, f"{node.get_fully_qualified_name()}/state", LATCHED)
    StateTopics(node).publish("idle")
    graph.until(lambda: text)
    assert text[-1].data == "idle"
    names = [name for name, _ in node.get_topic_names_and_types()]
    assert not any(name.endswith("/node_state") for name in names)
