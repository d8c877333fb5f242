"""Levers between joints and what they move: bounds that are valid in every position."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics


def moving_path(kinematics: Kinematics, body: int) -> tuple[int, ...]:
    """Return the numbers of the moving joints between the root and a body, from the root on."""
    number = {carried: joint for joint, carried in enumerate(kinematics.moving_bodies)}
    path = []
    while body > 0:
        if body in number:
            path.append(number[body])
        body = kinematics.parents[body]
    return tuple(reversed(path))


def slides(kinematics: Kinematics, body: int) -> bool:
    """Return whether the joint that moves a body is prismatic."""
    return bool(kinematics.model.joints[body].shortname().startswith("JointModelP"))


def levers(kinematics: Kinematics, body: int, radius: float, slide: Array) -> Array:
    """Return a bound on the speed of a body's points for each joint's speed of 1; (m,).

    For a revolute joint it is the length of the chain from the joint to the body [m], a bound on
    the distance of its points from the axis; for a prismatic joint 1; for others 0.

    Args:
        kinematics: of the robot.
        body: which one.
        radius: of its points about its frame's origin [m].
        slide: largest distance of each of the m moving prismatic joints from its 0 [m].
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
    """Return a bound on the acceleration of a point moved by joints; (N,) [m/s^2].

    With v = sum_j dq_j z_j x (p - o_j), or dq_j z_j for prismatic joints, the derivative of each
    term is bounded: |dz_j/dt| by the rotation of the joints before j, |d(p - o_j)/dt| by that and
    by the speed of the point due to j and the joints behind it.

    Args:
        path: numbers of the joints from the root to the point.
        lengths: bounds on their levers, as :func:`levers` returns (m,) [m or 1].
        turns: which joints are revolute (m,).
        speed: bounds on the joints' speeds (N, m).
        acceleration: bounds on their accelerations (N, m).
    """
    bound = acceleration @ lengths
    before = np.zeros(len(speed))
    for place, joint in enumerate(path):
        behind = speed[:, path[place:]] @ lengths[list(path[place:])]
        along = lengths[joint] * before
        # a prismatic joint's direction turns, but keeps its length
        bound = bound + speed[:, joint] * (along + (along + behind if turns[joint] else 0.0))
        before = before + (speed[:, joint] if turns[joint] else 0.0)
    return bound
