"""Node ``online_estimator``: parameters and changes of payload while the robot works."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, String
from std_srvs.srv import Trigger

from dynid.control.model_updates import UpdateLimits, plausible_deviations
from dynid.errors import DynidError, EstimationError
from dynid.identification.online.estimator import OnlineEstimator, OnlineSettings
from dynid.identification.online.model_update import ModelUpdate, ModelUpdater
from dynid.json_text import json_text
from dynid.profile import load_model
from dynid.recording.joint_names import recorded_names
from dynid.recording.live import LiveMessages
from dynid.recording.redundancy import Contradiction, contradictions
from dynid.recording.settings import RecordingSettings
from dynid.robot.acceptance import check_acceptance
from dynid.robot.recordings import live_recording
from dynid_ros.executor import run
from dynid_ros.interface_types import TypedTopic, finding_fields
from dynid_ros.joint_values import STALE_NS, in_order, seconds, to_ns
from dynid_ros.node import ERROR, OK, WARN, Described, DynidNode
from dynid_ros.qos import LATCHED, LIVE

if TYPE_CHECKING:
    from dynid.identification.online.change import PayloadChange
    from dynid.robot.robot import Robot

_ONLINE: dict[str, Described] = {
    "sampling_rate": ("Rate of the joint states [Hz].", (20.0, 20_000.0)),
    "forgetting_time": (
        "Time constant of forgetting old data [s]; 0: all data have the same weight.",
        (0.0, 1e6),
    ),
    "learning": (
        "Motion for estimating the model's own errors before changes are detected [s].",
        (2.0, 3600.0),
    ),
    "adaptive": (
        "Whether changes are relative to the present estimate, and a new load is estimated again; "
        "for ~/model_update.",
        None,
    ),
    "largest_payload": ("Scale of a payload's mass: a large one [kg].", (1e-3, 1e4)),
    "threshold": (
        "Evidence from which a change is reported (twice the log of its odds).",
        (1.0, 1e6),
    ),
}
_UPDATES: dict[str, Described] = {
    "payload_mass": (
        "Standard deviation of the mass carried, for ~/model_update [kg].",
        (0.0, 1e4),
    ),
    "friction_change": (
        "The same of changes of friction, as a share of its value.",
        (0.0, 10.0),
    ),
}
_SPAN = 20.0  # [s] of messages that are checked together
_MOST_BYTES = 100_000_000


class OnlineEstimatorNode(DynidNode):
    """Identifies from live joint states, and reports changes of the payload.

    Topics: ``~/parameters`` (std_msgs/String, JSON, at ``publish_rate``), ``~/change``
    (std_msgs/String, JSON, latched: the newest change), ``~/finding`` (dynid_interfaces/Finding,
    latched: a contradiction between signals), with a model ``~/model_update``
    (std_msgs/Float64MultiArray: standard parameters, then the rows of their covariance; none after
    a contradiction between signals). Service ``~/reset``: restarts estimation.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("online_estimator", **options)
        self.declare_robot()
        self.fixed("model", "", "model.yaml to start from and detect changes; empty: none.")
        self._topic = self.fixed("joint_states_topic", "/joint_states", "sensor_msgs/JointState.")
        rate = self.fixed("publish_rate", 1.0, "Rate of ~/parameters [Hz].", between=(0.01, 20.0))
        usual = OnlineSettings()
        detect = self.fixed("detect_changes", usual.detect, "Whether to detect changes.")
        settings = self.declare_settings(usual, _ONLINE, fixed=True)
        self._settings = replace(settings, detect=detect)
        self._change = self.declare_settings(UpdateLimits(), _UPDATES, fixed=True)
        self._updater: ModelUpdater | None = None
        self._names = ""
        self._start()
        self._arrival = 0
        self._lacking = ""
        self._waits_for = ""
        self._changes = 0
        self._newest: PayloadChange | None = None
        self._reported: Contradiction | None = None
        self._out = self.create_publisher(String, "~/parameters", 10)
        self._update_out = self.create_publisher(Float64MultiArray, "~/model_update", 1)
        self._finding_out = TypedTopic(self, "Finding", "~/finding")
        self._change_out = self.create_publisher(String, "~/change", LATCHED)
        self.create_service(Trigger, "~/reset", self.answering(self._reset))
        self.create_subscription(JointState, self._topic, self._on_joint_states, LIVE)
        self.create_timer(1 / rate, self._publish, clock=self.steady)
        self.health(WARN, f"no {self._topic} yet")

    def measured(self) -> dict[str, object]:
        """Return counts of invalid samples, and the evidence of a change."""
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

    def _start(self) -> None:
        """Start without data."""
        robot = self.load_robot()
        self._estimator = self._make(robot)
        self._recorded = recorded_names(robot.joints, robot.settings(RecordingSettings).names)
        self._watch = SignalWatch(robot, self._topic)

    def _make(self, robot: Robot) -> OnlineEstimator:
        path = self.current("model", str)
        if not path:
            return OnlineEstimator(robot, robot.mechanism(), self._settings)
        with self.logging_warnings():
            model = load_model(path)
        check_acceptance(model, robot, path)
        deviations = plausible_deviations(model.mechanism, self._change)
        self._updater = ModelUpdater(model.mechanism, deviations)
        self._names = ",".join(model.mechanism.parameter_names)
        return OnlineEstimator(model.robot, model.mechanism, self._settings, known=model.base)

    def _reset(self) -> str:
        self._start()
        self._newest = None
        self.health(OK, "restarted")
        return "all data are cleared; the estimation is restarted."

    def _on_joint_states(self, message: JointState) -> None:
        position = in_order(self._recorded, message.name, message.position)
        effort = in_order(self._recorded, message.name, message.effort)
        if position is None or effort is None:
            what = "position" if position is None else "effort"
            self._lacking = f"joint states lack the {what} of one of {', '.join(self._recorded)}"
            return
        self._lacking = ""
        self._arrival = self.steady.now().nanoseconds
        self._watch.add(message)
        try:
            changes = self._estimator.take(seconds(message.header.stamp), position, effort)
        except DynidError as error:
            self._lacking = str(error)
            return
        for change in changes:
            self._report(change)

    def _report(self, change: PayloadChange) -> None:
        self._changes += 1
        self._newest = change
        self._change_out.publish(String(data=json_text(change.to_dict())))
        self.get_logger().warning(str(change))
        self._publish_status()

    def _publish(self) -> None:
        if self._arrival:
            try:
                parameters = self._estimator.parameters()
                content = parameters.to_dict(self._estimator.joints)
                self._out.publish(String(data=json_text(content)))
                if self._updater is not None and self._watch.problem is None:
                    update = self._updater(parameters.values, parameters.covariance)
                    self._update_out.publish(_message(update, self._names))
            except EstimationError as error:
                self._waits_for = str(error)
            else:
                self._waits_for = ""
        self._publish_status()

    def _publish_status(self) -> None:
        """Summarise on /diagnostics: missing or contradictory data first, then a change."""
        problem = self._watch.problem
        if self._lacking:
            self.health(ERROR, self._lacking)
        elif problem is not None:
            if problem is not self._reported:
                self._reported = problem
                self._finding_out.publish(**finding_fields(problem))
            self.health(ERROR, f"{problem.sentence} {problem.remedy} Then call ~/reset.")
        elif not self._arrival:
            return
        elif self.steady.now().nanoseconds - self._arrival > STALE_NS:
            self.health(WARN, "no joint states for more than 1 s")
        elif self._estimator.messages.too_rare:
            self.health(
                ERROR,
                "the rate of joint states is below sampling_rate = "
                f"{self._settings.sampling_rate:g} Hz; set it to their rate",
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
            self.health(OK, "estimating, and monitoring changes of the payload")
        else:
            self.health(OK, "estimating")


class SignalWatch:
    """Check of joint states, span by span, in a thread of its own.

    The first problem found stays: what was estimated with such data is wrong.

    Args:
        robot: with the settings of its recordings.
        topic: of the joint states.
    """

    def __init__(self, robot: Robot, topic: str) -> None:
        self._robot, self._topic = robot, topic
        self._messages = self._none()
        self._thread: threading.Thread | None = None
        self.problem: Contradiction | None = None
        """What makes an estimate worthless; None: nothing was found."""

    def add(self, message: JointState) -> None:
        """Take a message; after each span the check begins."""
        if self.problem is not None:
            return
        self._messages.add(to_ns(message.header.stamp), serialize_message(message))
        if self._messages.full and not (self._thread and self._thread.is_alive()):
            self._thread = threading.Thread(
                target=self._check, args=(self._messages,), name="checking signals", daemon=True
            )
            self._thread.start()
            self._messages = self._none()

    def _none(self) -> LiveMessages:
        return LiveMessages(self._topic, longest=_SPAN, most_bytes=_MOST_BYTES)

    def _check(self, messages: LiveMessages) -> None:
        try:
            found = contradictions(live_recording(messages, self._robot))
        except DynidError:  # the estimator counts what it cannot use
            return
        self.problem = next((c for c in found if c.severity == "problem"), None)


def _message(update: ModelUpdate, names: str) -> Float64MultiArray:
    """Return an update as dynid/FeedforwardController receives it."""
    p = len(update.parameters)
    message = Float64MultiArray()
    message.layout.dim = [
        MultiArrayDimension(label="parameters and covariance", size=p + 1, stride=(p + 1) * p),
        MultiArrayDimension(label=names, size=p, stride=p),
    ]
    message.data = np.vstack([update.parameters, update.covariance]).ravel().tolist()
    return message


main = partial(run, OnlineEstimatorNode)
