"""Node ``external_wrench``: contact forces and the link in contact, without a force sensor."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState

from dynid.control.wrench.contacts import contact_on
from dynid.control.wrench.estimation import deviations
from dynid.control.wrench.learning import identified_uncertainty
from dynid.control.wrench.live import LiveWrench
from dynid.control.wrench.uncertainty import read_uncertainty
from dynid.errors import ConfigurationError
from dynid.profile import load_model
from dynid.robot.acceptance import check_acceptance
from dynid.robot.torque_settings import CollisionSettings
from dynid_ros.executor import run
from dynid_ros.joint_values import STALE_NS, in_order, seconds, stamp
from dynid_ros.node import ERROR, OK, WARN, DynidNode, key_values
from dynid_ros.qos import LATCHED, LIVE, MONITORED

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time

    from dynid.arrays import Array
    from dynid.control.wrench.estimation import ExternalWrench

_NOT_KNOWN = np.full(3, np.nan)


class ExternalWrenchNode(DynidNode):
    """Publishes external wrenches from live joint states.

    Topics (geometry_msgs/WrenchStamped, at ``publish_rate``): ``~/wrench`` at the frame if nothing
    else is touched, ``~/pure_force`` at the frame's origin if it acts there without moment, and
    during a contact ``~/contact_force`` on the most probable link, whose moments are NaN; each with
    its standard deviations in ``<topic>_deviation``. Components that are not observable are NaN.
    ``~/contact`` (diagnostic_msgs/DiagnosticStatus, latched): the link in contact.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("external_wrench", **options)
        self.declare_robot()
        self.fixed("model", "", "model.yaml of the robot.")
        self.fixed(
            "uncertainty",
            "",
            "wrench_uncertainty.yaml of `dynid collisions wrench --free`; empty: from the model.",
        )
        self.fixed("frame", "", "Link of ~/wrench; empty: the last one.")
        topic = self.fixed("joint_states_topic", "/joint_states", "sensor_msgs/JointState.")
        rate = self.fixed("publish_rate", 100.0, "Rate of the topics [Hz].", between=(0.1, 1000.0))
        self.fixed(
            "sampling_rate", 1000.0, "Rate of the joint states [Hz].", between=(20.0, 20_000.0)
        )
        self.fixed(
            "confidence",
            0.95,
            "Least probability of the links of a contact.",
            between=(0.5, 0.9999),
        )
        self.fixed(
            "false_alarms_per_hour",
            0.1,
            "Acceptable rate of contacts that are none, without a file of the uncertainty [1/h].",
            between=(1e-6, 1e6),
        )
        self._live = self._make()
        self._arrival = 0
        self._lacking = ""
        self._published = ""
        kinds = ("wrench", "pure_force", "contact_force")
        self._outs = {
            name: self.create_publisher(WrenchStamped, f"~/{name}", MONITORED.depth)
            for kind in kinds
            for name in (kind, f"{kind}_deviation")
        }
        self._contact_out = self.create_publisher(DiagnosticStatus, "~/contact", LATCHED)
        self._publish_contact(None)
        self.create_subscription(JointState, topic, self._on_joint_states, LIVE)
        self.create_timer(1 / rate, self._publish, clock=self.steady)
        self.health(WARN, f"no {topic} yet")

    def measured(self) -> dict[str, object]:
        """Return counts of messages and of faults in them, for /diagnostics."""
        messages = self._live.messages
        return {
            "messages": messages.taken,
            "not_finite": messages.not_finite,
            "stale": messages.stale,
            "gaps": messages.gaps,
            "frame": self._live.frame,
        }

    def _make(self) -> LiveWrench:
        robot = self.load_robot()
        path = self.current("model", str)
        if not path:
            message = "parameter 'model' of external_wrench: is empty; name a model.yaml."
            raise ConfigurationError(message)
        with self.logging_warnings():
            model = load_model(path)
        check_acceptance(model, robot, path)
        model = model.with_robot(robot)
        given = self.current("uncertainty", str)
        if given:
            uncertainty = read_uncertainty(Path(given), robot)
        else:
            uncertainty = identified_uncertainty(
                model,
                observer_gain=robot.settings(CollisionSettings).observer_gain,
                false_alarms_per_hour=self.current("false_alarms_per_hour", float),
            )
            self.get_logger().warning(
                "the uncertainty is the torque error of the identification; record free motion, "
                "and name the file of `dynid collisions wrench --free` with the parameter "
                "'uncertainty'."
            )
        return LiveWrench(
            model,
            uncertainty,
            frame=self.current("frame", str) or None,
            confidence=self.current("confidence", float),
            sampling_rate=self.current("sampling_rate", float),
        )

    def _on_joint_states(self, message: JointState) -> None:
        joints = self._live.joints
        fields = ("position", "velocity", "effort")
        values = {name: in_order(joints, message.name, getattr(message, name)) for name in fields}
        if lacking := " and ".join(name for name, value in values.items() if value is None):
            self._lacking = f"joint states lack the {lacking} of one of {', '.join(joints)}"
            return
        self._lacking = ""
        self._arrival = self.steady.now().nanoseconds
        position, velocity, effort = (np.array(value, dtype=float) for value in values.values())
        self._live.take(seconds(message.header.stamp), position, velocity, effort)

    def _publish(self) -> None:
        now = self._live.estimate() if self._fresh() else None
        if now is not None:
            at = stamp(round(1e9 * now.time[-1]))
            self._send("wrench", at, now.frame, now.wrench, now.wrench_covariance)
            self._send("pure_force", at, now.frame, now.frame_force, now.frame_force_covariance)
            for contact in now.contacts:
                link = contact.links[0]
                self._send("contact_force", at, link, now.force, now.force_covariance)
        self._publish_contact(now)
        self._publish_status(now)

    def _fresh(self) -> bool:
        passed = self.steady.now().nanoseconds - self._arrival
        return self._arrival > 0 and passed <= STALE_NS and not self._lacking

    def _send(self, name: str, at: Time, frame: str, values: Array, covariance: Array) -> None:
        """Publish the last row of estimates, and their standard deviations."""
        self._outs[name].publish(_wrench(at, frame, values[-1]))
        self._outs[f"{name}_deviation"].publish(_wrench(at, frame, deviations(covariance)[-1]))

    def _publish_contact(self, now: ExternalWrench | None) -> None:
        """Publish a change of the link in contact."""
        if now is None:
            level, message = WARN, "not known"
        elif not now.contacts:
            level, message = OK, "no contact"
        else:
            level, message = WARN, contact_on(now.contacts[-1].links)
        if message == self._published:
            return
        self._published = message
        contacts = now.contacts if now is not None else ()
        shares = (f"{share:.3f}" for contact in contacts for share in contact.probabilities)
        values = {
            "links": ", ".join(link for contact in contacts for link in contact.links),
            "probabilities": ", ".join(shares),
            "ratio": f"{now.ratio[-1]:.4g}" if now is not None else "",
            "time": f"{now.time[-1]:.9f}" if now is not None else "",
        }
        self._contact_out.publish(
            DiagnosticStatus(
                name="contact",
                level=level,
                message=message,
                values=key_values(values),
            )
        )

    def _publish_status(self, now: ExternalWrench | None) -> None:
        """Summarise on /diagnostics."""
        if self._lacking:
            self.health(ERROR, self._lacking)
        elif not self._arrival:
            return
        elif not self._fresh():
            self.health(WARN, "no joint states for more than 1 s")
        elif self._live.messages.too_rare:
            self.health(
                ERROR,
                "the rate of joint states is below sampling_rate = "
                f"{self.current('sampling_rate', float):g} Hz; set it to their rate",
            )
        elif now is None:
            self.health(WARN, "the observer settles, or the robot's position is out of reach")
        else:
            self.health(OK, self._published)


def _wrench(at: Time, frame: str, values: Array) -> WrenchStamped:
    """Return a message of force and moment (6,), or of a force (3,) with moments NaN."""
    x, y, z, mx, my, mz = np.concatenate([values, _NOT_KNOWN])[:6].tolist()
    message = WrenchStamped()
    message.header.stamp, message.header.frame_id = at, frame
    force, moment = message.wrench.force, message.wrench.torque
    force.x, force.y, force.z = x, y, z
    moment.x, moment.y, moment.z = mx, my, mz
    return message


main = partial(run, ExternalWrenchNode)
