"""Where the robot is, as its joint states tell."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.excitation.checks import sliding_joints
from dynid.excitation.limits import position_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.limits import Limits


class RobotState(NamedTuple):
    """One message of joint states.

    Attributes:
        stamp_ns: When it was measured [ns], on the clock that trajectories are stamped with.
        arrival: When it arrived [s], on a clock that never stands still.
        position: (n,) [rad or m].
        effort: (n,) in the drives' unit; None where it is not told.
    """

    stamp_ns: int
    arrival: float
    position: Array
    effort: Array | None


class StateReader:
    """Picks a robot's joints out of messages, which may hold others and in any order."""

    def __init__(self, joints: Sequence[str], topic: str) -> None:
        """Wait for messages with ``joints`` on a ``topic``, which is for sentences only."""
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
    ) -> RobotState | None:
        """The state in a message, or None where it does not tell every joint's position."""
        key = tuple(names)
        if key not in self._columns:
            complete = set(self.joints) <= set(key)
            self._columns[key] = [key.index(j) for j in self.joints] if complete else None
        columns = self._columns[key]
        if columns is None or len(position) != len(key):
            return None
        told = len(effort) == len(key)
        return RobotState(
            stamp_ns,
            arrival,
            np.array(position, dtype=np.float64)[columns],
            np.array(effort, dtype=np.float64)[columns] if told else None,
        )

    def unknown(self) -> PlaybackError:
        """Why there is no state."""
        seen = list(dict.fromkeys(name for names in self._columns for name in names))
        if not seen:
            why = f"no message came on {self._topic}; is the robot's driver running?"
        else:
            absent = next((joint for joint in self.joints if joint not in seen), "")
            names = ", ".join(seen)
            why = (
                f"{self._topic} tells of {names}, but not of '{absent}'; is this the profile's "
                "robot?"
                if absent
                else f"no single message on {self._topic} has all of {', '.join(self.joints)}, "
                "each with a position."
            )
        return PlaybackError(f"the robot's position is unknown: {why}")


_STILL = 2e-3  # [rad or m] that a joint at rest may seem to move, by noise and by creeping
FROM_REST = "a motion begins from rest only"
"""Part of the sentence that refuses a robot which moves, or was not watched for long enough."""

_SPAN_NS = 100_000_000  # of not moving that is rest


class RestWatch:
    """Whether the robot has stopped moving, seen from positions alone."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._recent: deque[RobotState] = deque()

    @property
    def at_rest(self) -> bool:
        """Whether no joint has moved for a tenth of a second."""
        return self._seen and not self._moving().any()

    @property
    def _seen(self) -> bool:
        """Whether states are known of all of a tenth of a second."""
        states = self._recent
        return bool(states) and states[-1].stamp_ns - states[0].stamp_ns >= _SPAN_NS

    def sentence(self, joints: Sequence[str]) -> str:
        """Why a motion cannot begin yet."""
        if not self._seen:
            return f"the robot was watched for less than {_SPAN_NS * 1e-9:g} s, and {FROM_REST}."
        return (
            f"the robot moves ({self.restless(joints)}), and {FROM_REST}; wait until it has come "
            "to rest, or end what moves it."
        )

    def restless(self, joints: Sequence[str]) -> str:
        """Name the joints that have moved; empty where none has, or nothing was seen."""
        if not self._seen:
            return ""
        names = [f"'{joints[j]}'" for j in np.flatnonzero(self._moving()).tolist()]
        return f"joint {', '.join(names)}" if names else ""

    @property
    def moving(self) -> NDArray[np.bool_] | None:
        """Which joints moved in the last tenth of a second (n,); None where it was not seen."""
        return self._moving() if self._seen else None

    def see(self, state: RobotState) -> None:
        """Take in the next state."""
        states = self._recent
        if states and state.stamp_ns < states[-1].stamp_ns:
            states.clear()  # another time
        states.append(state)
        while len(states) > 2 and state.stamp_ns - states[1].stamp_ns >= _SPAN_NS:
            states.popleft()

    def forget(self) -> None:
        """Begin afresh, because a motion begins."""
        self._recent.clear()

    def _moving(self) -> NDArray[np.bool_]:
        """Which joints have moved (n,); a position that is no number has."""
        positions = np.array([state.position for state in self._recent])
        moving: NDArray[np.bool_] = ~(np.ptp(positions, axis=0) <= _STILL)
        return moving


def check_state(
    state: RobotState,
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
        state: The newest.
        limits: Those on position.
        mechanism: Names its joints.
        max_age: Time [s] since its arrival that it may have.
        max_offset: Between the clock of its stamp and this computer's that is allowed [s].
        offset: How far the clock of its stamp is ahead of this computer's [s].
        now: The present instant on the clock of its arrival [s].
    """
    age = now - state.arrival
    if age > max_age:
        message = (
            f"the robot's position is stale: its last joint states came {age:.2g} s ago, at most "
            f"{max_age:g} s are allowed; is its driver still running?"
        )
        raise PlaybackError(message)
    if abs(offset) > max_offset:
        side = "before" if offset < 0 else "after"
        message = (
            f"the joint states are stamped {abs(offset):.4g} s {side} this computer's time, at "
            f"most {max_offset:g} s are allowed (max_clock_offset); synchronise the clocks, or set "
            "use_sim_time where a simulation has its own."
        )
        raise PlaybackError(message)
    joints, sliding = mechanism.joints, sliding_joints(mechanism)
    reach = position_range(limits, len(joints))
    for j, joint in enumerate(joints):
        low, high = (-np.inf, np.inf) if reach is None else (reach[0][j], reach[1][j])
        where, unit = state.position[j], "m" if joint in sliding else "rad"
        if not np.isfinite(where):
            message = f"joint '{joint}': the joint states tell its position as {where}."
            raise PlaybackError(message)
        if not low <= where <= high:
            message = (
                f"joint '{joint}' stands at {where:.4g} {unit}, outside its limits {low:.4g} to "
                f"{high:.4g} {unit}; move it back inside by hand first."
            )
            raise PlaybackError(message)
