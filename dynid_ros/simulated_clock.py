"""Detection of a simulated clock that has stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.errors import TaskError
from dynid_ros.countdown import Countdown

if TYPE_CHECKING:
    from rclpy.node import Node

_LONGEST_PAUSE = 1.5  # [s] that /clock may pause; including a tick this is detected within 2 s


class SimulatedClock:
    """Monitors the time of a node that uses /clock; does nothing for others."""

    def __init__(self, node: Node) -> None:
        """Start with the node's first time."""
        self._node = node
        self._last = 0  # [ns] of simulated time
        self._timeout = Countdown(_LONGEST_PAUSE)  # since it changed

    def check(self) -> None:
        """Check the time; to be called often.

        Raises:
            TaskError: it has not changed for too long after its first message.
        """
        if not self._node.get_parameter("use_sim_time").value:
            return
        simulated = int(self._node.get_clock().now().nanoseconds)
        if simulated != self._last or not simulated:
            self._last, self._timeout = simulated, Countdown(_LONGEST_PAUSE)
        elif self._timeout.over():
            raise TaskError(
                f"the simulated time of /clock stopped at {simulated * 1e-9:.2f} s; its publisher "
                "has ended or is paused."
            )
