"""Node ``rest_monitor``: ends after a signal when the robot is at rest, so that launch can wait.

Even where no node of a launch moves the robot, another one may (a player in another terminal,
MoveIt), and the controllers must not end during a motion.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dynid.errors import PlaybackError
from dynid.playback.robot_state import RestWatch, StateReader
from dynid.recording.settings import RecordingSettings
from dynid_ros.executor import run
from dynid_ros.node import DynidNode
from dynid_ros.outlive import LONGEST
from dynid_ros.state_listener import StateListener

if TYPE_CHECKING:
    from dynid.playback.robot_state import JointStateSample

_TICK = 0.02  # [s] between checks
_STATE_TIMEOUT = 3.0  # [s] without joint states after which there is no robot to wait for


class RestMonitor(DynidNode):
    """Monitors the joint states."""

    ending = "waiting for the robot to come to rest"

    def __init__(self, **options: Any) -> None:
        super().__init__("rest_monitor", **options)
        self.declare_robot()
        robot = self.load_robot()
        topic = robot.settings(RecordingSettings).topic
        self._rest = RestWatch()
        self._arrival = 0.0  # [s] of the last state
        StateListener(self, StateReader(robot.joints, topic), topic, self._on_state)

    def finish(self) -> None:
        """Wait until the robot is at rest, or has no joint states.

        Raises:
            PlaybackError: neither within LONGEST.
        """
        begin = self.seconds
        while self.executor and self.seconds - begin < LONGEST:
            silence = self.seconds - max(begin, self._arrival)
            if self._rest.at_rest or silence > _STATE_TIMEOUT:
                return
            self.executor.spin_once(timeout_sec=_TICK)
        raise PlaybackError(f"the robot has not come to rest within {LONGEST:g} s of the signal.")

    def _on_state(self, state: JointStateSample) -> None:
        self._arrival = state.arrival
        self._rest.update(state)


main = partial(run, RestMonitor)
