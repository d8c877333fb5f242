"""The executor that spins every node, and the run of a node until a signal comes."""

from __future__ import annotations

import time
import traceback
from typing import TYPE_CHECKING

import rclpy
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from dynid.errors import DynidError
from dynid_ros.discovery_range import stay_on_this_machine
from dynid_ros.priority import raise_priority
from dynid_ros.stop import (
    FINISHED,
    LONGEST_END,
    NO_GOOD_END,
    NOT_FINISHED,
    Stop,
    silence_closed_streams,
    write_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rclpy.context import Context
    from rclpy.executors import Executor
    from rclpy.node import Node

    from dynid_ros.node import DynidNode

_SIGNAL_CHECK_PERIOD = 0.1  # [s] between checks for a signal
_DELIVERY_TIME = 1.0  # [s] for the last messages of a node to arrive


def make_executor(context: Context | None = None) -> Executor:
    """Make rclpy's EventsExecutor, which needs a third of the time per message.

    On releases of Jazzy without it, make the SingleThreadedExecutor.
    """
    try:
        from rclpy.experimental.events_executor import EventsExecutor  # noqa: PLC0415  absent at first
    except ImportError:
        return SingleThreadedExecutor(context=context)
    executor: Executor = EventsExecutor(context=context)
    return executor


def run(
    make: Callable[[], DynidNode], arguments: list[str] | None = None, *, in_time: bool = False
) -> int:
    """Run a node until a signal comes, and return the process's exit code.

    A node that has to act ``in_time`` has a higher priority, where that is permitted.

    It is 0 after a clean shutdown, 2 if the node could not start, 3 if the shutdown was not clean;
    2 and 3 with one sentence. The process ends within LONGEST_END after the signal.
    """
    stop = Stop()
    if in_time:
        raise_priority()
    reach = stay_on_this_machine()
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = make()
        if reach:
            node.get_logger().info(reach)
        node.warn_of_unknown_parameters()
    except DynidError as error:
        write_error(str(error))
        rclpy.shutdown()
        return NOT_FINISHED
    executor = make_executor()
    executor.add_node(node)
    stop.waiting_for = f"{node.get_name()}, {node.ending}"
    try:
        good = _spin(executor, stop, node)
        silence_closed_streams()
        if stop.requested:
            node.get_logger().info(f"{stop.name}: {node.ending}, for at most {LONGEST_END:g} s.")
        good = _finish(node) and good
        return stop.done(FINISHED if good else NO_GOOD_END)
    finally:
        close(executor, [node])
        stop.over()


def _spin(executor: Executor, stop: Stop, node: DynidNode) -> bool:
    """Let a node run until a signal comes; False where a bug ended it before."""
    try:
        while not stop.requested:
            executor.spin_once(timeout_sec=_SIGNAL_CHECK_PERIOD)
    except Exception as error:  # noqa: BLE001  after any error, the robot has to come to rest
        node.get_logger().error(traceback.format_exc())
        node.get_logger().error(f"{node.get_name()} ended by a bug in dynid ({error!r}).")
        return False
    return True


def _finish(node: DynidNode) -> bool:
    """Finish a node; return whether the shutdown was clean."""
    try:
        node.finish()
    except DynidError as error:
        node.get_logger().error(str(error))
        return False
    return True


def deliver(node: Node) -> None:
    """Wait for delivery of a node's last messages, which would be lost with its publishers."""
    deadline = time.monotonic() + _DELIVERY_TIME
    for publisher in node.publishers:
        left = max(0.0, deadline - time.monotonic())
        publisher.wait_for_all_acked(Duration(nanoseconds=round(left * 1e9)))


def close(executor: Executor, nodes: Sequence[Node]) -> None:
    """End an executor, then its nodes, then ROS in this process.

    Timers are cancelled first, because a timer that fires while its node is destroyed raises.
    """
    for node in nodes:
        deliver(node)
        for timer in node.timers:
            timer.cancel()
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.shutdown()
