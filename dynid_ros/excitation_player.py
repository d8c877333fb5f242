"""Node ``excitation_player``: moves the robot to an excitation's start, plays it, stops it."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import PlaybackError
from dynid.playback.plan import check_joint_side
from dynid.playback.playback import Playback, PlaybackPhase
from dynid.playback.robot_state import StateReader
from dynid.recording.settings import RecordingSettings
from dynid_ros.executor import run
from dynid_ros.interface_types import StateTopics
from dynid_ros.long_action import Goal, LongAction, Respond, late_service
from dynid_ros.managed_node import ManagedNode
from dynid_ros.motion_parameters import PLANNED_BY, declare_motion, make_the_plan, playing_options
from dynid_ros.node import ERROR, OK
from dynid_ros.qos import DIAGNOSTICS, LATCHED
from dynid_ros.state_listener import StateListener
from dynid_ros.trajectory_outlet import TrajectoryOutlet
from dynid_ros.wait_for_drives import DRIVES

if TYPE_CHECKING:
    from dynid.playback.plan import Plan
    from dynid.playback.robot_state import JointStateSample
    from dynid_ros.node import DynidNode


_PERIOD = 0.1  # [s] between two claims
_CLAIM_LIFETIME = 1.0  # [s] without a claim after which a robot is free
_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class RobotOwner:
    """Claims a controller while its robot moves, and receives the claims of others.

    Claims are published several times a second on ``/<controller>/owner``. They are not a lock: of
    two nodes that start at the same instant, the first in alphabetical order continues.
    """

    def __init__(self, node: DynidNode, controller: str) -> None:
        self._name = f"{node.get_fully_qualified_name()} (process {os.getpid()} on "
        self._name += f"{socket.gethostname()})"
        self._node = node
        self._other = ""
        self._arrival = self._claimed = -_CLAIM_LIFETIME  # [s]
        self._topic = f"/{controller}/owner"
        self._claims = node.create_publisher(String, self._topic, _QOS)
        node.create_subscription(String, self._topic, self._on_claim, _QOS)

    @property
    def other(self) -> str:
        """Name of the other owner of the robot; empty where there is none."""
        return self._other if self._node.seconds - self._arrival < _CLAIM_LIFETIME else ""

    @property
    def must_yield(self) -> bool:
        """Whether another node owns the robot and has priority over this one."""
        return bool(self.other) and self.other < self._name

    def refuse_if_taken(self) -> None:
        """Raise a PlaybackError that names the other owner, if there is one."""
        if self.other:
            raise PlaybackError(
                f"the robot is being moved by {self.other}; wait until that motion has ended, or "
                "stop it."
            )

    def claim(self) -> None:
        """Claim the robot; to be called often while this node owns it."""
        if self._node.seconds - self._claimed >= _PERIOD:
            self._claimed = self._node.seconds
            self._claims.publish(String(data=self._name))

    def release(self) -> None:
        """Release the robot, once."""
        if self._claimed > -_CLAIM_LIFETIME:
            self._claimed = -_CLAIM_LIFETIME
            self._claims.publish(String(data=f"{self._RELEASED}{self._name}"))

    _RELEASED = "released by "

    def _on_claim(self, message: String) -> None:
        if message.data == self._RELEASED + self._other:
            self._arrival = -_CLAIM_LIFETIME
        elif message.data != self._name and not message.data.startswith(self._RELEASED):
            self._other, self._arrival = message.data, self._node.seconds


_TICK = 0.02  # [s] between checks of motion, delays and missing messages
_FEEDBACK = 0.1  # [s] between feedback messages of a goal


class _Times:
    """The clocks of a node, for a playback."""

    def __init__(self, node: DynidNode) -> None:
        self.simulated = node.current("use_sim_time", bool)
        self._node = node

    def now_ns(self) -> int:
        return int(self._node.get_clock().now().nanoseconds)

    def steady(self) -> float:
        return self._node.seconds


class ExcitationPlayer(ManagedNode):
    """Plays the motion that its parameters describe; changes apply to the next motion."""

    ending = "bringing the robot to rest"

    def __init__(self, **options: Any) -> None:
        """Load the robot, and wait for joint states and services."""
        super().__init__("excitation_player", **options)
        self.declare_robot()
        self._robot = self.load_robot()
        check_joint_side(self._robot)
        declare_motion(self)
        controller = self.fixed(
            "controller",
            "joint_trajectory_controller",
            "Name of the controller that follows trajectories, with its namespace.",
        ).strip("/")
        interface = self.fixed(
            "interface",
            "auto",
            "Interface of the controller: action, topic, or auto (the action where available).",
        )
        self._fault_sources = self.fixed(
            "fault_sources",
            ["simulated_robot", "feedforward_controller"],
            "Names on /diagnostics whose errors stop a motion.",
        )
        topic = self.fixed("topic", "", "Topic of the joint states; empty: the profile's.")
        topic = topic or self._robot.settings(RecordingSettings).topic
        self._owner = RobotOwner(self, controller)
        self._outlet = TrajectoryOutlet(self, controller, interface, self._fail)
        self._reader = StateReader(self._robot.joints, topic)
        self._times = _Times(self)
        self._playback = Playback(self._reader, self._times, self._outlet)
        self._planned: tuple[tuple[object, ...], Plan] | None = None
        self._connected = False
        self._published = ""
        self._state = StateTopics(self)
        StateListener(self, self._reader, topic, self._on_state)
        self.create_service(Trigger, "~/prepare", self.answering(self._prepare))
        self.create_service(Trigger, "~/start", self.answering(self._start))
        self._stop_requests: list[Respond] = []  # that wait for the robot to come to rest
        late_service(self, "~/stop", self._on_stop)
        self._goal: Goal | None = None  # the one whose motion is under way
        self._action = LongAction(
            self, "FollowExcitation", "~/follow_excitation", self._follow, self._cancel
        )
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, DIAGNOSTICS)
        self.create_subscription(DiagnosticStatus, DRIVES, self._on_drives, LATCHED)
        self.create_timer(_TICK, self._tick, clock=self.steady)
        self.create_timer(_FEEDBACK, self._publish_feedback, clock=self.steady)
        self.bring_up()
        self._publish_state()

    def measured(self) -> dict[str, object]:
        """Return tracking errors, remaining time and clock offset."""
        peaks = {f"tracking error of {joint}": e for joint, e in self._playback.peaks.items()}
        return {
            "state": self._playback.state,
            "remaining [s]": self._playback.remaining,
            "robot's clock ahead [s]": self._playback.clock_offset,
            "pauses": self._playback.pauses,
            **peaks,
        }

    @property
    def settling(self) -> bool:
        """Whether the robot moves or may still move."""
        return self._playback.under_way

    def activated(self) -> None:
        """Report the state of the robot again."""
        self._publish_state()

    def deactivated(self) -> None:
        """Bring a moving robot to rest, which continues while the node is inactive."""
        if self._playback.under_way:
            self._playback.stop("the player was deactivated.")
        self._publish_state()

    def finish(self) -> None:
        """Bring a moving robot to rest before the node ends.

        Raises:
            PlaybackError: it did not come to rest.
        """
        if not self._playback.under_way:
            return
        self._playback.stop("the player was shut down.")
        self._publish_state()
        goal = self._goal
        while self.executor and (self._playback.under_way or (goal and not goal.over)):
            self.executor.spin_once(timeout_sec=_TICK)
        if not self._playback.resting:
            raise PlaybackError(self._playback.state)

    def _prepare(self) -> str:
        requested_at = self._times.steady()
        self._refuse()
        self._planned = (self._choices(), make_the_plan(self, self._robot))
        answer = self._playback.prepare(self._planned[1], playing_options(self), requested_at)
        self._publish_state()
        return answer

    def _start(self) -> str:
        requested_at = self._times.steady()
        self._refuse()
        # a prepared motion is played as it was checked, unless its parameters have changed
        ready = self._playback.state == "ready"
        if not ready or self._planned is None or self._planned[0] != self._choices():
            self._planned = (self._choices(), make_the_plan(self, self._robot))
        answer = self._playback.start(self._planned[1], playing_options(self), requested_at)
        self._publish_state()
        return answer

    def _refuse(self) -> None:
        """Raise a DynidError where the node is not active, or the robot is not free."""
        self.refuse_unless_active()
        self._playback.refuse_while_under_way()
        self._owner.refuse_if_taken()

    def _on_stop(self, respond: Respond) -> None:
        if self._playback.under_way:
            self._stop_requests.append(respond)
            self._stop()
        else:
            respond(True, self._playback.stop())

    def _stop(self) -> None:
        self._playback.stop()
        self._publish_state()

    def _follow(self, goal: Goal) -> None:
        """Play for an action, as the service ~/start does."""
        self.get_logger().info(self._start())
        self._goal = goal
        self._publish_feedback()

    def _cancel(self, _goal: Goal) -> None:
        if self._playback.under_way:
            self._stop()

    def _publish_feedback(self) -> None:
        if self._goal is not None and self._playback.under_way:
            self._goal.feedback(phase=self._playback.state, remaining=self._playback.remaining)

    def _end_goal(self) -> None:
        """End the goal of the motion that has ended."""
        goal, self._goal = self._goal, None
        if goal is not None:
            finished = self._playback.state == PlaybackPhase.FINISHED.value
            goal.end(success=finished, message=self._playback.reason)

    def _answer_stop(self) -> None:
        """Respond to stop requests, now that the motion has ended."""
        resting, but = self._playback.resting, self._playback.not_held
        message = f"the robot is at rest{but and '; '}{but}." if resting else self._playback.reason
        requests, self._stop_requests = self._stop_requests, []
        for respond in requests:
            respond(resting, message)

    def _fail(self, reason: str) -> None:
        self._playback.fail(reason)
        self._publish_state()

    def _on_state(self, state: JointStateSample) -> None:
        self._playback.observe(state)
        self._publish_state()

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        """Stop a motion at a fault of the robot, with its reason."""
        for status in message.status:
            if status.level == ERROR and status.name in self._fault_sources:
                self._playback.fault(f"{status.name}: {status.message}")

    def _on_drives(self, drives: DiagnosticStatus) -> None:
        """Stop a motion when a drive is lost, with the reason."""
        if drives.level == ERROR:
            self._playback.fault(drives.message)

    def _tick(self) -> None:
        if not self._connected:
            self._connect()
        self._playback.tick()
        if self._playback.under_way:
            if self._owner.must_yield:
                self._playback.fail(f"the robot is being moved by {self._owner.other}.")
            self._owner.claim()
        else:
            self._owner.release()
            self._answer_stop()
            self._end_goal()
        self._publish_state()

    def _connect(self) -> None:
        """Check whether the robot is at rest, and a controller accepts trajectories."""
        with suppress(PlaybackError):
            self._outlet.check()
            self._connected = self._playback.resting

    def _publish_state(self) -> None:
        """Publish the state when it has changed."""
        state = self._playback.state if self._connected else "waiting"
        ended_early = bool(self._playback.reason)
        if not (self.active or self._playback.under_way or ended_early):
            state = "inactive"
        if state == self._published:
            return
        self._published = state
        self._state.publish(state)
        if state == PlaybackPhase.FINISHED.value:
            self.get_logger().info(self._playback.pauses)
        self.health(ERROR if ended_early else OK, state)

    def _choices(self) -> tuple[object, ...]:
        """Return the parameters that a plan depends on."""
        return tuple(self.get_parameter(name).value for name in PLANNED_BY)


main = partial(run, ExcitationPlayer, in_time=True)
