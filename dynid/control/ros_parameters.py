"""The parameters of dynid/FeedforwardController and dynid/TorqueController, from a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.arrays import Array
from dynid.control.build import control_law_settings, friction_smoothing
from dynid.control.torque_mode import torque_law_settings
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.recording.settings import RecordingSettings
from dynid.robot.parameter_file import ros_parameters
from dynid.robot.torque_settings import CollisionSettings, FeedforwardSettings

if TYPE_CHECKING:
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot

_PER_JOINT = (
    "torque_error_time_constant",
    "velocity_factor",
    "acceleration_factor",
    "reversal_boost",
    "low_speed",
    "acceleration_step",
)


_LOOPS = (
    "stiffness",
    "damping",
    "integral_gain",
    "integral_max",
    "torque_rate_max",
    "stop_damping",
    "stop_speed",
)


def feedforward_parameters(robot: Robot, *, control_rate: float) -> dict[str, Any]:
    """Return the controller's parameters, without those of its model.

    Args:
        robot: the robot; the effort states of its drives are in the unit of its recordings.
        control_rate: cycles per second [Hz].

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    settings = control_law_settings(robot, control_rate=control_rate)
    feedforward, collision = settings.feedforward, settings.collision
    given = robot.settings(CollisionSettings)
    parameters: dict[str, Any] = {
        "joints": list(robot.joints),
        "side": robot.settings(RecordingSettings).side,
        "effort_factor": _list(robot.drives.torque_factor(len(robot.joints))),
        "torque_max": _list(feedforward.torque_max),
        "additive_torque_delay": feedforward.additive_torque_delay,
        "torque_error_delay": settings.torque_error_delay,
        "ramp_time": feedforward.ramp_time,
        "gain": robot.settings(FeedforwardSettings).gain,
        "mode": robot.settings(FeedforwardSettings).mode,
        "friction_smoothing": _list(friction_smoothing(robot)),
        "reference_tolerance": _list(settings.reference_tolerance),
        **_where_limited("position_jump", feedforward.position_jump),
        **_where_limited("acceleration_jump", feedforward.acceleration_jump),
        **_where_limited("position_min", settings.limits.position_min),
        **_where_limited("position_max", settings.limits.position_max),
        **_where_limited("velocity_max", settings.limits.velocity_max),
        **_where_limited("acceleration_max", settings.limits.acceleration_max),
        "max_age": settings.max_age,
        "longest_blind": settings.supervision.longest_blind,
        "longest_blind_stop": settings.supervision.longest_blind_stop,
        "model_check": settings.model_check.enabled,
        "extrapolation_time": settings.extrapolation_time,
    }
    parameters["collision"] = {
        "method": given.method,
        "observer_gain": given.observer_gain,
        "torque_error_enable": [bool(value) for value in collision.torque_error_enable],
        **{name: _list(getattr(collision, name)) for name in _PER_JOINT},
        **_where_limited("torque_error_max", collision.torque_error_max),
        **_where_limited("torque_threshold", collision.torque_threshold),
        "boost_time": given.boost_time,
        "warn_fraction": given.warn_fraction,
        "debounce_time": given.debounce_time,
        "reaction": given.reaction,
        "deceleration": _list(settings.deceleration),
    }
    return parameters


def torque_parameters(robot: Robot, model: Model, *, control_rate: float) -> dict[str, Any]:
    """Return the parameters of dynid/TorqueController, with those of its model.

    Args:
        robot: the robot, with the settings of ``torque_control``.
        model: identified; the controller cannot hold the robot without it.
        control_rate: cycles per second [Hz].

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    settings = torque_law_settings(robot, model.mechanism, control_rate=control_rate)
    given = robot.settings(TorqueControlSettings)
    loops = {name: _list(getattr(settings, name)) for name in _LOOPS}
    limits = {name: getattr(settings, name) for name in ("position_error_max", "speed_max")}
    own: dict[str, Any] = {
        "gravity": given.gravity,
        "compensation": given.compensation,
        "feedback_delay": settings.feedback_delay,
        "stop_time": settings.stop_time,
        **loops,
    }
    for name, values in limits.items():
        own |= _where_limited(name, values)
    stored = ros_parameters(model.text(), "the model")
    parameters = feedforward_parameters(robot, control_rate=control_rate)
    return parameters | {"torque_control": own} | stored


def _list(values: Array) -> list[float]:
    return [float(value) for value in values]


def _where_limited(name: str, values: Array) -> dict[str, list[float]]:
    """Return the entry, or none without any limit: ROS 2 parameter files have no empty list."""
    return {name: _list(values)} if np.isfinite(values).any() else {}
