"""Torque errors of free motion, reduced to the quantities that thresholds depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.control.build import collision_settings
from dynid.control.residual import CommandedResidual, with_collision
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings

BLOCK = 0.1  # [s] represented by its largest error
_BETWEEN = 1.0  # [s] between two recordings
_USUAL_SHARE = 0.999  # of all instants are less abrupt
_BEYOND = 1e9  # [N m or N] larger than any error
_BY_BLOCK = ("size", "features", "boosted", "friction", "viscous")  # arrays, besides the time


@dataclass(frozen=True, eq=False)
class FreeMotion:
    """The largest filtered torque error of every block of motion, with the motion at that time.

    Attributes:
        size: (M, n) [N m or N].
        features: 1, |v| and |a|, (M, n, 3).
        boosted: whether the reversal boost acts (M, n).
        friction: largest dry friction of the model (M, n) [N m or N].
        viscous: size of its friction that grows with speed (M, n) [N m or N].
        time: of each block's start (M,) [s].
        hours: length of the motion [h].
    """

    size: Array
    features: Array
    boosted: NDArray[np.bool_]
    friction: Array
    viscous: Array
    time: Array
    hours: float

    def without(self, start: float, stop: float) -> FreeMotion:
        """Return the motion without blocks that begin within a span [s]."""
        kept = (self.time < start) | (self.time > stop)
        parts = {name: getattr(self, name)[kept] for name in (*_BY_BLOCK, "time")}
        return replace(self, **parts, hours=self.hours * float(np.mean(kept)))


def joined(motions: Sequence[FreeMotion]) -> FreeMotion:
    """Return motions as one, with a pause between them."""
    starts = np.cumsum([0.0] + [motion.time[-1] + _BETWEEN for motion in motions[:-1]])
    return FreeMotion(
        **{name: np.concatenate([getattr(one, name) for one in motions]) for name in _BY_BLOCK},
        time=np.concatenate([m.time + start for m, start in zip(motions, starts, strict=True)]),
        hours=sum(motion.hours for motion in motions),
    )


def recording_numbers(motions: Sequence[FreeMotion]) -> NDArray[np.intp]:
    """Return for each block of joined motions the number of its recording, from 0 (M,)."""
    return np.repeat(np.arange(len(motions)), [len(motion.time) for motion in motions])


def free_motion(robot: Robot, residual: CommandedResidual) -> FreeMotion:
    """Reduce a residual, filtered by the profile's detector, to blocks.

    Raises:
        ConfigurationError: the profile's settings do not match the robot.
    """
    # thresholds that show whether the boost acts, but never cause a collision
    showing = with_collision(
        robot,
        torque_error_max=(_BEYOND,),
        velocity_factor=(0.0,),
        acceleration_factor=(0.0,),
        reversal_boost=(_BEYOND,),
    )
    filtered, threshold, _ = residual.run_detector(showing)
    size = np.abs(filtered)
    speed, acceleration = np.abs(residual.velocity), np.abs(residual.acceleration)
    features = np.stack([np.ones_like(size), speed, acceleration], axis=2)
    boosted = threshold > 1.5 * _BEYOND
    length = max(1, round(BLOCK * residual.rate))
    count = len(size) // length
    at = size[: count * length].reshape(count, length, -1).argmax(axis=1)
    used = residual.counts()[: count * length].reshape(count, length).all(axis=1)
    rows = (at + length * np.arange(count)[:, np.newaxis])[used]
    columns = np.arange(size.shape[1])
    return FreeMotion(
        size[rows, columns],
        features[rows, columns],
        boosted[rows, columns],
        residual.friction[rows, columns],
        residual.viscous[rows, columns],
        length / residual.rate * np.flatnonzero(used).astype(np.float64),
        residual.hours,
    )


def abrupt_acceleration(robot: Robot, residuals: Sequence[CommandedResidual]) -> tuple[float, ...]:
    """Return the abruptness of acceleration that 99.9 % of these motions stay below.

    Abruptness is the distance from the mean over the last boost_time, as in the detector. A joint
    that hardly moves keeps the profile's ``acceleration_step``.

    Raises:
        ConfigurationError: the profile's settings do not match the robot.
    """
    distances = [_from_mean(robot, residual) for residual in residuals]
    rare = np.quantile(np.concatenate(distances), _USUAL_SHARE, axis=0)
    fastest = np.max(
        [np.abs(residual.velocity[residual.counts()]).max(axis=0) for residual in residuals], axis=0
    )
    settings = collision_settings(robot, control_rate=residuals[0].rate)
    moves = (fastest > settings.low_speed) & (rare > 0)
    return tuple(float(step) for step in np.where(moves, rare, settings.acceleration_step))


def _from_mean(robot: Robot, residual: CommandedResidual) -> Array:
    """Return distances of accelerations (N, n) from their exponentially weighted past mean."""
    acceleration, window = residual.acceleration, robot.settings(CollisionSettings).boost_time
    kept = np.exp(-1.0 / (window * residual.rate)) if window > 0 else 0.0
    first = acceleration[0]
    mean = first + scipy.signal.lfilter(
        [0.0, 1.0 - kept], [1.0, -kept], acceleration - first, axis=0
    )
    distance: Array = np.abs(acceleration - mean)
    return distance[residual.counts()]
