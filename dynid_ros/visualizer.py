"""Node ``visualizer``: the tool's path and the torque errors as markers for RViz."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from dynid.evaluation.live import LiveState, LiveTorqueError
from dynid.profile import load_model
from dynid.report.view.joint_motion import excitation_motion
from dynid.report.view.picture import RobotPicture, check_same_joints
from dynid.report.view.torque_markers import RED
from dynid_ros.executor import run
from dynid_ros.joint_values import STALE_NS, in_order, seconds
from dynid_ros.node import ERROR, OK, WARN, DynidNode
from dynid_ros.qos import LATCHED, MONITORED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rclpy.time import Time

    from dynid.report.view.scene import Label, Polyline, Scene
    from dynid.robot.robot import Robot
    from dynid.robot.shapes import Colour, Shape

_KINDS = {"box": Marker.CUBE, "cylinder": Marker.CYLINDER, "sphere": Marker.SPHERE}
_MARKER_DEPTH = 1  # only the newest markers matter
_COLLISION_TEXT = 0.03  # of the robot's reach, as the next
_COLLISION_ABOVE = 0.3


class VisualizerNode(DynidNode):
    """Shows the torque error between measurement and model at the joints of the moving robot.

    A collision is shown as text over the joint that detected it, until it is reset.

    Topics: ``~/path`` (latched), ``~/markers`` (at ``rate``); both visualization_msgs/MarkerArray.
    """

    def __init__(self, **options: Any) -> None:
        """Publish the path at once, and markers from the first joint states on."""
        super().__init__("visualizer", **options)
        self.declare_robot()
        model = self.fixed("model", "", "model.yaml whose torque is compared; empty: none.")
        tool = self.fixed("tool", "", "Link whose origin is the tool point; empty: the last one.")
        topic = self.fixed("joint_states_topic", "/joint_states", "sensor_msgs/JointState.")
        rate = self.fixed("rate", 10.0, "Markers per second [Hz].", between=(0.1, 100.0))
        cutoff = self.fixed(
            "cutoff_hz",
            10.0,
            "Cutoff of the torque error's filter [Hz]; it delays errors by 3 / (2 pi cutoff_hz) s.",
            between=(0.1, 1000.0),
        )
        self._robot = self.fixed(
            "robot", False, "Whether to show the robot, if no RobotModel does."
        )
        frame = self.fixed("frame_id", "", "Frame of the markers; empty: the URDF's root link.")
        robot = self.load_robot()
        self._joints = robot.joints
        self._picture = RobotPicture(robot, tool=tool or None)
        self._frame = frame or self._picture.kinematics.root
        self._live = None if not model else self._live_error(Path(model), robot, cutoff)
        self._state: LiveState | None = None
        self._position: np.ndarray | None = None
        self._arrival: Time | None = None
        self._collision = DiagnosticStatus()
        self.create_subscription(
            DiagnosticStatus, "feedforward_controller/collision", self._on_collision, LATCHED
        )
        self._path = self.create_publisher(MarkerArray, "~/path", LATCHED)
        self._markers = self.create_publisher(MarkerArray, "~/markers", _MARKER_DEPTH)
        self._publish_path(robot)
        self.create_subscription(JointState, topic, self._on_joint_states, MONITORED)
        self.create_timer(1 / rate, self._show, clock=self.steady)
        self.health(WARN, f"no {topic} yet")

    def _live_error(self, path: Path, robot: Robot, cutoff_hz: float) -> LiveTorqueError:
        with self.logging_warnings():
            model = load_model(path)
        check_same_joints(model.robot, robot, path)
        return LiveTorqueError(model.robot, model.mechanism, cutoff_hz=cutoff_hz)

    def _publish_path(self, robot: Robot) -> None:
        motion = excitation_motion(robot)
        if motion is not None:
            paths = enumerate(self._picture.tool_paths(motion))
            markers = [line_marker(path, number, self._frame) for number, path in paths]
            self._path.publish(MarkerArray(markers=markers))

    def _on_joint_states(self, message: JointState) -> None:
        position = _in_order(self._joints, message.name, message.position)
        if position is None:
            self.health(WARN, f"joint states lack the position of one of {', '.join(self._joints)}")
            return
        self._arrival = self.steady.now()
        self._position = self._picture.kinematics.joint_position(position)
        effort = _in_order(self._joints, message.name, message.effort)
        if self._live is None or effort is None:
            self._state = None
            return
        time = seconds(message.header.stamp)
        self._state = self._live.step(self._state, time, position, effort)

    def _on_collision(self, collision: DiagnosticStatus) -> None:
        self._collision = collision

    def _show(self) -> None:
        if self._position is None or self._arrival is None:
            return
        stale = (self.steady.now() - self._arrival).nanoseconds > STALE_NS
        live, state = self._live, self._state
        known = live is not None and state is not None and live.settled(state) and not stale
        error = state.error if known and state is not None else None
        scene = self._picture.scene(self._position, torque_error=error)
        shown = scene_markers(scene, self._frame, robot=self._robot)
        shown.markers.append(collision_marker(self._collision, scene, self._frame))
        self._markers.publish(shown)
        if self._collision.level == ERROR:
            self.health(ERROR, self._collision.message)
        elif stale:
            self.health(WARN, "no joint states for more than 1 s")
        elif live is not None and state is None:
            self.health(WARN, "joint states lack the effort of a joint: torque errors are unknown")
        else:
            self.health(OK, "showing the robot" if live is None else "showing torque errors")


def scene_markers(scene: Scene, frame: str, *, robot: bool) -> MarkerArray:
    """Return joint axes, torque errors and their labels, and the robot if requested."""
    shapes = scene.shapes() if robot else scene.shapes("axis", "torque_error")
    markers = [_shape_marker(shape, number, frame) for number, shape in enumerate(shapes)]
    markers += [_text_marker(label, number, frame) for number, label in enumerate(scene.labels())]
    return MarkerArray(markers=markers)


def collision_marker(collision: DiagnosticStatus, scene: Scene, frame: str) -> Marker:
    """Return the collision as text over the joint that detected it; DELETE without collision."""
    marker = _marker(frame, "collision", 0, Marker.TEXT_VIEW_FACING, RED)
    joint = next((pair.value for pair in collision.values if pair.key == "joint"), "")
    places = [body.pose.position for body in scene.bodies if body.name == joint]
    if collision.level != ERROR or not places:
        marker.action = Marker.DELETE
        return marker
    at, size = marker.pose.position, _COLLISION_TEXT * scene.reach
    at.x, at.y, at.z = places[0]
    at.z += _COLLISION_ABOVE * scene.reach
    marker.scale.z = size
    marker.text = collision.message.replace("; ", ";\n").replace(": ", ":\n")
    return marker


def line_marker(line: Polyline, number: int, frame: str) -> Marker:
    """Return a line as a strip; numbers of a scene's lines differ."""
    marker = _marker(frame, "path", number, Marker.LINE_STRIP, line.colour)
    marker.scale.x = line.width
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in line.points.tolist()]
    return marker


