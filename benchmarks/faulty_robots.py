"""Robots with injected faults, and their recordings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from faulty_motions import motion

from dynid.configuration import TaskSettings
from dynid.dynamics.joint_terms import TermSettings
from dynid.excitation.motion import Excitation
from dynid.identification.settings import IdentificationSettings
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.settings import ParallelFilterSettings
from dynid.simulation.simulate import simulate


@dataclass(frozen=True, eq=False)
class Subject:
    """A robot for the injection of faults.

    Attributes:
        robot: with plain terms.
        heavy: joint whose bodies show in its torque beyond friction and a rotor.
        pair: two joints that a transmission could couple: the first also turns the second's motor.
        ratio: by how much of its motion.
    """

    robot: Robot
    heavy: int
    pair: tuple[int, int]
    ratio: float

    @property
    def terms(self) -> tuple[TermSettings, ...]:
        """The robot's joint terms."""
        return listed_terms(self.robot)

    @property
    def joints(self) -> int:
        """How many there are."""
        return len(self.robot.joints)

    def recorded(
        self, seed: int, plant: Robot | None = None, excitation: Excitation | None = None
    ) -> Recording:
        """Record the robot, or another plant, on a random motion of its own or a given one."""
        excitation = excitation or motion(self.robot, seed)
        return simulate(plant or self.robot, excitation, seed=seed)

    def trial(self, recording: Recording, robot: Robot | None = None) -> Trial:
        """Identify a recording with the profile of the robot, or of another one."""
        return Trial(robot or self.robot, recording)


@dataclass(frozen=True, eq=False)
class Trial:
    """A recording, and perhaps others, and the robot that they are taken to be of."""

    robot: Robot
    recording: Recording
    others: tuple[Recording, ...] = ()


Fault = Callable[[Subject, int], Trial]

_WEIGHTLESS = ("scara",)  # gravity does not act on its first joints,
_NEED_WEIGHT = ("load", "zero of the second joint", "of one sensor")  # of which these variants are

_SLIDING, _NEED_SLIDE = ("scara",), ("before a screw",)

_LEAD = 0.02  # [m/rev] of the screw that lifts a SCARA robot's quill
_TRAITS = {
    "puma560": (1, (4, 5), 1.0),
    "scara": (0, (3, 2), _LEAD / (2 * np.pi)),
    "ur10": (1, (1, 2), 1.0),
}
ROBOTS = tuple(_TRAITS)
_PLAIN = ("viscous", "coulomb", "offset", "rotor_inertia")


def listed_terms(robot: Robot) -> tuple[TermSettings, ...]:
    """Return the joint terms that a profile lists."""
    if robot.terms == "auto":
        raise ValueError(f"{robot.name}: the profile must list its terms")
    return robot.terms


def make_subject(name: str) -> Subject:
    """Return one of ``ROBOTS`` with plain terms: where all friction is modelled, none is missing.

    Signs are not smoothed, as they are not in the simulated robot either.
    """
    robot = load_robot(name)
    plain = [term for term in listed_terms(robot) if term.kind in _PLAIN]
    robot = robot.with_terms([term.model_copy(update={"smoothing": 0.0}) for term in plain])
    # the same filter for all robots' rate, which is that of the control here
    own = robot.settings(IdentificationSettings).parallel_filter
    own = own if isinstance(own, ParallelFilterSettings) else ParallelFilterSettings()
    filtered = own.model_copy(update={"decimation": 20})
    robot = changed(robot, IdentificationSettings, parallel_filter=filtered)
    return Subject(robot, *_TRAITS[name])


def does_it_apply(name: str, variant: str) -> bool:
    """Whether a variant is applicable to one of ``ROBOTS``."""
    if variant in _NEED_SLIDE:
        return name in _SLIDING
    return variant not in _NEED_WEIGHT or name not in _WEIGHTLESS


def any_joint(subject: Subject, seed: int) -> int:
    """Return a joint that is to get a fault."""
    return int(np.random.default_rng(seed).integers(subject.joints))


def decimated(recording: Recording, step: int) -> Recording:
    """Return every k-th sample."""
    velocity, rate = recording.velocity, recording.sampling_rate / step
    position, effort = recording.position[::step], recording.effort[::step]
    return replace(
        recording,
        time=np.arange(len(effort)) / rate,
        position=position,
        velocity=None if velocity is None else velocity[::step],
        effort=effort,
        sampling_rate=rate,
    )


def changed(robot: Robot, kind: type[TaskSettings], **changes: object) -> Robot:
    """Return a robot with other settings of one task."""
    return robot.with_settings(robot.settings(kind).model_copy(update=changes))
