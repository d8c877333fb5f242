"""Simulated time for nodes of one process: it stops until all due callbacks are done."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from rclpy.clock import ROSClock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.time import Time

from dynid_ros.executor import make_executor

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.context import Context

STEP = 0.005
"""Time that passes at once [s]."""

_BEGIN = 1_760_000_000_000_000_000  # [ns]
_LOOK = 0.0002  # [s] of the machine's time to wait for other threads
_ROUNDS = 3  # of callbacks in one step: a state, the command that it leads to, its effect


class SteppedTimer:
    """Due at steps of the time that it was made for."""

    def __init__(
        self, owner: Node, now_ns: int, period: float, callback: Callable[[], Any]
    ) -> None:
        self.owner, self.callback = owner, callback
        self._period_ns = round(period * 1e9)
        self._due_ns: int | None = now_ns + self._period_ns

    def cancel(self) -> None:
        self._due_ns = None

    def call_if_due(self, now_ns: int) -> None:
        if self._due_ns is not None and now_ns >= self._due_ns:
            self._due_ns = max(self._due_ns + self._period_ns, now_ns + 1)
            self.callback()


class SteppedExecutor:
    """Time advances by one step in each spin; callbacks run between the steps.

    On a machine of any speed, no message is late: within a process Fast DDS delivers it before
    publishing returns. Timers are called here, because the EventsExecutor of rclpy 7.1
    calls those of a clock that is set at other times than they are due.
    """

    def __init__(self, context: Context) -> None:
        self.clock = ROSClock()
        self.clock._set_ros_time_is_active(enabled=True)
        self._executor = make_executor(context)
        self._now_ns = _BEGIN
        self._timers: list[SteppedTimer] = []
        self._pass(0)
        self._patch = patch.object(Node, "create_timer", self._timer_maker())
        self._patch.start()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)

    @property
    def now(self) -> float:
        """Time since the beginning [s]."""
        return (self._now_ns - _BEGIN) * 1e-9

    def add_node(self, node: Node) -> None:
        self._executor.add_node(node)
        node._Node__executor_weakref = weakref.ref(self)  # for nodes that spin it themselves

    def remove_node(self, node: Node) -> None:
        self._timers = [timer for timer in self._timers if timer.owner is not node]
        self._executor.remove_node(node)

    def shutdown(self) -> None:
        self._patch.stop()
        self._executor.shutdown()

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Let a step pass, and run what is due, however long ``timeout_sec`` is."""
        self._executor.spin_once(timeout_sec=_LOOK)
        self._pass(round(STEP * 1e9))
        for timer in tuple(self._timers):
            timer.call_if_due(self._now_ns)
        for _ in range(_ROUNDS):
            self._run_what_waits()

    def _run_what_waits(self) -> None:
        """Run callbacks in the order in which they became due; a final one marks the end."""
        done: list[bool] = []
        self._executor.create_task(lambda: done.append(True))
        while not done:
            self._executor.spin_once(timeout_sec=1.0)

    def _pass(self, duration_ns: int) -> None:
        self._now_ns += duration_ns
        now = Time(nanoseconds=self._now_ns, clock_type=ClockType.ROS_TIME)
        self.clock.set_ros_time_override(now)

    def _timer_maker(self) -> Callable[..., SteppedTimer]:
        def create_timer(
            node: Node, period: float, callback: Callable[[], Any], **_: Any
        ) -> SteppedTimer:
            self._timers.append(SteppedTimer(node, self._now_ns, period, callback))
            return self._timers[-1]

        return create_timer
