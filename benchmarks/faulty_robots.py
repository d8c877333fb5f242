"""Robots that get faults, and how their recordings come about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from faulty_motions import motion

from dynid.excitation.motion import Excitation
from dynid.profile import RobotProfile, load_profile
from dynid.recording.model import Recording
from dynid.simulation.simulate import simulate


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot that gets faults.

    Attributes:
        heavy: joint whose bodies show in its torque beyond friction and a rotor.
        pair: two joints that a transmission could couple: the first also turns the second's motor.
        ratio: by how much of its motion.
    """

    profile: RobotProfile
    urdf_xml: str
    heavy: int
    pair: tuple[int, int]
    ratio: float

    @property
    def joints(self) -> int:
        """How many there are."""
        return len(self.profile.joints)

    def recorded(
        self,
        seed: int,
        plant: RobotProfile | None = None,
        excitation: Excitation | None = None,
    ) -> Recording:
        """Record the robot, or another plant, on a random motion of its own or a given one."""
        excitation = excitation or motion(self.profile, seed)
        return simulate(plant or self.profile, self.urdf_xml, excitation, seed=seed)

    def trial(self, recording: Recording, profile: RobotProfile | None = None) -> Trial:
        """Have a recording identified by the robot's profile or another one."""
        return Trial(profile or self.profile, self.urdf_xml, recording)


@dataclass(frozen=True, eq=False)
class Trial:
    """A recording, and the profile that it is identified by."""

    profile: RobotProfile
    urdf_xml: str
    recording: Recording


Fault = Callable[[Robot, int], Trial]

_WEIGHTLESS = ("scara",)  # gravity does not act on its heavy joint,
_NEED_WEIGHT = ("load",)  # of which these variants are

_LEAD = 0.02  # [m/rev] of the screw that lifts a SCARA robot's quill
_TRAITS = {
    "puma560": (1, (4, 5), 1.0),
    "scara": (0, (3, 2), _LEAD / (2 * np.pi)),
    "ur10": (1, (1, 2), 1.0),
}
ROBOTS = tuple(_TRAITS)
_PLAIN = ("viscous", "coulomb", "offset", "rotor_inertia")


def robot(name: str) -> Robot:
    """Return one of ``ROBOTS`` with plain terms: where all friction is modelled, none is missing.

    Signs are not smoothed, as they are not in the simulated robot either.
    """
    profile, urdf_xml = load_profile(name)
    plain = [term for term in profile.terms if term.kind in _PLAIN]
    terms = tuple(term.model_copy(update={"smoothing": 0.0}) for term in plain)
    profile = profile.model_copy(update={"terms": terms})
    # the same filter for all robots' rate, which is that of the control here
    filtered = profile.identification.parallel_filter.model_copy(update={"decimation": 20})
    profile = changed(profile, "identification", parallel_filter=filtered)
    return Robot(profile, urdf_xml, *_TRAITS[name])


def does_it_apply(name: str, variant: str) -> bool:
    """Whether a variant means something for one of ``ROBOTS``."""
    return variant not in _NEED_WEIGHT or name not in _WEIGHTLESS


def any_joint(robot: Robot, seed: int) -> int:
    """Return a joint that is to get a fault."""
    return int(np.random.default_rng(seed).integers(robot.joints))


def thinned(recording: Recording, step: int) -> Recording:
    """Return every so manieth sample."""
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


def changed(profile: RobotProfile, group: str, **changes: object) -> RobotProfile:
    """Return a profile with other settings in one of its groups."""
    settings = getattr(profile, group).model_copy(update=changes)
    return profile.model_copy(update={group: settings})
