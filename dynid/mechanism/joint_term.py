"""What joints and motors add to rigid-body dynamics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dynid import _core
from dynid.errors import MechanismError

TERM_KINDS: tuple[str, ...] = tuple(_core.term_kinds())
"""Every kind of joint term; cpp/core/src/joint_terms.cpp has their formulas and units."""


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
    play of ``dead_band``.
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
    """Of a presliding term [rad or m]: motion to and fro within it is an encoder's noise."""


def core_term(term: JointTerm) -> _core.JointTerm:
    """Return the core's counterpart; raises MechanismError or ValueError with a sentence."""
    if term.side not in ("joint", "motor"):
        message = f"A joint term's side is '{term.side}', but must be 'joint' or 'motor'."
        raise MechanismError(message)
    at_motor = term.side == "motor"
    return _core.JointTerm(
        term.kind, term.joint, at_motor, term.smoothing, term.scale, term.dead_band
    )
