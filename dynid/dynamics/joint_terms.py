"""What joints and motors add to rigid-body dynamics, and how a profile describes it (``terms``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from dynid import _core
from dynid.configuration import Settings
from dynid.errors import MechanismError

TERM_KINDS: tuple[str, ...] = tuple(_core.term_kinds())
"""Every kind of joint term; cpp/core/src/joint_terms.cpp has their formulas and units."""

MEMORY_KINDS = ("presliding", "presliding_load", "lugre")
"""Those whose torque depends on past positions; Coulomb friction once they slide."""

NEVER_NEGATIVE_KINDS = frozenset(_core.never_negative_kinds())
"""Those whose parameter cannot be below 0 where nothing passive drives the robot."""

LOAD_KINDS = ("coulomb_load", "presliding_load")
"""Those whose torque grows with what gravity asks of the joint, so with the parameters."""


@dataclass(frozen=True)
class JointTerm:
    """What a joint or motor adds to rigid-body dynamics: one parameter, one regressor column.

    With v the velocity of the joint or motor, and s(v) = sign(v), or tanh(v / smoothing):
    ``viscous`` v, ``viscous_positive`` max(v, 0), ``viscous_negative`` min(v, 0),
    ``viscous_cubic`` v^3, ``viscous_root`` sign(v) sqrt|v|, ``coulomb`` s(v),
    ``coulomb_positive`` max(s(v), 0), ``coulomb_negative`` min(s(v), 0),
    ``stribeck`` s(v) exp(-(v / scale)^2), ``offset`` and ``spring_preload`` 1,
    ``spring_stiffness`` the position, ``rotor_inertia`` the acceleration, ``coulomb_load``
    s(v) times the size of the torque that gravity asks of the joint (with the mechanism's own
    parameters), ``presliding`` the deflection of an elastic contact that slides when stretched by
    ``scale``, as a share of it, from -1 to 1 (stop operator of Prandtl and Ishlinskii), behind a
    play of ``dead_band``; ``presliding_load`` that times the size of gravity's torque; ``lugre``
    the deflection of bristles, which slide by and by, and at rest hold ``static_ratio`` more (LuGre
    without damping of the bristles; Dahl's model for a ratio of 0).
    """

    kind: str
    """One of ``TERM_KINDS``."""
    joint: int
    """Index of the joint or motor, from 0."""
    side: Literal["joint", "motor"] = "joint"
    """Whose motion counts. A motor's torque reaches the joints through the coupling."""
    smoothing: float = 0.0
    """Velocity [rad/s or m/s] over which the sign is smoothed; 0 keeps it, with sign(0) = 0."""
    scale: float = 0.0
    """Stribeck velocity [rad/s or m/s], or presliding distance [rad or m]."""
    dead_band: float = 0.0
    """Of a term with memory [rad or m]: motion to and fro within it is an encoder's noise."""
    static_ratio: float = 0.0
    """Of LuGre's friction: by how much it is larger at rest, as a share of Coulomb's."""
    stribeck_velocity: float = 0.0
    """Of LuGre's friction: velocity [rad/s or m/s] at which that excess is gone."""


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


def core_term(term: JointTerm) -> _core.JointTerm:
    """Return the core's counterpart; raises MechanismError or ValueError with a sentence."""
    if term.side not in ("joint", "motor"):
        message = f"A joint term's side is '{term.side}', but must be 'joint' or 'motor'."
        raise MechanismError(message)
    at_motor = term.side == "motor"
    return _core.JointTerm(
        term.kind,
        term.joint,
        at_motor,
        term.smoothing,
        term.scale,
        term.dead_band,
        term.static_ratio,
        term.stribeck_velocity,
    )


def weakening_lists(terms: Sequence[JointTerm]) -> dict[str, tuple[float, ...]]:
    """Return what LuGre's terms have besides, one value for each term; nothing where none is."""
    lists = {
        "static_ratio": tuple(float(term.static_ratio) for term in terms),
        "stribeck_velocity": tuple(float(term.stribeck_velocity) for term in terms),
    }
    return lists if any(lists["static_ratio"]) else {}
