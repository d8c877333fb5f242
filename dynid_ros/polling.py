"""Subscriptions whose messages are taken when it is time, in place of passed by an executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rclpy.node import Node
    from rclpy.qos import QoSProfile
    from rclpy.subscription import Subscription


def subscribe_unspun(node: Node, kind: type, topic: str, qos: QoSProfile) -> Subscription:
    """Subscribe on a node that no executor spins, to raw messages of a topic."""
    return node.create_subscription(kind, topic, _never_called, qos, raw=True)


def take_raw(subscription: Subscription) -> tuple[bytes, dict[str, Any]] | None:
    """Return the next serialized message and what the middleware knows of it, or None."""
    with subscription.handle:
        taken: tuple[bytes, dict[str, Any]] | None = subscription.handle.take_message(
            subscription.msg_type, True
        )
    return taken


def _never_called(_message: bytes) -> None:
    """Serve as the callback that a subscription requires."""
