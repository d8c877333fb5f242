"""The visualizer with real topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from sensor_msgs.msg import JointState
from support.arm_files import write_arm
from visualization_msgs.msg import Marker, MarkerArray

from dynid.errors import DynidError
from dynid.identification.identify import identify
from dynid.profile import load_model, load_robot
from dynid.recording.load import load_recording
from dynid.report.view.torque_markers import GREY, RED
from dynid_ros.node import ERROR, OK
from dynid_ros.qos import LATCHED
from dynid_ros.visualizer import VisualizerNode

POSITION = [0.1, -0.5, 0.6]


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The arm's profile and its identified model, as parameters."""
    folder = tmp_path_factory.mktemp("arm")
    files = write_arm(folder, limits={"velocity": [5]}, collision={"torque_error_max": [10]})
    robot = load_robot(str(files.profile))
    recording = load_recording(files.bag, robot.joints)
    identify(robot, recording).model.save(folder / "model.yaml")
    return {"profile": str(files.profile), "model": str(folder / "model.yaml")}


def test_the_path_of_the_excitation_reaches_late_subscribers(
    stepped_graph,
) -> None:
    stepped_graph.start(VisualizerNode)
    stepped_graph.spin(0.2)
    received = stepped_graph.listen(MarkerArray, "/visualizer/path", LATCHED)
    stepped_graph.until(lambda: received)
    (path,) = received[0].markers
    assert path.type == Marker.LINE_STRIP
    assert path.header.frame_id == "base_link"
    assert len(path.points) > 1000


def test_markers_are_at_the_joints_of_the_moving_robot(stepped_graph, arm) -> None:
    robot = load_robot(arm["profile"])
    stepped_graph.start(VisualizerNode, rate=50.0, profile=arm["profile"])
    markers = _markers(stepped_graph, robot.joints, effort=None)
    joints = robot.kinematics().poses([POSITION])[0][1:]
    balls = [m for m in markers if m.ns == "torque_error"]
    axes = [m for m in markers if m.ns == "axis"]
    for joint, ball, axis in zip(joints, balls, axes, strict=True):
        np.testing.assert_allclose(_place(axis), (joint[:3] + _place(ball)) / 2, atol=1e-9)
        assert _colour(ball) == pytest.approx(GREY, abs=1e-6)
    assert [m.text for m in markers if m.ns == "label"] == list(robot.joints)


def test_a_joint_with_a_large_torque_error_is_red(stepped_graph, arm) -> None:
    model = load_model(arm["model"])
    effort = model.mechanism.gravity_torque([POSITION])[0]
    effort[1] += 20.0
    stepped_graph.start(VisualizerNode, rate=50.0, **arm)
    markers = _markers(stepped_graph, model.robot.joints, effort.tolist(), known=True)
    balls = [m for m in markers if m.ns == "torque_error"]
    assert _colour(balls[1]) == pytest.approx(RED, abs=1e-6)
    assert balls[1].scale.x > 1.5 * balls[0].scale.x
    assert all(_colour(ball)[2] > 0.8 for ball in (balls[0], balls[2]))  # nearly white


def test_a_collision_is_shown_over_its_joint_until_it_is_reset(stepped_graph, arm) -> None:
    stepped_graph.start(VisualizerNode, rate=50.0, **arm)
    publisher = stepped_graph.peer.create_publisher(
        DiagnosticStatus, "/feedforward_controller/collision", LATCHED
    )
    sentence = "Collision at joint 'elbow': torque error 9 N m beyond 5 N m; the robot is stopped."
    elbow = [KeyValue(key="joint", value="elbow")]
    publisher.publish(DiagnosticStatus(level=ERROR, message=sentence, values=elbow))
    received = stepped_graph.listen(MarkerArray, "/visualizer/markers", 1)

    def collision() -> Marker:
        return next(m for m in received[-1].markers if m.ns == "collision")

    _markers(stepped_graph, ("shoulder", "elbow", "wrist"), [0.0] * 3, known=True)
    stepped_graph.until(lambda: received and collision().action == Marker.ADD)
    assert collision().text.replace("\n", " ") == sentence
    assert _colour(collision()) == pytest.approx(RED, abs=1e-6)
    publisher.publish(DiagnosticStatus(level=OK, message="no collision"))
    stepped_graph.until(lambda: collision().action == Marker.DELETE)


