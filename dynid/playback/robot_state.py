"""State of a robot from its joint states: rest, joints that were not held, missing messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import PlaybackError
from dynid.excitation.checks import sliding_joints
from dynid.playback.options import Clock
from dynid.robot.limits import Limits


class JointStateSample(NamedTuple):
    """One message of joint states.

    Attributes:
        stamp_ns: time of measurement [ns], on the clock of the trajectories' stamps.
        arrival: time of arrival [s], on a clock that never pauses.
        position: (n,) [rad or m].
        effort: (n,) in the drives' unit; None where the message has none.
    """

    stamp_ns: int
    arrival: float
    position: Array
    effort: Array | None


class StateReader:
    """Extracts a robot's joints from messages, which may have others, in any order."""

    def __init__(self, joints: Sequence[str], topic: str) -> None:
        """Wait for messages with ``joints``; ``topic`` is only used in messages to the user."""
        self.joints = tuple(joints)
        self._topic = topic
        self._columns: dict[tuple[str, ...], list[int] | None] = {}

    def read(
        self,
        names: Sequence[str],
        position: Sequence[float],
        effort: Sequence[float],
        stamp_ns: int,
        arrival: float,
    ) -> JointStateSample | None:
        """Return the state in a message, or None where a joint's position is missing."""
        key = tuple(names)
        if key not in self._columns:
            complete = set(self.joints) <= set(key)
            self._columns[key] = [key.index(j) for j in self.joints] if complete else None
        columns = self._columns[key]
        if columns is None or len(position) != len(key):
            return None
        has_effort = len(effort) == len(key)
        return JointStateSample(
            stamp_ns,
            arrival,
            np.array(position, dtype=np.float64)[columns],
            np.array(effort, dtype=np.float64)[columns] if has_effort else None,
        )

    def no_state_error(self) -> PlaybackError:
        """Return the error that there is no state, with the reason."""
        seen = list(dict.fromkeys(name for names in self._columns for name in names))
        if not seen:
            cause = f"no message arrived on {self._topic}; is the robot's driver running?"
        else:
            absent = next((joint for joint in self.joints if joint not in seen), "")
            names = ", ".join(seen)
            cause = (
                f"{self._topic} has the joints {names}, but not '{absent}'; is this the profile's "
                "robot?"
                if absent
                else f"no single message on {self._topic} has all of {', '.join(self.joints)}, "
                "each with a position."
            )
        return PlaybackError(f"the robot's position is unknown: {cause}")


# [rad or m] largest change of position at rest, by noise and creeping
_LARGEST_MOTION_AT_REST = 2e-3
FROM_REST = "a motion starts from rest only"
"""Part of the message that refuses a robot which moves, or was observed too briefly."""
_STALE_POSITION = "the robot's position is stale"
_OTHER_CLOCK = "the joint states are stamped"
PASSING = (FROM_REST, _STALE_POSITION, _OTHER_CLOCK)
"""Parts of the messages of refusals that may pass by themselves."""
_SPAN_NS = 100_000_000  # without motion that is rest
_PROMPT = 0.5  # [s] in which a joint comes to rest after its reference, as seen from positions
# [rad or m] from the reference at which friction and gravity may hold a joint
_LARGEST_HELD_DISTANCE = 0.02


class RestWatch:
    """Detects rest of the robot from its positions."""

    def __init__(self) -> None:
        """Start without any state."""
        self._recent: deque[JointStateSample] = deque()

    @property
    def at_rest(self) -> bool:
        """Whether no joint has moved for a tenth of a second."""
        moving = self.moving
        return moving is not None and not moving.any()

    @property
    def moving(self) -> NDArray[np.bool_] | None:
        """Joints that moved in the last tenth of a second (n,); None where it is unknown.

        A position that is not finite counts as moved.
        """
        states = self._recent
        if not states or states[-1].stamp_ns - states[0].stamp_ns < _SPAN_NS:
            return None
        positions = np.array([state.position for state in states])
        return np.asarray(~(np.ptp(positions, axis=0) <= _LARGEST_MOTION_AT_REST))

    def sentence(self, joints: Sequence[str]) -> str:
        """Return why a motion cannot start yet."""
        if self.moving is None:
            return f"the robot was observed for less than {_SPAN_NS * 1e-9:g} s, and {FROM_REST}."
        return (
            f"the robot moves ({self.moving_names(joints)}), and {FROM_REST}; wait until it has "
            "come to rest, or stop the motion."
        )

    def moving_names(self, joints: Sequence[str]) -> str:
        """Return the names of joints that have moved; empty where none has, or without states."""
        moving = self.moving
        names = (
            [] if moving is None else [f"'{joints[j]}'" for j in np.flatnonzero(moving).tolist()]
        )
        return f"joint {', '.join(names)}" if names else ""

    def update(self, state: JointStateSample) -> None:
        """Update with the next state."""
        states = self._recent
        if states and state.stamp_ns < states[-1].stamp_ns:
            states.clear()  # the clock was reset
        states.append(state)
        while len(states) > 2 and state.stamp_ns - states[1].stamp_ns >= _SPAN_NS:
            states.popleft()

    def reset(self) -> None:
        """Clear all states, because a motion starts."""
        self._recent.clear()


