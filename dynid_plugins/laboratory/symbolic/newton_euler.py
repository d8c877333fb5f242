"""The recursive Newton-Euler algorithm as expressions, linear in the bodies' parameters.

Forward from the root, each body's angular velocity w, angular acceleration and the acceleration of
its frame's origin; back to the root, its force and moment about that origin,

    F = M a + U MS,   N = J dw + w x J w + MS x a,   U = [dw]x + [w]x [w]x

(Khalil and Kleinfinger 1987), with mass M, first moments MS and moments of inertia J. Parameters
that are zero, as all but the base parameters may be set, need no operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynid.arrays import Array
from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph, Matrix, SymbolicVector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid_plugins.laboratory.symbolic.joint_tree import SymbolicJoint


@dataclass(frozen=True)
class State:
    """Motion of the joints, in drive order."""

    q: Sequence[Expression]
    dq: Sequence[Expression]
    ddq: Sequence[Expression]


@dataclass(frozen=True)
class BodyMotion:
    """Motion of a body in the frame of its joint.

    Attributes:
        rotation: of its frame in that of the body which carries it.
        origin: of its frame in that of the body which carries it [m].
        velocity: angular velocity w [rad/s].
        acceleration: angular acceleration dw [rad/s^2].
        lift: acceleration of the origin minus gravity [m/s^2].
        turning: U.
    """

    rotation: Matrix
    origin: SymbolicVector
    velocity: SymbolicVector
    acceleration: SymbolicVector
    lift: SymbolicVector
    turning: Matrix


@dataclass(frozen=True)
class Wrench:
    """Force, and moment about the origin of a body's frame."""

    force: SymbolicVector
    moment: SymbolicVector


def tree_motions(
    graph: Graph, tree: Sequence[SymbolicJoint], state: State, gravity: Array
) -> list[BodyMotion]:
    """Return the motion of every body of a tree; gravity is (3,) in the root's frame [m/s^2]."""
    nothing = _vector(graph, (0.0, 0.0, 0.0))
    base = BodyMotion(
        rotation=Matrix((nothing, nothing, nothing)),
        origin=nothing,
        velocity=nothing,
        acceleration=nothing,
        lift=_vector(graph, -gravity),
        turning=Matrix((nothing, nothing, nothing)),
    )
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
    """Return the torque of every joint, in drive order.

    Args:
        graph: graph of the motions.
        tree: the joints.
        motions: motions of their bodies.
        parameters: ten standard parameters for each body, in drive order.
    """
    wrenches = [
        body_wrench(motion, parameters[joint.number])
        for joint, motion in zip(tree, motions, strict=True)
    ]
    torque = [graph.number(0.0)] * len(tree)
    for index in reversed(range(len(tree))):
        joint, motion, wrench = tree[index], motions[index], wrenches[index]
        along = wrench.force if joint.prismatic else wrench.moment
        torque[joint.number] = _vector(graph, joint.axis).dot(along)
        if joint.parent >= 0:
            force = motion.rotation @ wrench.force
            moment = motion.rotation @ wrench.moment + motion.origin.cross(force)
            carried = wrenches[joint.parent]
            wrenches[joint.parent] = Wrench(carried.force + force, carried.moment + moment)
    return torque


def body_wrench(motion: BodyMotion, parameters: Sequence[Expression]) -> Wrench:
    """Return the wrench on a body with parameters M, MX, MY, MZ, XX, XY, YY, XZ, YZ, ZZ."""
    mass, mx, my, mz, xx, xy, yy, xz, yz, zz = parameters
    w, dw, u = motion.velocity, motion.acceleration, motion.turning
    (u11, u12, u13), (u21, u22, u23), (u31, u32, u33) = u.rows
    moments = SymbolicVector(mx, my, mz)
    # J dw + w x J w, a column for each moment of inertia
    turned = (
        SymbolicVector(dw.x, w.x * w.z, -(w.x * w.y)) * xx
        + SymbolicVector(-u31, u32, u11 - u22) * xy
        + SymbolicVector(-(w.y * w.z), dw.y, w.x * w.y) * yy
        + SymbolicVector(u21, u33 - u11, -u23) * xz
        + SymbolicVector(u22 - u33, -u12, u13) * yz
        + SymbolicVector(w.y * w.z, -(w.x * w.z), dw.z) * zz
    )
    return Wrench(motion.lift * mass + u @ moments, turned + moments.cross(motion.lift))


def _moved(graph: Graph, joint: SymbolicJoint, parent: BodyMotion, state: State) -> BodyMotion:
    q, dq, ddq = (quantity[joint.number] for quantity in (state.q, state.dq, state.ddq))
    axis = _vector(graph, joint.axis)
    origin = _vector(graph, joint.origin)
    rotation = _rotation(graph, joint, q)
    back = rotation.transposed
    velocity = back @ parent.velocity
    acceleration = back @ parent.acceleration
    if joint.prismatic:
        origin = origin + _vector(graph, joint.rotation @ joint.axis) * q
        shift = axis * ddq + velocity.cross(axis) * (dq * 2.0)
        lift = back @ (parent.lift + parent.turning @ origin) + shift
    else:
        lift = back @ (parent.lift + parent.turning @ origin)
        acceleration = acceleration + axis * ddq + velocity.cross(axis) * dq
        velocity = velocity + axis * dq
    turning = _turning(velocity, acceleration)
    return BodyMotion(rotation, origin, velocity, acceleration, lift, turning)


def _rotation(graph: Graph, joint: SymbolicJoint, q: Expression) -> Matrix:
    """Return the rotation of the joint's frame in the parent's: Rodrigues' formula."""
    placed = [_vector(graph, row) for row in joint.rotation]
    if joint.prismatic:
        return Matrix((placed[0], placed[1], placed[2]))
    sine, cosine = graph.call("sin", q), graph.call("cos", q)
    x, y, z = (float(value) for value in joint.axis)
    spin = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    turned = [
        SymbolicVector(
            *(
                cosine * (float(i == j) - a * b) + sine * spin[i][j] + a * b
                for j, b in enumerate((x, y, z))
            )
        )
        for i, a in enumerate((x, y, z))
    ]
    columns = Matrix((turned[0], turned[1], turned[2])).transposed
    return Matrix(tuple(SymbolicVector(*(row.dot(c) for c in columns.rows)) for row in placed))  # type: ignore[arg-type]


def _turning(w: SymbolicVector, dw: SymbolicVector) -> Matrix:
    xx, yy, zz = -(w.x * w.x), -(w.y * w.y), -(w.z * w.z)
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Matrix(
        (
            SymbolicVector(yy + zz, xy - dw.z, xz + dw.y),
            SymbolicVector(xy + dw.z, xx + zz, yz - dw.x),
            SymbolicVector(xz - dw.y, yz + dw.x, xx + yy),
        )
    )


def _vector(graph: Graph, values: Sequence[float] | Array) -> SymbolicVector:
    return SymbolicVector(*(graph.number(float(value)) for value in values))
