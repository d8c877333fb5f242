"""The recursive Newton-Euler algorithm as expressions, linear in the bodies' parameters.

Forward from the root, each body's angular velocity w, angular acceleration and the acceleration of
its frame's origin; back to the root, its force and moment about that origin,

    F = M a + U MS,   N = J dw + w x J w + MS x a,   U = [dw]x + [w]x [w]x

(Khalil and Kleinfinger 1987), with mass M, first moments MS and moments of inertia J. Parameters
that are zero, as all but the base parameters may be set, need no operations. Vectors (3,) and
matrices (3, 3) are arrays of numpy, whose entries are expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from dynid_plugins.laboratory.symbolic.joint_tree import SymbolicJoint

    Symbolic = Any  # NDArray[np.object_]: an array of expressions


@dataclass(frozen=True)
class State:
    """Motion of the joints, in drive order."""

    q: Sequence[Expression]
    dq: Sequence[Expression]
    ddq: Sequence[Expression]


class BodyMotion(NamedTuple):
    """Motion of a body in the frame of its joint.

    Attributes:
        rotation: (3, 3) of its frame in that of the body which carries it.
        origin: (3,) of its frame in that of the body which carries it [m].
        velocity: (3,) angular velocity w [rad/s].
        acceleration: (3,) angular acceleration dw [rad/s^2].
        lift: (3,) acceleration of the origin minus gravity [m/s^2].
        turning: (3, 3) U.
    """

    rotation: Symbolic
    origin: Symbolic
    velocity: Symbolic
    acceleration: Symbolic
    lift: Symbolic
    turning: Symbolic


def tree_motions(
    graph: Graph, tree: Sequence[SymbolicJoint], state: State, gravity: Array
) -> list[BodyMotion]:
    """Return the motion of every body of a tree; gravity is (3,) in the root's frame [m/s^2]."""
    still, upright = _symbolic(graph, np.zeros(3)), _symbolic(graph, np.zeros((3, 3)))
    base = BodyMotion(upright, still, still, still, _symbolic(graph, -gravity), upright)
    motions: list[BodyMotion] = []
    for joint in tree:
        parent = motions[joint.parent] if joint.parent >= 0 else base
        motions.append(_moved(graph, joint, parent, state))
    return motions


def tree_torque(
    graph: Graph,
    tree: Sequence[SymbolicJoint],
    motions: Sequence[BodyMotion],
    parameters: Sequence[Sequence[Expression]],
) -> list[Expression]:
    """Return the torque of every joint, with ten parameters of each body; both in drive order."""
    wrenches = [
        _wrench(motion, parameters[joint.number])
        for joint, motion in zip(tree, motions, strict=True)
    ]
    forces, moments = ([one[part] for one in wrenches] for part in (0, 1))
    torque = [graph.number(0.0)] * len(tree)
    for index in reversed(range(len(tree))):
        joint, motion = tree[index], motions[index]
        along = forces[index] if joint.prismatic else moments[index]
        torque[joint.number] = _symbolic(graph, joint.axis) @ along
        if joint.parent >= 0:
            force = motion.rotation @ forces[index]
            moment = motion.rotation @ moments[index] + np.cross(motion.origin, force)
            forces[joint.parent] = forces[joint.parent] + force
            moments[joint.parent] = moments[joint.parent] + moment
    return torque


def _wrench(motion: BodyMotion, parameters: Sequence[Expression]) -> tuple[Symbolic, Symbolic]:
    """Return force and moment on a body with M, MX, MY, MZ, XX, XY, YY, XZ, YZ, ZZ."""
    mass, mx, my, mz, xx, xy, yy, xz, yz, zz = parameters
    (x, y, z), dw, u = motion.velocity, motion.acceleration, motion.turning
    moments = np.array([mx, my, mz])
    # J dw + w x J w, a column for each moment of inertia
    turned = (
        np.array([dw[0], x * z, -(x * y)]) * xx
        + np.array([-u[2, 0], u[2, 1], u[0, 0] - u[1, 1]]) * xy
        + np.array([-(y * z), dw[1], x * y]) * yy
        + np.array([u[1, 0], u[2, 2] - u[0, 0], -u[1, 2]]) * xz
        + np.array([u[1, 1] - u[2, 2], -u[0, 1], u[0, 2]]) * yz
        + np.array([y * z, -(x * z), dw[2]]) * zz
    )
    return motion.lift * mass + u @ moments, turned + np.cross(moments, motion.lift)


def _moved(graph: Graph, joint: SymbolicJoint, parent: BodyMotion, state: State) -> BodyMotion:
    q, dq, ddq = (quantity[joint.number] for quantity in (state.q, state.dq, state.ddq))
    axis, origin = _symbolic(graph, joint.axis), _symbolic(graph, joint.origin)
    rotation = _rotation(graph, joint, q)
    back = rotation.T
    velocity = back @ parent.velocity
    acceleration = back @ parent.acceleration
    if joint.prismatic:
        origin = origin + _symbolic(graph, joint.rotation @ joint.axis) * q
        shift = axis * ddq + np.cross(velocity, axis) * (dq * 2.0)
        lift = back @ (parent.lift + parent.turning @ origin) + shift
    else:
        lift = back @ (parent.lift + parent.turning @ origin)
        acceleration = acceleration + axis * ddq + np.cross(velocity, axis) * dq
        velocity = velocity + axis * dq
    turning = _turning(velocity, acceleration)
    return BodyMotion(rotation, origin, velocity, acceleration, lift, turning)


def _rotation(graph: Graph, joint: SymbolicJoint, q: Expression) -> Symbolic:
    """Return the rotation of the joint's frame in the parent's: Rodrigues' formula."""
    placed = _symbolic(graph, joint.rotation)
    if joint.prismatic:
        return placed
    x, y, z = joint.axis
    along = np.outer(joint.axis, joint.axis)
    across = _symbolic(graph, np.eye(3) - along) * graph.call("cos", q)
    spin = _symbolic(graph, [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) * graph.call("sin", q)
    return placed @ (across + spin + _symbolic(graph, along))


def _turning(w: Symbolic, dw: Symbolic) -> Symbolic:
    xx, yy, zz = -(w[0] * w[0]), -(w[1] * w[1]), -(w[2] * w[2])
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return np.array(
        [
            [yy + zz, xy - dw[2], xz + dw[1]],
            [xy + dw[2], xx + zz, yz - dw[0]],
            [xz - dw[1], yz + dw[0], xx + yy],
        ]
    )


def _symbolic(graph: Graph, values: ArrayLike) -> Symbolic:
    """Return numbers as expressions, in an array of the same shape."""
    return np.vectorize(graph.number, otypes=[object])(values)
