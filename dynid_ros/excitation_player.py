"""Node ``excitation_player``: moves the robot to an excitation's start, plays it, stops it."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import PlaybackError
from dynid.playback.options import Options
from dynid.playback.plan import Plan, check_joint_side, make_plan
from dynid.playback.playback import Playback
from dynid.playback.robot_state import StateReader
from dynid.profile import load_model
from dynid.recording.settings import RecordingSettings
from dynid_ros.node import ERROR, OK, DynidNode, run
from dynid_ros.qos import LATCHED, MONITORED
from dynid_ros.trajectory_messages import start_ns
from dynid_ros.trajectory_outlet import TrajectoryOutlet

if TYPE_CHECKING:
    from rclpy.clock import Clock

_TICK = 0.02  # [s] between looks at whether something is over, late or silent
_LOOK = 0.004  # [s] between looks at where the robot is
_PATIENCE = 5.0  # [s] for the robot to come to rest when the node is shut down


class _Times:
    """The clocks of a node, as a playback wants them."""

    def __init__(self, motion: Clock, steady: Clock) -> None:
        self._motion = motion
        self._steady = steady

    def now_ns(self) -> int:
        return int(self._motion.now().nanoseconds)

    def steady(self) -> float:
        return float(self._steady.now().nanoseconds * 1e-9)


class ExcitationPlayer(DynidNode):
    """Parameters say what is played; they count for the next motion."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        """Load the robot, and wait for joint states and services."""
        super().__init__("excitation_player", **options)
        self.declare_robot()
        self._robot = self.load_robot()
        check_joint_side(self._robot)
        self._declare_motion()
        controller = self.parameter(
            "controller",
            "joint_trajectory_controller",
            "Name of the controller that follows trajectories.",
            fixed=True,
        )
        interface = self.parameter(
            "interface",
            "auto",
            "How it gets them: its action, its topic, or auto: the action where it is there.",
            fixed=True,
        )
        topic = self._robot.settings(RecordingSettings).topic
        self._outlet = TrajectoryOutlet(self, controller, interface, self._fail)
        self._reader = StateReader(self._robot.joints, topic)
        self._times = _Times(self.get_clock(), self.steady)
        self._playback = Playback(self._reader, self._times, self._outlet)
        self._planned: tuple[tuple[object, ...], Plan] | None = None
        self._heard = self._connected = False
        self._told = ""
        self._state = self.create_publisher(String, "~/state", LATCHED)
        self._next_look = 0.0  # [s] on the steady clock
        self.create_subscription(JointState, topic, self._take, MONITORED, raw=True)
        self.create_service(Trigger, "~/prepare", self.answering(self._prepare))
        self.create_service(Trigger, "~/start", self.answering(self._start))
        self.create_service(Trigger, "~/stop", self.answering(self._stop))
        self.create_timer(_TICK, self._tick, clock=self.steady)
        self._tell()

    def _declare_motion(self) -> None:
        self.parameter("seed", -1, "Of random excitations; -1: the profile's.", between=(-1, 2**31))
        self.parameter(
            "excitation",
            "",
            "Excitation file, CSV or JointTrajectory in the profile's place; empty: none.",
        )
        self.parameter(
            "model", "", "model.yaml to predict and to watch torque by; empty: the URDF's bodies."
        )
        self.parameter("rate", 100.0, "Points of a trajectory [Hz].", between=(10.0, 1000.0))
        self.parameter(
            "move_fraction",
            0.3,
            "Of the velocity and acceleration limits, on the way to the start.",
            between=(0.01, 1.0),
        )
        self.parameter(
            "max_age", 0.5, "Time without joint states that is silence [s].", between=(0.02, 10.0)
        )
        self.parameter(
            "tracking_error",
            0.2,
            "Distance of a joint from its reference that ends a motion [rad or m].",
            between=(1e-4, 10.0),
        )
        self.parameter(
            "settle_time", 0.5, "Time to come to rest after a motion [s].", between=(0.0, 60.0)
        )

    def measured(self) -> dict[str, object]:
        """How well the robot follows."""
        peaks = {f"tracking error of {joint}": e for joint, e in self._playback.peaks.items()}
        return {"state": self._playback.state, "remaining [s]": self._playback.remaining, **peaks}

    def finish(self) -> None:
        """Bring a moving robot to rest before the node is gone."""
        self._playback.stop("the player was shut down.")
        self._tell()
        executor, deadline = self.executor, time.monotonic() + _PATIENCE
        while executor and time.monotonic() < deadline and self._playback.under_way:
            executor.spin_once(timeout_sec=_TICK)

    def _prepare(self) -> str:
        asked = self._times.steady()
        self._playback.refuse_while_under_way()
        self._planned = (self._choices(), self._plan())
        answer = self._playback.prepare(self._planned[1], self._options(), asked)
        self._tell()
        return answer

    def _start(self) -> str:
        asked = self._times.steady()
        self._playback.refuse_while_under_way()
        # a motion that is ready is played as it was checked, unless another is wanted by now
        ready = self._playback.state == "ready"
        if not ready or self._planned is None or self._planned[0] != self._choices():
            self._planned = (self._choices(), self._plan())
        answer = self._playback.start(self._planned[1], self._options(), asked)
        self._tell()
        return answer

    def _stop(self) -> str:
        answer = self._playback.stop()
        self._tell()
        return answer

    def _fail(self, reason: str) -> None:
        self._playback.fail(reason)
        self._tell()

    def _take(self, raw: bytes) -> None:
        # to read every message of a fast stream would cost a processor core and show nothing more
        now = self._times.steady()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        message = deserialize_message(raw, JointState)
        state = self._reader.read(
            message.name,
            message.position,
            message.effort,
            start_ns(message) or self._times.now_ns(),
            now,
        )
        if state is not None:
            self._heard = True
            self._playback.observe(state)
            self._tell()

    def _tick(self) -> None:
        if not self._connected:
            self._connect()
        self._playback.tick()
        self._tell()

    def _connect(self) -> None:
        """See whether the robot tells where it is, and somebody takes trajectories."""
        with suppress(PlaybackError):
            self._outlet.check()
            self._connected = self._heard

    def _tell(self) -> None:
        """Publish the state where it has changed."""
        state = self._playback.state if self._connected else "waiting"
        if state == self._told:
            return
        self._told = state
        self._state.publish(String(data=state))
        self.health(ERROR if state.startswith("aborted") else OK, state)

    def _choices(self) -> tuple[object, ...]:
        """What a plan depends on."""
        return tuple(
            self.get_parameter(name).value for name in ("seed", "excitation", "model", "rate")
        )

    def _plan(self) -> Plan:
        seed = self.current("seed", int)
        excitation, path = self.current("excitation", str), self.current("model", str)
        with self.logging_warnings():
            model = load_model(path) if path else None
        return make_plan(
            self._robot,
            seed=None if seed < 0 else seed,
            excitation=Path(excitation) if excitation else None,
            model=model,
            rate=self.current("rate", float),
        )

    def _options(self) -> Options:
        return Options(
            rate=self.current("rate", float),
            move_fraction=self.current("move_fraction", float),
            max_age=self.current("max_age", float),
            tracking_error=self.current("tracking_error", float),
            settle_time=self.current("settle_time", float),
        )


def main() -> None:
    """Run the node."""
    sys.exit(run(ExcitationPlayer))


if __name__ == "__main__":
    main()
