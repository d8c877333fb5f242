"""Quality of service, chosen once for every node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rclpy.topic_endpoint_info import TopicEndpointInfo

LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
"""What stays true until it changes (model, state): whoever comes later gets the last message."""

ALIVE = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    liveliness=LivelinessPolicy.AUTOMATIC,
    liveliness_lease_duration=Duration(nanoseconds=1_200_000_000),
)
"""Nothing is ever published: the middleware says by itself, with a thread of its own, that the
process lives, however busy its Python is. The end of a process that could not say goodbye is
noticed after this lease; without it, after the 20 s of discovery."""

COMMAND = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""Trajectories: the newest one counts, and must arrive."""

DIAGNOSTICS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""As diagnostic_updater publishes them."""

CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""As rclpy and rclcpp listen to /clock: an old time is of no use."""

MONITORED = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Joint states to watch: fits every publisher; a lost one is followed by the next."""

STATE_DEPTH = 5_000
"""Messages that wait while a process is busy: five seconds of joint states at 1 kHz.

No more: whatever the depth, Fast DDS keeps 5000 (its ``max_samples``). Up to there a full queue
drops its oldest message; beyond, it turns every new one away, reliable or not.
"""

STATES = QoSProfile(depth=STATE_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
"""Joint states as the simulated robot publishes them."""


def complete(publishers: Iterable[TopicEndpointInfo]) -> QoSProfile:
    """QoS that gets every message of these publishers: reliable unless one of them is not."""
    offered = [info.qos_profile for info in publishers]
    reliable = all(qos.reliability == ReliabilityPolicy.RELIABLE for qos in offered)
    latched = bool(offered) and all(
        qos.durability == DurabilityPolicy.TRANSIENT_LOCAL for qos in offered
    )
    return QoSProfile(
        depth=STATE_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )
