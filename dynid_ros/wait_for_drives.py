"""Wait until every drive is enabled, so that controllers start at their positions.

``feedforward_controller`` or ``drive_monitor`` reports this on ``/dynid/drives``. The node then
ends with exit code 0; a signal before ends it with 128 plus its number, as a task. Launch files
start the trajectory controller after it.
"""

from __future__ import annotations

from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from dynid_ros.discovery_range import stay_on_this_machine
from dynid_ros.qos import LATCHED
from dynid_ros.stop import FINISHED, Stop

DRIVES = "/dynid/drives"
"""Topic with the state of the drives, published by controllers."""
_REPEATED = 5.0  # [s] between messages about the drive it waits for
_SIGNAL_CHECK_PERIOD = 0.1  # [s] between checks for a signal


class DriveWaiter(Node):
    """Subscribes to the state of the drives, and logs the one it waits for."""

    def __init__(self, **options: Any) -> None:
        super().__init__("wait_for_drives", **options)
        self.enabled = False
        self.waits_for = f"waiting for a controller that publishes {DRIVES}"
        self.create_subscription(DiagnosticStatus, DRIVES, self._on_drives, LATCHED)
        self.create_timer(_REPEATED, self._log_status)

    def _on_drives(self, drives: DiagnosticStatus) -> None:
        self.enabled = drives.level == DiagnosticStatus.OK
        if drives.message != self.waits_for:
            self.waits_for = drives.message
            self._log_status()

    def _log_status(self) -> None:
        self.get_logger().info(self.waits_for)


def main() -> int:
    """Run the node, and return the process's exit code."""
    stop = Stop()
    stop.waiting_for = "the node to end"
    stay_on_this_machine()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = DriveWaiter()
    while not (node.enabled or stop.requested):
        rclpy.spin_once(node, timeout_sec=_SIGNAL_CHECK_PERIOD)
    rclpy.shutdown()
    stop.over()
    return FINISHED if node.enabled else stop.exit_code
