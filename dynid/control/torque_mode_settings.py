"""Settings of the control of a torque-controlled robot: the group ``torque_control``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dynid.configuration import (
    ControlSettings,
    Delay,
    Otherwise,
    PerJointNotNegative,
    PerJointPositive,
    Settings,
    TaskSettings,
)

GravityBy = Literal["by_controller", "by_robot"]
Compensation = Literal["gravity", "rigid_body", "full"]


class LoopSettings(Settings):
    """What the gains of the position loop are computed from."""

    bandwidth_hz: PerJointPositive = (3.0,)
    """Natural frequency w / 2 pi of the position loop [Hz]."""
    damping_ratio: PerJointPositive = (1.0,)
    """Damping ratio D of the position loop [1]."""
    integral_time: PerJointPositive | None = None
    """Integral time of the position loop [s]; None: no integrator."""


class LoopGains(ControlSettings):
    """Gains of the position loop."""

    struct = "TorqueLawSettings"
    parameters = "torque_control"

    stiffness: PerJointNotNegative = (0.0,)
    """Gain of the position error [N m/rad or N/m]."""
    damping: PerJointNotNegative = (0.0,)
    """Gain of the velocity error [N m s/rad or N s/m]."""
    integral_gain: PerJointNotNegative = (0.0,)
    """Gain of the integral of the position error [N m/(rad s) or N/(m s)]; 0: none."""


class TorqueControlSettings(ControlSettings, LoopSettings, TaskSettings):
    """Control of a robot that is commanded torque alone; one value per joint or one for all.

    Limits, collision detection and the commanded motion are those of ``limits``, ``collision`` and
    ``feedforward``. Gains follow from bandwidth, damping ratio and the mean inertia of the model
    at each joint J: stiffness J w^2 and damping 2 D J w with w = 2 pi bandwidth.
    """

    group = "torque_control"
    kept_with_model = True
    struct = "TorqueLawSettings"
    parameters = "torque_control"

    gravity: GravityBy = "by_controller"
    """Who compensates gravity: ``by_robot`` where the robot adds its own torque against it."""
    compensation: Compensation = "full"
    """The model's part of the torque: of the robot at rest (``gravity``), of its motion without
    friction (``rigid_body``), or with friction (``full``)."""
    integral_max: Annotated[PerJointNotNegative | None, Otherwise(0.0)] = None
    """Largest torque of the integrator [N m or N]; None: a fifth of ``limits.torque_max``."""
    feedback_delay: Delay = 0.002
    """Delay from a command to the measurement of its motion [s]."""
    torque_rate_max: PerJointPositive | None = None
    """Largest rate of the torque [N m/s or N/s]; None: ``torque_max`` in 50 ms."""
    position_error_max: PerJointPositive | None = (0.2,)
    """Distance between command and position that stops the robot [rad or m]; None: any."""
    speed_max: PerJointPositive | None = None
    """Measured speed that stops the robot [rad/s or m/s]; None: 1.2 times the velocity limit."""
    stop_damping: PerJointNotNegative | None = None
    """Damping in a stop [N m s/rad or N s/m]; None: that of the position loop."""
    stop_speed: PerJointPositive = (0.02,)
    """Speed at or below which a joint is at rest in a stop, above the noise of measured speeds
    [rad/s or m/s]."""
    stop_time: Annotated[float, Field(ge=0, le=10)] = 0.5
    """Longest damped stop, until the robot's own one [s]."""
    guiding_friction: Annotated[float, Field(ge=0, le=0.9)] = 0.6
    """Share of the model's friction that is compensated while the robot is guided by hand."""
    guiding_speed: PerJointPositive = (0.5,)
    """Speed above which guided motion is damped [rad/s or m/s]."""
    guiding_torque: PerJointPositive | None = None
    """Largest torque in guided motion besides that against gravity: for friction, damping and walls
    at the position limits [N m or N]; None: a tenth of ``limits.torque_max``."""
    wall_distance: PerJointPositive = (0.15,)
    """Distance from a position limit at which its wall begins [rad or m]."""
