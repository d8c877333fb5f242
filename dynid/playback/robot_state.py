"""Where the robot is, as its joint states tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import PlaybackError

if TYPE_CHECKING:
    from collections.abc import Sequence


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
        self._joints = tuple(joints)
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
            complete = set(self._joints) <= set(key)
            self._columns[key] = [key.index(j) for j in self._joints] if complete else None
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
            absent = next((joint for joint in self._joints if joint not in seen), "")
            names = ", ".join(seen)
            why = (
                f"{self._topic} tells of {names}, but not of '{absent}'; is this the profile's "
                "robot?"
                if absent
                else f"no single message on {self._topic} has all of {', '.join(self._joints)}, "
                "each with a position."
            )
        return PlaybackError(f"the robot's position is unknown: {why}")


_STILL = 2e-3  # [rad or m] that a joint at rest may seem to move, by noise and by creeping
_SPAN = 0.1  # [s] of not moving that is rest


class RestWatch:
    """Whether the robot has stopped moving, seen from positions alone."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._anchor: RobotState | None = None
        self._still_ns = 0

    @property
    def at_rest(self) -> bool:
        """Whether no joint has moved for a tenth of a second."""
        return self._still_ns >= _SPAN * 1e9

    def see(self, state: RobotState) -> None:
        """Take in the next state."""
        anchor = self._anchor
        moved = anchor is None or not np.abs(state.position - anchor.position).max() <= _STILL
        if anchor is None or moved:
            self._anchor, self._still_ns = state, 0
        else:
            self._still_ns = state.stamp_ns - anchor.stamp_ns

    def forget(self) -> None:
        """Begin afresh, because a motion begins."""
        self._anchor, self._still_ns = None, 0
