"""Construction of the core's control law from a robot and a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import Settings, per_joint
from dynid.control.link_torque import set_gears, set_springs
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.drives import torque_offset_limit
from dynid.robot.elastic import ElasticSettings
from dynid.robot.limits import JointLimits, Limits
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings, FeedforwardSettings

_SMOOTHING_SHARE = 0.01  # of the velocity limit
_JUMP_CYCLES = 3.0  # at the velocity limit
_JUMP_ACCELERATION = 5.0  # times the acceleration limit: splines may overshoot it
_STEP_SHARE = 0.5  # of the acceleration limit: an abrupt start or stop
_STEP = 3.0  # [rad/s^2 or m/s^2] where there is none
_LONGEST_EXTRAPOLATION = 1.0  # [s] that a control law permits


def control_model(robot: Robot, mechanism: Mechanism) -> _core.ControlModel:
    """Return a model for control cycles, for the side that the drives are commanded at.

    Args:
        robot: with its ``feedforward`` settings, which include the smoothing of friction.
        mechanism: with the identified parameters.

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    try:
        return _core.ControlModel(
            mechanism.core_description,
            mechanism.parameters,
            friction_smoothing(robot),
            robot.at_motors,
        )
    except ValueError as error:
        raise ConfigurationError(f"feedforward: {error}") from None


def simulated_extrapolation(control_rate: float) -> float:
    """Return the time for which dynid/SimulatedDrives continue without a target [s].

    Args:
        control_rate: cycles per second [Hz].
    """
    return min(_LONGEST_EXTRAPOLATION, _core.TargetLine.longest_period / control_rate)


def control_law(
    robot: Robot, *, control_rate: float, extrapolation_time: float | None = None
) -> _core.ControlLaw:
    """Return the control law of a profile, without a model yet.

    Args:
        robot: with its settings.
        control_rate: cycles per second [Hz].
        extrapolation_time: that of other drives than the profile's [s]; None: the profile's.

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    try:
        settings = control_law_settings(robot, control_rate=control_rate)
        if extrapolation_time is not None:
            settings.extrapolation_time = extrapolation_time
        law = _core.ControlLaw(len(robot.joints), settings)
    except ValueError as error:
        raise ConfigurationError(f"feedforward, collision: {error}") from None
    _set_share(law, robot)
    return law


def control_law_settings(robot: Robot, *, control_rate: float) -> _core.ControlLawSettings:
    """Return the core's settings of a profile, for one control rate [Hz].

    Raises:
        ConfigurationError: the profile has no ``limits.torque_max``, or numbers of values do not
            match the joints.
    """
    settings = _core.ControlLawSettings()
    settings.feedforward = feedforward_settings(robot, control_rate=control_rate)
    settings.collision = collision_settings(robot, control_rate=control_rate)
    limits, given = settings.limits, commanded_limits(robot)
    limits.position_min, limits.position_max = given.low, given.high
    limits.velocity_max, limits.acceleration_max = given.velocity, given.acceleration
    feedforward, collision = robot.settings(FeedforwardSettings), robot.settings(CollisionSettings)
    assign(robot, settings, feedforward, collision, deceleration=robot.limits.acceleration)
    assign(robot, settings.supervision, feedforward)
    assign(robot, settings.model_monitor, feedforward)
    assign(robot, settings.stiction, feedforward)
    _set_elastic(robot, settings.elastic)
    settings.extrapolation_time = robot.drives.extrapolation_time
    return settings


def _set_elastic(robot: Robot, core: _core.ElasticSettings) -> None:
    """Set how motors lead the links of a profile's ``elastic`` joints, and compare their torque.

    Raises:
        ConfigurationError: stiffness or rotor inertia is not known.
    """
    feedforward, elastic = robot.settings(FeedforwardSettings), robot.find(ElasticSettings)
    assign(robot, core, feedforward)
    set_gears(robot, core)
    if feedforward.elastic_cutoff == 0.0:
        return
    rotors = None if elastic is None else elastic.known_rotors(robot)
    if elastic is None or elastic.stiffness is None or rotors is None:
        raise ConfigurationError(
            f"profile '{robot.name}': feedforward.elastic_cutoff needs elastic.stiffness and "
            "elastic.rotor_inertia (docs/friction.md#elastic-joints)."
        )
    set_springs(robot, elastic, core)
    core.rotor_inertia = rotors


def assign(
    robot: Robot,
    core: _core.DeclaredSettings,
    *groups: Settings,
    **derived: Array | tuple[float, ...] | None,
) -> None:
    """Set the members of a struct of the core from those keys of a profile's groups that it has.

    Args:
        robot: with its joints.
        core: the struct.
        groups: of the profile.
        derived: values by name, in place of None.

    Raises:
        ConfigurationError: numbers of values do not match the joints.
    """
    for group in groups:
        for name in type(group).model_fields:
            if name in core.declared:
                given = getattr(group, name)
                value = derived.get(name) if given is None else given
                setattr(core, name, _core_value(robot, core, name, value))


def _core_value(robot: Robot, core: _core.DeclaredSettings, name: str, value: Any) -> object:
    """Return the value of a member: of an enumeration, of each joint (n,), or one."""
    present, otherwise = getattr(core, name), core.declared[name].otherwise
    if isinstance(present, np.ndarray):
        return _each(robot, value, otherwise, name)
    if isinstance(value, str):
        return type(present).__members__[value]
    return otherwise if value is None else value


def commanded_limits(robot: Robot) -> JointLimits:
    """Return the limits of what is commanded, joints or motors.

    The profile's ``limits`` are those of the joints: where coupled motors are commanded, they do
    not limit single motors.

    Raises:
        ConfigurationError: numbers of values do not match the joints.
    """
    return (robot.limits if robot.motor_coupling is None else Limits()).of_joints(len(robot.joints))


def feedforward(robot: Robot, *, control_rate: float) -> _core.Feedforward:
    """Return a profile's additive torque alone, without a model yet.

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    settings = feedforward_settings(robot, control_rate=control_rate)
    try:
        core = _core.Feedforward(len(robot.joints), settings)
    except ValueError as error:
        raise ConfigurationError(f"feedforward: {error}") from None
    _set_share(core, robot)
    return core


