"""Frames and bodies from the table's numbers; the only module with the two conventions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.dh.table import (
    ChainTable,
    DhRow,
    DhTable,
    Inertia,
    Placement,
    RowLimits,
    joint_names,
)

_ROUNDING = 1e-9  # share of the largest principal moment


class LinkLimits(NamedTuple):
    """Lower and upper position [rad or m], velocity and acceleration, torque [N m or N]."""

    position: tuple[float, float]
    velocity: float
    acceleration: float | None
    torque: float | None


@dataclass(frozen=True, eq=False)
class Link:
    """A joint and the link that it moves, in SI units.

    The joint moves along or about z of its frame. URDF requires that frame on the axis: in the
    modified convention it is the link's Denavit-Hartenberg frame, in the classic one the frame
    before the link's a and alpha.

    Attributes:
        before: its frame at position 0, in the previous Denavit-Hartenberg frame.
        after: the link's Denavit-Hartenberg frame, in the joint's frame.
        limits: of the joint, or None.
        mass: [kg], or None if the body is not known.
        centre: of mass in the link's Denavit-Hartenberg frame (3,) [m].
        inertia: about the centre of mass, along the axes of that frame (3, 3) [kg m^2].
    """

    joint: str
    type: Literal["revolute", "prismatic"]
    before: pinocchio.SE3
    after: pinocchio.SE3
    limits: LinkLimits | None
    mass: float | None
    centre: Array
    inertia: Array


@dataclass(frozen=True, eq=False)
class DhChain:
    """A chain of links from the robot's root, with base and tool as frames, in SI units."""

    prefix: str
    base: pinocchio.SE3
    links: tuple[Link, ...]
    tool: pinocchio.SE3


def chains_of(table: DhTable, where: str) -> tuple[DhChain, ...]:
    """Return the frames and bodies that a table describes.

    Raises:
        ConfigurationError: a row describes no valid joint or body.
    """
    return tuple(_chain(table, chain, where) for chain in table.all_chains)


def _chain(table: DhTable, chain: ChainTable, where: str) -> DhChain:
    links = []
    for number, (name, row) in enumerate(zip(joint_names(chain), chain.rows, strict=True), 1):
        with _named(f"{where}: row {number} ({name})"):
            links.append(_link(table, row, name))
    with _named(f"{where}: base or tool"):
        base, tool = _placed(table, chain.base), _placed(table, chain.tool)
    return DhChain(chain.prefix, base, tuple(links), tool)


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Add the place to errors raised within the block."""
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(f"{place}: {error}.") from None


def _link(table: DhTable, row: DhRow, name: str) -> Link:
    along_x = _screw("x", table.radians(row.alpha), table.metres(row.along_x))
    along_z = _screw("z", table.radians(row.theta), table.metres(row.along_z))
    if table.convention == "classic":  # Denavit and Hartenberg 1955: about z, then about x
        before, after = along_z, pinocchio.SE3(along_x)
    else:  # Craig 1986, Khalil and Kleinfinger 1986: about x, then about z
        before, after = along_x * along_z, pinocchio.SE3.Identity()
    centre = np.array([table.metres(value) for value in row.centre or (0.0, 0.0, 0.0)])
    return Link(
        name,
        row.type,
        before,
        after,
        None if row.limits is None else _limits(table, row.limits, slides=row.type == "prismatic"),
        row.mass,
        centre,
        _about_centre(row.inertia, row.mass or 0.0, centre),
    )


def _screw(axis: Literal["x", "z"], angle: float, length: float) -> pinocchio.SE3:
    """Return the frame rotated about an axis by an angle [rad] and moved along it [m]."""
    direction = np.eye(3)["xyz".index(axis)]
    return pinocchio.SE3(
        np.array(pinocchio.AngleAxis(angle, direction).matrix()), length * direction
    )


def _placed(table: DhTable, placement: Placement) -> pinocchio.SE3:
    turn = pinocchio.rpy.rpyToMatrix(np.array([table.radians(angle) for angle in placement.rpy]))
    return pinocchio.SE3(turn, np.array([table.metres(value) for value in placement.xyz]))


def _limits(table: DhTable, limits: RowLimits, *, slides: bool) -> LinkLimits:
    convert = table.metres if slides else table.radians
    low, high = (convert(value) for value in limits.position)
    if low >= high:
        raise ValueError(f"position [{low:g}, {high:g}] must be [lower, upper]")
    most = limits.acceleration
    acceleration = None if most is None else convert(most)
    return LinkLimits((low, high), convert(limits.velocity), acceleration, limits.torque)


def _about_centre(inertia: Inertia | None, mass: float, centre: Array) -> Array:
    """Return the inertia about the centre of mass, after a check that it is physically possible."""
    if inertia is None:
        return np.zeros((3, 3))
    tensor = np.array(
        [
            [inertia.xx, inertia.xy, inertia.xz],
            [inertia.xy, inertia.yy, inertia.yz],
            [inertia.xz, inertia.yz, inertia.zz],
        ]
    )
    if inertia.about == "frame":  # Steiner
        tensor = tensor - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < 0 or moments[:2].sum() < (1 - _ROUNDING) * moments[2]:
        shown = ", ".join(f"{moment:.4g}" for moment in moments)
        raise ValueError(
            f"the inertia about the centre of mass has principal moments {shown} kg m^2, but none "
            "may be negative or larger than the sum of the others"
        )
    return np.asarray(tensor)
