"""A Denavit-Hartenberg table in its author's units, convention and notation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field, PositiveFloat, model_validator

from dynid.arrays import Vector
from dynid.configuration import Settings, parse, read_yaml
from dynid.file_names import FileName

_OF_PI = re.compile(r"([+-]?)(?:(\d{1,6}) ?\*? ?)?pi(?: ?/ ?([1-9]\d{0,5}))?")
_METRES = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}


def _is_of_pi(text: str) -> str:
    if _OF_PI.fullmatch(text) is None:
        raise ValueError(f"must be a number, or a fraction of pi such as -pi/2, got '{text}'")
    return text


Angle = float | Annotated[str, AfterValidator(_is_of_pi)]
"""In the table's unit; or ``pi/2``, ``-2*pi/3`` in a table in radians."""


class Placement(Settings):
    """A frame in another one: position, and roll, pitch, yaw about the fixed x, y, z."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: tuple[Angle, Angle, Angle] = (0.0, 0.0, 0.0)


class Inertia(Settings):
    """A link's inertia [kg m^2], along the axes of its Denavit-Hartenberg frame.

    ``about`` the link's centre of mass, or the origin of the frame. Products are elements of the
    tensor: ``xy`` is -∫ x y dm.
    """

    xx: float
    yy: float
    zz: float
    xy: float = 0.0
    xz: float = 0.0
    yz: float = 0.0
    about: Literal["centre", "frame"] = "centre"


class RowLimits(Settings):
    """Limits of a joint, in the table's units (per s, per s^2); torque [N m or N]."""

    position: tuple[Angle, Angle]
    velocity: PositiveFloat
    acceleration: PositiveFloat | None = None
    torque: PositiveFloat | None = None


class DhRow(Settings):
    """One joint, and the link that it moves.

    The four numbers are named as by Denavit, Hartenberg, Paul and Craig: ``a`` and ``alpha`` along
    and about x, ``d`` and ``theta`` along and about z. Or as by Khalil, in a table of the modified
    convention: ``d`` and ``alpha`` along and about x, ``r`` and ``theta`` along and about z. All
    four are required, so that the two meanings of ``d`` are not confused. The joint variable,
    ``theta`` or the length along z, is given at position 0.
    """

    name: str | None = None
    type: Literal["revolute", "prismatic"] = "revolute"
    alpha: Angle
    theta: Angle
    d: float
    a: float | None = None
    r: float | None = None
    limits: RowLimits | None = None
    mass: PositiveFloat | None = None
    centre: Vector | None = None
    inertia: Inertia | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> DhRow:
        if (self.a is None) == (self.r is None):
            raise ValueError(
                "a row must have either a and d (a along x, d along z), or Khalil's d and r "
                "(d along x, r along z)"
            )
        if self.type == "prismatic" and self.limits is None:
            raise ValueError("a prismatic row must have 'limits', which URDF requires")
        if (self.mass is None) != (self.centre is None):
            raise ValueError("'mass' and 'centre' must be given together or not at all")
        if self.inertia is not None and self.mass is None:
            raise ValueError("'inertia' requires 'mass' and 'centre'")
        return self

    @property
    def along_x(self) -> float:
        """The length along x, in the table's unit."""
        return self.d if self.a is None else self.a

    @property
    def along_z(self) -> float:
        """The length along z, in the table's unit."""
        return self.d if self.r is None else self.r


class ChainTable(Settings):
    """A chain of joints, its frame 0 in the robot's frame, and the tool in its last frame."""

    prefix: str = ""
    """Prefix of the names of its joints and links, if a robot has several chains."""
    base: Placement = Placement()
    tool: Placement = Placement()
    rows: Annotated[tuple[DhRow, ...], Field(min_length=1)]


class DhTable(Settings):
    """A robot's table: one chain's ``rows`` with ``base`` and ``tool``, or several ``chains``."""

    robot: FileName
    convention: Literal["classic", "modified"]
    angles: Literal["radians", "degrees"]
    lengths: Literal["m", "mm", "cm"]
    gravity: Vector = (0.0, 0.0, -9.81)
    base: Placement | None = None
    tool: Placement | None = None
    rows: Annotated[tuple[DhRow, ...], Field(min_length=1)] | None = None
    chains: Annotated[tuple[ChainTable, ...], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _is_one_table(self) -> DhTable:
        if (self.rows is None) == (self.chains is None):
            raise ValueError("a table must have either 'rows', or 'chains' with rows in each")
        if self.chains is not None and not (self.base is None and self.tool is None):
            raise ValueError("'base' and 'tool' must be in each of 'chains'")
        rows = [row for chain in self.all_chains for row in chain.rows]
        letters = {row.r is not None for row in rows}
        if letters == {True, False}:
            raise ValueError("some rows have r and others a; use one notation in all rows")
        if letters == {True} and self.convention == "classic":
            raise ValueError("rows have Khalil's r, so 'convention' must be modified")
        names = [name for chain in self.all_chains for name in joint_names(chain)]
        for name in names:
            if names.count(name) > 1:
                remedy = "chains a 'prefix'" if self.chains else "one of them another 'name'"
                raise ValueError(f"two joints are named '{name}'; give {remedy}")
        return self

    @property
    def all_chains(self) -> tuple[ChainTable, ...]:
        """The chains, also if there is only one."""
        if self.chains is not None:
            return self.chains
        base, tool = self.base or Placement(), self.tool or Placement()
        return (ChainTable(base=base, tool=tool, rows=self.rows or ()),)

    def metres(self, length: Angle) -> float:
        """Convert a length of the table to m.

        Raises:
            ValueError: it is written as an angle.
        """
        if isinstance(length, str):
            raise ValueError(f"a length is '{length}', but must be a number")
        return length * _METRES[self.lengths]

    def radians(self, angle: Angle) -> float:
        """Convert an angle of the table to rad.

        Raises:
            ValueError: it is a fraction of pi, but the table is in degrees.
        """
        if not isinstance(angle, str):
            return float(np.radians(angle)) if self.angles == "degrees" else angle
        if self.angles == "degrees":
            raise ValueError(f"an angle is '{angle}', but 'angles' is degrees")
        sign, factor, divisor = _OF_PI.fullmatch(angle).groups()  # type: ignore[union-attr]
        return (-1 if sign == "-" else 1) * int(factor or 1) * np.pi / int(divisor or 1)


def joint_names(chain: ChainTable) -> list[str]:
    """Return the names of a chain's joints, ``joint_1`` and so on by default."""
    return [
        chain.prefix + (row.name or f"joint_{number}") for number, row in enumerate(chain.rows, 1)
    ]


def read_table(path: Path) -> DhTable:
    """Read a table from a YAML file.

    Raises:
        ConfigurationError: an entry is invalid, with file, row, key, and the expected value.
    """
    return parse(DhTable, read_yaml(path), path.name)
