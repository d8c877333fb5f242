"""Plans: an excitation of a robot, checked against its limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import build_excitation, described_excitation
from dynid.excitation.checks import (
    MotionCheck,
    check_motion,
    examine_motion,
    kept_sentence,
    sliding_joints,
    unchecked,
)
from dynid.excitation.default_motion import excitation_of
from dynid.excitation.files import read_excitation
from dynid.excitation.limits import check_rest
from dynid.excitation.motion import Excitation
from dynid.excitation.plausibility import urdf_doubts
from dynid.excitation.plausible_limits import Doubt
from dynid.excitation.settings import ExcitationSettings, FourierSettings
from dynid.excitation.workspace.workspace import Workspace
from dynid.playback.trajectory import Trajectory, sample
from dynid.robot.model import Model
from dynid.robot.robot import Robot

_POINTS_OF_PERIOD = 8  # of the fastest sine: a quintic between them errs by 1e-5 of it
_SEEDS = 20  # tried for a second motion


@dataclass(frozen=True, eq=False)
class Plan:
    """A motion within all limits.

    Attributes:
        robot: with its limits and settings.
        mechanism: model that predicts torque: the URDF's bodies, or an identified model.
        identified: whether it is identified, so that measured torque can be compared with it.
        workspace: obstacles of the robot.
        excitation: the motion.
        trajectory: points of the motion.
        unchecked: what was not checked, and why, such as "collisions with floor or table not
            checked: no plane under `workspace.planes`".
        doubts: what is doubtful in the URDF; what concerns limits is settled before it plays.
    """

    robot: Robot
    mechanism: Mechanism
    identified: bool
    workspace: Workspace
    excitation: Excitation
    trajectory: Trajectory
    unchecked: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def verdict(self) -> str:
        """A sentence on the limits that were and were not checked, to be shown before it plays."""
        return kept_sentence(self.unchecked)

    @property
    def start(self) -> Array:
        """Position at which the motion starts and ends (n,) [rad or m]."""
        position: Array = self.trajectory.position[0]
        return position

    @property
    def sliding(self) -> tuple[str, ...]:
        """Names of the prismatic joints."""
        return sliding_joints(self.mechanism)


def make_plan(
    robot: Robot,
    *,
    seed: int | None = None,
    excitation: Path | None = None,
    model: Model | None = None,
    rate: float = 100.0,
) -> Plan:
    """Build an excitation and check it against all limits of the robot.

    A robot whose profile has no excitation gets the one that a search finds within its limits.

    Args:
        robot: with its limits and settings.
        seed: of random coefficients instead of the profile's.
        excitation: a file instead of the profile's excitation: YAML with a group ``excitation``,
            or a trajectory, as for dynid.excitation.read_excitation.
        model: identified model to predict torque; without one the bodies of the URDF are used,
            which have neither friction nor rotor inertia.
        rate: points per second, at least [Hz].

    Raises:
        DynidError: no motion was found, a limit would be exceeded, or a file is invalid.
    """
    settings = _settings(robot, seed, excitation)
    mechanism, identified = _mechanism(robot, model)
    sliding = sliding_joints(mechanism)
    motion = build_excitation(settings, robot.limits, robot.joints, prismatic=sliding)
    workspace = Workspace(robot, mechanism)
    check_motion(motion, robot.limits, mechanism, workspace)
    if isinstance(settings, FourierSettings):
        rate = max(rate, _POINTS_OF_PERIOD * motion.highest_frequency)
    trajectory = sample(motion, robot.joints, rate)
    left_open = (*unchecked(robot.limits, workspace), *_gravity_unchecked(robot))
    doubts = urdf_doubts(robot, workspace)
    return Plan(robot, mechanism, identified, workspace, motion, trajectory, left_open, doubts)


def examine_plan(
    robot: Robot, *, excitation: Path | None = None, model: Model | None = None
) -> tuple[Excitation, MotionCheck]:
    """Build an excitation, and check it against every limit, also if it exceeds some.

    The limits are used in full, not the fraction of them that the excitation is to use. The
    arguments are those of :func:`make_plan`.

    Raises:
        DynidError: no motion was found, or a file is invalid.
    """
    settings = _settings(robot, None, excitation)
    mechanism, identified = _mechanism(robot, model)
    motion = described_excitation(settings, robot.limits, robot.joints)
    workspace = Workspace(robot, mechanism)
    check = examine_motion(motion, robot.limits, mechanism, workspace)
    check = replace(
        check,
        unchecked=(*check.unchecked, *_gravity_unchecked(robot)),
        doubts=tuple(doubt.sentence for doubt in urdf_doubts(robot, workspace)),
    )
    if robot.limits.torque_max is not None and not identified:
        without = "That torque is of the URDF's bodies, without friction and rotor inertia."
        check = replace(check, grounds=(*check.grounds, without))
    try:
        check_rest(motion, robot.joints)
    except ExcitationError as error:
        check = replace(check, violation=str(error), time=None, broken=None)
    return motion, check


def second_seed(robot: Robot, excitation: Path | None = None) -> int | None:
    """Return a seed for a second motion, or None where there are no random coefficients.

    It is the first one after the excitation's own whose motion is within every limit: random
    coefficients are scaled by the joints' limits only, so some motions leave the workspace.

    Raises:
        DynidError: no motion was found, or the file is invalid.
    """
    settings = _settings(robot, None, excitation)
    if not isinstance(settings, FourierSettings) or settings.sine is not None:
        return None
    for seed in range(settings.seed + 1, settings.seed + 1 + _SEEDS):
        try:
            make_plan(robot, seed=seed, excitation=excitation)
        except ExcitationError:
            continue
        return seed
    return settings.seed + 1  # its error message names the limit


def check_joint_side(robot: Robot) -> None:
    """Raise a ConfigurationError where joint states are those of motors."""
    if robot.motor_coupling is not None:
        raise ConfigurationError(
            f"profile '{robot.name}': recording.side is 'motor', but motions are played at the "
            "joints; use a driver that applies the coupling, and recording.side joint."
        )


def _settings(robot: Robot, seed: int | None, file: Path | None) -> ExcitationSettings:
    settings = excitation_of(robot) if file is None else read_excitation(file)
    if seed is None:
        return settings
    if not isinstance(settings, FourierSettings) or settings.sine is not None:
        raise ConfigurationError(
            f"seed {seed}: the excitation has no random coefficients; use seed -1, or an "
            "excitation of type fourier without coefficients."
        )
    return settings.model_copy(update={"seed": seed})


def _gravity_unchecked(robot: Robot) -> tuple[str, ...]:
    """Return that predicted torque has no gravity torque, if a limit is compared with it."""
    if robot.gravity != "by_robot" or robot.limits.torque_max is None:
        return ()
    return ("gravity torque not checked: `gravity` is by_robot",)


def _mechanism(robot: Robot, model: Model | None) -> tuple[Mechanism, bool]:
    if model is None:
        return robot.mechanism(), False
    mechanism = model.mechanism
    if mechanism.joints != robot.joints:
        where = model.source.name if model.source is not None else "the model"
        raise ConfigurationError(
            f"{where}: has the joints {', '.join(mechanism.joints)}, expected "
            f"{', '.join(robot.joints)} as in profile '{robot.name}'."
        )
    return mechanism, True
