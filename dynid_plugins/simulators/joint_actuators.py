"""What trainers of policies need of each joint: its actuator, passive terms, and their ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import per_joint
from dynid.errors import ConfigurationError
from dynid.robot.drives import torque_per_ampere

if TYPE_CHECKING:
    from dynid.dynamics.joint_terms import JointTerm
    from dynid.robot.drives import Drives
    from dynid.robot.servo import Servo
    from dynid_plugins.simulators.exported_model import ExportedModel
    from dynid_plugins.simulators.simulated_terms import SimulatedAxis

_FIELDS = {"rotor_inertia": "armature", "viscous": "viscous", "coulomb": "dynamic"}
_WITHIN = 2.0  # standard deviations to either side
_AT_BREAKAWAY = {
    **dict.fromkeys(("coulomb", "stribeck", "presliding", "lugre"), 1.0),
    "coulomb_positive": 0.5,
    "coulomb_negative": -0.5,
}
"""Dry friction at rest per unit of a term's parameter, mean of both directions."""


@dataclass(frozen=True)
class PositionLoop:
    """The position loop of a servo: torque = stiffness (command - q) - damping v, limited.

    Attributes:
        stiffness: [N m/rad or N/m].
        damping: [N m s/rad or N s/m], with the back-EMF of a servo that is driven by voltage.
        stall_torque: largest torque at rest [N m or N].
        no_load_speed: at which the torque of a servo driven by voltage falls to 0 [rad/s or m/s];
            None where the torque does not depend on the speed.
        delay: of commands [s].
    """

    stiffness: float
    damping: float
    stall_torque: float
    no_load_speed: float | None
    delay: float


@dataclass(frozen=True)
class JointActuator:
    """The actuator of a joint.

    Attributes:
        joint: its name.
        armature: rotor inertia [kg m^2 or kg].
        viscous: friction [N m s/rad or N s/m].
        dynamic: dry friction in motion [N m or N].
        static: dry friction at rest, without load; not below the dynamic one [N m or N].
        per_load: friction that grows with the gravity torque, per unit of it.
        effort_limit: [N m or N].
        velocity_limit: [rad/s or m/s]; None where the profile has none.
        loop: of a servo; None for a torque command.
        ranges: of ``armature``, ``viscous`` and ``dynamic`` by name: two standard deviations to
            either side, not below 0, as far as the recordings determine the terms they are made of.
    """

    joint: str
    armature: float
    viscous: float
    dynamic: float
    static: float
    per_load: float
    effort_limit: float
    velocity_limit: float | None
    loop: PositionLoop | None
    ranges: Mapping[str, tuple[float, float]]


def joint_actuators(exported: ExportedModel) -> tuple[JointActuator, ...]:
    """Return the actuators of a model's joints.

    Raises:
        ConfigurationError: the robot has coupled motors or no limits of torque.
    """
    robot, joints = exported.model.robot, exported.mechanism.joints
    if robot.coupling is not None:
        raise ConfigurationError(
            f"{robot.name}: motors that move several joints (coupling) have no configuration of an "
            "actuator; export to mjcf."
        )
    loops = _loops(robot.servo, robot.drives, len(joints))
    given = robot.limits.torque_max
    if given is None and any(loop is None for loop in loops):
        raise ConfigurationError(
            f"{robot.name}: limits.torque_max is missing, and an actuator has to have a limit; set "
            "it [N m or N] in the profile that the model is identified with."
        )
    highest = [math.inf] * len(joints)
    if given is not None:
        highest = per_joint(given, len(joints), "torque_max").tolist()
    actuators = []
    for number, (joint, loop) in enumerate(zip(joints, loops, strict=True)):
        axis = exported.terms.axes[number]
        terms = [(term, value) for _, term, value in _terms_of(exported, number)]
        stall = math.inf if loop is None else loop.stall_torque
        speeds = robot.limits.range_of("velocity", number)
        actuators.append(
            JointActuator(
                joint=joint,
                armature=axis.armature,
                viscous=float(axis.damping[0]),
                dynamic=axis.dry_friction,
                static=max(axis.dry_friction, _breakaway(terms)),
                per_load=sum(value for term, value in terms if term.traits.loaded),
                effort_limit=min(highest[number], stall),
                velocity_limit=None if speeds is None else speeds[1],
                loop=loop,
                ranges=_ranges(exported, number),
            )
        )
    return tuple(actuators)


def _loops(servo: Servo | None, drives: Drives, joints: int) -> list[PositionLoop | None]:
    """Return the position loops of servos (:mod:`dynid.robot.servo`)."""
    if servo is None:
        return [None] * joints
    gain, rate, largest = (
        per_joint(getattr(servo, name), joints, f"servo.{name}")
        for name in ("position_gain", "velocity_gain", "output_max")
    )
    unit, damping = np.ones(joints), np.zeros(joints)  # torque per output at rest, of back-EMF
    speed: list[float | None] = [None] * joints
    if servo.supply_voltage is not None and servo.resistance is not None:
        constant = np.abs(torque_per_ampere(drives, joints))
        voltage = per_joint(servo.supply_voltage, joints, "servo.supply_voltage")
        resistance = per_joint(servo.resistance, joints, "servo.resistance")
        unit, damping = constant * voltage / resistance, constant**2 / resistance
        speed = (voltage * largest / constant).tolist()
    rows = zip(unit * gain, unit * rate + damping, unit * largest, speed, strict=True)
    return [
        PositionLoop(float(stiffness), float(rate), float(torque), fastest, servo.delay)
        for stiffness, rate, torque, fastest in rows
    ]


def _terms_of(exported: ExportedModel, number: int) -> list[tuple[str, JointTerm, float]]:
    """Return names, terms and values of the parameters of a joint's terms."""
    mechanism, first = exported.mechanism, exported.mechanism.first_term
    names, values = mechanism.parameter_names[first:], mechanism.parameters[first:].tolist()
    rows = zip(names, mechanism.terms, values, strict=True)
    return [row for row in rows if row[1].joint == number]


def _breakaway(terms: list[tuple[JointTerm, float]]) -> float:
    """Return the dry friction at which a joint without load begins to slide, mean of directions."""
    return sum(
        value * _AT_BREAKAWAY.get(term.kind, 0.0) * (1.0 + term.static_ratio)
        for term, value in terms
    )


def _ranges(exported: ExportedModel, number: int) -> dict[str, tuple[float, float]]:
    """Return ranges of what the recordings determine, by the fields of an actuator."""
    axis, known = exported.terms.axes[number], exported.model.base.by_name
    values = {
        "armature": axis.armature,
        "viscous": float(axis.damping[0]),
        "dynamic": axis.dry_friction,
    }
    found: dict[str, tuple[float, float]] = {}
    for field, value in values.items():
        all_shares = (
            (name, _share(axis, term, field)) for name, term, _ in _terms_of(exported, number)
        )
        shares = {name: share for name, share in all_shares if share}
        if value > 0.0 and shares and shares.keys() <= known.keys():
            weights = np.array(list(shares.values()))
            variance = weights @ exported.model.base.covariance_of(list(shares)) @ weights
            width = _WITHIN * float(np.sqrt(variance))
            found[field] = (max(0.0, value - width), value + width)
    return found


def _share(axis: SimulatedAxis, term: JointTerm, field: str) -> float:
    """Return what a field of an actuator is per unit of a term's parameter."""
    for fitted, damping, dry in axis.fitted:
        if fitted == term:
            return {"viscous": damping, "dynamic": dry}.get(field, 0.0)
    return float(_FIELDS.get(term.kind) == field)
