"""Closed chains: passive joints, loop closures, and a profile's ``closed_chain``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from pydantic import Field, PositiveFloat, model_validator

from dynid import _core
from dynid.arrays import Vector
from dynid.configuration import Settings


@dataclass(frozen=True)
class LoopClosure:
    """Two links of a URDF, joined where the tree was cut open; vectors are in the links' frames."""

    links: tuple[str, str]
    """Their names; the root link may be one of them."""
    points: tuple[Vector, Vector] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    """One on each link [m]."""
    kind: Literal["point", "revolute", "distance", "gear"] = "point"
    """``point``: the points coincide (ball joint); ``revolute``: they do, and the axes are parallel
    (hinge); ``distance``: they keep their distance (rod without mass); ``gear``: the joint that
    moves the first link moves by ``ratio`` times that of the second."""
    axes: tuple[Vector, Vector] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    """One on each link, of a revolute closure."""
    length: float = 0.0
    """Length of a distance closure [m]."""
    ratio: float = 0.0
    """Of a gear; ``passive`` and ``assembled_at`` give the offset of its two joints."""


@dataclass(frozen=True)
class ClosedChain:
    """Passive joints, and the closures that their positions follow from."""

    passive: Mapping[str, float] = field(default_factory=dict)
    """Joints that move but have no drive, with approximate positions [rad or m] at
    ``assembled_at``, which select one of several assembly modes."""
    closures: tuple[LoopClosure, ...] = ()
    assembled_at: tuple[float, ...] = ()
    """Positions of the actuated joints at assembly [rad or m]; empty: all at 0."""


def core_closure(closure: LoopClosure) -> _core.LoopClosure:
    """Return the core's counterpart.

    Raises:
        ValueError: the closure is invalid, with a sentence for the user.
    """
    points, axes = np.array(closure.points, dtype=float), np.array(closure.axes, dtype=float)
    return _core.LoopClosure(
        closure.kind, *closure.links, points[0], points[1], axes[0], axes[1], _number(closure)
    )


def _number(closure: LoopClosure) -> float:
    """Return the one number of a closure: of a distance its length, of a gear its ratio."""
    return float(closure.ratio if closure.kind == "gear" else closure.length)


def chain_lists(chain: ClosedChain) -> dict[str, list[str] | list[float]]:
    """Return a closed chain as flat lists, as ROS parameters have it; of a tree all are empty."""
    closures = chain.closures
    return {
        "passive_joints": list(chain.passive),
        "passive_positions": [float(value) for value in chain.passive.values()],
        "assembled_at": [float(value) for value in chain.assembled_at],
        "closure_kinds": [str(closure.kind) for closure in closures],
        "closure_links": [name for closure in closures for name in closure.links],
        "closure_points": [
            float(x) for closure in closures for point in closure.points for x in point
        ],
        "closure_axes": [float(x) for closure in closures for axis in closure.axes for x in axis],
        "closure_lengths": [_number(closure) for closure in closures],
    }


class ClosureSettings(Settings):
    """Two links joined where the URDF's tree was cut open; vectors are in the links' frames."""

    links: tuple[str, str]
    """Names of the two links; the root link may be one of them."""
    kind: Literal["point", "revolute", "distance", "gear"] = "point"
    """``point``: ball joint; ``revolute``: hinge; ``distance``: rod without mass; ``gear``: the
    joint that moves the first link follows that of the second."""
    points: tuple[Vector, Vector] | None = None
    """One point on each link [m], of all kinds but ``gear``."""
    axes: tuple[Vector, Vector] | None = None
    """One axis on each link, of a ``revolute`` closure."""
    length: PositiveFloat | None = None
    """Length of the rod, of a ``distance`` closure [m]."""
    ratio: float | None = None
    """Motion of the first link's joint over that of the second's, of a ``gear``; between their
    positions in ``passive`` and ``assembled_at``, which must be exact for them."""

    @model_validator(mode="after")
    def _kind_has_what_it_needs(self) -> ClosureSettings:
        if (self.points is None) != (self.kind == "gear"):
            raise ValueError(
                "'points' is not for a closure of kind gear"
                if self.kind == "gear"
                else f"a closure of kind {self.kind} needs 'points'"
            )
        for kind, name in (("revolute", "axes"), ("distance", "length"), ("gear", "ratio")):
            is_given = getattr(self, name) is not None
            if is_given and self.kind != kind:
                raise ValueError(f"'{name}' is only for a closure of kind {kind}")
            if self.kind == kind and not is_given:
                raise ValueError(f"a closure of kind {kind} needs '{name}'")
        return self

    def closure(self) -> LoopClosure:
        """Return the mechanism's closure."""
        given = {name: value for name, value in self if value is not None}
        return LoopClosure(**given)


class ClosedChainSettings(Settings):
    """Passive joints with approximate positions at ``assembled_at``, and loop closures."""

    passive: dict[str, float] = Field(default_factory=dict)
    """Joints without a drive, and their approximate positions at ``assembled_at`` [rad or m]."""
    assembled_at: tuple[float, ...] = ()
    """Positions of ``joints`` for which ``passive`` is given [rad or m]; empty: all 0."""
    closures: tuple[ClosureSettings, ...] = ()
    """Where the loops are closed."""

    @model_validator(mode="after")
    def _complete(self) -> ClosedChainSettings:
        if bool(self.passive) != bool(self.closures):
            raise ValueError("'passive' and 'closures' need each other: give both or neither")
        return self

    def chain(self) -> ClosedChain:
        """Return the mechanism's closed chain; empty for a tree."""
        closures = tuple(settings.closure() for settings in self.closures)
        return ClosedChain(self.passive, closures, self.assembled_at)
