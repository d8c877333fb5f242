"""The links of a robot in a new file, one behind each joint, with poses and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.dynamics.pose import Pose
from dynid.dynamics.rigid_body import RigidBody
from dynid.robot.shapes import Shape, robot_shapes
from dynid.xml_tree import xml_tree

if TYPE_CHECKING:
    from dynid.dynamics.kinematics import Kinematics
    from dynid.robot.model import Model
    from dynid_plugins.simulators.exported_model import ExportedModel

ROOT_BODY = RigidBody(1.0, np.zeros(3), 0.01 * np.eye(3))
"""Of the root in formats in which it is a body that is fixed to the world."""


@dataclass(frozen=True, eq=False)
class TreeLink:
    """A link with all that is fixed to it.

    Attributes:
        name: of the URDF's link that the joint moves, or of the root.
        parent: name of the link that carries the joint; empty for the root.
        in_parent: pose of its joint in that link, which is that of the link.
        axis: (3,) of the joint in its own frame.
        slides: whether the joint is prismatic.
        shapes: with their poses in the link's frame.
        number: of the joint; -1 of the root.
    """

    name: str
    parent: str
    in_parent: Pose
    axis: Array
    slides: bool
    shapes: tuple[tuple[Shape, Pose], ...]
    number: int


def tree_layout(model: Model, positions: Array | None = None) -> tuple[TreeLink, ...]:
    """Return the root link, then the link that each moving joint moves, parents first.

    Links on locked joints are parts of the link that carries them. The tree is that of the URDF:
    loops are open.

    Args:
        model: of the robot.
        positions: (m,) of the moving joints at which links are placed [rad or m]; None: all 0.
    """
    kinematics = model.robot.kinematics()
    moving = kinematics.moving_bodies
    placed = _placed(kinematics, np.zeros(len(moving)) if positions is None else positions)
    names = _link_names(kinematics)
    shapes = robot_shapes(kinematics)
    carriers = [_carrier(kinematics, body) for body in range(len(kinematics.bodies))]
    subspaces = dict(zip(moving, kinematics.subspaces, strict=True))
    links = []
    for body in (0, *sorted(moving)):
        own = placed[body].inverse()
        parent = carriers[kinematics.parents[body]]
        velocity, turn = np.split(subspaces.get(body, np.zeros(6)), 2)
        links.append(
            TreeLink(
                names[body],
                names[parent] if body else "",
                placed[parent].inverse().then(placed[body]) if body else Pose(),
                velocity + turn,  # one of them is 0
                bool(velocity.any()),
                tuple(
                    (shape, own.then(placed[other]).then(shape.pose))
                    for other, carrier in enumerate(carriers)
                    if carrier == body
                    for shape in shapes[other]
                ),
                moving.index(body) if body else -1,
            )
        )
    return tuple(links)


def file_text(root: ET.Element, header: list[str]) -> str:
    """Return the text of a new XML file, which begins with lines of a comment."""
    lines = "\n    ".join(line.replace("--", "- -") for line in header)
    root.insert(0, ET.Comment(f" {lines} "))
    ET.indent(root)
    return f'<?xml version="1.0"?>\n{ET.tostring(root, encoding="unicode")}\n'


def numbers(values: object) -> str:
    """Return numbers separated by spaces, with all their digits."""
    return " ".join(repr(float(value) + 0.0) for value in np.asarray(values, dtype=np.float64))


class CarriedLink(NamedTuple):
    """Where a link of the URDF is in a layout.

    Attributes:
        carrier: name of the layout's link that it is a part of.
        joint: that moves it; empty for the root.
        pose: of the link in the carrier's frame.
    """

    carrier: str
    joint: str
    pose: Pose


def carried_link(model: Model, link: str) -> CarriedLink:
    """Return where a link of the URDF is in the layout of a robot."""
    kinematics = model.robot.kinematics()
    body, pose = kinematics.links()[link]
    carrier = _carrier(kinematics, body)
    placed = _placed(kinematics, np.zeros(len(kinematics.moving_bodies)))
    return CarriedLink(
        _link_names(kinematics)[carrier],
        kinematics.bodies[carrier] if carrier else "",
        placed[carrier].inverse().then(placed[body]).then(pose),
    )


class Follower(NamedTuple):
    """A joint at multiplier * position of the leader + offset [rad or m]."""

    leader: str
    multiplier: float
    offset: float


def followers(exported: ExportedModel) -> dict[str, Follower]:
    """Return the joints that follow others by closures of kind gear, by name."""
    positions = dict(zip(exported.joints, assembled_positions(exported).tolist(), strict=True))
    found = {}
    for closure in exported.mechanism.chain.closures:
        if closure.kind == "gear":
            joint, leader = (carried_link(exported.model, one).joint for one in closure.links)
            offset = positions[joint] - closure.ratio * positions[leader]
            found[joint] = Follower(leader, closure.ratio, offset)
    return found


def assembled_positions(exported: ExportedModel) -> Array:
    """Return the positions of the moving joints as the robot is assembled (m,); of a tree, 0."""
    mechanism = exported.mechanism
    given = mechanism.chain.assembled_at or np.zeros(len(mechanism.joints))
    return mechanism.moving_positions(given)


def _placed(kinematics: Kinematics, positions: Array) -> list[Pose]:
    """Return the poses of all bodies at positions (m,) of the moving joints."""
    matrices = kinematics.placements(np.asarray(positions)[None])
    return [Pose.from_numbers(pinocchio.SE3ToXYZQUAT(pinocchio.SE3(one))) for one in matrices]


def _carrier(kinematics: Kinematics, body: int) -> int:
    """Return the body of a moving joint that a body is or hangs on, or the root's."""
    while body != 0 and body not in kinematics.moving_bodies:
        body = kinematics.parents[body]
    return body


def _link_names(kinematics: Kinematics) -> dict[int, str]:
    """Return the link of the URDF that each body's joint moves, and the root."""
    names = {0: kinematics.root}
    for joint in xml_tree(kinematics.mechanism.urdf_xml, "The URDF").findall("joint"):
        child, name = joint.find("child"), joint.get("name", "")
        if child is not None and name in kinematics.bodies:
            names[kinematics.bodies.index(name)] = child.get("link", name)
    return names