def joints_away(distance: Array) -> int:
    """Return how many joints at these distances (n,) [rad or m] are not at their references."""
    return int(np.sum(~(np.abs(distance) <= _LARGEST_HELD_DISTANCE)))


class HoldWatch:
    """Monitors one stop: axes fall by gravity where torque saturates, or a brake holds them.

    It uses positions only, so it does not distinguish the two.
    """

    def __init__(self, joints: Sequence[str], sliding: Sequence[str]) -> None:
        """Monitor joints, of which ``sliding`` are prismatic."""
        self._joints = tuple(joints)
        self._units = ["m" if joint in sliding else "rad" for joint in joints]
        self._late = np.zeros(len(self._joints))
        self._away = np.zeros(len(self._joints))

    def update(self, after: float, moving: NDArray[np.bool_] | None) -> None:
        """Update with the joints (n,) that move, if known, a time [s] after the reference's end."""
        if after > _PROMPT and moving is not None:
            self._late[moving] = after

    def update_at_rest(self, distance: Array) -> None:
        """Update with the distances of joints at rest from their references (n,) [rad or m]."""
        self._away = np.where(np.abs(distance) > _LARGEST_HELD_DISTANCE, np.abs(distance), 0.0)

    def sentence(self) -> str:
        """Return the joints that were not held, with times and distances; empty if all were."""
        named = np.flatnonzero((self._late > 0) | (self._away > 0))
        return "; ".join(self._one(int(j)) for j in named)

    def _one(self, j: int) -> str:
        causes = []
        if self._late[j]:
            causes.append(f"{self._late[j]:.1f} s late")
        if self._away[j]:
            away = f"{self._away[j]:.3g} {self._units[j]}"
            causes.append(f"{away} away from its command")
        return f"joint '{self._joints[j]}' came to rest {' and '.join(causes)}"


def check_state(
    state: JointStateSample,
    limits: Limits,
    mechanism: Mechanism,
    *,
    max_age: float,
    max_offset: float,
    offset: float,
    now: float,
) -> None:
    """Raise a PlaybackError unless a robot's state is fresh and within its position limits.

    Args:
        state: the newest state.
        limits: limits of the robot.
        mechanism: mechanism with the names of its joints.
        max_age: longest time since its arrival [s].
        max_offset: largest offset of its stamp's clock from this computer's [s].
        offset: offset of its stamp's clock from this computer's, positive if ahead [s].
        now: present time on the clock of its arrival [s].
    """
    age = now - state.arrival
    if age > max_age:
        raise PlaybackError(
            f"{_STALE_POSITION}: its last joint states arrived {age:.2g} s ago, at "
            f"most {max_age:g} s are allowed (parameter max_age); is its driver still running?"
        )
    if abs(offset) > max_offset:
        side = "before" if offset < 0 else "after"
        raise PlaybackError(
            f"{_OTHER_CLOCK} {abs(offset):.4g} s {side} this computer's time, at "
            f"most {max_offset:g} s are allowed (max_clock_offset); synchronise the clocks, or set "
            "use_sim_time for a simulation."
        )
    joints, sliding = mechanism.joints, sliding_joints(mechanism)
    bounds = limits.of_joints(len(joints))
    for j, joint in enumerate(joints):
        low, high = bounds.low[j], bounds.high[j]
        where, unit = state.position[j], "m" if joint in sliding else "rad"
        if not np.isfinite(where):
            raise PlaybackError(f"joint '{joint}': its position in the joint states is {where}.")
        if not low <= where <= high:
            raise PlaybackError(
                f"joint '{joint}' is at {where:.4g} {unit}, outside its limits {low:.4g} to "
                f"{high:.4g} {unit}; move it back inside by hand first."
            )


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
