"""Contradictions between signals of live joint states."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rclpy.serialization import serialize_message
from rclpy.time import Time

from dynid.errors import DynidError
from dynid.recording.live import LiveMessages
from dynid.recording.redundancy import Contradiction, contradictions
from dynid.robot.recordings import live_recording

if TYPE_CHECKING:
    from sensor_msgs.msg import JointState

    from dynid.robot.robot import Robot

_SPAN = 20.0  # [s] of messages that are checked together
_MOST_BYTES = 100_000_000


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
        stamp = Time.from_msg(message.header.stamp).nanoseconds
        self._messages.add(stamp, serialize_message(message))
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
