"""Construction of the core's control law from a robot and a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError
from dynid.recording.settings import RecordingSettings
from dynid.robot.drives import torque_offset_limit
from dynid.robot.limits import Limits
from dynid.robot.torque_settings import CollisionSettings, FeedforwardSettings

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.robot import Robot

_SMOOTHING = 0.02  # [rad/s or m/s] where there is no velocity limit
_SMOOTHING_SHARE = 0.01  # of the velocity limit
_JUMP_CYCLES = 3.0  # at the velocity limit
_JUMP_ACCELERATION = 5.0  # times the acceleration limit: splines may overshoot it
_STEP_SHARE = 0.5  # of the acceleration limit: an abrupt start or stop
_STEP = 3.0  # [rad/s^2 or m/s^2] where there is none
_LONGEST_EXTRAPOLATION = 1.0  # [s] that a control law permits
_DECELERATION = 10.0  # [rad/s^2 or m/s^2] where there is no acceleration limit


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
            robot.settings(RecordingSettings).side == "motor",
        )
    except ValueError as error:
        message = f"feedforward: {error}"
        raise ConfigurationError(message) from None


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
        message = f"feedforward, collision: {error}"
        raise ConfigurationError(message) from None
    _set_share(law, robot)
    return law


def control_law_settings(robot: Robot, *, control_rate: float) -> _core.ControlLawSettings:
    """Return the core's settings of a profile, for one control rate [Hz].

    Raises:
        ConfigurationError: the profile has no ``limits.torque_max``, or numbers of values do not
            match the joints.
    """
    given = robot.settings(CollisionSettings)
    delay = robot.settings(FeedforwardSettings).torque_error_delay
    settings = _core.ControlLawSettings()
    settings.feedforward = feedforward_settings(robot, control_rate=control_rate)
    settings.collision = collision_settings(robot, control_rate=control_rate)
    settings.torque_error_delay = -1 if delay is None else delay
    settings.method = _core.DetectionMethod.__members__[given.method]
    settings.observer_gain = given.observer_gain
    settings.reaction = _core.CollisionReaction.__members__[given.reaction]
    settings.deceleration = _each(
        robot, given.deceleration or robot.limits.acceleration, _DECELERATION, "deceleration"
    )
    settings.reference_tolerance = _each(
        robot,
        robot.settings(FeedforwardSettings).reference_tolerance,
        np.inf,
        "reference_tolerance",
    )
    settings.limits = command_limits(robot)
    feedforward = robot.settings(FeedforwardSettings)
    settings.max_age = feedforward.max_age
    settings.supervision.longest_blind = feedforward.longest_blind
    settings.supervision.longest_blind_stop = feedforward.longest_blind_stop
    settings.model_check.enabled = feedforward.model_check
    settings.extrapolation_time = robot.drives.extrapolation_time
    return settings


def command_limits(robot: Robot) -> _core.CommandLimits:
    """Return the limits of position commands; infinite where there is none.

    The profile's ``limits`` are those of the joints: where coupled motors are commanded, they do
    not limit single motors.

    Raises:
        ConfigurationError: numbers of values do not match the joints.
    """
    limits, joints = _core.CommandLimits(), len(robot.joints)
    at_motors = robot.settings(RecordingSettings).side == "motor" and robot.coupling is not None
    given = Limits() if at_motors else robot.limits
    ranges = [given.range_of("position", joint) for joint in range(joints)]
    limits.position_min = np.array([-np.inf if r is None else r[0] for r in ranges])
    limits.position_max = np.array([np.inf if r is None else r[1] for r in ranges])
    limits.velocity_max = _each(robot, given.velocity, np.inf, "velocity")
    limits.acceleration_max = _each(robot, given.acceleration, np.inf, "acceleration")
    return limits


def feedforward(robot: Robot, *, control_rate: float) -> _core.Feedforward:
    """Return a profile's additive torque alone, without a model yet.

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    settings = feedforward_settings(robot, control_rate=control_rate)
    try:
        core = _core.Feedforward(len(robot.joints), settings)
    except ValueError as error:
        message = f"feedforward: {error}"
        raise ConfigurationError(message) from None
    _set_share(core, robot)
    return core


