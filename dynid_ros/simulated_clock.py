"""A simulated clock that has stopped is noticed against the steady one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.errors import TaskError
from dynid_ros.countdown import Countdown

if TYPE_CHECKING:
    from rclpy.node import Node

_LONGEST = 1.5  # [s] that /clock may stand still; with a tick it is noticed within 2 s


class SimulatedClock:
    """Watches the time of a node that follows /clock; of any other it says nothing."""

    def __init__(self, node: Node) -> None:
        """Begin with the node's first time."""
        self._node = node
        self._last = 0  # [ns] of simulated time
        self._patience = Countdown(_LONGEST)  # since it changed

    def check(self) -> None:
        """Look at the time; to be called often.

        Raises:
            TaskError: it came once, and has not changed since for too long.
        """
        if not self._node.get_parameter("use_sim_time").value:
            return
        simulated = int(self._node.get_clock().now().nanoseconds)
        if simulated != self._last or not simulated:
            self._last, self._patience = simulated, Countdown(_LONGEST)
        elif self._patience.over():
            raise TaskError(
                f"the simulated time of /clock stands still at {simulated * 1e-9:.2f} s; whatever "
                "publishes it has stopped."
            )
