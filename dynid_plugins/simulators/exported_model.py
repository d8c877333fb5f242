"""What a model becomes in a simulator's format: bodies, terms, and the torque error of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError, MechanismError
from dynid.excitation.build import build_excitation
from dynid.excitation.default_motion import excitation_of
from dynid.excitation.motion import Motion
from dynid.signals.preprocess import preprocess
from dynid.text import listed
from dynid_plugins.simulators.moving_joints import MovingMotion, moving_motion
from dynid_plugins.simulators.simulated_terms import FormatTerms, SimulatedTerms, simulated_terms

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.recording.model import Recording
    from dynid.robot.model import Model

_SAMPLES = 2000
_MASSLESS = RigidBody(1e-12, np.zeros(3), 1e-12 * np.eye(3))  # no simulator moves links of 0 kg


@dataclass(frozen=True, eq=False)
class ExportedModel:
    """A model in the terms of a format.

    Attributes:
        model: that it is made of.
        bodies: (m,) moved by each moving joint with all that is attached to them, in the joints'
            frames.
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

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the moving joints: the actuated ones, then the passive ones of closed chains."""
        return self.mechanism.moving_joints

    def massless(self, number: int) -> bool:
        """Return whether the link of a moving joint has no mass in the model."""
        return self.bodies[number] is _MASSLESS

    @property
    def slides(self) -> tuple[bool, ...]:
        """Whether each moving joint is prismatic; (m,)."""
        return self.model.robot.kinematics().moving_slides

    def limit_of(self, name: str, number: int) -> tuple[float, float] | None:
        """Return the limits of a joint's ``position``, ``velocity`` or ``torque_max``, if any.

        Passive joints have none, and coupled motors none of the joints' torque.
        """
        robot = self.model.robot
        if number >= len(robot.joints) or (name == "torque_max" and robot.coupling is not None):
            return None
        return robot.limits.range_of(name, number)

    def torque_along(self, motion: Motion, *, dry: bool = True) -> Array:
        """Return the torque of bodies and terms along a motion (N, n)."""
        axes = self.terms.axes
        if not dry:
            axes = tuple(replace(axis, dry_friction=0.0, bristles=()) for axis in axes)
        moving = moving_motion(self.mechanism, motion)
        return _torque(self.mechanism, self.bodies, replace(self.terms, axes=axes), motion, moving)


def exported_model(model: Model, supported: FormatTerms, motion: Motion) -> ExportedModel:
    """Return a model as a format has it.

    Without armature in the format, rotors are either left out or discs that turn with the links,
    whichever has the smaller torque error along the motion.

    Args:
        model: with inertias that a body can have.
        supported: by the format.
        motion: of the joints (N, n).

    Raises:
        ConfigurationError: the format does not have a closure of the model, or it has no inertia.
        MechanismError: its parameters are not physically consistent.
    """
    _check(model, supported)
    mechanism = model.mechanism
    moving = moving_motion(mechanism, motion)
    terms = simulated_terms(mechanism, supported, moving.motion)
    bodies = _bodies(mechanism)
    candidates = [(bodies, terms, terms.replaced)]
    if not supported.armature and any(axis.armature for axis in terms.axes):
        bare = replace(terms, axes=tuple(replace(axis, armature=0.0) for axis in terms.axes))
        candidates = [
            (bodies, bare, (*terms.replaced, "no rotor inertias")),
            (
                _with_rotors(mechanism, bodies, terms),
                bare,
                (*terms.replaced, "discs about the joints' axes in place of rotors"),
            ),
        ]
    wanted = mechanism.inverse_dynamics(*motion)
    torque = _root_mean_square(wanted)
    found = []
    for rigid, axes, replaced in candidates:
        error = _root_mean_square(_torque(mechanism, rigid, axes, motion, moving) - wanted)
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
        return Motion(*signals.motion)
    robot = model.robot
    excitation = build_excitation(excitation_of(robot), robot.limits, robot.joints)
    return excitation.evaluate(np.linspace(0.0, excitation.duration, _SAMPLES))


def _check(model: Model, supported: FormatTerms) -> None:
    mechanism, name = model.mechanism, model.robot.name
    for closure in mechanism.chain.closures:
        if closure.kind not in supported.closures:
            possible = listed(supported.closures) if supported.closures else "none"
            raise ConfigurationError(
                f"{name}: its links {listed(closure.links)} are joined by a closure of kind "
                f"{closure.kind}, but of closures this format has {possible}; export to mjcf."
            )
    if mechanism.semi_static:
        raise ConfigurationError(
            f"{name}: is a model of gravity and friction only (semi_static), but a simulator needs "
            "inertias; identify it with semi_static: false."
        )
    _check_masses(model)
    bodies = mechanism.parameters[: mechanism.first_term]
    problem = mechanism.without_terms().physical_problem(bodies)
    if problem:
        raise MechanismError(
            f"{name}: no simulator accepts it, because {problem}; identify with physical.enabled: "
            "true."
        )


def _check_masses(model: Model) -> None:
    """Raise where a joint moves no mass at all, directly or by other joints."""
    kinematics, mechanism = model.robot.kinematics(), model.mechanism
    joints = dict(zip(mechanism.moving_joints, kinematics.moving_bodies, strict=True))
    carrying = {0}
    for joint in mechanism.body_joints:
        body = joints[joint]
        while body not in carrying:
            carrying.add(body)
            body = kinematics.parents[body]
    for joint, body in joints.items():
        if body not in carrying:
            raise ConfigurationError(
                f"{model.robot.name}: the joint '{joint}' moves no mass, which simulators cannot "
                "have; give its link a mass, or describe it by a closure of kind distance."
            )


def _bodies(mechanism: Mechanism) -> tuple[RigidBody, ...]:
    blocks = np.reshape(mechanism.parameters[: mechanism.first_term], (-1, 10))
    own = dict(zip(mechanism.body_joints, map(RigidBody.from_parameters, blocks), strict=True))
    return tuple(own.get(joint, _MASSLESS) for joint in mechanism.moving_joints)


def _with_rotors(
    mechanism: Mechanism, bodies: tuple[RigidBody, ...], terms: SimulatedTerms
) -> tuple[RigidBody, ...]:
    found = []
    for number, (joint, body) in enumerate(zip(mechanism.moving_joints, bodies, strict=True)):
        slides = number >= len(mechanism.joints) or mechanism.prismatic[number]
        if slides or joint not in mechanism.body_joints:
            found.append(body)
            continue
        rotor = terms.axes[number].armature
        axis = mechanism.axes[mechanism.body_joints.index(joint)]
        # a disc, because a rod of inertia about one axis alone is not a body
        disc = rotor * (0.5 * np.eye(3) + 0.5 * np.outer(axis, axis))
        found.append(replace(body, inertia=body.inertia + disc))
    return tuple(found)


def _torque(
    mechanism: Mechanism,
    bodies: tuple[RigidBody, ...],
    terms: SimulatedTerms,
    motion: Motion,
    moving: MovingMotion,
) -> Array:
    bare = mechanism.without_terms()
    order = [mechanism.moving_joints.index(joint) for joint in bare.body_joints]
    parameters = np.concatenate([bodies[joint].parameters for joint in order])
    rigid = bare.with_parameters(parameters).inverse_dynamics(*motion)
    return rigid + moving.at_actuated(terms.torque(moving.motion))


def _root_mean_square(values: Array) -> Array:
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))
