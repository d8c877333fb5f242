"""Node ``simulated_robot``: a simulated robot with the topics of ros2_control.

It replaces joint_trajectory_controller, joint_state_broadcaster and the drives, and with
``feedforward`` also feedforward_controller. With ``command: torque``, the drives are commanded
torque by the law of dynid/TorqueController.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from geometry_msgs.msg import Vector3, WrenchStamped
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64, Float64MultiArray, Int32
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from dynid.control.controlled_robot import ControlledRobot
from dynid.control.torque_controlled_robot import TorqueFollowingRobot
from dynid.errors import ConfigurationError, DynidError, SimulationError
from dynid.profile import load_model
from dynid.recording.settings import RecordingSettings
from dynid.robot.acceptance import check_acceptance
from dynid_ros.executor import run
from dynid_ros.feedforward_topics import FeedforwardTopics
from dynid_ros.joint_values import doubles, stamp
from dynid_ros.node import ERROR, OK, WARN, DynidNode
from dynid_ros.qos import CLOCK, COMMAND, STATES
from dynid_ros.trajectory_messages import from_message, start_ns

if TYPE_CHECKING:
    from collections.abc import Callable

MessageT = TypeVar("MessageT")

_TRAJECTORIES = "/joint_trajectory_controller/joint_trajectory"
_INJECTIONS = 10  # messages that may wait
_PERIOD = 1e-3  # [s] between checks for due cycles
_CLOCK_RATE = 200  # [Hz] of /clock, in simulated time
_FIRST_TIME = 10**9  # [ns] of simulated time: 0 would mean that no time was received yet
_LARGEST_BATCH = 10  # cycles before other callbacks run
_AT_REST = 0.01  # [rad/s or m/s] largest measured speed at rest
_REST_TIMEOUT_NS = 20 * 10**9  # [ns] for the robot to come to rest when the node is shut down
_REST_DURATION_NS = 8 * 10**9  # [ns] at rest, so that others detect it on a busy machine
_ENABLED_FOR = 2 * 10**8  # [ns] of hand guiding by one message, as in TorqueController
_LATE = 10**9  # [ns] behind the wall clock, from which on a moving robot continues late
_SKIPPED = 10 * 10**9  # [ns] likewise, from which on a robot at rest skips time
_CATCHING_UP = 5 * 10**9  # [ns] for that after a motion
_PACE = 5 * 10**8  # [ns] behind at rest after that, as players refuse stamps that are much older


class SimulatedRobotNode(DynidNode):
    """Runs the simulated drives and bodies (C++) cycle by cycle, at the pace of the clock."""

    ending = "letting the robot come to rest"

    def __init__(self, **options: Any) -> None:
        """Start at rest at the home position, and wait for trajectories."""
        super().__init__("simulated_robot", **options)
        self.declare_robot()
        rate = self.fixed(
            "rate", 1000.0, "Control cycles per second [Hz].", between=(100.0, 8000.0)
        )
        self._speed = self.fixed(
            "speed",
            1.0,
            "Ratio of simulated to real time; unless 1, publishes /clock for use_sim_time.",
            between=(0.1, 100.0),
        )
        seed = self.fixed("seed", 0, "Seed of sensor noise.", between=(0, 2**31))
        feedforward = self.fixed(
            "feedforward",
            False,
            "Whether the torque of /dynid/model is added, and collisions are detected.",
        )
        command = self.fixed(
            "command", "position", "What the drives are commanded: position or torque."
        )
        model = self.fixed(
            "model", "", "model.yaml whose torque holds the robot, for command: torque."
        )
        robot = self.load_robot()
        self._feedforward: FeedforwardTopics | None = None
        self._controlled: ControlledRobot | TorqueFollowingRobot
        if _commands_torque(command, model, feedforward=feedforward):
            loaded = load_model(model)
            check_acceptance(loaded, robot, model, force=False)
            self._controlled = TorqueFollowingRobot(
                robot, loaded.mechanism, control_rate=rate, seed=seed
            )
        else:
            self._controlled = ControlledRobot(
                robot, control_rate=rate, seed=seed, feedforward=feedforward
            )
            law = self._controlled.law
            if law is not None:
                self._feedforward = FeedforwardTopics(self, self._controlled, law, robot, rate)
        self._robot = self._controlled.robot
        self._cycle = round(1e9 / rate)  # [ns]
        self._cycles = 0  # since the beginning
        self._begin = self._steady_now()  # [ns] of the steady clock
        self._wall = self._speed == 1.0
        self._epoch = self.get_clock().now().nanoseconds if self._wall else _FIRST_TIME
        self._skipped = 0  # [ns]
        self._behind = 0  # [ns] delay of the robot's time, until it is at rest
        self._catches_up = 0  # [ns] of the steady clock, until which it does at rest
        self._fault: str | None = None  # the one that was reported
        self._state = JointState(name=list(robot.joints))
        self._states_out = self.create_publisher(
            JointState, robot.settings(RecordingSettings).topic, STATES
        )
        self._clock_out = None if self._wall else self.create_publisher(Clock, "/clock", CLOCK)
        self._clock_cycles = max(1, round(rate / _CLOCK_RATE))
        self.create_subscription(JointTrajectory, _TRAJECTORIES, self._on_trajectory, COMMAND)
        self.create_service(Trigger, "~/inject_fault", self.answering(self._inject_fault))
        self.create_service(Trigger, "~/clear_fault", self.answering(self._clear_fault))
        self._listen(Int32, "~/lose_frames", lambda message: self._robot.lose_frames(message.data))
        self._listen(
            Float64, "~/frame_loss", lambda message: self._robot.lose_frames_randomly(message.data)
        )
        self._listen(
            Float64MultiArray,
            "~/saturate",
            lambda message: self._robot.saturate(list(message.data)),
        )
        self._listen(WrenchStamped, "~/external_force", self._push)
        self._guide_until = 0  # [ns] of the steady clock
        self._guide_wanted = False
        if isinstance(self._controlled, TorqueFollowingRobot):
            self._listen(Bool, "~/guide", self._on_guide)
        self.create_timer(_PERIOD, self._advance, clock=self.steady)
        self.health(OK, f"simulating {robot.name}")

    def measured(self) -> dict[str, object]:
        """Return cycles, lost frames, and delays because this machine is too slow."""
        return {
            "cycles": self._cycles,
            "lost frames": self._robot.lost_frames,
            "time late [s]": self._behind * 1e-9,
            "time skipped [s]": self._skipped * 1e-9,
            **(self._feedforward.measured() if self._feedforward else {}),
        }

    def finish(self) -> None:
        """Continue until the robot is at rest, and the node that moves it has detected that.

        Raises:
            SimulationError: it does not come to rest.
        """
        # also if it is already at rest, which its player may not have detected yet
        begin = rested = self._steady_now()
        while self.executor and self._steady_now() - begin < _REST_TIMEOUT_NS:
            if self._moves():
                rested = self._steady_now()
            elif self._steady_now() - rested > _REST_DURATION_NS or not self.count_publishers(
                _TRAJECTORIES
            ):
                return
            self.executor.spin_once(timeout_sec=_PERIOD)
        if self._moves():
            raise SimulationError(
                f"the robot still moved {_REST_TIMEOUT_NS * 1e-9:g} s after the signal."
            )

    def _moves(self) -> bool:
        """Return whether the robot follows a motion or is braking."""
        held = self._robot.fault is not None or self._controlled.latched
        going = not held and self._now_ns() < self._controlled.end_ns
        return going or max(map(abs, self._state.velocity), default=0.0) > _AT_REST

    def _steady_now(self) -> int:
        return int(self.steady.now().nanoseconds)

    def _advance(self) -> None:
        """Run the cycles that are due."""
        passed = round((self._steady_now() - self._begin) * self._speed)
        late = passed - self._skipped - self._cycles * self._cycle
        if self._wall and (late > _PACE or self._behind):
            late = self._limited(late)
        due = late // self._cycle
        if not self._wall and due > _LARGEST_BATCH:
            # simulated time may run slower than requested
            self._begin += round((due - _LARGEST_BATCH) * self._cycle / self._speed)
        self._take_guide()
        for _ in range(min(due, _LARGEST_BATCH)):
            self._step()
        self._publish_fault()

    def _limited(self, late: int) -> int:
        """Return the time to catch up with now [ns], of ``late`` [ns] behind the wall clock.

        A moving robot would jump if its time did: it continues late, and catches up at rest. What
        it cannot catch up with, because this machine is too slow even then, it skips.
        """
        if self._moves():
            self._catches_up = self._steady_now() + _CATCHING_UP
            excess = max(late - self._cycle, 0) if late > _LATE else 0
            self._begin += excess
            self._behind += excess
            if excess:
                self.health(WARN, "this machine is too slow: the robot's time is late")
            return late - excess
        late += self._behind
        self._begin -= self._behind
        self._behind = 0
        allowed = _SKIPPED if self._steady_now() < self._catches_up else _PACE
        skipped = max(late - allowed, 0)
        self._skipped += skipped
        return late - skipped

    def _publish_fault(self) -> None:
        """Report once why the drives, or the control of their torque, have stopped following."""
        fault = self._robot.fault
        if isinstance(self._controlled, TorqueFollowingRobot):
            fault = self._controlled.stop_reason or fault
        if fault is not None and fault != self._fault:
            self.health(ERROR, fault)
            self.get_logger().error(fault)
        self._fault = fault

    def _now_ns(self) -> int:
        """Return the robot's own time, that of its stamps [ns]."""
        return self._epoch + self._cycles * self._cycle + self._skipped

    def _step(self) -> None:
        self._cycles += 1
        now_ns = self._now_ns()
        state = self._controlled.step(now_ns)
        now, message = stamp(now_ns), self._state
        message.header.stamp = now
        message.position = doubles(state.position)
        message.velocity = doubles(state.velocity)
        message.effort = doubles(state.effort)
        self._states_out.publish(message)
        if self._clock_out is not None and self._cycles % self._clock_cycles == 0:
            self._clock_out.publish(Clock(clock=now))
        if self._feedforward is not None:
            self._feedforward.cycle(now_ns, now)

    def _on_trajectory(self, message: JointTrajectory) -> None:
        """Follow a trajectory from its start on, or log why it is refused."""
        try:
            self._controlled.accept(from_message(message), start_ns(message), self._now_ns())
        except DynidError as error:
            self.get_logger().error(f"trajectory refused: {error}")
        left = max(self._controlled.end_ns - self._now_ns(), 0)
        self._catches_up = self._steady_now() + left + _CATCHING_UP

    def _listen(self, kind: type[MessageT], topic: str, act: Callable[[MessageT], None]) -> None:
        """Subscribe with a callback whose errors are logged."""

        def take(message: MessageT) -> None:
            try:
                act(message)
            except DynidError as error:
                self.get_logger().error(str(error))

        self.create_subscription(kind, topic, take, _INJECTIONS)

    def _on_guide(self, message: Bool) -> None:
        """Take the state of the enabling switch of hand guiding."""
        self._guide_until = self._steady_now() + _ENABLED_FOR if message.data else 0

    def _take_guide(self) -> None:
        """Begin or end hand guiding, once for each time that its switch is pressed."""
        if not isinstance(self._controlled, TorqueFollowingRobot):
            return
        wanted = self._steady_now() < self._guide_until
        pressed, self._guide_wanted = wanted and not self._guide_wanted, wanted
        if pressed:
            try:
                self._controlled.guide()
                self.health(WARN, "guided by hand: no collision is detected")
            except SimulationError as error:
                self.get_logger().error(str(error))
        elif not wanted and self._controlled.guided:
            self._controlled.release()
            self.health(OK, "simulating")

    def _push(self, message: WrenchStamped) -> None:
        """Apply a wrench at the origin of the link of its frame, until one of zeros arrives."""
        force, moment = _numbers(message.wrench.force), _numbers(message.wrench.torque)
        if any(force + moment):
            self._robot.push(message.header.frame_id, force, moment=moment)
        else:
            self._robot.release()

    def _inject_fault(self) -> str:
        self._robot.trip()
        self._publish_fault()
        return "the drives are in fault: they brake, and hold until ~/clear_fault"

    def _clear_fault(self) -> str:
        if self._robot.fault is None:
            return "the drives have no fault"  # nor in a damped stop, which ends in one
        if self._moves():
            sentence = "the drives are still braking; clear their fault when the robot is at rest."
            raise SimulationError(sentence)
        # earlier commands are cancelled, because the robot may be far from them
        self._controlled.clear_fault()
        self._fault = None
        self.health(OK, "fault cleared")
        return "the drives hold the robot where it is, and follow the next trajectory"


def _commands_torque(command: str, model: str, *, feedforward: bool) -> bool:
    """Return whether torque is commanded.

    Raises:
        ConfigurationError: the parameters contradict each other.
    """
    if command not in ("position", "torque"):
        raise ConfigurationError(
            f"parameter 'command' of simulated_robot is '{command}'; expected position or torque."
        )
    if command == "torque" and not model:
        raise ConfigurationError(
            "command: torque needs the parameter 'model', the path of a model.yaml, because the "
            "robot is held by its torque."
        )
    if command == "torque" and feedforward:
        raise ConfigurationError(
            "feedforward adds torque to positions; with command: torque leave it false."
        )
    return command == "torque"


def _numbers(vector: Vector3) -> tuple[float, float, float]:
    return (vector.x, vector.y, vector.z)


main = partial(run, SimulatedRobotNode)
