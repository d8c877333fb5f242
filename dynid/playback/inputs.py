"""Detection of missing or frozen joint states during a motion."""

from __future__ import annotations

import numpy as np

from dynid.playback.options import Clock
from dynid.playback.robot_state import JointStateSample

_LONGEST_TICK = 0.1  # [s] between two ticks; longer is a pause of this process


class InputWatch:
    """Age of the inputs that a motion needs: joint states, newer stamps, effort, and time.

    Each one missing for longer than ``max_age`` is a separate fault. Their ages count the time in
    which this process ran: while it is suspended, or waits for a processor, messages wait as well.
    """

    def __init__(self, clock: Clock) -> None:
        """Start without any input."""
        self._clock = clock
        self._ran = 0.0  # [s] in which this process ran, at its last tick
        self._ticked = clock.steady()  # [s] of that tick
        self._arrival = -np.inf  # [s] of the last state, likewise on the steady clock
        self._stamp_ns = 0
        self._time_ns = clock.now_ns()
        self._passed = 0.0  # [s] of _ran when the clock last advanced
        self._arrived = self._advanced = self._measured = -np.inf  # [s] likewise
        self._without_effort = ""
        self.longest_pause = 0.0
        """Longest time between two ticks since :meth:`restart` [s]."""
        self.longest_silence = 0.0
        """Longest time between two joint states since then [s]."""

    def restart(self) -> None:
        """Measure pauses from now on, for a new motion."""
        self.longest_pause = self.longest_silence = 0.0

    @property
    def state_age(self) -> float:
        """Time since the last joint states [s], with pauses of this process."""
        return self._clock.steady() - self._arrival

    def update(self, state: JointStateSample, joints: tuple[str, ...]) -> None:
        """Update with a state that has just arrived."""
        if np.isfinite(self._arrival):
            self.longest_silence = max(self.longest_silence, state.arrival - self._arrival)
        self._arrival, self._arrived = state.arrival, self._ran
        if state.stamp_ns > self._stamp_ns:
            self._advanced = self._ran
        # also a smaller one: it is of another sender, or of a clock that was set
        self._stamp_ns = state.stamp_ns
        missing = None if state.effort is None else ~np.isfinite(state.effort)
        if missing is not None and not missing.any():
            self._measured = self._ran
        elif missing is None:
            self._without_effort = "the joint states have no effort"
        else:
            j = int(np.argmax(missing))
            self._without_effort = f"joint '{joints[j]}': the joint states have no effort for it"

    def tick(self) -> None:
        """Count the time; to be called often, after the messages that wait have been read."""
        now, now_ns = self._clock.steady(), self._clock.now_ns()
        self.longest_pause = max(self.longest_pause, now - self._ticked)
        self._ran += min(now - self._ticked, _LONGEST_TICK)
        self._ticked = now
        if now_ns != self._time_ns:
            self._time_ns, self._passed = now_ns, self._ran

    def silent(self, max_age: float) -> bool:
        """Return whether no joint states have arrived for longer than ``max_age`` [s]."""
        return self._ran - self._arrived > max_age

    def fault(self, max_age: float, *, effort: bool) -> str | None:
        """Return what has been missing for longer than ``max_age`` [s], or None.

        Args:
            max_age: longest time for which an input may be missing [s].
            effort: whether effort is needed.
        """
        now = self._ran
        allowed = f"at most {max_age:g} s are allowed (parameter max_age)."
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
