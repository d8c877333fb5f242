"""Joint terms, the torques of joints and motors besides rigid-body dynamics, and ``terms``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import Settings
from dynid.errors import MechanismError

TermKind = _core.TermKind
"""A kind of joint term and its traits: a row of the table in cpp/core/src/term_kinds.cpp."""

TERM_SHAPES = tuple(_core.term_shapes())
"""Numbers besides the parameter that give a term its shape, in the order of a model.yaml."""


def term_kinds() -> tuple[TermKind, ...]:
    """Return every kind of joint term, in the order of the table."""
    return tuple(_core.term_kinds())


def term_kind(name: str) -> TermKind:
    """Return the kind of that name.

    Raises:
        MechanismError: there is no such kind; the message lists all.
    """
    try:
        return _core.term_kind(name)
    except ValueError as error:
        raise MechanismError(str(error)) from None


@dataclass(frozen=True)
class JointTerm:
    """A torque of a joint or motor besides rigid-body dynamics: one parameter, one column.

    ``traits.formula`` is the column, with q, v and a the position, velocity and acceleration of the
    joint or motor, s(v) = sign(v), or tanh(v / smoothing), ``load`` the gravity torque of
    the joint (with the mechanism's own parameters), and z the deflection of an elastic contact that
    slides when stretched by ``scale``, as a share of it: of ``presliding`` from -1 to 1 (stop
    operator of Prandtl and Ishlinskii), of ``lugre`` that of bristles, which slide gradually and
    hold ``static_ratio`` more at rest (LuGre without damping of the bristles, Canudas de Wit et al.
    1995; Dahl's model for a ratio of 0). A contact has a play of ``dead_band``.
    """

    kind: str
    """Name of one of :func:`term_kinds`."""
    joint: int
    """Index of the joint or motor, from 0."""
    side: Literal["joint", "motor"] = "joint"
    """Whose motion the term depends on. A motor's torque acts on joints through the coupling."""
    smoothing: float = 0.0
    """Velocity [rad/s or m/s] over which the sign is smoothed; 0 keeps it, with sign(0) = 0."""
    scale: float = 0.0
    """Stribeck velocity [rad/s or m/s], or presliding distance [rad or m]."""
    dead_band: float = 0.0
    """Of a term with memory [rad or m]: oscillations within it are treated as encoder noise."""
    static_ratio: float = 0.0
    """Of LuGre friction: excess at rest over Coulomb friction, as a share of it."""
    stribeck_velocity: float = 0.0
    """Of LuGre friction: velocity [rad/s or m/s] over which that excess decays."""

    @property
    def traits(self) -> TermKind:
        """Traits of its kind; raises MechanismError where the kind is unknown."""
        return term_kind(self.kind)

    def shapes(self) -> dict[str, float]:
        """Return the shapes by name, zeros included."""
        return {shape.name: float(getattr(self, shape.name)) for shape in TERM_SHAPES}

    def column(
        self,
        *,
        velocity: Array,
        position: Array | None = None,
        acceleration: Array | None = None,
        load: Array | None = None,
    ) -> Array:
        """Return the torque per unit of the parameter along a motion, from relaxed contacts.

        Args:
            velocity: (N,) [rad/s or m/s].
            position: (N,) [rad or m]; None for 0.
            acceleration: (N,) [rad/s^2 or m/s^2]; None for 0.
            load: (N,) gravity torque of the joint [N*m or N]; None for 0.
        """
        still = np.zeros_like(velocity)
        motion = (position, velocity, acceleration, load)
        return core_term(self).column(
            *(still if quantity is None else quantity for quantity in motion)
        )


class TermSettings(Settings):
    """One kind of joint term: its joints or motors, and its shape.

    Without ``terms``, or with ``auto``, the identification chooses the friction of each joint from
    the recordings, beside an offset and a rotor inertia; whatever needs terms before that uses
    ``viscous``, ``coulomb`` with a ``smoothing`` of 0.01 rad/s (0.003 m/s at a prismatic joint),
    ``offset`` and ``rotor_inertia``.
    """

    kind: str
    """Kind of the term, such as ``viscous``; docs/method.md lists all."""
    joints: tuple[str, ...] | Literal["all"] = "all"
    """Names of the joints that have it, or ``all``."""
    side: Literal["joint", "motor"] = "joint"
    """At the joint, or at the motor, whose torque comes through the coupling."""
    smoothing: Annotated[float, Field(ge=0)] = 0.0
    """Velocity over which the sign is smoothed [rad/s or m/s]; 0: not at all."""
    scale: Annotated[float, Field(ge=0)] = 0.0
    """Stribeck velocity of ``stribeck`` [rad/s or m/s]; distance of ``presliding`` and ``lugre``
    in rad or m."""
    dead_band: Annotated[float, Field(ge=0)] | None = None
    """Play of ``presliding`` and ``lugre`` to either side, against encoder noise [rad or m]; null:
    half a step of the position, found from ``drives.encoder_counts`` or the recordings."""
    static_ratio: Annotated[float, Field(ge=0)] = 0.0
    """Static friction of ``lugre`` in excess of Coulomb friction, as a fraction of it."""
    stribeck_velocity: Annotated[float, Field(ge=0)] = 0.0
    """Stribeck velocity of ``lugre`` [rad/s or m/s]."""

    @model_validator(mode="before")
    @classmethod
    def _kind_alone(cls, content: object) -> object:
        """Accept the kind alone: ``viscous`` for ``{kind: viscous}``."""
        return {"kind": content} if isinstance(content, str) else content

    @property
    def traits(self) -> TermKind:
        """Traits of its kind; raises MechanismError where the kind is unknown."""
        return term_kind(self.kind)

    def at(self, joint: int) -> JointTerm:
        """Return the term at a joint or motor, counted from 0."""
        values = self.model_dump(exclude={"joints", "dead_band"})
        return JointTerm(joint=joint, dead_band=self.dead_band or 0.0, **values)

    def entry(self) -> dict[str, Any]:
        """Return the entry of a profile: the kind, and values other than the defaults."""
        return {"kind": self.kind} | self.model_dump(mode="json", exclude_defaults=True)


PLAIN_KINDS = ("viscous", "coulomb", "offset", "rotor_inertia")
"""Kinds of :func:`plain_terms`, in their order."""
_PLAIN_SMOOTHING = {False: 0.01, True: 0.003}  # [rad/s], [m/s]: that at a radius of 0.3 m


def plain_terms(joints: Sequence[str], sliding: Sequence[bool]) -> tuple[TermSettings, ...]:
    """Return the terms of a robot that nothing is known of but its URDF.

    Viscous and smoothed Coulomb friction, an offset and a rotor inertia at every actuated joint.
    """
    terms = [TermSettings(kind="viscous")]
    for slides, smoothing in _PLAIN_SMOOTHING.items():
        members = tuple(
            name for name, prismatic in zip(joints, sliding, strict=True) if prismatic == slides
        )
        if members:
            at: tuple[str, ...] | Literal["all"] = "all" if len(members) == len(joints) else members
            terms.append(TermSettings(kind="coulomb", smoothing=smoothing, joints=at))
    return (*terms, TermSettings(kind="offset"), TermSettings(kind="rotor_inertia"))


def core_term(term: JointTerm) -> _core.JointTerm:
    """Return the core's counterpart.

    Raises:
        MechanismError: the side or the kind is unknown.
        ValueError: a shape is unknown.
    """
    if term.side not in ("joint", "motor"):
        message = f"A joint term's side is '{term.side}', but must be 'joint' or 'motor'."
        raise MechanismError(message)
    at_motor = term.side == "motor"
    return _core.JointTerm(term.kind, term.joint, at_motor, term.shapes())


def term_lists(terms: Sequence[JointTerm], joints: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return terms as parallel lists, as in a model.yaml.

    Args:
        terms: in the order of their parameters.
        joints: names of all moving joints.

    Returns:
        ``kinds``, ``joints``, ``sides`` and a list for each shape; of the rare shapes only those
        that a term has.
    """
    lists: dict[str, tuple[Any, ...]] = {
        "kinds": tuple(term.kind for term in terms),
        "joints": tuple(joints[term.joint] for term in terms),
        "sides": tuple(term.side for term in terms),
    }
    for shape in TERM_SHAPES:
        values = tuple(term.shapes()[shape.name] for term in terms)
        if any(values) or not shape.rare:
            lists[shape.name] = values
    return lists
