"""From a profile to a motion that its robot may play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynid.configuration import Settings, parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.excitation import build_excitation
from dynid.excitation.settings import (
    ExcitationSettings,
    FourierSettings,
    SineSettings,
)
from dynid.outputs.model_reader import read_model
from dynid.playback.checks import check_closed, check_torque, sliding_joints
from dynid.playback.trajectory import Trajectory, sample

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.excitation.motion import Array, Excitation
    from dynid.mechanism import Mechanism
    from dynid.profile import RobotProfile


class _ExcitationFile(Settings):
    """A YAML file that describes nothing but an excitation."""

    excitation: ExcitationSettings


@dataclass(frozen=True, eq=False)
class Plan:
    """A motion that keeps every limit.

    Attributes:
        profile: The robot's.
        mechanism: What torque is predicted by: the URDF's bodies, or an identified model.
        identified: Whether it is identified, so that measured torque can be held against it.
        excitation: The motion.
        trajectory: The same as points, to be sent.
    """

    profile: RobotProfile
    mechanism: Mechanism
    identified: bool
    excitation: Excitation
    trajectory: Trajectory

    @property
    def start(self) -> Array:
        """Where the motion begins and ends (n,) [rad or m]."""
        position: Array = self.trajectory.position[0]
        return position

    @property
    def sliding(self) -> tuple[str, ...]:
        """Names of the joints that slide."""
        return sliding_joints(self.mechanism)


def make_plan(
    profile: RobotProfile,
    urdf_xml: str,
    *,
    seed: int | None = None,
    excitation: Path | None = None,
    model: Path | None = None,
    rate: float = 100.0,
) -> Plan:
    """Build an excitation and prove that the robot can bear it.

    Args:
        profile: The robot's.
        urdf_xml: Its URDF.
        seed: Of random coefficients in place of the profile's.
        excitation: A YAML file with a group ``excitation`` in place of the profile's.
        model: A model.yaml to predict torque by; without one the bodies of the URDF count, which
            have neither friction nor rotor inertia.
        rate: Points per second [Hz].

    Raises:
        DynidError: there is no excitation, a limit would be exceeded, or a file is not what it
            should be.
    """
    settings = _settings(profile, seed, excitation)
    mechanism, identified = _mechanism(profile, urdf_xml, model)
    sliding = sliding_joints(mechanism)
    motion = build_excitation(settings, profile.limits, profile.joints, prismatic=sliding)
    check_closed(motion, mechanism)
    if profile.limits.torque_max is not None:
        check_torque(motion, profile.limits.torque_max, mechanism)
    trajectory = sample(motion, profile.joints, rate)
    return Plan(profile, mechanism, identified, motion, trajectory)


def second_seed(profile: RobotProfile, excitation: Path | None = None) -> int | None:
    """A seed for another motion than the first one, or None where that has no random coefficients.

    Args:
        profile: The robot's.
        excitation: A YAML file in place of the profile's excitation.

    Raises:
        ConfigurationError: there is no excitation, or the file is not one.
    """
    settings = _settings(profile, None, excitation)
    if isinstance(settings, FourierSettings) and settings.sine is None:
        return settings.seed + 1
    return None


def check_joint_side(profile: RobotProfile) -> None:
    """Raise a ConfigurationError where joint states tell of motors, which cannot be commanded."""
    if profile.recording.side == "motor" and profile.coupling is not None:
        message = (
            f"profile '{profile.robot}': recording.side is 'motor', but motions are played at the "
            "joints; use a driver that does the coupling, and recording.side joint."
        )
        raise ConfigurationError(message)


def _settings(
    profile: RobotProfile, seed: int | None, file: Path | None
) -> SineSettings | FourierSettings:
    settings = profile.excitation
    if file is not None:
        settings = parse(_ExcitationFile, read_yaml(file), file.name).excitation
    if settings is None:
        message = (
            f"profile '{profile.robot}' has no 'excitation' group; add one, or name a YAML file "
            "with one."
        )
        raise ConfigurationError(message)
    if seed is None:
        return settings
    if not isinstance(settings, FourierSettings) or settings.sine is not None:
        message = (
            f"seed {seed}: the excitation has no random coefficients for it; leave the seed -1, or "
            "use an excitation of type fourier without coefficients."
        )
        raise ConfigurationError(message)
    return settings.model_copy(update={"seed": seed})


def _mechanism(profile: RobotProfile, urdf_xml: str, model: Path | None) -> tuple[Mechanism, bool]:
    if model is None:
        return profile.mechanism(urdf_xml), False
    mechanism = read_model(model).mechanism()
    if mechanism.joints != profile.joints:
        message = (
            f"{model}: is a model of {', '.join(mechanism.joints)}, expected one of "
            f"{', '.join(profile.joints)} as in profile '{profile.robot}'."
        )
        raise ConfigurationError(message)
    return mechanism, True
