"""Detection of missing or frozen joint states during a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dynid.playback.options import Clock
    from dynid.playback.robot_state import RobotState


class InputWatch:
    """Age of the inputs that a motion needs: joint states, newer stamps, effort, and time.

    Each one missing for longer than ``max_age`` is a separate fault.
    """

    def __init__(self, clock: Clock) -> None:
        """Start without any input."""
        self._clock = clock
        now = clock.steady()
        self._stamp_ns = 0
        self._time_ns = clock.now_ns()
        self._passed = now  # [s] of the steady clock when the clock last advanced
        self._arrived = self._advanced = self._measured = -np.inf  # [s] likewise
        self._without_effort = ""

    @property
    def state_age(self) -> float:
        """Time since the last joint states [s]."""
        return self._clock.steady() - self._arrived

    def update(self, state: RobotState, joints: tuple[str, ...]) -> None:
        """Update with a state that has just arrived."""
        self._arrived = state.arrival
        if state.stamp_ns > self._stamp_ns:
            self._advanced = state.arrival
        # also a smaller one: it is of another sender, or of a clock that was set
        self._stamp_ns = state.stamp_ns
        missing = None if state.effort is None else ~np.isfinite(state.effort)
        if missing is not None and not missing.any():
            self._measured = state.arrival
        elif missing is None:
            self._without_effort = "the joint states have no effort"
        else:
            j = int(np.argmax(missing))
            self._without_effort = f"joint '{joints[j]}': the joint states have no effort for it"

    def check_clock(self) -> None:
        """Check whether the clock advances; to be called often."""
        now_ns = self._clock.now_ns()
        if now_ns != self._time_ns:
            self._time_ns, self._passed = now_ns, self._clock.steady()

    def fault(self, max_age: float, *, effort: bool) -> str | None:
        """Return what has been missing for longer than ``max_age`` [s], or None.

        Args:
            max_age: longest time for which an input may be missing [s].
            effort: whether effort is needed.
        """
        now = self._clock.steady()
        allowed = f"at most {max_age:g} s are allowed."
        if (age := now - self._arrived) > max_age:
            return f"no joint states arrived for {age:.2g} s, {allowed}"
        if (age := now - self._advanced) > max_age:
            return (
                f"the joint states have a frozen stamp: it has not changed for "
                f"{age:.2g} s, {allowed}"
            )
        if (age := now - self._passed) > max_age:
            return f"the clock of this node has not advanced for {age:.2g} s, {allowed}"
        if effort and now - self._measured > max_age:
            return (
                f"{self._without_effort}, so torque cannot be supervised; repair the "
                "joint states, or set supervise_torque to false."
            )
        return None
