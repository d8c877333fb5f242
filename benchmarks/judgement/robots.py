"""Robots drawn at random, and shipped ones: with their true bodies and those of a data sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import numpy as np

from dynid.arrays import Array
from dynid.profile import load_robot

SHIPPED = (
    "fr3",
    "lwr4",
    "panda",
    "puma560",
    "scara_2r",
    "scara_3",
    "spatial_3r",
    "ur10",
    "ur3e",
    "ur5e",
    "widowx_ai",
    "yumi_arm",
)
"""Shipped robots that are trees with a motor at each joint."""

_MASS_ERRORS = (0.7, 1.4)  # of a data sheet, as a factor
_CENTRE_ERROR = 0.02  # [m]
_SHARE_OF_SHIPPED = 0.25
_SLIDING_AT_MOST = 2


@dataclass(frozen=True, eq=False)
class DrawnRobot:
    """A robot as it is, and as its URDF says.

    Attributes:
        name: of the robot.
        joints: names of its n joints.
        true_urdf, given_urdf: texts, which differ in the bodies only.
        gravity: in the root frame [m/s^2].
        locked: positions of other movable joints [rad or m].
    """

    name: str
    joints: tuple[str, ...]
    true_urdf: str
    given_urdf: str
    gravity: tuple[float, float, float]
    locked: Mapping[str, float] = field(default_factory=dict)


def draw_robot(random: np.random.Generator) -> DrawnRobot:
    """Return a shipped robot in a quarter of all cases, else one that nobody has built."""
    if random.random() < _SHARE_OF_SHIPPED:
        return _shipped_robot(str(random.choice(SHIPPED)), random)
    count = int(random.integers(2, 8))
    true_urdf = _random_urdf(count, random)
    return DrawnRobot(
        name=f"random_{count}",
        joints=tuple(f"axis_{number}" for number in range(1, count + 1)),
        true_urdf=true_urdf,
        given_urdf=with_wrong_bodies(true_urdf, random),
        gravity=_tilted_gravity(random),
    )


def _shipped_robot(name: str, random: np.random.Generator) -> DrawnRobot:
    robot = load_robot(name)
    return DrawnRobot(
        name=name,
        joints=robot.joints,
        true_urdf=with_wrong_bodies(robot.urdf_xml, random),
        given_urdf=robot.urdf_xml,
        gravity=robot.modelled_gravity,
        locked=robot.locked,
    )


def with_wrong_bodies(urdf_xml: str, random: np.random.Generator) -> str:
    """Return a URDF with other masses, inertias in proportion, and shifted centres."""
    root = ET.fromstring(urdf_xml)  # noqa: S314
    for inertial in root.iter("inertial"):
        factor = float(random.uniform(*_MASS_ERRORS))
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None or inertia is None:
            continue
        mass.set("value", repr(float(mass.get("value", "0")) * factor))
        for name, value in inertia.attrib.items():
            inertia.set(name, repr(float(value) * factor))
        origin = inertial.find("origin")
        if origin is None:
            origin = ET.SubElement(inertial, "origin")
        centre = np.array(origin.get("xyz", "0 0 0").split(), dtype=float)
        origin.set("xyz", _numbers(centre + _direction(random) * random.uniform(0, _CENTRE_ERROR)))
    return ET.tostring(root, encoding="unicode")


def _random_urdf(count: int, random: np.random.Generator) -> str:
    """Return a chain of so many joints, each with a body that a box of uniform density could be."""
    root = ET.Element("robot", name=f"random_{count}")
    ET.SubElement(root, "link", name="body_0")
    sliding = 0
    for number in range(1, count + 1):
        kind = str(random.choice(["revolute", "continuous", "prismatic"], p=[0.7, 0.15, 0.15]))
        # what slides first and last says little of the joints between
        if kind == "prismatic" and (sliding == _SLIDING_AT_MOST or count - sliding < 2):
            kind = "revolute"
        if number == count and sliding == count - 1:
            kind = "revolute"
        sliding += kind == "prismatic"
        _add_joint(root, number, kind, random)
        _add_body(root, number, random)
    return ET.tostring(root, encoding="unicode")


def _add_joint(root: ET.Element, number: int, kind: str, random: np.random.Generator) -> None:
    joint = ET.SubElement(root, "joint", name=f"axis_{number}", type=kind)
    ET.SubElement(joint, "parent", link=f"body_{number - 1}")
    ET.SubElement(joint, "child", link=f"body_{number}")
    offset = _direction(random) * random.uniform(0.1, 0.4)
    square = random.random() < 0.5
    angles = (
        random.integers(-1, 3, size=3) * np.pi / 2 if square else random.uniform(-np.pi, np.pi, 3)
    )
    ET.SubElement(joint, "origin", xyz=_numbers(offset), rpy=_numbers(angles))
    oblique = random.random() < 0.4
    axis = _direction(random) if oblique else np.eye(3)[int(random.integers(3))]
    ET.SubElement(joint, "axis", xyz=_numbers(axis))
    room = "1.5" if kind == "prismatic" else "12"
    ET.SubElement(joint, "limit", lower=f"-{room}", upper=room, velocity="12", effort="5000")


def _add_body(root: ET.Element, number: int, random: np.random.Generator) -> None:
    link = ET.SubElement(root, "link", name=f"body_{number}")
    inertial = ET.SubElement(link, "inertial")
    mass = 9.0 * 0.7**number * random.uniform(0.6, 1.5)
    sides = random.uniform(0.05, 0.35, size=3)  # [m] of the box
    moments = mass / 12 * (np.sum(sides**2) - sides**2)
    rotation = np.linalg.qr(random.normal(size=(3, 3)))[0]
    tensor = rotation @ np.diag(moments) @ rotation.T
    centre = _direction(random) * random.uniform(0.03, 0.2)
    ET.SubElement(inertial, "origin", xyz=_numbers(centre), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=repr(float(mass)))
    entries = {
        f"i{'xyz'[row]}{'xyz'[column]}": repr(float(tensor[row, column]))
        for row in range(3)
        for column in range(row, 3)
    }
    ET.SubElement(inertial, "inertia", entries)


def _tilted_gravity(random: np.random.Generator) -> tuple[float, float, float]:
    """Return the gravity of a floor in half of all cases, else of a wall or a slope."""
    if random.random() < 0.5:
        return (0.0, 0.0, -9.81)
    x, y, z = 9.81 * _direction(random)
    return (float(x), float(y), float(z))


def _direction(random: np.random.Generator) -> Array:
    vector = random.normal(size=3)
    return np.asarray(vector / np.linalg.norm(vector), dtype=float)


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value)) for value in values)
