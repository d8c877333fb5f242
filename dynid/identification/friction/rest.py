"""What sensors make of a joint at rest: below that, no friction model can tell motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.signals.signals import Signals

_WINDOW = 1.0  # [s]
_SHARE = 75.0  # [%] of the windows: in some the robot has not come to rest yet


def noise_at_rest(signals: Sequence[Signals]) -> tuple[Array, Array]:
    """Half the width within which positions waver at rest, and the velocity's root mean square.

    Args:
        signals: one per recording, with the rest that they hold.

    Returns:
        (n,) each [rad or m], [rad/s or m/s]; zeros where no recording holds a second of rest.
    """
    joints = len(signals[0].joint_names)
    widths, speeds = [np.zeros((0, joints))], [np.zeros((0, joints))]
    for one in signals:
        length = max(2, round(_WINDOW * one.sampling_rate))
        count = len(one.time) // length
        shape = (count, length, joints)
        rests = ~one.moving[: count * length].reshape(shape).any(axis=(1, 2))
        position = one.position[: count * length].reshape(shape)[rests]
        velocity = one.velocity[: count * length].reshape(shape)[rests]
        widths.append(0.5 * np.ptp(position, axis=1))
        speeds.append(np.sqrt(np.mean(velocity**2, axis=1)))
    width, speed = np.concatenate(widths), np.concatenate(speeds)
    if len(width) == 0:
        return np.zeros(joints), np.zeros(joints)
    return np.percentile(width, _SHARE, axis=0), np.percentile(speed, _SHARE, axis=0)
