"""The torque errors of free motion, condensed to what collision thresholds depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.control.residual import detector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dynid.control.residual import Residual
    from dynid.excitation import Array
    from dynid.profile import RobotProfile

_BLOCK = 0.1  # [s] of which the largest error stands for all
_BETWEEN = 1.0  # [s] between two recordings
_BEYOND = 1e9  # [N m or N] that no error reaches


@dataclass(frozen=True, eq=False)
class FreeMotion:
    """The largest filtered torque error of every block of motion, and the motion it was in.

    Attributes:
        size: (M, n) [N m or N].
        features: 1, |v| and |a|, (M, n, 3).
        boosted: whether the reversal boost acts (M, n).
        time: of each block; recordings follow upon each other (M,) [s].
        hours: length of all together [h].
    """

    size: Array
    features: Array
    boosted: NDArray[np.bool_]
    time: Array
    hours: float


def free_motion(
    profile: RobotProfile, residuals: Sequence[Residual], *, control_rate: float
) -> FreeMotion:
    """Condense residuals, filtered as the profile's detector filters in control cycles.

    Raises:
        ConfigurationError: the profile's settings do not fit the robot.
    """
    parts = [_blocks(profile, residual, control_rate) for residual in residuals]
    size, features, boosted = (np.concatenate(part) for part in zip(*parts, strict=True))
    time, end = [], 0.0
    for one, _, _ in parts:
        time.append(end + _BLOCK * np.arange(len(one)))
        end += _BLOCK * len(one) + _BETWEEN
    hours = sum(residual.hours for residual in residuals)
    return FreeMotion(size, features, boosted, np.concatenate(time), hours)


def _blocks(
    profile: RobotProfile, residual: Residual, control_rate: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    watched = detector(_showing_boost(profile), residual.rate, control_rate=control_rate)
    filtered, threshold, _ = watched.run(
        residual.error, residual.torque, residual.velocity, residual.acceleration
    )
    size = np.abs(filtered)
    speed, acceleration = np.abs(residual.velocity), np.abs(residual.acceleration)
    features = np.stack([np.ones_like(size), speed, acceleration], axis=2)
    boosted = threshold > 1.5 * _BEYOND
    length = max(1, round(_BLOCK * residual.rate))
    count = len(size) // length
    at = size[: count * length].reshape(count, length, -1).argmax(axis=1)
    rows = at + length * np.arange(count)[:, np.newaxis]
    columns = np.arange(size.shape[1])
    return size[rows, columns], features[rows, columns], boosted[rows, columns]


def _showing_boost(profile: RobotProfile) -> RobotProfile:
    """A profile whose thresholds tell whether the boost acts, and that never stops."""
    collision = profile.collision.model_copy(
        update={
            "torque_error_max": (_BEYOND,),
            "velocity_factor": (0.0,),
            "acceleration_factor": (0.0,),
            "reversal_boost": (_BEYOND,),
        }
    )
    limits = profile.limits.model_copy(update={"torque_threshold": None})
    return profile.model_copy(update={"collision": collision, "limits": limits})
