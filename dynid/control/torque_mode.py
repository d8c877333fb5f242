"""Construction of the core's control law for a torque-controlled robot."""

from __future__ import annotations

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.control.build import assign, control_law_settings, control_model
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot

_POSITIONS = 200  # over which inertia is averaged
_RATE_TIME = 0.05  # [s] in which the torque may reach its limit
_OVERSPEED = 1.2  # times the velocity limit
_INTEGRAL_SHARE = 0.2  # of the torque limit
_GUIDING_SHARE = 0.1  # of the torque limit


def torque_law(robot: Robot, mechanism: Mechanism, *, control_rate: float) -> _core.TorqueLaw:
    """Return the control law of a robot that is commanded torque, with its model.

    Args:
        robot: with its limits and settings.
        mechanism: with the identified parameters.
        control_rate: cycles per second [Hz].

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    settings = torque_law_settings(robot, mechanism, control_rate=control_rate)
    try:
        law = _core.TorqueLaw(len(robot.joints), settings)
    except ValueError as error:
        raise ConfigurationError(f"torque_control, feedforward, collision: {error}") from None
    law.use(control_model(robot, mechanism))
    return law


def torque_law_settings(
    robot: Robot, mechanism: Mechanism, *, control_rate: float
) -> _core.TorqueLawSettings:
    """Return the core's settings of a profile, for one control rate [Hz].

    Raises:
        ConfigurationError: the profile has no ``limits.torque_max``, or numbers of values do not
            match the joints.
    """
    given = robot.settings(TorqueControlSettings)
    settings = _core.TorqueLawSettings()
    settings.law = control_law_settings(robot, control_rate=control_rate)
    torque_max = settings.law.feedforward.torque_max
    inertia, joints = mean_inertia(robot, mechanism), len(robot.joints)
    rate = 2 * np.pi * per_joint(given.bandwidth_hz, joints, "bandwidth_hz")
    settings.stiffness = inertia * rate**2
    settings.damping = 2 * per_joint(given.damping_ratio, joints, "damping_ratio") * inertia * rate
    time = (np.inf,) if given.integral_time is None else given.integral_time
    settings.integral_gain = settings.stiffness / per_joint(time, joints, "integral_time")
    assign(
        robot,
        settings,
        given,
        integral_max=_INTEGRAL_SHARE * torque_max,
        guiding_torque=_GUIDING_SHARE * torque_max,
        torque_rate_max=torque_max / _RATE_TIME,
        speed_max=_OVERSPEED * settings.law.limits.velocity_max,
        stop_damping=settings.damping,
    )
    return settings


def mean_inertia(robot: Robot, mechanism: Mechanism) -> Array:
    """Return the mean inertia (n,) at each commanded joint or motor [kg m^2 or kg].

    The mean is over random positions within the limits; a joint without limits turns once.
    """
    joints = len(robot.joints)
    limits = robot.limits.of_joints(joints).finite()
    q = np.random.default_rng(0).uniform(limits.low, limits.high, (_POSITIONS, joints))
    mass = np.mean(mechanism.mass_matrix(q[mechanism.reachable(q)]), axis=0)
    if (coupling := robot.motor_coupling) is not None:
        mass = coupling.T @ mass @ coupling
    return np.array(np.diagonal(mass))
