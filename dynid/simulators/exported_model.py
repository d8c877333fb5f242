"""What a model becomes in a simulator's format: bodies, terms, and the torque error of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError, MechanismError
from dynid.excitation.build import build_excitation
from dynid.excitation.default_motion import with_excitation
from dynid.excitation.motion import Motion
from dynid.excitation.settings import find_excitation
from dynid.signals.preprocess import preprocess
from dynid.simulators.simulated_terms import FormatTerms, SimulatedTerms, simulated_terms

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.recording.model import Recording
    from dynid.robot.model import Model

_SAMPLES = 2000
_PER_BODY = 10


@dataclass(frozen=True, eq=False)
class ExportedModel:
    """A model in the terms of a format.

    Attributes:
        model: that it is made of.
        bodies: (n,) moved by each joint with all that is attached to them, in the joints' frames.
        terms: of joints and coupled motors.
        motion: on which terms were fitted and the error was computed; (N, n).
        error: (n,) root mean square of the torque error in place of the model's [N m or N].
        torque: (n,) root mean square of the model's torque [N m or N].
        replaced: sentences on what the format does not have, and what is in its place.
    """

    model: Model
    bodies: tuple[RigidBody, ...]
    terms: SimulatedTerms
    motion: Motion
    error: Array
    torque: Array
    replaced: tuple[str, ...]

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the model."""
        return self.model.mechanism

    def torque_along(self, motion: Motion, *, dry: bool = True) -> Array:
        """Return the torque of bodies and terms along a motion (N, n)."""
        axes = self.terms.axes
        if not dry:
            axes = tuple(replace(axis, dry_friction=0.0) for axis in axes)
        return _torque(self.mechanism, self.bodies, replace(self.terms, axes=axes), motion)


def exported_model(model: Model, supported: FormatTerms, motion: Motion) -> ExportedModel:
    """Return a model as a format has it.

    Without armature in the format, rotors are either left out or discs that turn with the links,
    whichever has the smaller torque error along the motion.

    Args:
        model: of a tree, with inertias that a body can have.
        supported: by the format.
        motion: of the joints (N, n).

    Raises:
        ConfigurationError: the model has closed chains, or no inertia.
        MechanismError: its parameters are not physically consistent.
    """
    _check(model)
    mechanism = model.mechanism
    terms = simulated_terms(mechanism, supported, motion)
    bodies = _bodies(mechanism)
    candidates = [(bodies, terms, terms.replaced)]
    if not supported.armature and any(axis.armature for axis in terms.axes):
        bare = replace(terms, axes=tuple(replace(axis, armature=0.0) for axis in terms.axes))
        candidates = [
            (bodies, bare, (*terms.replaced, "no rotor inertias")),
            (
                _with_rotors(mechanism, bodies, terms),
                bare,
                (
                    *terms.replaced,
                    "discs about the joints' axes in place of rotors",
                ),
            ),
        ]
    wanted = mechanism.inverse_dynamics(*motion)
    torque = _root_mean_square(wanted)
    found = []
    for rigid, axes, replaced in candidates:
        error = _root_mean_square(_torque(mechanism, rigid, axes, motion) - wanted)
        found.append(ExportedModel(model, rigid, axes, motion, error, torque, replaced))
    return min(
        found, key=lambda one: float(np.sum((one.error / np.maximum(one.torque, 1e-9)) ** 2))
    )


def motion_of(model: Model, recording: Recording | None) -> Motion:
    """Return the motion of a recording, filtered as the robot's settings say, or an excitation.

    Raises:
        ExcitationError: there is no recording, and no motion was found within the robot's limits.
        PreprocessingError: the settings do not fit the recording.
    """
    if recording is not None:
        signals = preprocess(recording, model.robot)
        return Motion(signals.position, signals.velocity, signals.acceleration)
    robot = with_excitation(model.robot)
    settings = find_excitation(robot)
    assert settings is not None  # noqa: S101  for mypy
    excitation = build_excitation(settings, robot.limits, robot.joints)
    return excitation.evaluate(np.linspace(0.0, excitation.duration, _SAMPLES))


def _check(model: Model) -> None:
    mechanism, name = model.mechanism, model.robot.name
    if mechanism.chain.closures:
        raise ConfigurationError(
            f"{name}: has closed chains or joints that follow others, which simulators solve with "
            "constraints of their own; an export needs a robot without."
        )
    if mechanism.semi_static:
        raise ConfigurationError(
            f"{name}: is a model of gravity and friction only (semi_static), but a simulator needs "
            "inertias; identify it with semi_static: false."
        )
    bodies = mechanism.parameters[: mechanism.first_term]
    problem = mechanism.without_terms().physical_problem(bodies)
    if problem:
        raise MechanismError(
            f"{name}: no simulator accepts it, because {problem}; identify with physical.enabled: "
            "true."
        )


def _bodies(mechanism: Mechanism) -> tuple[RigidBody, ...]:
    bodies = []
    for joint in mechanism.joints:
        first = _PER_BODY * mechanism.body_joints.index(joint)
        parameters = mechanism.parameters[first : first + _PER_BODY]
        bodies.append(RigidBody.from_parameters(parameters))
    return tuple(bodies)


def _with_rotors(
    mechanism: Mechanism, bodies: tuple[RigidBody, ...], terms: SimulatedTerms
) -> tuple[RigidBody, ...]:
    found = []
    for number, body in enumerate(bodies):
        rotor = 0.0 if mechanism.prismatic[number] else terms.axes[number].armature
        axis = mechanism.axes[mechanism.body_joints.index(mechanism.joints[number])]
        # a disc, because a rod of inertia about one axis alone is not a body
        disc = rotor * (0.5 * np.eye(3) + 0.5 * np.outer(axis, axis))
        found.append(replace(body, inertia=body.inertia + disc))
    return tuple(found)


def _torque(
    mechanism: Mechanism, bodies: tuple[RigidBody, ...], terms: SimulatedTerms, motion: Motion
) -> Array:
    bare = mechanism.without_terms()
    order = [mechanism.joints.index(joint) for joint in bare.body_joints]
    parameters = np.concatenate([bodies[joint].parameters for joint in order])
    return bare.with_parameters(parameters).inverse_dynamics(*motion) + terms.torque(motion)


def _root_mean_square(values: Array) -> Array:
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))
