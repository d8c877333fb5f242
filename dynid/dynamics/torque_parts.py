"""The torque of a model in parts: inertia, Coriolis, gravity, and each kind of joint term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import ArrayLike

    from dynid.dynamics.mechanism import Mechanism


@dataclass(frozen=True)
class TorqueParts:
    """τ = M(q) ddq + C(q, dq) dq + g(q) + joint terms; each (N, n), or (n,) [N*m or N].

    Attributes:
        inertia: M(q) ddq, rotors included.
        coriolis: C(q, dq) dq: Coriolis and centrifugal.
        gravity: g(q), without springs.
        terms: torque of all joint terms of a kind, by kind, in the order of the mechanism's terms.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    terms: Mapping[str, Array]

    def named(self) -> dict[str, Array]:
        """Return all parts by name: ``inertia``, ``coriolis``, ``gravity``, then kinds of terms."""
        rigid = {"inertia": self.inertia, "coriolis": self.coriolis, "gravity": self.gravity}
        return {**rigid, **self.terms}

    @property
    def total(self) -> Array:
        """The torque of inverse dynamics."""
        return np.asarray(sum(self.named().values()))


def torque_parts(mechanism: Mechanism, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> TorqueParts:
    """Split the torque of a mechanism with its own parameters into parts.

    Torque is linear in the parameters and C(q, 0) = 0, so every part is the torque of the mechanism
    with some parameters and motions set to zero. Terms with memory take the rows as one motion.

    Args:
        mechanism: the model.
        q: positions, (N, n) or (n,) [rad or m].
        dq: velocities, of the same shape [rad/s or m/s].
        ddq: accelerations, of the same shape [rad/s^2 or m/s^2].

    Raises:
        MechanismError: the shapes do not match the mechanism.
    """
    rest = np.zeros_like(np.asarray(q, dtype=np.float64))
    bodies = _only(mechanism, {None})
    gravity = mechanism.torque(q, rest, rest, bodies)
    rotors = {term.kind for term in mechanism.terms if term.traits.inertial}
    kinds = dict.fromkeys(term.kind for term in mechanism.terms if term.kind not in rotors)
    return TorqueParts(
        inertia=mechanism.torque(q, rest, ddq, bodies + _only(mechanism, rotors)) - gravity,
        coriolis=mechanism.torque(q, dq, rest, bodies) - gravity,
        gravity=gravity,
        terms={kind: torque_of_kinds(mechanism, q, dq, ddq, {kind}) for kind in kinds},
    )


def torque_of_kinds(
    mechanism: Mechanism, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, kinds: Collection[str]
) -> Array:
    """Return the torque of all joint terms of some kinds, (N, n) or (n,) [N*m or N].

    Args:
        mechanism: the model.
        q: positions, (N, n) or (n,) [rad or m].
        dq: velocities, of the same shape [rad/s or m/s].
        ddq: accelerations, of the same shape [rad/s^2 or m/s^2].
        kinds: of the terms.

    Raises:
        MechanismError: the shapes do not match the mechanism.
    """
    return mechanism.torque(q, dq, ddq, _only(mechanism, kinds))


def _only(mechanism: Mechanism, wanted: Collection[str | None]) -> Array:
    """Return the parameters (p,) with all but those of some kinds zero; None is the bodies."""
    of_body: list[str | None] = [None] * mechanism.first_term
    kinds = of_body + [term.kind for term in mechanism.terms]
    return np.where([kind in wanted for kind in kinds], mechanism.parameters, 0.0)
