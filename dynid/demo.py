"""The main job on a simulated robot: excite, record, identify, and validate on another motion."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from dynid.errors import ConfigurationError
from dynid.excitation import FourierSettings, build_excitation
from dynid.identification import Identification, identify
from dynid.profile import RobotProfile, load_profile
from dynid.recording import Recording, Source
from dynid.simulation import simulate
from dynid.validation import Validation, validate

_SAMPLING_RATE = 1000.0


def run_demo(robot: str, progress: Callable[[str], None]) -> tuple[Identification, Validation]:
    """Identify the simulated twin of a profile's robot, and validate on a second motion.

    Raises:
        ConfigurationError: the profile lacks an ``excitation`` or a ``simulation``.
        DynidError: a step fails.
    """
    profile, urdf_xml = load_profile(robot)
    progress("simulating the excitation")
    recording = _simulated(profile, urdf_xml, seed=0)
    identification = identify(profile, urdf_xml, [recording], progress=progress)
    progress("simulating a second motion")
    other = _simulated(profile, urdf_xml, seed=1)
    return identification, validate(profile, identification.mechanism, [other])


def dry(profile: RobotProfile) -> RobotProfile:
    """The robot itself: a sign is smoothed in models of it, friction that sticks is not."""
    terms = tuple(term.model_copy(update={"smoothing": 0.0}) for term in profile.terms)
    return profile.model_copy(update={"terms": terms})


def _simulated(profile: RobotProfile, urdf_xml: str, *, seed: int) -> Recording:
    """What the robot's drives would have reported while it followed the excitation of a seed."""
    settings, twin = profile.excitation, profile.simulation
    if settings is None or twin is None:
        raise ConfigurationError(
            f"profile '{profile.robot}' has no 'excitation' and 'simulation' groups, which a "
            "demonstration needs; puma560 has them."
        )
    if isinstance(settings, FourierSettings):
        settings = settings.model_copy(update={"seed": settings.seed + seed})
    mechanism = dry(profile).mechanism(urdf_xml)
    sliding = [
        joint
        for joint, kind in zip(mechanism.joints, mechanism.joint_types, strict=True)
        if kind == "prismatic"
    ]
    excitation = build_excitation(settings, profile.limits, profile.joints, prismatic=sliding)
    recording = simulate(mechanism, excitation, twin, sampling_rate=_SAMPLING_RATE, seed=seed)
    digest = hashlib.sha256(recording.effort.tobytes()).hexdigest()
    source = Source(f"simulated {profile.robot}, seed {seed}", digest, "simulation")
    return replace(recording, sources=(source,))
