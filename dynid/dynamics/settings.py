"""How a profile describes joint terms and closed chains: ``terms`` and ``closed_chain``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, model_validator

from dynid.arrays import Vector
from dynid.configuration import Settings
from dynid.dynamics.closed_chain import ClosedChain, LoopClosure


class TermSettings(Settings):
    """One kind of joint term: on which joints or motors, and its shape."""

    kind: str
    joints: tuple[str, ...] | Literal["all"] = "all"
    side: Literal["joint", "motor"] = "joint"
    smoothing: Annotated[float, Field(ge=0)] = 0.0  # velocity [rad/s or m/s] of the smooth sign
    scale: Annotated[float, Field(ge=0)] = 0.0  # Stribeck velocity or presliding distance
    dead_band: Annotated[float, Field(ge=0)] = 0.0  # of presliding [rad or m]: an encoder's noise
    static_ratio: Annotated[float, Field(ge=0)] = 0.0  # of lugre: excess at rest over Coulomb
    stribeck_velocity: Annotated[float, Field(ge=0)] = 0.0  # of lugre [rad/s or m/s]: it is gone


class ClosureSettings(Settings):
    """Two links joined where the URDF's tree was cut open; vectors are in the links' frames."""

    links: tuple[str, str]
    kind: Literal["point", "revolute", "distance"] = "point"
    points: tuple[Vector, Vector]  # [m]
    axes: tuple[Vector, Vector] | None = None  # of a revolute one
    length: PositiveFloat | None = None  # of a distance [m]

    @model_validator(mode="after")
    def _kind_has_what_it_needs(self) -> ClosureSettings:
        for kind, name in (("revolute", "axes"), ("distance", "length")):
            there = getattr(self, name) is not None
            if there and self.kind != kind:
                raise ValueError(f"'{name}' belongs to a closure of kind {kind}, and to no other")
            if self.kind == kind and not there:
                raise ValueError(f"a closure of kind {kind} needs '{name}'")
        return self

    def closure(self) -> LoopClosure:
        """The mechanism's closure."""
        given = {name: value for name, value in self if value is not None}
        return LoopClosure(**given)


class ClosedChainSettings(Settings):
    """Passive joints, about where they are at ``assembled_at``, and what closes the loops."""

    passive: dict[str, float] = Field(default_factory=dict)  # [rad or m]
    assembled_at: tuple[float, ...] = ()  # of ``joints``; all at 0 where absent
    closures: tuple[ClosureSettings, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> ClosedChainSettings:
        if bool(self.passive) != bool(self.closures):
            raise ValueError("'passive' and 'closures' need one another: name both, or neither")
        return self

    def chain(self) -> ClosedChain:
        """The mechanism's closed chain; empty for a tree."""
        closures = tuple(one.closure() for one in self.closures)
        return ClosedChain(self.passive, closures, self.assembled_at)
