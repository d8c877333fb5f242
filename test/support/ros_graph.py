"""A ROS graph for one test: the nodes under test and a peer that talks to them, spun together."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from dynid.errors import DynidError
from dynid_ros.executor import make_executor
from dynid_ros.node import destroy_actions
from support.deadlines import LONGEST
from support.stepped_time import SteppedExecutor

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.node import Node
    from rclpy.qos import QoSProfile
    from rclpy.task import Future

_PATIENCE = 60.0  # [s] with one client


def participants() -> list[str]:
    """Return the event threads of Fast DDS here: each participant of the DDS domain has one.

    Fast DDS 2.14 can deadlock where participants of one process meet (its issue 6193).
    """
    names = [file.read_text().strip() for file in Path("/proc/self/task").glob("*/comm")]
    return [name for name in names if name.startswith("dds.ev.")]


class Graph:
    """Everything runs in the calling thread, while it is in one of the waiting functions."""

    def __enter__(self) -> Graph:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self._options: dict[str, Any] = {"context": self.context}
        self._executor = self._make_executor()
        self._nodes: list[Node] = []
        self.peer = rclpy.create_node("peer", context=self.context)
        self._add(self.peer)
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        del self._executor
        destroy_actions(self.peer)
        for node in self._nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)
        if participants():
            gc.collect()  # a node that failed to start
        assert not participants(), "a node of this test is still in the ROS graph"

    def _make_executor(self) -> Any:
        return make_executor(self.context)

    def start(self, make: Callable[..., Any], **parameters: object) -> Any:
        """Make a node with parameters and let it run."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        try:
            node = make(parameter_overrides=overrides, **self._options)
        except DynidError as error:
            error.__context__ = None  # whose frames would keep parts of the node
            raise error.with_traceback(None) from None
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

    def until(self, condition: Callable[[], object]) -> None:
        """Let the nodes run until a condition holds, or fail."""
        deadline = time.monotonic() + LONGEST
        while not condition():
            assert time.monotonic() < deadline, f"not within {LONGEST} s: {condition}"
            self._executor.spin_once(timeout_sec=0.02)

    def spin(self, duration: float) -> None:
        """Let the nodes run for a time [s], to test that nothing happens."""
        deadline = self.now() + duration
        while self.now() < deadline:
            self._executor.spin_once(timeout_sec=0.02)

    def now(self) -> float:
        """Time of this graph [s]."""
        return time.monotonic()

    def call(self, service: str) -> Trigger.Response:
        """Call a Trigger service of a node here or in another process."""
        return self.ask(Trigger, service, Trigger.Request())

    def done(self, service: str) -> str:
        """Call a Trigger service that succeeds, and return its message."""
        answer = self.call(service)
        assert answer.success, answer.message
        return str(answer.message)

    def refused(self, service: str) -> str:
        """Call a Trigger service that refuses, and return its message."""
        answer = self.call(service)
        assert not answer.success, answer.message
        return str(answer.message)

    def begin(self, service: str) -> Future:
        """Call a Trigger service, and return its future response at once."""
        return self._client(Trigger, service).call_async(Trigger.Request())

    def ask(self, kind: type, service: str, request: object) -> Any:
        """Call a service of any type."""
        client = self._client(kind, service)
        future = client.call_async(request)
        self.until(future.done)
        self.peer.destroy_client(client)
        return future.result()

    def _client(self, kind: type, service: str) -> Any:
        """Return a client that has found its server.

        Seen once in thousands of calls: Fast DDS never matched a client with a server that was
        there. So one that waits for long is replaced.
        """
        deadline = time.monotonic() + LONGEST
        while True:
            client = self.peer.create_client(kind, service)
            patience = time.monotonic() + _PATIENCE
            while time.monotonic() < patience:
                if client.service_is_ready():
                    return client
                self._executor.spin_once(timeout_sec=0.02)
            self.peer.destroy_client(client)
            assert time.monotonic() < deadline, f"no service {service} within {LONGEST} s"

    def statuses(self, name: str) -> Callable[[], list[DiagnosticStatus]]:
        """A function that returns all that a node has said on /diagnostics since now."""
        arrays = self.listen(DiagnosticArray, "/diagnostics", 100)
        return lambda: [one for array in arrays for one in array.status if one.name == name]

    def listen(self, message: type, topic: str, qos: QoSProfile | int) -> list[Any]:
        """A list that grows with every message of a topic."""
        heard: list[Any] = []
        self.peer.create_subscription(message, topic, heard.append, qos)
        return heard


class SteppedGraph(Graph):
    """All nodes are in this process and use simulated time, which advances during waits.

    Times in a node, such as the timeout of joint states, do not depend on the machine.
    """

    def _make_executor(self) -> Any:
        executor = SteppedExecutor(self.context)
        self.clock = self._options["clock"] = executor.clock
        return executor

    def now(self) -> float:
        return self._executor.now
