"""``wait_for_drives`` ends when every drive is enabled, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from dynid_ros.qos import LATCHED
from dynid_ros.wait_for_drives import DRIVES, DriveWaiter

if TYPE_CHECKING:
    from support.ros_graph import Graph


@pytest.mark.parametrize(
    ("level", "reason"),
    [(DiagnosticStatus.WARN, "waiting for 'elbow'"), (DiagnosticStatus.ERROR, "in fault")],
)
def test_waits_until_every_drive_is_enabled(graph: Graph, level: bytes, reason: str) -> None:
    drives = graph.peer.create_publisher(DiagnosticStatus, DRIVES, LATCHED)
    drives.publish(DiagnosticStatus(level=level, message=reason))
    waiter = graph.start(DriveWaiter)
    graph.until(lambda: waiter.waits_for == reason)
    assert not waiter.enabled
    drives.publish(DiagnosticStatus(level=DiagnosticStatus.OK, message="every drive is enabled"))
    graph.until(lambda: waiter.enabled)
