"""Uncertainty of the external torque that the momentum observer finds without contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.robot.torque_settings import CollisionSettings

if TYPE_CHECKING:
    from dynid.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class ExternalTorqueUncertainty:
    """Errors of the external torque without contact, at the commanded side.

    With v the velocity, the standard deviation is sqrt(constant^2 + (per_speed v)^2); up to the
    speed ``collision.low_speed``, static friction adds to it.

    Attributes:
        joints: names, (n,).
        constant: (n,) [N m or N].
        per_speed: (n,) [N m s/rad or N s/m].
        correlation: (n, n).
        threshold: of the squared Mahalanobis distance of the external torque from 0, above which
            it is a contact.
        observer_gain: of the observer [1/s].
        origin: ``free motion`` or ``identification``.
        free_seconds: duration of the free motion [s]; 0: none, or not known.
    """

    joints: tuple[str, ...]
    constant: Array
    per_speed: Array
    correlation: Array
    threshold: float
    observer_gain: float
    origin: str
    free_seconds: float = 0.0

    def core(self, robot: Robot) -> _core.TorqueUncertainty:
        """Return the core's form, with the robot's ``collision.low_speed``.

        Raises:
            ConfigurationError: the number of values of ``low_speed`` does not match.
        """
        uncertainty = _core.TorqueUncertainty()
        uncertainty.constant, uncertainty.per_speed = self.constant, self.per_speed
        uncertainty.correlation = self.correlation
        uncertainty.low_speed = low_speed(robot)
        return uncertainty


def low_speed(robot: Robot) -> Array:
    """Return the speed up to which dry friction is unknown (n,) [rad/s or m/s].

    Raises:
        ConfigurationError: the number of values does not match the joints.
    """
    given = robot.settings(CollisionSettings).low_speed
    return per_joint(given, len(robot.joints), "low_speed")
