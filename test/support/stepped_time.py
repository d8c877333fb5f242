"""Simulated time for nodes of one process: it stands still until all that was due is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.clock import ROSClock
from rclpy.clock_type import ClockType
from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.time import Time

if TYPE_CHECKING:
    from rclpy.context import Context

STEP = 0.005
"""Time that passes at once [s]."""

_BEGIN = 1_760_000_000_000_000_000  # [ns]
_LOOK = 0.001  # [s] of the machine's time in which what comes from another thread is waited for


class SteppedExecutor(SingleThreadedExecutor):
    """Time passes by being spun: a step at each look, between which all callbacks are run.

    However slow the machine, a node never sees a message late: in one process Fast DDS hands it
    over before publishing returns. The EventsExecutor of rclpy 7.1 calls timers too often where
    several are on one clock that is set.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context=context)
        self.clock = ROSClock()
        self.clock._set_ros_time_is_active(enabled=True)
        self._now_ns = _BEGIN
        self._set()

    @property
    def now(self) -> float:
        """Time since the beginning [s]."""
        return (self._now_ns - _BEGIN) * 1e-9

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run what is due, however long ``timeout_sec`` is, and let a step pass."""
        self._run_what_is_due(_LOOK)
        self._now_ns += round(STEP * 1e9)
        self._set()
        self._run_what_is_due(0.0)

    def _run_what_is_due(self, patience: float) -> None:
        try:
            while True:
                handler, _, _ = self.wait_for_ready_callbacks(timeout_sec=patience)
                handler()
                handler.result()  # raises what it raised
                patience = 0.0
        except TimeoutException:
            pass

    def _set(self) -> None:
        self.clock.set_ros_time_override(
            Time(nanoseconds=self._now_ns, clock_type=ClockType.ROS_TIME)
        )