def test_torque_errors_become_unknown_without_joint_states(stepped_graph, arm) -> None:
    statuses = stepped_graph.statuses("visualizer")
    stepped_graph.start(VisualizerNode, rate=50.0, **arm)
    _markers(stepped_graph, ("shoulder", "elbow", "wrist"), [0.0] * 3, known=True)
    received = stepped_graph.listen(MarkerArray, "/visualizer/markers", 1)
    stepped_graph.until(lambda: received and not _known(received[-1]))
    stepped_graph.until(lambda: any("no joint states for" in s.message for s in statuses()))


def test_reports_joint_states_without_a_joint(stepped_graph, arm) -> None:
    statuses = stepped_graph.statuses("visualizer")
    stepped_graph.start(VisualizerNode, rate=50.0, **arm)
    publisher = stepped_graph.peer.create_publisher(JointState, "/joint_states", 10)
    lacking = JointState(name=["shoulder", "elbow"], position=[0.1, 0.2])
    stepped_graph.peer.create_timer(0.05, lambda: publisher.publish(lacking))
    stepped_graph.until(lambda: any("lack the position of" in s.message for s in statuses()))


def test_the_robot_is_shown_if_requested(stepped_graph, arm) -> None:
    stepped_graph.start(VisualizerNode, rate=50.0, robot=True, profile=arm["profile"])
    markers = _markers(stepped_graph, ("shoulder", "elbow", "wrist"), effort=None)
    assert any(m.ns == "robot" and m.type == Marker.CYLINDER for m in markers)


def test_refuses_a_model_of_another_robot(stepped_graph, arm) -> None:
    with pytest.raises(DynidError, match="its joints are shoulder, elbow, wrist, but those of"):
        stepped_graph.start(VisualizerNode, profile="puma560", model=arm["model"])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"profile": "pumpa"}, "profile 'pumpa': not shipped"),
        ({"model": "nowhere.yaml"}, "nowhere.yaml: there is no such file"),
        ({"tool": "hook"}, "the URDF has no such link"),
        ({"rate": 0.0}, "parameter 'rate' of visualizer"),
    ],
)
def test_refuses_to_start_with(stepped_graph, parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DynidError, match=sentence):
        stepped_graph.start(VisualizerNode, **parameters)


def _markers(
    stepped_graph,
    joints: tuple[str, ...],
    effort: list[float] | None,
    *,
    known: bool = False,
) -> Any:
    """Return the markers of the first array (with known errors) while the robot is at rest."""
    publisher = stepped_graph.peer.create_publisher(JointState, "/joint_states", 10)
    received = stepped_graph.listen(MarkerArray, "/visualizer/markers", 1)
    message = JointState(name=joints[::-1], position=POSITION[::-1])
    message.effort = [] if effort is None else effort[::-1]

    def send() -> None:
        message.header.stamp = stepped_graph.clock.now().to_msg()
        publisher.publish(message)

    timer = stepped_graph.peer.create_timer(0.005, send)
    stepped_graph.until(lambda: received and (_known(received[-1]) or not known))
    timer.cancel()
    return received[-1].markers


def _known(array: Any) -> bool:
    return any("N·m" in marker.text for marker in array.markers)


def _place(marker: Any) -> np.ndarray:
    at = marker.pose.position
    return np.array([at.x, at.y, at.z])


def _colour(marker: Any) -> tuple[float, ...]:
    return marker.color.r, marker.color.g, marker.color.b, marker.color.a
