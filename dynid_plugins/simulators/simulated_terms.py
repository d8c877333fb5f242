"""Joint terms as simulators have them: armature, damping, dry friction and springs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm
from dynid.errors import ConfigurationError
from dynid.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.motion import Motion

_POWERS = np.arange(3)  # of polynomials


Replacement = tuple[str, str]
"""An axis, and a sentence on what a format does not have and what is in its place."""


class FormatTerms(NamedTuple):
    """What the joints of a format have, besides damping and dry friction.

    Attributes:
        armature: inertia of rotors.
        springs: stiffness and reference position.
        polynomials: damping and stiffness of second and third order.
        couplings: axes that several joints move, such as tendons.
        bristles: LuGre friction.
        closures: kinds of loop closures.
    """

    armature: bool = False
    springs: bool = False
    polynomials: bool = False
    couplings: bool = False
    bristles: bool = False
    closures: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SimulatedAxis:
    """The terms of a joint, or of an axis that several joints move, such as that of a motor.

    Its torque is armature a + dry_friction sign(v) + Σ damping[k] v |v|^k + Σ stiffness[k] q^(k+1)
    + preload, with the axis' own position q, velocity v and acceleration a, and that of bristles.

    Attributes:
        name: of the joint, or ``motor_4``.
        joints: (m,) motion of the axis per motion of each moving joint.
        armature: [kg m^2 or kg].
        damping: (3,) [N m s/rad and powers].
        dry_friction: [N m or N].
        stiffness: (3,) [N m/rad and powers].
        preload: torque at position 0 [N m or N].
        bristles: terms of LuGre friction, each with its sliding friction [N m or N].
        fitted: terms in place of which damping and dry friction were fitted, each with what both
            are per unit of its parameter.
    """

    name: str
    joints: Array
    armature: float = 0.0
    damping: Array = field(default_factory=lambda: np.zeros(3))
    dry_friction: float = 0.0
    stiffness: Array = field(default_factory=lambda: np.zeros(3))
    preload: float = 0.0
    bristles: tuple[tuple[JointTerm, float], ...] = ()
    fitted: tuple[tuple[JointTerm, float, float], ...] = ()

    @property
    def spring_reference(self) -> float:
        """Position at which the spring is relaxed [rad or m]; 0 without a linear spring."""
        return -self.preload / float(self.stiffness[0]) if self.stiffness[0] else 0.0

    def torque(self, motion: Motion) -> Array:
        """Return the torque at the moving joints along their motion (N, m); (N, m)."""
        position, velocity, acceleration = (part @ self.joints for part in motion)
        own = self.armature * acceleration + self.dry_friction * np.sign(velocity) + self.preload
        for power in _POWERS:
            own = own + self.damping[power] * velocity * np.abs(velocity) ** power
            own = own + self.stiffness[power] * position ** (power + 1)
        for term, value in self.bristles:
            own = own + value * term.column(velocity=velocity, position=position)
        return np.asarray(own[:, None] * self.joints)

    def plus(self, motor: SimulatedAxis, ratio: float) -> SimulatedAxis:
        """Return this joint with the terms of a motor that moves by ``ratio`` times its motion."""
        size = abs(ratio)
        return replace(
            self,
            armature=self.armature + motor.armature * ratio**2,
            damping=self.damping + motor.damping * size ** (_POWERS + 2.0),
            dry_friction=self.dry_friction + motor.dry_friction * size,
            stiffness=self.stiffness + motor.stiffness * ratio ** (_POWERS + 2.0),
            preload=self.preload + motor.preload * ratio,
            bristles=self.bristles
            + tuple((_geared(term, size), value * size) for term, value in motor.bristles),
        )


@dataclass(frozen=True, eq=False)
class SimulatedTerms:
    """The joint terms of a robot in a format.

    Attributes:
        axes: of the moving joints in their order, then those of coupled motors.
        replacements: of what the format does not have.
    """

    axes: tuple[SimulatedAxis, ...]
    replacements: tuple[Replacement, ...]

    @property
    def replaced(self) -> tuple[str, ...]:
        """Sentences on what the format does not have, each with its joints and motors."""
        axes: dict[str, list[str]] = {}
        for axis, sentence in self.replacements:
            axes.setdefault(sentence, []).append(axis)
        return tuple(f"{sentence} at {listed(names)}" for sentence, names in axes.items())

    def torque(self, motion: Motion) -> Array:
        """Return the torque of all terms at the moving joints along their motion; (N, m)."""
        return np.asarray(np.sum([axis.torque(motion) for axis in self.axes], axis=0))


def simulated_terms(mechanism: Mechanism, supported: FormatTerms, motion: Motion) -> SimulatedTerms:
    """Return the joint terms of a mechanism as a format has them.

    Kinds that the format has keep their values. If an axis has friction of any other kind, all its
    friction is replaced by the damping and dry friction, neither negative, with the least squared
    error along the motion.

    Args:
        mechanism: with its parameters.
        supported: by the format.
        motion: of the moving joints (N, m), for the fit.

    Raises:
        ConfigurationError: friction of a passive joint grows with its load.
    """
    names, n = mechanism.moving_joints, len(mechanism.joints)
    motors = np.zeros((n, len(names)))
    motors[:, :n] = np.linalg.inv(mechanism.coupling)
    load = mechanism.gravity_torque(motion.position[:, :n])
    replaced: list[Replacement] = []
    rows = zip(names, np.eye(len(names)), strict=True)
    axes = [SimulatedAxis(name, row) for name, row in rows]
    coupled: list[SimulatedAxis] = []
    places: dict[tuple[str, int], _Terms] = {}
    values = mechanism.parameters[mechanism.first_term :].tolist()
    for term, value in zip(mechanism.terms, values, strict=True):
        places.setdefault((term.side, term.joint), []).append((term, value))
    for (side, number), terms in places.items():
        if side == "joint":
            axis, loads = axes[number], _load(load, terms, number, names)
        else:
            axis = SimulatedAxis(f"motor_{number + 1}", motors[number])
            loads = load @ mechanism.coupling[:, number]
        axis = _with_terms(axis, terms, supported, motion, loads, replaced)
        if side == "joint":
            axes[number] = axis
        else:
            coupled.append(axis)
    kept: list[SimulatedAxis] = []
    for motor in coupled:
        moved = np.flatnonzero(motor.joints)
        if supported.couplings and len(moved) > 1:
            kept.append(motor)
            continue
        if len(moved) > 1:
            sentence = "terms at each joint in place of a motor that moves with several"
            replaced.append((motor.name, sentence))
        for joint in moved:
            axes[joint] = axes[joint].plus(motor, float(motor.joints[joint]))
    final = [_with_possible_spring(axis, supported, replaced) for axis in (*axes, *kept)]
    return SimulatedTerms(tuple(final), tuple(replaced))


_Terms = list[tuple[JointTerm, float]]


def _load(load: Array, terms: _Terms, number: int, names: Sequence[str]) -> Array:
    if number < load.shape[1]:
        return load[:, number]
    if any(term.traits.loaded for term, _ in terms):
        raise ConfigurationError(
            f"the passive joint '{names[number]}' has friction that grows with its load, which no "
            "format has and whose nearest terms are not computed; leave it out of 'terms'."
        )
    return np.zeros(len(load))


def _with_terms(
    axis: SimulatedAxis,
    terms: _Terms,
    supported: FormatTerms,
    motion: Motion,
    load: Array,
    replaced: list[Replacement],
) -> SimulatedAxis:
    """Return an axis with the terms that a format has; add sentences on the others."""
    sums: dict[str, float] = {}
    for term, value in terms:
        sums[term.kind] = sums.get(term.kind, 0.0) + value
    friction = [(term, value) for term, value in terms if term.traits.dissipative and value != 0]
    if supported.bristles:
        bristles = [one for one in friction if one[0].kind in _BRISTLES]
        friction = [one for one in friction if one not in bristles]
        axis = replace(axis, bristles=tuple((_lugre(term), value) for term, value in bristles))
        _name_bristles(axis.name, bristles, replaced)
    exact = {"viscous", "coulomb"} | ({"viscous_cubic"} if supported.polynomials else set())
    others = [term for term, _ in friction if term.kind not in exact]
    axis = replace(
        axis,
        armature=sums.get("rotor_inertia", 0.0),
        stiffness=np.array([sums.get(kind, 0.0) for kind in _SPRINGS]),
        preload=sums.get("offset", 0.0) + sums.get("spring_preload", 0.0),
    )
    absent = [
        term.traits.label
        for term, value in terms
        if value != 0 and not term.traits.dissipative and term.kind not in _CONSERVATIVE
    ]
    if absent:
        replaced.append((axis.name, f"no {listed(dict.fromkeys(absent))}"))
    if others or any(value < 0 for _, value in friction):
        return _with_fitted_friction(axis, friction, others, motion, load, replaced)
    damping = np.array([sums.get("viscous", 0.0), 0.0, sums.get("viscous_cubic", 0.0)])
    return replace(axis, damping=damping, dry_friction=sums.get("coulomb", 0.0))


_BRISTLES = ("lugre", "presliding")
_STOP_AS_BRISTLES = 1.873
"""Stiffness of bristles in place of a stop of the same friction, relative to it: the least squared
difference of their torques min(x, 1) and 1 - exp(-k x) over a stretch x that starts relaxed."""


def _lugre(term: JointTerm) -> JointTerm:
    """Return the LuGre friction, without play, in place of a term of ``_BRISTLES``."""
    if term.kind == "lugre":
        return replace(term, dead_band=0.0)
    return JointTerm("lugre", term.joint, term.side, scale=term.scale / _STOP_AS_BRISTLES)


def _geared(term: JointTerm, ratio: float) -> JointTerm:
    """Return a motor's term for a joint that moves by 1 / ``ratio`` of the motor's motion."""
    return replace(term, scale=term.scale / ratio, stribeck_velocity=term.stribeck_velocity / ratio)


def _name_bristles(axis: str, bristles: _Terms, replaced: list[Replacement]) -> None:
    kinds = {term.kind for term, _ in bristles}
    if "presliding" in kinds:
        replaced.append((axis, "LuGre friction in place of presliding friction"))
    if any(term.dead_band for term, _ in bristles):
        replaced.append((axis, "no play of presliding friction"))


_SPRINGS = ("spring_stiffness", "spring_quadratic", "spring_cubic")
_CONSERVATIVE = {"rotor_inertia", "offset", "spring_preload", *_SPRINGS}


def _with_fitted_friction(
    axis: SimulatedAxis,
    friction: _Terms,
    others: Sequence[JointTerm],
    motion: Motion,
    load: Array,
    replaced: list[Replacement],
) -> SimulatedAxis:
    position, velocity, acceleration = (part @ axis.joints for part in motion)
    own = {"position": position, "velocity": velocity, "acceleration": acceleration}
    terms = np.column_stack([term.column(**own, load=load) for term, _ in friction])
    columns = np.column_stack([velocity, np.sign(velocity)])
    (damping, dry), _ = scipy.optimize.nnls(columns, terms @ [value for _, value in friction])
    shares = np.linalg.lstsq(columns, terms, rcond=None)[0].T.tolist()
    fitted = tuple((term, *share) for (term, _), share in zip(friction, shares, strict=True))
    labels = dict.fromkeys(term.traits.label for term in others)
    kinds = listed(labels) if labels else "negative friction"
    replaced.append((axis.name, f"damping and dry friction in place of {kinds}"))
    return replace(
        axis, damping=np.array([damping, 0.0, 0.0]), dry_friction=float(dry), fitted=fitted
    )


def _with_possible_spring(
    axis: SimulatedAxis, supported: FormatTerms, replaced: list[Replacement]
) -> SimulatedAxis:
    """Return an axis without the springs and constant torques that a format does not have."""
    linear, curved = axis.stiffness[0], axis.stiffness[1:]
    if not supported.springs or (linear < 0 and not supported.polynomials):
        if axis.stiffness.any():
            replaced.append((axis.name, "no spring"))
        axis = replace(axis, stiffness=np.zeros(3))
    elif curved.any() and not supported.polynomials:
        replaced.append((axis.name, "a linear spring"))
        axis = replace(axis, stiffness=np.array([linear, 0.0, 0.0]))
    if axis.preload and not (axis.stiffness[0] > 0 and not axis.stiffness[1:].any()):
        replaced.append((axis.name, "no constant torque"))
        axis = replace(axis, preload=0.0)
    return axis
