"""Node ``rest_monitor``: after a signal it ends when the robot rests, for launch to wait for.

Where no node of a launch moves the robot, another one may (a player in another terminal, MoveIt),
and its controllers must not end in the middle of a motion.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from dynid.errors import PlaybackError
from dynid.playback.robot_state import RestWatch, StateReader
from dynid.recording.settings import RecordingSettings
from dynid_ros.node import DynidNode, run
from dynid_ros.outlive import LONGEST
from dynid_ros.qos import MONITORED
from dynid_ros.trajectory_messages import to_ns

_TICK = 0.02  # [s] between looks
_LOOK = 0.004  # [s] between states that are read
_SILENCE = 3.0  # [s] without joint states after which there is no robot to wait for


class RestMonitor(DynidNode):
    """Watches the joint states."""

    ending = "waiting for the robot to come to rest"

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        """Listen to the robot."""
        super().__init__("rest_monitor", **options)
        self.declare_robot()
        robot = self.load_robot()
        topic = robot.settings(RecordingSettings).topic
        self._reader = StateReader(robot.joints, topic)
        self._rest = RestWatch()
        self._arrival = 0.0  # [s] of the last state
        self.create_subscription(JointState, topic, self._take, MONITORED, raw=True)

    def finish(self) -> None:
        """Wait until the robot rests, or is silent.

        Raises:
            PlaybackError: it does neither.
        """
        begin = time.monotonic()
        while self.executor and time.monotonic() - begin < LONGEST:
            silence = time.monotonic() - max(begin, self._arrival)
            if self._rest.at_rest or silence > _SILENCE:
                return
            self.executor.spin_once(timeout_sec=_TICK)
        raise PlaybackError(f"the robot has not come to rest within {LONGEST:g} s of the signal.")

    def _take(self, raw: bytes) -> None:
        now = time.monotonic()
        if now - self._arrival < _LOOK:
            return
        message = deserialize_message(raw, JointState)
        stamp = to_ns(message.header.stamp) or int(self.get_clock().now().nanoseconds)
        state = self._reader.read(message.name, message.position, message.effort, stamp, now)
        if state is not None:
            self._arrival = now
            self._rest.see(state)


def main() -> None:
    """Run the node until a signal comes, and the robot rests."""
    sys.exit(run(RestMonitor))


if __name__ == "__main__":
    main()
