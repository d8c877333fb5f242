"""Node ``online_estimator``: parameters while the robot works, and payloads that come and go."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import DynidError, EstimationError
from dynid.identification.online.estimator import OnlineEstimator, OnlineSettings
from dynid.identification.online.online_json import change_json, parameters_json
from dynid.profile import load_model
from dynid.robot.acceptance import check_acceptance
from dynid_ros.node import ERROR, OK, WARN, DynidNode, run
from dynid_ros.qos import LATCHED, STATE_DEPTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.identification.online.change import PayloadChange

_LIVE = QoSProfile(depth=STATE_DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Fits every publisher, and keeps what comes while parameters are solved for."""
_STALE_NS = 10**9  # after which the robot counts as silent


class OnlineEstimatorNode(DynidNode):
    """Identifies from the joint states as they come, and reports changes of the payload.

    Topics: ``~/parameters`` (std_msgs/String, JSON, at ``publish_rate``), ``~/change``
    (std_msgs/String, JSON, latched: the newest change). Service ``~/reset``: begins afresh.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        """Listen from now on."""
        super().__init__("online_estimator", **options)
        self.declare_robot()
        self.parameter(
            "model", "", "model.yaml to begin with and tell changes by; empty: none.", fixed=True
        )
        topic = self.parameter(
            "joint_states_topic", "/joint_states", "sensor_msgs/JointState.", fixed=True
        )
        rate = self.parameter(
            "publish_rate", 1.0, "Of ~/parameters [Hz].", between=(0.01, 20.0), fixed=True
        )
        self._settings = self._declared_settings()
        self._estimator = self._make()
        self._heard = 0
        self._lacking = ""
        self._waits_for = ""
        self._changes = 0
        self._newest: PayloadChange | None = None
        self._out = self.create_publisher(String, "~/parameters", 10)
        self._change_out = self.create_publisher(String, "~/change", LATCHED)
        self.create_service(Trigger, "~/reset", self.answering(self._reset))
        self.create_subscription(JointState, topic, self._take, _LIVE)
        self.create_timer(1 / rate, self._publish, clock=self.steady)
        self.health(WARN, f"no {topic} yet")

    def measured(self) -> dict[str, object]:
        """What was wrong with samples, and how near a change is."""
        messages = self._estimator.messages
        return {
            "messages": messages.taken,
            "not_finite": messages.not_finite,
            "stale": messages.stale,
            "gaps": messages.gaps,
            "watching": self._estimator.watching,
            "evidence": f"{self._estimator.evidence:.1f}",
            "changes": self._changes,
        }

    def _declared_settings(self) -> OnlineSettings:
        usual = OnlineSettings()
        return OnlineSettings(
            sampling_rate=self.parameter(
                "sampling_rate",
                usual.sampling_rate,
                "At which joint states come [Hz].",
                between=(20.0, 20_000.0),
                fixed=True,
            ),
            forgetting_time=self.parameter(
                "forgetting_time",
                usual.forgetting_time,
                "Over which parameters that change are followed [s]; 0: all data count alike.",
                between=(0.0, 1e6),
                fixed=True,
            ),
            learning=self.parameter(
                "learning",
                usual.learning,
                "Motion that tells the model's own errors before changes are looked for [s].",
                between=(2.0, 3600.0),
                fixed=True,
            ),
            detect=self.parameter(
                "detect_changes", usual.detect, "Whether to look for changes.", fixed=True
            ),
            largest_payload=self.parameter(
                "largest_payload",
                usual.largest_payload,
                "What is large for a payload's mass [kg].",
                between=(1e-3, 1e4),
                fixed=True,
            ),
            threshold=self.parameter(
                "threshold",
                usual.threshold,
                "Evidence from which a change is reported (twice the log of its odds).",
                between=(1.0, 1e6),
                fixed=True,
            ),
        )

    def _make(self) -> OnlineEstimator:
        robot = self.load_robot()
        path = self.current("model", str)
        if not path:
            return OnlineEstimator(robot, robot.mechanism(), self._settings)
        with self.logging_warnings():
            model = load_model(path)
        check_acceptance(model, robot, path)
        return OnlineEstimator(
            model.robot, model.mechanism, self._settings, standard_deviations=model.base.by_name
        )

    def _reset(self) -> str:
        self._estimator = self._make()
        self._newest = None
        self.health(OK, "began afresh")
        return "what was learnt is forgotten; the estimation begins afresh."

    def _take(self, message: JointState) -> None:
        joints = self._estimator.joints
        position = _in_order(joints, message.name, message.position)
        effort = _in_order(joints, message.name, message.effort)
        if position is None or effort is None:
            what = "position" if position is None else "effort"
            self._lacking = f"joint states lack the {what} of one of {', '.join(joints)}"
            return
        self._lacking = ""
        self._heard = self.steady.now().nanoseconds
        stamp = message.header.stamp
        try:
            changes = self._estimator.take(stamp.sec + 1e-9 * stamp.nanosec, position, effort)
        except DynidError as error:
            self._lacking = str(error)
            return
        for change in changes:
            self._report(change)

    def _report(self, change: PayloadChange) -> None:
        self._changes += 1
        self._newest = change
        self._change_out.publish(String(data=change_json(change)))
        self.get_logger().warning(str(change))
        self._tell()

    def _publish(self) -> None:
        if self._heard:
            try:
                found = self._estimator.parameters()
                self._out.publish(String(data=parameters_json(found, self._estimator.joints)))
            except EstimationError as error:
                self._waits_for = str(error)
            else:
                self._waits_for = ""
        self._tell()

    def _tell(self) -> None:
        """Sum up in /diagnostics: what hinders the estimation counts most, then a change."""
        if self._lacking:
            self.health(ERROR, self._lacking)
        elif not self._heard:
            return
        elif self.steady.now().nanoseconds - self._heard > _STALE_NS:
            self.health(WARN, "no joint states for more than 1 s")
        elif self._estimator.messages.too_rare:
            self.health(
                ERROR,
                "joint states come more rarely than sampling_rate = "
                f"{self._settings.sampling_rate:g} Hz says; set it to the rate at which they come",
            )
        elif self._newest is not None:
            newest = self._newest
            self.health(
                WARN,
                str(newest),
                mass=newest.mass,
                mass_standard_deviation=newest.mass_standard_deviation,
            )
        elif self._waits_for:
            self.health(WARN, self._waits_for)
        elif self._estimator.watching:
            self.health(OK, "estimating, and watching for changes of the payload")
        else:
            self.health(OK, "estimating")


def _in_order(
    joints: Sequence[str], names: Sequence[str], values: Sequence[float]
) -> list[float] | None:
    """The joints' values in their order, or None where one is missing."""
    given = dict(zip(names, values, strict=False))
    return [given[joint] for joint in joints] if set(joints) <= given.keys() else None


def main() -> None:
    """Run the node until it is told to stop."""
    sys.exit(run(OnlineEstimatorNode))


if __name__ == "__main__":
    main()