def _set_share(core: _core.ControlLaw | _core.Feedforward, robot: Robot) -> None:
    """Set the share and the mode of the additive torque."""
    core.set_gain(robot.settings(FeedforwardSettings).gain)
    core.set_mode(_core.FeedforwardMode.__members__[robot.settings(FeedforwardSettings).mode])


def feedforward_settings(robot: Robot, *, control_rate: float) -> _core.FeedforwardSettings:
    """Return the core's settings of the additive torque.

    Raises:
        ConfigurationError: the profile has no ``limits.torque_max``, or numbers of values do not
            match the joints.
    """
    given, limits = robot.settings(FeedforwardSettings), robot.limits
    if limits.torque_max is None:
        message = (
            f"profile '{robot.name}': additive torque needs 'limits.torque_max', its limit at "
            "each joint [N m or N]."
        )
        raise ConfigurationError(message)
    velocity = _each(robot, limits.velocity, np.inf, "velocity")
    acceleration = _each(robot, limits.acceleration, np.inf, "acceleration")
    settings = _core.FeedforwardSettings()
    settings.control_rate = control_rate
    settings.additive_torque_delay = given.additive_torque_delay
    settings.ramp_time = given.ramp_time
    settings.torque_max = _each(robot, limits.torque_max, np.inf, "torque_max")
    if robot.drives.scales_torque_offset:  # the driver would wrap values beyond int16
        settings.torque_max = torque_offset_limit(
            robot.drives, len(robot.joints), settings.torque_max
        )
    settings.position_jump = _each(
        robot, given.position_jump, _JUMP_CYCLES * velocity / control_rate, "position_jump"
    )
    settings.acceleration_jump = _each(
        robot, given.acceleration_jump, _JUMP_ACCELERATION * acceleration, "acceleration_jump"
    )
    return settings


def collision_settings(robot: Robot, *, control_rate: float) -> _core.CollisionSettings:
    """Return the core's settings of collision detection.

    Raises:
        ConfigurationError: numbers of values do not match the joints.
    """
    given = robot.settings(CollisionSettings)
    settings = _core.CollisionSettings()
    settings.control_rate = control_rate
    settings.boost_time = given.boost_time
    settings.warn_fraction = given.warn_fraction
    settings.debounce_time = given.debounce_time
    for name in (
        "torque_error_enable",
        "torque_error_time_constant",
        "velocity_factor",
        "acceleration_factor",
        "reversal_boost",
        "low_speed",
    ):
        setattr(settings, name, _each(robot, getattr(given, name), 0.0, name))
    limit = _each(robot, robot.limits.acceleration, np.inf, "acceleration")
    step = np.where(np.isfinite(limit), _STEP_SHARE * limit, _STEP)
    settings.acceleration_step = _each(robot, given.acceleration_step, step, "acceleration_step")
    settings.torque_error_max = _each(robot, given.torque_error_max, np.inf, "torque_error_max")
    settings.torque_threshold = _each(
        robot, robot.limits.torque_threshold, np.inf, "torque_threshold"
    )
    return settings


def friction_smoothing(robot: Robot) -> Array:
    """Return the smoothing velocities (n,) of dry friction [rad/s or m/s]."""
    limit = robot.limits.velocity
    default = (
        np.full(len(robot.joints), _SMOOTHING)
        if limit is None
        else _SMOOTHING_SHARE * _each(robot, limit, 0.0, "velocity")
    )
    return _each(
        robot, robot.settings(FeedforwardSettings).friction_smoothing, default, "friction_smoothing"
    )


def _each(
    robot: Robot,
    values: tuple[float, ...] | tuple[bool, ...] | None,
    default: Array | float,
    name: str,
) -> Array:
    """Return one value for each joint (n,)."""
    joints = len(robot.joints)
    if values is None:
        return np.full(joints, default, dtype=np.float64)
    return per_joint(values, joints, name)
