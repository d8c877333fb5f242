"""Quality of service of all nodes."""

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
"""For data that stay valid until they change (model, state): late subscribers get the last one."""

ALIVE = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    liveliness=LivelinessPolicy.AUTOMATIC,
    liveliness_lease_duration=Duration(nanoseconds=1_200_000_000),
)
"""Nothing is published on it: a thread of the middleware reports that the process lives, also while
Python is busy. The end of a killed process is detected after this lease; without it, after the 20 s
of discovery."""

COMMAND = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""Trajectories: only the newest one matters, and must arrive."""

DIAGNOSTICS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""As diagnostic_updater publishes them."""

CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""As rclpy and rclcpp subscribe to /clock: only the newest time matters."""

MONITORED = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Joint states for monitoring: compatible with every publisher; single losses do not matter."""

STATE_DEPTH = 5_000
"""Messages that wait while a process is busy: five seconds of joint states at 1 kHz.

Not more, because Fast DDS stores 5000 at any depth (its ``max_samples``). Up to that depth a full
queue drops its oldest message; beyond it, every new one, reliable or not.
"""

LIVE = QoSProfile(depth=STATE_DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Joint states that count each: compatible with every publisher, and stored while a process is
busy."""

STATES = QoSProfile(depth=STATE_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
"""Joint states as the simulated robot publishes them."""


def complete(publishers: Iterable[TopicEndpointInfo]) -> QoSProfile:
    """Return the QoS for every message of these publishers: reliable unless one of them is not."""
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
