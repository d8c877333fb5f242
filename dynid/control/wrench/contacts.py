"""Contacts: regions of links on which they are expected, and spans in which there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid import _core
from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.robot.shapes import Shape, robot_shapes

_THICKNESS = 0.02  # share of the reach: radius of a body without any shape
_MOST_FACES = 8  # of a link, the largest ones
_FRICTION_SHARE = 0.5  # of contacts with forces of any direction; the others are normal


class _Face(NamedTuple):
    """A part of a surface with its mean squares, about its shape's centre, in the shape's axes.

    Attributes:
        area: [m^2].
        points: mean of the squared coordinates (3,) [m^2].
        normal: mean of the squared components of the normal (3,).
        moment: the same of the normal's moment (3,) [m^2].
    """

    area: float
    points: Array
    normal: Array
    moment: Array


class _Placed(NamedTuple):
    """A part of a surface in the frame of a link: area, centre, covariance of points, wrench."""

    area: float
    centre: Array
    points: Array
    wrench: Array  # (6, 6), about the centre


@dataclass(frozen=True, eq=False)
class Region:
    """The surface of a moving body, as far as it matters for torques.

    Attributes:
        link: of the URDF, whose frame is that of the body's joint.
        joint: that moves it.
        centre: mean of the surface's points in the link's frame (3,) [m].
        covariance: of the points (3, 3) [m^2].
        kinds: weight, and mean of w wᵀ (6, 6) with w the force and its moment about the centre
            for forces of 1 N [1, m, m^2]: of any direction first, then normal to each face.
    """

    link: str
    joint: str
    centre: Array
    covariance: Array
    kinds: tuple[tuple[float, Array], ...]

    def core(self) -> _core.ContactRegion:
        """Return the core's form."""
        kinds = [_core.ContactKind(weight, wrench) for weight, wrench in self.kinds]
        return _core.ContactRegion(self.link, self.centre, self.covariance, kinds)


def contact_regions(kinematics: Kinematics) -> tuple[Region, ...]:
    """Return a region for each body that a moving joint carries, in the order of these joints.

    The surface is that of the body's shapes (``robot_shapes``) and of those behind locked joints.
    Half of all contacts are expected to have forces of any direction, half normal ones.

    Raises:
        MechanismError: a shape of the URDF is invalid.
    """
    shapes = robot_shapes(kinematics)
    names = _own_links(kinematics)
    # bodies behind locked joints do not move relative to their carriers, so positions do not matter
    placed = kinematics.placements(np.zeros((1, len(kinematics.moving_bodies))))
    regions = []
    for body, joint in zip(
        kinematics.moving_bodies, kinematics.mechanism.moving_joints, strict=True
    ):
        parts = [
            _placed(face, np.linalg.inv(placed[body]) @ placed[other] @ shape.pose.matrix())
            for other in range(len(shapes))
            if _carrier(kinematics, other) == body
            for shape in shapes[other]
            for face in _faces(shape)
        ]
        regions.append(_region(names[body], joint, parts, _THICKNESS * kinematics.reach))
    return tuple(regions)


def _own_links(kinematics: Kinematics) -> dict[int, str]:
    """Return the link of each body whose frame is that of the body's joint."""
    names: dict[int, str] = {}
    for name, (body, _) in kinematics.links().items():
        names.setdefault(body, name)
    return names


def _carrier(kinematics: Kinematics, body: int) -> int:
    """Return the moving body that carries a body, itself or one before locked joints; 0: none."""
    moving = set(kinematics.moving_bodies)
    while body not in moving and body != 0:
        body = kinematics.parents[body]
    return body


def _faces(shape: Shape) -> list[_Face]:
    """Return the parts of a shape's surface with normals of one kind."""
    size = np.array(shape.size)
    if shape.kind == "sphere":
        return [_ball(size[0])]
    if shape.kind == "cylinder":
        radius, length = size[0] / 2, size[2]
        across = np.array([0.5, 0.5, 0.0])
        axial = np.array([0.0, 0.0, 1.0])
        side = length**2 / 12
        ends = radius**2 / 2
        return [
            _Face(
                2 * np.pi * radius * length,
                radius**2 * across + side * axial,
                across,
                side * across,
            ),
            _Face(
                2 * np.pi * radius**2, ends * across + length**2 / 4 * axial, axial, ends * across
            ),
        ]
    faces = []
    for axis in range(3):
        points = size**2 / 12
        # (y, -x, 0) for a normal along z
        moment = np.array([points[3 - axis - k] if k != axis else 0.0 for k in range(3)])
        points = np.where(np.arange(3) == axis, size**2 / 4, points)
        faces.append(_Face(2 * float(size.prod() / size[axis]), points, np.eye(3)[axis], moment))
    return faces


