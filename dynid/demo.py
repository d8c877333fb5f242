"""The main job on a simulated robot: excite, record, identify, and validate on another motion."""

from __future__ import annotations

from collections.abc import Callable

from dynid.configuration import parse
from dynid.errors import ConfigurationError
from dynid.excitation import FourierSettings, build_excitation, excitation_settings
from dynid.identification import Identification, identify
from dynid.profile import RobotProfile, load_profile
from dynid.recording import Recording
from dynid.simulation import SimulationSettings, simulate
from dynid.validation import Validation, validate

_SAMPLING_RATE = 1000.0


def run_demo(robot: str, progress: Callable[[str], None]) -> tuple[Identification, Validation]:
    """Identify the simulated twin of a profile's robot, and validate on a second motion.

    Raises:
        ConfigurationError: the profile lacks an ``excitation`` or a ``simulation``.
        DynidError: a step fails.
    """
    profile, urdf_xml = load_profile(robot)
    if not profile.simulation or not profile.excitation:
        raise ConfigurationError(
            f"profile '{robot}' has no 'excitation' and 'simulation' groups, which a demonstration "
            "needs; puma560 has them."
        )
    progress("simulating the excitation")
    recording = _simulated(profile, urdf_xml, seed=0)
    identification = identify(profile, urdf_xml, [recording], progress=progress)
    progress("simulating a second motion")
    other = _simulated(profile, urdf_xml, seed=1)
    return identification, validate(profile, identification.mechanism, [other])


def _simulated(profile: RobotProfile, urdf_xml: str, *, seed: int) -> Recording:
    """What the robot's drives would have reported while it followed the excitation of a seed."""
    where = f"{profile.robot}.yaml"
    settings = excitation_settings(profile.excitation, where)
    if isinstance(settings, FourierSettings):
        settings = settings.model_copy(update={"seed": settings.seed + seed})
    mechanism = profile.mechanism(urdf_xml)
    excitation = build_excitation(settings, profile.limits, profile.joints)
    twin = parse(SimulationSettings, profile.simulation, where)
    return simulate(mechanism, excitation, twin, sampling_rate=_SAMPLING_RATE, seed=seed)
