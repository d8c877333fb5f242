"""``wait_for_drives`` ends when every drive is enabled, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticStatus

from dynid_ros.qos import LATCHED
from dynid_ros.wait_for_drives import DRIVES, DriveWaiter

if TYPE_CHECKING:
    from support.ros_graph import Graph


def test_waits_until_every_drive_is_enabled(graph: Graph) -> None:
    drives = graph.peer.create_publisher(DiagnosticStatus, DRIVES, LATCHED)
    drives.publish(DiagnosticStatus(level=DiagnosticStatus.WARN, message="waiting for 'elbow'"))
    waiter = graph.start(DriveWaiter)
    graph.until(lambda: waiter.waits_for == "waiting for 'elbow'")
    assert not waiter.enabled
    drives.publish(DiagnosticStatus(level=DiagnosticStatus.OK, message="every drive is enabled"))
    graph.until(lambda: waiter.enabled)


def test_waits_for_a_drive_in_fault(graph: Graph) -> None:
    drives = graph.peer.create_publisher(DiagnosticStatus, DRIVES, LATCHED)
    drives.publish(DiagnosticStatus(level=DiagnosticStatus.ERROR, message="in fault"))
    waiter = graph.start(DriveWaiter)
    graph.until(lambda: waiter.waits_for == "in fault")
    assert not waiter.enabled