def _ball(diameter: float) -> _Face:
    """Return the surface of a sphere, whose normals have no moment."""
    third = np.full(3, 1 / 3)
    return _Face(np.pi * diameter**2, diameter**2 / 4 * third, third, np.zeros(3))


def _placed(face: _Face, pose: Array) -> _Placed:
    """Return a face in the frame of a link, with the shape's pose (4, 4) in it."""
    turn = pose[:3, :3]
    both = np.zeros((6, 6))
    both[:3, :3] = both[3:, 3:] = turn
    wrench = both @ np.diag([*face.normal, *face.moment]) @ both.T
    return _Placed(face.area, pose[:3, 3], turn @ np.diag(face.points) @ turn.T, wrench)


def _region(link: str, joint: str, parts: list[_Placed], radius: float) -> Region:
    """Return the region of several faces; of a sphere's where there is none."""
    parts = [part for part in parts if part.area > 0]
    if not parts:
        parts = [_placed(_ball(2 * radius), np.eye(4))]
    areas = np.array([part.area for part in parts])
    shares = areas / areas.sum()
    centre: Array = shares @ np.array([part.centre for part in parts])
    covariance: Array = np.sum(
        [
            share * (part.points + np.outer(part.centre - centre, part.centre - centre))
            for share, part in zip(shares, parts, strict=True)
        ],
        axis=0,
    )
    rough = np.zeros((6, 6))
    rough[:3, :3] = np.eye(3) / 3
    rough[3:, 3:] = (np.trace(covariance) * np.eye(3) - covariance) / 3
    largest = np.argsort(-areas, kind="stable")[:_MOST_FACES]
    normal = [
        (
            (1 - _FRICTION_SHARE) * float(areas[k] / areas[largest].sum()),
            _moved(parts[k].wrench, parts[k].centre - centre),
        )
        for k in largest.tolist()
    ]
    return Region(link, joint, centre, covariance, ((_FRICTION_SHARE, rough), *normal))


def _moved(wrench: Array, offset: Array) -> Array:
    """Return the mean of w wᵀ about a point from which its own is at an offset (3,) [m]."""
    x, y, z = offset
    move = np.eye(6)
    move[3:, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return np.asarray(move @ wrench @ move.T)


@dataclass(frozen=True)
class Contact:
    """A contact of a robot with its environment.

    Attributes:
        start: first sample with contact, since the recording's start [s].
        stop: last one [s].
        peak: sample with the largest distance [s], at which links are compared.
        links: the fewest links whose probabilities together reach the confidence, most probable
            first; one if it can be distinguished.
        probabilities: of these.
        distance: squared Mahalanobis distance of the external torque from 0 at the peak.
    """

    start: float
    stop: float
    peak: float
    links: tuple[str, ...]
    probabilities: tuple[float, ...]
    distance: float

    @property
    def distinguished(self) -> bool:
        """Whether the link in contact is known."""
        return len(self.links) == 1

    def __str__(self) -> str:
        """Return a sentence."""
        return f"{self.start:.2f} to {self.stop:.2f} s: {contact_on(self.links)}"


def contact_on(links: Sequence[str]) -> str:
    """Return in words on which links there is a contact."""
    which = "" if len(links) == 1 else ", which cannot be distinguished"
    return f"contact on {' or '.join(links)}{which}"


def find_contacts(
    time: Array,
    distance: Array,
    contact: NDArray[np.bool_],
    probability: Array,
    links: Sequence[str],
    *,
    confidence: float,
    apart: float,
) -> tuple[Contact, ...]:
    """Return the contacts; spans less than ``apart`` [s] from each other are one.

    Args:
        time: (N,) [s].
        distance: squared Mahalanobis distance (N,).
        contact: whether there is contact (N,).
        probability: of the links (N, k).
        links: names, (k,).
        confidence: probability that the links of a contact reach together.
        apart: [s].
    """
    inside = np.flatnonzero(contact)
    if len(inside) == 0:
        return ()
    pieces = np.split(inside, np.flatnonzero(np.diff(time[inside]) > apart) + 1)
    contacts = []
    for piece in pieces:
        peak = int(piece[np.argmax(distance[piece])])
        likely, share = likely_links(probability[peak], links, confidence)
        contacts.append(
            Contact(
                float(time[piece[0]]),
                float(time[piece[-1]]),
                float(time[peak]),
                likely,
                share,
                float(distance[peak]),
            )
        )
    return tuple(contacts)


def likely_links(
    probability: Array, links: Sequence[str], confidence: float
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the fewest links whose probabilities (k,) reach a confidence together, and these."""
    order = np.argsort(-probability, kind="stable")
    count = int(np.searchsorted(np.cumsum(probability[order]), confidence)) + 1
    chosen = order[:count]
    return tuple(links[k] for k in chosen), tuple(float(probability[k]) for k in chosen)
