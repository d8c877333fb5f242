"""Types of the package ``dynid_interfaces``, where it is installed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal

from std_msgs.msg import String

from dynid_ros.qos import LATCHED

if TYPE_CHECKING:
    from rclpy.node import Node


def interface_type(kind: Literal["action", "msg"], name: str) -> Any:
    """Return an action or message of ``dynid_interfaces``, or None where it is not installed."""
    try:
        return getattr(importlib.import_module(f"dynid_interfaces.{kind}"), name, None)
    except ImportError:
        return None


class TypedTopic:
    """A topic with a message of ``dynid_interfaces`` that late subscribers get, too.

    Where that package is not installed, there is no topic.
    """

    def __init__(self, node: Node, kind: str, name: str) -> None:
        """Offer the topic ``name`` with messages of type ``kind``."""
        self._node = node
        self._kind = interface_type("msg", kind)
        self._publisher = None
        if self._kind is not None:
            self._publisher = node.create_publisher(self._kind, name, LATCHED)

    def publish(self, **fields: object) -> None:
        """Publish a message with these fields, stamped now if its type has a stamp."""
        if self._publisher is None:
            return
        message = self._kind(**fields)
        if hasattr(message, "stamp"):
            message.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


class StateTopics:
    """The state of a node, such as ``idle`` or ``aborted: REASON``.

    As a NodeState on ``~/node_state``, and as text on ``~/state``, which is deprecated.
    """

    def __init__(self, node: Node) -> None:
        """Offer both topics."""
        self._typed = TypedTopic(node, "NodeState", "~/node_state")
        self._text = node.create_publisher(String, "~/state", LATCHED)

    def publish(self, text: str) -> None:
        """Publish a state, with its reason after a colon."""
        state, _, reason = text.partition(": ")
        self._typed.publish(state=state, reason=reason)
        self._text.publish(String(data=text))
