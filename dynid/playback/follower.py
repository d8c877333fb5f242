"""The reference of a joint_trajectory_controller for the trajectories sent to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.excitation.motion import Motion
from dynid.playback.trajectory import Curve, Trajectory, interpolate

_SECONDS_PER_NANOSECOND = 1e-9  # [s/ns]

# joint_trajectory_controller's tolerance on rest (the epsilon of a float)
_REST = 1.2e-7  # [rad/s or m/s]


class TrajectoryFollower:
    """Follows the newest accepted trajectory; is at rest at ``home`` before the first.

    A trajectory replaces the previous one as soon as it is accepted. If its first point is in the
    future, the reference moves there from its present position, velocity and acceleration; if it
    is in the past, the reference is at once that of the trajectory.

    Instants are whole nanoseconds of one clock, because seconds since 1970 in a float64 are too
    coarse to differentiate positions.
    """

    def __init__(self, joints: Sequence[str], home: ArrayLike) -> None:
        """Rest at ``home`` (n,) [rad or m], in the order of ``joints``."""
        self._joints = tuple(joints)
        rest = np.array(home, dtype=np.float64)[np.newaxis]
        self._curve: Curve = interpolate(np.zeros(1), rest, None, None)
        self._origin_ns = 0

    @property
    def end_ns(self) -> int:
        """Instant from which on the reference is at rest [ns]."""
        return self._origin_ns + round(self._curve.end / _SECONDS_PER_NANOSECOND)

    def accept(self, trajectory: Trajectory, start_ns: int, now_ns: int) -> None:
        """Follow a trajectory from now on instead of any other.

        Args:
            trajectory: its joints may be in another order than the follower's.
            start_ns: instant of its time 0 [ns]; 0 for now.
            now_ns: the present instant [ns].

        Raises:
            PlaybackError: joints are missing or unknown, all of it is in the past, or its end is
                not at rest; the previous trajectory stays in use.
        """
        columns = self._columns(trajectory)
        if trajectory.velocity is not None:
            _check_rest(trajectory)
        begin_ns = start_ns or now_ns
        present = (now_ns - begin_ns) * _SECONDS_PER_NANOSECOND
        if trajectory.duration < present:
            raise PlaybackError(
                f"the trajectory ended {present - trajectory.duration:.3f} s ago; its stamp must "
                "be 0 for now, or an instant of the clock that this robot uses."
            )
        time, given = trajectory.time, (trajectory.velocity, trajectory.acceleration)
        position = trajectory.position[:, columns]
        velocity, acceleration = (None if part is None else part[:, columns] for part in given)
        if time[0] - present >= _SECONDS_PER_NANOSECOND:
            before = self.motion([now_ns])
            time = np.concatenate([[present], time])
            position = np.concatenate([before.position, position])
            velocity, acceleration = (
                None if part is None else np.concatenate([now, part])
                for now, part in zip(before[1:], (velocity, acceleration), strict=True)
            )
        self._curve = interpolate(time, position, velocity, acceleration)
        self._origin_ns = begin_ns

    def reference(self, now_ns: int) -> Array:
        """Return the reference position now (n,) [rad or m]; read-only at rest."""
        return self._curve.position((now_ns - self._origin_ns) * _SECONDS_PER_NANOSECOND)

    def state(self, now_ns: int) -> tuple[Array, Array, Array]:
        """Return reference position, velocity and acceleration now (n,); read-only at rest."""
        return self._curve.state((now_ns - self._origin_ns) * _SECONDS_PER_NANOSECOND)

    def motion(self, instants_ns: Sequence[int]) -> Motion:
        """Return position, velocity and acceleration at instants (N,) [ns]; arrays (N, n)."""
        return self._curve.motion(
            [(now - self._origin_ns) * _SECONDS_PER_NANOSECOND for now in instants_ns]
        )

    def _columns(self, trajectory: Trajectory) -> list[int]:
        """Return the column of each of the follower's joints in a trajectory."""
        given = trajectory.joints
        for joint in given:
            if joint not in self._joints:
                raise PlaybackError(
                    f"the trajectory names joint '{joint}', which this robot does not have; "
                    f"expected {', '.join(self._joints)}."
                )
            if given.count(joint) > 1:
                message = f"the trajectory names joint '{joint}' twice; expected it once."
                raise PlaybackError(message)
        for joint in self._joints:
            if joint not in given:
                raise PlaybackError(
                    f"the trajectory lacks joint '{joint}'; expected all of "
                    f"{', '.join(self._joints)}."
                )
        return [given.index(joint) for joint in self._joints]


def _check_rest(trajectory: Trajectory) -> None:
    assert trajectory.velocity is not None  # noqa: S101  checked before
    final = trajectory.velocity[-1]
    j = int(np.argmax(np.abs(final)))
    if abs(final[j]) > _REST:
        raise PlaybackError(
            f"joint '{trajectory.joints[j]}': the trajectory ends with velocity {final[j]:.4g}; "
            "it must end at rest."
        )
