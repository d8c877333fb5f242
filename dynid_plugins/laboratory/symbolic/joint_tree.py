"""Placements of the joints of a tree relative to each other, as constants of formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.pose import Pose
from dynid.errors import MechanismError

if TYPE_CHECKING:
    from dynid.dynamics.kinematics import Kinematics


_DECIMALS = 13
"""Decimals of lengths [m] and rotations; the rest is rounding, such as cos(π / 2) = 6e-17."""


@dataclass(frozen=True, eq=False)
class SymbolicJoint:
    """A joint with the body behind it.

    Attributes:
        parent: index in the tree of the joint that carries this one; -1 for the root link.
        number: index of the joint in drive order.
        prismatic: whether it is prismatic, else revolute.
        axis: (3,) unit vector in the joint's frame.
        rotation: (3, 3) of the joint's frame in that of the parent, at position 0.
        origin: (3,) of the joint's frame in that of the parent [m], at position 0.
    """

    parent: int
    number: int
    prismatic: bool
    axis: Array
    rotation: Array
    origin: Array


def joint_tree(kinematics: Kinematics) -> tuple[SymbolicJoint, ...]:
    """Return the actuated joints, parents first; locked and fixed links are parts of bodies.

    Raises:
        MechanismError: the mechanism has closed chains.
    """
    mechanism = kinematics.mechanism
    if mechanism.chain.passive:
        raise MechanismError(
            f"The robot has closed chains (passive joints {', '.join(mechanism.chain.passive)}), "
            "whose positions have no closed formula: C code can be generated for trees only."
        )
    rest = kinematics.poses(np.zeros((1, len(mechanism.joints))))[0]
    number_of = {body: number for number, body in enumerate(kinematics.joint_bodies)}
    index_of = {body: index for index, body in enumerate(sorted(number_of))}
    joints = []
    for body in index_of:
        carrier = kinematics.parents[body]
        while carrier > 0 and carrier not in number_of:
            carrier = kinematics.parents[carrier]
        number = number_of[body]
        # positions are in the root's frame
        frame = Pose.from_numbers(rest[carrier]).matrix() if carrier > 0 else np.eye(4)
        placement = np.linalg.inv(frame) @ Pose.from_numbers(rest[body]).matrix()
        joints.append(
            SymbolicJoint(
                parent=index_of.get(carrier, -1),
                number=number,
                prismatic=mechanism.prismatic[number],
                axis=_tidy(mechanism.axes[number]),
                rotation=_tidy(placement[:3, :3]),
                origin=_tidy(placement[:3, 3]),
            )
        )
    return tuple(joints)


def _tidy(values: Array) -> Array:
    return np.round(values, _DECIMALS)
