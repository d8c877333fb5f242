"""How to play, by which times, and through what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dynid.playback.trajectory import Trajectory


class Clock(Protocol):
    """The two times of a playback."""

    @property
    def simulated(self) -> bool:
        """Whether the instants are a simulation's, so that the robot has the very same."""
        ...

    def now_ns(self) -> int:
        """The instant that trajectories and joint states are stamped with [ns]."""
        ...

    def steady(self) -> float:
        """Time [s] that also passes while a simulation's stands still."""
        ...


class Outlet(Protocol):
    """What takes trajectories to the robot."""

    @property
    def acknowledged(self) -> bool:
        """Whether the newest trajectory is known to have been taken; False where nothing tells."""
        ...

    def check(self) -> None:
        """Raise a PlaybackError where nobody is there to take trajectories."""
        ...

    def send(self, trajectory: Trajectory, start_ns: int) -> None:
        """Send a trajectory that starts at an instant [ns].

        Raises:
            PlaybackError: nobody is there to take it.
        """
        ...


@dataclass(frozen=True)
class Options:
    """How to play.

    Attributes:
        rate: Points per second of trajectories [Hz].
        move_fraction: Of the velocity and acceleration limits, on the way to the start.
        max_age: Time without joint states that is silence [s].
        tracking_error: Distance from the reference at which a motion is given up [rad or m].
        settle_time: Time after a motion in which the robot comes to rest [s].
        horizon: Time [s] that a command reaches ahead before it ends in rest. It is renewed five
            times in that time; a robot that gets no renewal is at rest after it and its braking.
        supervise_torque: Whether measured torque has to be there, and ends a motion where it is too
            much.
        max_clock_offset: Between the robot's clock and this computer's [s].
    """

    rate: float = 100.0
    move_fraction: float = 0.3
    max_age: float = 0.5
    tracking_error: float = 0.2
    settle_time: float = 0.5
    horizon: float = 1.0
    supervise_torque: bool = True
    max_clock_offset: float = 1.0