def _shape_marker(shape: Shape, number: int, frame: str) -> Marker:
    marker = _marker(frame, shape.role, number, _KINDS[shape.kind], shape.colour)
    at, turn = marker.pose.position, marker.pose.orientation
    at.x, at.y, at.z = shape.pose.position
    turn.x, turn.y, turn.z, turn.w = shape.pose.quaternion
    marker.scale.x, marker.scale.y, marker.scale.z = shape.size
    return marker


def _text_marker(label: Label, number: int, frame: str) -> Marker:
    marker = _marker(frame, "label", number, Marker.TEXT_VIEW_FACING, label.colour)
    at = marker.pose.position
    at.x, at.y, at.z = label.position
    marker.scale.z = label.height
    marker.text = label.text
    return marker


def _marker(frame: str, namespace: str, number: int, kind: int, colour: Colour) -> Marker:
    """Return a marker that stays until it is replaced; stamp 0 means the newest transform."""
    red, green, blue, alpha = colour
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = frame
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=alpha)
    marker.pose.orientation.w = 1.0
    return marker


def _in_order(
    joints: Sequence[str], names: Sequence[str], values: Sequence[float]
) -> np.ndarray | None:
    """Return the joints' values (n,), or None where one is missing or not finite."""
    ordered = in_order(joints, names, values)
    return np.array(ordered) if ordered is not None and np.isfinite(ordered).all() else None


main = partial(run, VisualizerNode)
