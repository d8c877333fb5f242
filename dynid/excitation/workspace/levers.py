"""How far joints are from what they move: bounds that hold in every position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array

if TYPE_CHECKING:
    from dynid.dynamics.kinematics import Kinematics


def moving_path(kinematics: Kinematics, body: int) -> tuple[int, ...]:
    """Return which of the moving joints carry a body, from the root on, as their numbers."""
    number = {carried: joint for joint, carried in enumerate(kinematics.moving_bodies)}
    path = []
    while body > 0:
        if body in number:
            path.append(number[body])
        body = kinematics.parents[body]
    return tuple(reversed(path))


def slides(kinematics: Kinematics, body: int) -> bool:
    """Return whether the joint that moves a body slides."""
    return bool(kinematics.model.joints[body].shortname().startswith("JointModelP"))


def levers(kinematics: Kinematics, body: int, radius: float, slide: Array) -> Array:
    """Return a bound on the speed of a body's points for each joint's speed of 1; (m,).

    For a joint that turns it is the length of the chain from the joint to the body [m], which its
    points are never further from the axis than; for a joint that slides 1; for others 0.

    Args:
        kinematics: of the robot.
        body: which one.
        radius: of its points about its frame's origin [m].
        slide: how far each of the m moving joints that slide is from its 0 at most [m].
    """
    number = {carried: joint for joint, carried in enumerate(kinematics.moving_bodies)}
    lengths = np.zeros(len(number))
    length = radius
    while body > 0:
        joint = number.get(body)
        if joint is not None:
            lengths[joint] = 1.0 if slides(kinematics, body) else length
        if slides(kinematics, body):
            at_rest = abs(float(kinematics.rest[kinematics.model.joints[body].idx_q]))
            length += at_rest if joint is None else float(slide[joint])
        length += float(np.linalg.norm(kinematics.joint_origins[body]))
        body = kinematics.parents[body]
    return lengths


def acceleration_bound(
    path: tuple[int, ...], lengths: Array, turns: Array, speed: Array, acceleration: Array
) -> Array:
    """Return a bound on the acceleration of a point that joints carry; (N,) [m/s^2].

    Of v = sum_j dq_j z_j x (p - o_j), or dq_j z_j where j slides, the derivative of each term is
    bounded: |dz_j/dt| by the turning of the joints before j, |d(p - o_j)/dt| by that and by the
    speed that j and the joints behind it give the point.

    Args:
        path: numbers of the joints from the root to the point.
        lengths: bounds on their levers, as :func:`levers` returns (m,) [m or 1].
        turns: which joints turn (m,).
        speed: bounds on the joints' speeds (N, m).
        acceleration: bounds on their accelerations (N, m).
    """
    bound = acceleration @ lengths
    before = np.zeros(len(speed))
    for place, joint in enumerate(path):
        behind = speed[:, path[place:]] @ lengths[list(path[place:])]
        along = lengths[joint] * before
        # what slides keeps its length: only its direction turns
        bound = bound + speed[:, joint] * (along + (along + behind if turns[joint] else 0.0))
        before = before + (speed[:, joint] if turns[joint] else 0.0)
    return bound
