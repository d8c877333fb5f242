"""The executor that spins every node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.executors import SingleThreadedExecutor

if TYPE_CHECKING:
    from rclpy.context import Context
    from rclpy.executors import Executor


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
