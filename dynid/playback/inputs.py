"""Whether the joint states that a motion is supervised by are there, and go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dynid.playback.options import Clock
    from dynid.playback.robot_state import RobotState


class InputWatch:
    """When something last came that a motion needs: joint states, newer stamps, effort, time.

    Each is a fault of its own where it is missing for longer than ``max_age``.
    """

    def __init__(self, clock: Clock) -> None:
        """Know of nothing yet."""
        self._clock = clock
        now = clock.steady()
        self._stamp_ns = 0
        self._time_ns = clock.now_ns()
        self._passed = now  # [s] when the clock last went on, on the steady one
        self._arrived = self._advanced = self._measured = -np.inf  # [s] likewise
        self._without_effort = ""

    @property
    def silence(self) -> float:
        """Time since the last joint states [s]."""
        return self._clock.steady() - self._arrived

    def see(self, state: RobotState, joints: tuple[str, ...]) -> None:
        """Take in a state that has arrived just now."""
        self._arrived = state.arrival
        if state.stamp_ns > self._stamp_ns:
            self._stamp_ns, self._advanced = state.stamp_ns, state.arrival
        missing = None if state.effort is None else ~np.isfinite(state.effort)
        if missing is not None and not missing.any():
            self._measured = state.arrival
        elif missing is None:
            self._without_effort = "the joint states have no effort"
        else:
            j = int(np.argmax(missing))
            self._without_effort = f"joint '{joints[j]}': the joint states have no effort of it"

    def look(self) -> None:
        """See whether the clock goes on; to be called often."""
        now_ns = self._clock.now_ns()
        if now_ns != self._time_ns:
            self._time_ns, self._passed = now_ns, self._clock.steady()

    def fault(self, max_age: float, *, effort: bool) -> str | None:
        """What has been missing for longer than ``max_age`` [s], or None.

        Args:
            max_age: Time that something may be missing for.
            effort: Whether effort is needed.
        """
        now = self._clock.steady()
        allowed = f"at most {max_age:g} s are allowed."
        if (age := now - self._arrived) > max_age:
            return f"no joint states came for {age:.2g} s, {allowed}"
        if (age := now - self._advanced) > max_age:
            return (
                f"the joint states stand still in time: their stamp has not changed for "
                f"{age:.2g} s, {allowed}"
            )
        if (age := now - self._passed) > max_age:
            return f"the clock of this node has stood still for {age:.2g} s, {allowed}"
        if effort and now - self._measured > max_age:
            return (
                f"{self._without_effort}, so that its torque cannot be supervised; repair the "
                "joint states, or set supervise_torque to false."
            )
        return None
