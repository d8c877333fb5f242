"""Topics and services of ``feedforward_controller``, for a robot without ros2_control."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid import _core
from dynid.errors import DynidError
from dynid.profile import make_robot
from dynid.robot.acceptance import check_acceptance
from dynid.robot.model_file import parse_model
from dynid.robot.tuned_thresholds import with_threshold_parameters
from dynid_ros.joint_values import doubles
from dynid_ros.node import ERROR, OK, WARN, key_values
from dynid_ros.qos import LATCHED, MONITORED

if TYPE_CHECKING:
    from array import array

    from builtin_interfaces.msg import Time

    from dynid.control.controlled_robot import ControlledRobot
    from dynid.robot.robot import Robot
    from dynid_ros.node import DynidNode

QUANTITIES = ("reference", "feedback", "torque_error", "filtered_error", "threshold", "blind_time")
_STATE_RATE = 100.0  # [Hz]
_REFERENCES = (
    _core.InactiveReason.command_jump,
    _core.InactiveReason.acceleration,
    _core.InactiveReason.reference_away,
    _core.InactiveReason.position_limit,
    _core.InactiveReason.too_fast,
    _core.InactiveReason.uneven,
    _core.InactiveReason.model_wrong,
)


class FeedforwardTopics:
    """Publishers, services and subscriptions of dynid/FeedforwardController, for ControlledRobot.

    It receives its model on /dynid/model.
    """

    def __init__(
        self,
        node: DynidNode,
        controlled: ControlledRobot,
        law: _core.ControlLaw,
        robot: Robot,
        rate: float,
    ) -> None:
        """Start without a model; ``rate`` is the control rate [Hz]."""
        self._node, self._controlled, self._law = node, controlled, law
        self._robot = robot
        self._cycles = max(1, round(rate / _STATE_RATE))
        self._cycle = 0
        self._stamp_ns = 0  # of the collision
        rows = [f"{joint}/{quantity}" for quantity in QUANTITIES for joint in robot.joints]
        self._state = JointState(name=rows)
        self._unknown = np.full(4 * len(robot.joints), np.nan)
        name = "feedforward_controller"
        self._state_out = node.create_publisher(JointState, f"{name}/state", MONITORED.depth)
        self._collision_out = node.create_publisher(DiagnosticStatus, f"{name}/collision", LATCHED)
        node.create_service(Trigger, f"{name}/reset", node.answering(self._reset))
        node.create_subscription(String, "dynid/model", self._on_model, LATCHED)
        self._published = ""
        self._inactive_reason = law.inactive_reason
        self._publish_collision()
        node.get_logger().info(self._supervision())

    def measured(self) -> dict[str, object]:
        """Return the state of the additive torque, for /diagnostics."""
        blind = self._law.describe_blindness(self._robot.joints)
        return {
            "feedforward": self._status(),
            "gain": self._law.gain,
            "supervision": blind or self._supervision(),
        }

    def _status(self) -> str:
        law = self._law
        return _core.describe_inactive_reason(
            law.inactive_reason, law.limited_drive, self._robot.joints
        )

    def _supervision(self) -> str:
        return _core.describe_supervision(self._law.supervised, self._robot.joints)

    def cycle(self, now_ns: int, stamp: Time) -> None:
        """Publish the results of a control cycle."""
        if self._law.latched and not self._stamp_ns:
            self._stamp_ns = now_ns
        elif not self._law.latched:
            self._stamp_ns = 0
        self._cycle += 1
        if self._cycle >= self._cycles:
            self._cycle = 0
            self._publish_state(stamp)
            self._publish_collision()
            self._warn_of_inactivity()

    def _publish_state(self, stamp: Time) -> None:
        controlled, law = self._controlled, self._law
        message, unknown = self._state, self._unknown
        message.header.stamp = stamp
        message.position = _joined(
            controlled.reference.position, controlled.feedback.position, unknown
        )
        message.velocity = _joined(
            controlled.reference.velocity, controlled.feedback.velocity, unknown
        )
        message.effort = _joined(
            law.torque_offset,
            controlled.feedback.torque,
            law.torque_error,
            law.detector.filtered_error,
            law.detector.threshold,
            law.blind_time,
        )
        self._state_out.publish(message)

    def _publish_collision(self) -> None:
        """Publish a collision, a warning, or their end."""
        detector, joints = self._law.detector, self._robot.joints
        newest, level = detector.collision, OK
        message = _core.describe_collision(newest, joints, self._controlled.sliding)
        if self._law.latched:
            level = ERROR
        elif detector.level == _core.CollisionLevel.warn:
            newest, level = detector.warning, WARN
            message = _core.describe_warning(newest, joints)
        if message == self._published:
            return
        self._published = message
        if level == ERROR:
            self._node.get_logger().error(message)
        stopped = level == ERROR
        values = {
            "joint": "" if level == OK else joints[newest.drive],
            "cause": newest.cause.name,
            "value": f"{newest.value:g}" if stopped else "",
            "threshold": f"{newest.threshold:g}" if stopped else "",
            "time": str(self._stamp_ns) if stopped else "",
        }
        self._collision_out.publish(
            DiagnosticStatus(
                name="collision",
                level=level,
                message=message,
                values=key_values(values),
            )
        )

    def _warn_of_inactivity(self) -> None:
        """Report once why there is no additive torque, if because of the reference."""
        reason = self._law.inactive_reason
        if reason != self._inactive_reason:
            self._inactive_reason = reason
            sentence = self._status()
            if reason in _REFERENCES:
                self._node.get_logger().warning(sentence)
                self._node.health(WARN, sentence)
            elif reason == _core.InactiveReason.none:
                self._node.health(OK, f"simulating {self._robot.name}, {sentence}")

    def _reset(self) -> str:
        sentence = self._controlled.reset()
        self._publish_collision()
        return sentence

    def _on_model(self, message: String) -> None:
        """Use a model from the next cycle on, or log why it is refused."""
        where = "/dynid/model"
        try:
            with self._node.logging_warnings():
                model = parse_model(message.data, where, make_robot)
            # the publisher has decided whether a failed model is accepted
            check_acceptance(model, self._robot, where, force=True)
            tuned = with_threshold_parameters(self._robot, model.thresholds, where)
            error = () if model.errors is None else model.errors.rmse_torque
            self._controlled.use(model.mechanism, error=error)
            self._controlled.detect_with(tuned)
        except DynidError as error:
            self._node.get_logger().error(str(error))
            return
        dated = model.identified_provenance.dated
        self._node.get_logger().info(f"a model is in use, identified on {dated}")


def _joined(*parts: np.ndarray) -> array[float]:
    """Return one value per row."""
    return doubles(np.concatenate(parts))
