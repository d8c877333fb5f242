"""The links of a robot in a new file, one behind each joint, with poses and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.pose import Pose
from dynid.robot.shapes import Shape, robot_shapes

if TYPE_CHECKING:
    from dynid.dynamics.kinematics import Kinematics
    from dynid.robot.model import Model
    from dynid.simulators.exported_model import ExportedModel


@dataclass(frozen=True, eq=False)
class TreeLink:
    """A link with all that is fixed to it.

    Attributes:
        name: of the URDF's link that the joint moves, or of the root.
        parent: name of the link that carries the joint; empty for the root.
        in_parent: pose of its joint in that link; that of the link at position 0.
        axis: (3,) of the joint in its own frame.
        shapes: with their poses in the link's frame.
        order: a parent comes before its children.
    """

    name: str
    parent: str
    in_parent: Pose
    axis: Array
    shapes: tuple[tuple[Shape, Pose], ...]
    order: int


def tree_layout(model: Model) -> tuple[TreeLink, ...]:
    """Return the root link, then the link that each joint of the robot moves.

    Links on locked joints are parts of the link that carries them.
    """
    kinematics = model.robot.kinematics()
    at_zero = kinematics.poses(np.zeros((1, len(model.robot.joints))))[0]
    placed = [Pose.from_numbers(pose) for pose in at_zero]
    names = _link_names(kinematics)
    shapes = robot_shapes(kinematics)
    carriers = [_carrier(kinematics, body) for body in range(len(kinematics.bodies))]
    links = []
    for body in (0, *kinematics.joint_bodies):
        own = placed[body].inverse()
        parent = carriers[kinematics.parents[body]]
        axis = np.zeros(3)
        if body:
            number = kinematics.joint_bodies.index(body)
            joints = kinematics.mechanism.body_joints
            axis = kinematics.mechanism.axes[joints.index(kinematics.mechanism.joints[number])]
        links.append(
            TreeLink(
                names[body],
                names[parent] if body else "",
                placed[parent].inverse().then(placed[body]) if body else Pose(),
                axis,
                tuple(
                    (shape, own.then(placed[other]).then(shape.pose))
                    for other, carrier in enumerate(carriers)
                    if carrier == body
                    for shape in shapes[other]
                ),
                body,
            )
        )
    return tuple(links)


def numbers(values: object) -> str:
    """Return numbers separated by spaces, with all their digits."""
    return " ".join(repr(float(value) + 0.0) for value in np.asarray(values, dtype=np.float64))


def torque_limits(exported: ExportedModel) -> Array | None:
    """Return the largest torque of each joint (n,) [N m or N]; None where there is none."""
    robot = exported.model.robot
    if robot.limits.torque_max is None or robot.coupling is not None:
        return None
    return per_joint(robot.limits.torque_max, len(robot.joints), "torque_max")


def _carrier(kinematics: Kinematics, body: int) -> int:
    """Return the body of an actuated joint that a body is or hangs on, or the root's."""
    while body != 0 and body not in kinematics.joint_bodies:
        body = kinematics.parents[body]
    return body


def _link_names(kinematics: Kinematics) -> dict[int, str]:
    """Return the link of the URDF that each body's joint moves, and the root."""
    names = {0: kinematics.root}
    for joint in ET.fromstring(kinematics.mechanism.urdf_xml).findall("joint"):  # noqa: S314  parsed before
        child, name = joint.find("child"), joint.get("name", "")
        if child is not None and name in kinematics.bodies:
            names[kinematics.bodies.index(name)] = child.get("link", name)
    return names
