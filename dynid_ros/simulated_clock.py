"""A simulated clock that has stopped is noticed against the steady one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dynid.errors import TaskError

if TYPE_CHECKING:
    from rclpy.node import Node

_LONGEST = 1.5  # [s] that /clock may stand still; with a tick it is noticed within 2 s
_STEP = 0.1  # [s] that one look counts at most: a busy process has not heard what came meanwhile


class SimulatedClock:
    """Watches the time of a node that follows /clock; of any other it says nothing."""

    def __init__(self, node: Node) -> None:
        """Begin with the node's first time."""
        self._node = node
        self._last = 0  # [ns] of simulated time
        self._still = 0.0  # [s] since it changed
        self._looked = time.monotonic()

    def check(self) -> None:
        """Look at the time; to be called often.

        Raises:
            TaskError: it came once, and has not changed since for too long.
        """
        if not self._node.get_parameter("use_sim_time").value:
            return
        now, simulated = time.monotonic(), int(self._node.get_clock().now().nanoseconds)
        changed = simulated != self._last or not simulated
        self._still = 0.0 if changed else self._still + min(_STEP, now - self._looked)
        self._last, self._looked = simulated, now
        if self._still > _LONGEST:
            raise TaskError(
                f"the simulated time of /clock stands still at {simulated * 1e-9:.2f} s; whatever "
                "publishes it has stopped."
            )