def _set_share(core: _core.ControlLaw | _core.Feedforward, robot: Robot) -> None:
    """Set the share and the mode of the additive torque."""
    share = torque_share(robot)
    core.set_gain(share.gain)
    core.set_mode(share.mode)


def torque_share(robot: Robot) -> _core.TorqueShare:
    """Return which part of the model's torque is added."""
    share = _core.TorqueShare()
    assign(robot, share, robot.settings(FeedforwardSettings))
    return share


def feedforward_settings(robot: Robot, *, control_rate: float) -> _core.FeedforwardSettings:
    """Return the core's settings of the additive torque.

    Raises:
        ConfigurationError: the profile has no ``limits.torque_max``, or numbers of values do not
            match the joints.
    """
    limits = robot.limits.of_joints(len(robot.joints))
    if robot.limits.torque_max is None:
        raise ConfigurationError(
            f"profile '{robot.name}': additive torque needs 'limits.torque_max', its limit at "
            "each joint [N m or N]."
        )
    with np.errstate(divide="ignore", over="ignore"):  # at rates that the core refuses
        jump = _JUMP_CYCLES * limits.velocity / control_rate
    settings = _core.FeedforwardSettings()
    settings.control_rate = control_rate
    settings.torque_max = limits.torque
    if robot.drives.scales_torque_offset:  # the driver would wrap values beyond int16
        settings.torque_max = torque_offset_limit(
            robot.drives, len(robot.joints), settings.torque_max
        )
    assign(
        robot,
        settings,
        robot.settings(FeedforwardSettings),
        position_jump=jump,
        acceleration_jump=_JUMP_ACCELERATION * limits.acceleration,
    )
    return settings


def collision_settings(robot: Robot, *, control_rate: float) -> _core.CollisionSettings:
    """Return the core's settings of collision detection.

    Raises:
        ConfigurationError: numbers of values do not match the joints.
    """
    settings = _core.CollisionSettings()
    settings.control_rate = control_rate
    limit = robot.limits.of_joints(len(robot.joints)).acceleration
    step = np.where(np.isfinite(limit), _STEP_SHARE * limit, _STEP)
    assign(robot, settings, robot.settings(CollisionSettings), acceleration_step=step)
    assign(robot, settings, robot.limits)  # torque_threshold
    return settings


def friction_smoothing(robot: Robot) -> Array:
    """Return the smoothing velocities (n,) of dry friction [rad/s or m/s]."""
    smoothing: Array = model_settings(robot).friction_smoothing
    return smoothing


def model_settings(robot: Robot) -> _core.ModelSettings:
    """Return the core's settings of a model.

    Raises:
        ConfigurationError: numbers of values do not match the joints.
    """
    limit = robot.limits.of_joints(len(robot.joints)).velocity
    share = None if robot.limits.velocity is None else _SMOOTHING_SHARE * limit
    settings = _core.ModelSettings()
    assign(robot, settings, robot.settings(FeedforwardSettings), friction_smoothing=share)
    return settings


def _each(
    robot: Robot,
    values: Array | tuple[float, ...] | tuple[bool, ...] | None,
    default: Array | float,
    name: str,
) -> Array:
    """Return one value for each joint (n,)."""
    joints = len(robot.joints)
    if values is None:
        return np.full(joints, default, dtype=np.float64)
    return per_joint(values, joints, name)
