"""What of a joint's torque its own speed and acceleration explain, and what is beyond that."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Thinned


def own_terms(thinned: Thinned, joint: int) -> Array:
    """What offset, friction and rotor of one joint may depend on, (N, 4)."""
    velocity, acceleration = thinned.velocity[:, joint], thinned.acceleration[:, joint]
    return np.column_stack([np.ones_like(velocity), velocity, np.sign(velocity), acceleration])


def without(values: Array, columns: Array) -> Array:
    """What is left of ``values`` (N,) or (N, c) without multiples of ``columns`` (N, k)."""
    return np.asarray(values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0])


def friction_power(torque: Array, thinned: Thinned, joint: int, others: Array) -> float:
    """Power that friction takes from the motion, over torque and speed (rms); negative: it drives.

    Args:
        torque: (N,) of the joint.
        thinned: the motion.
        joint: its number.
        others: (N, k) what else may explain the torque.
    """
    own = own_terms(thinned, joint)
    columns = np.column_stack([own, others])
    found = np.linalg.lstsq(columns / _sizes(columns), torque, rcond=1e-6)[0] / _sizes(columns)
    friction = own[:, 1:3] @ found[1:3]
    size = float(np.linalg.norm(torque) * np.linalg.norm(own[:, 1]))
    return float(friction @ own[:, 1]) / size if size > 0 else 0.0


def _sizes(columns: Array) -> Array:
    sizes = np.linalg.norm(columns, axis=0)
    return np.where(sizes > 0, sizes, 1.0)
