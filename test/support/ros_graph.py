"""A ROS graph for one test: the nodes under test and a peer that talks to them, spun together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import rclpy
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from dynid_ros.executor import make_executor

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.node import Node
    from rclpy.qos import QoSProfile


class Graph:
    """Everything runs in the calling thread, while one of the waiting functions is in it."""

    def __enter__(self) -> Graph:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self._executor = make_executor(self.context)
        self._nodes: list[Node] = []
        self.peer = rclpy.create_node("peer", context=self.context)
        self._add(self.peer)
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)

    def start(self, make: Callable[..., Any], **parameters: object) -> Any:
        """Make a node with parameters and let it run."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = make(context=self.context, parameter_overrides=overrides)
        self._add(node)
        return node

    def stop(self, node: Node) -> None:
        """Let a node end before the test does."""
        self._executor.remove_node(node)
        self._nodes.remove(node)
        node.destroy_node()

    def _add(self, node: Node) -> None:
        self._nodes.append(node)
        self._executor.add_node(node)

    def until(self, condition: Callable[[], object], timeout: float = 120.0) -> None:
        """Let the nodes run until a condition holds, or fail."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"not within {timeout} s: {condition}"
            self._executor.spin_once(timeout_sec=0.02)

    def spin(self, duration: float) -> None:
        """Let the nodes run for a while [s], where nothing is the thing to wait for."""
        deadline = time.monotonic() + duration
        while time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.02)

    def call(self, service: str, timeout: float = 60.0) -> Trigger.Response:
        """Call a Trigger service of a node here or in another process."""
        client = self.peer.create_client(Trigger, service)
        self.until(client.service_is_ready)
        future = client.call_async(Trigger.Request())
        self.until(future.done, timeout)
        self.peer.destroy_client(client)
        return future.result()

    def listen(self, message: type, topic: str, qos: QoSProfile | int) -> list[Any]:
        """A list that grows with every message of a topic."""
        heard: list[Any] = []
        self.peer.create_subscription(message, topic, heard.append, qos)
        return heard
