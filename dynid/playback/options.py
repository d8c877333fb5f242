"""Options of a playback, and the protocols of its clock and outlet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dynid.playback.trajectory import Trajectory


class Clock(Protocol):
    """The two clocks of a playback."""

    @property
    def simulated(self) -> bool:
        """Whether the time is a simulation's, and therefore also the robot's."""
        ...

    def now_ns(self) -> int:
        """Return the time with which trajectories and joint states are stamped [ns]."""
        ...

    def steady(self) -> float:
        """Return a time [s] that also advances while a simulation is paused."""
        ...


class Outlet(Protocol):
    """The connection that sends trajectories to the robot."""

    @property
    def acknowledged(self) -> bool:
        """Whether the newest trajectory is known to be accepted; False where unknown."""
        ...

    def check(self) -> None:
        """Raise a PlaybackError where no controller accepts trajectories."""
        ...

    def send(self, trajectory: Trajectory, start_ns: int) -> None:
        """Send a trajectory that starts at an instant [ns].

        Raises:
            PlaybackError: no controller accepts it.
        """
        ...


@dataclass(frozen=True)
class Options:
    """Options of a playback.

    Attributes:
        rate: points per second of trajectories [Hz].
        move_fraction: of the velocity and acceleration limits, for the motion to the start.
        max_age: longest time without joint states, of the time in which this process ran [s].
        tracking_error: distance from the reference at which a motion is stopped [rad or m].
        settle_time: time after a motion in which the robot comes to rest [s].
        horizon: time [s] from a command to the start of its braking. It is renewed five times in
            that time; without renewal the robot is at rest after the horizon and its braking.
        supervise_torque: whether measured torque must be available, and stops a motion where it
            exceeds its threshold.
        doubtful_limits: whether motions are played within limits of a URDF that are doubtful.
        max_clock_offset: largest offset between the robot's clock and this computer's [s].
    """

    rate: float = 100.0
    move_fraction: float = 0.3
    max_age: float = 0.5
    tracking_error: float = 0.2
    settle_time: float = 0.5
    horizon: float = 1.0
    supervise_torque: bool = True
    doubtful_limits: bool = False
    max_clock_offset: float = 1.0
