"""Settings of the control of a torque-controlled robot: the group ``torque_control``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dynid.configuration import PerJointNotNegative, PerJointPositive, TaskSettings
from dynid.robot.torque_settings import Cycles


class TorqueControlSettings(TaskSettings):
    """Control of a robot that is commanded torque alone; one value per joint or one for all.

    Limits, collision detection and the commanded motion are those of ``limits``, ``collision`` and
    ``feedforward``. Gains follow from bandwidth, damping ratio and the mean inertia of the model
    at each joint J: stiffness J w^2 and damping 2 D J w with w = 2 pi bandwidth.
    """

    group = "torque_control"
    kept_with_model = True

    gravity: Literal["by_controller", "by_robot"] = "by_controller"
    """Who compensates gravity: ``by_robot`` where the robot adds its own torque against it."""
    compensation: Literal["gravity", "rigid_body", "full"] = "full"
    """The model's part of the torque: of the robot at rest, of its motion without friction, or
    with friction."""
    bandwidth_hz: PerJointPositive = (3.0,)
    """Natural frequency w / 2 pi of the position loop [Hz]."""
    damping_ratio: PerJointPositive = (1.0,)
    """Damping ratio D of the position loop [1]."""
    integral_time: PerJointPositive | None = None
    """Integral time of the position loop [s]; None: no integrator."""
    integral_max: PerJointNotNegative | None = None
    """Largest torque of the integrator [N m or N]; None: a fifth of ``limits.torque_max``."""
    feedback_delay: Cycles = 2
    """Delay from a command to the measurement of its motion [control cycles]."""
    torque_rate_max: PerJointPositive | None = None
    """Largest rate of the torque [N m/s or N/s]; None: ``limits.torque_max`` in 50 ms."""
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
