"""What a model leaves unexplained of recorded torque, as the collision detector sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import collision_settings, control_model
from dynid.errors import ConfigurationError
from dynid.identification.settings import IdentificationSettings
from dynid.recording.settings import RecordingSettings
from dynid.robot.torque_settings import CollisionSettings
from dynid.signals.preprocess import preprocess

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class Residual:
    """Torque errors along a motion, at the side that the drives are commanded at.

    Attributes:
        error: model minus measured torque, unfiltered (N, n) [N m or N].
        torque: measured (N, n) [N m or N].
        velocity: (N, n) [rad/s or m/s].
        acceleration: (N, n) [rad/s^2 or m/s^2].
        rate: samples per second [Hz].
    """

    error: Array
    torque: Array
    velocity: Array
    acceleration: Array
    rate: float

    @property
    def hours(self) -> float:
        """How long it is [h]."""
        return len(self.error) / self.rate / 3600

    def watch(
        self, robot: Robot, *, control_rate: float
    ) -> tuple[Array, Array, list[_core.Collision]]:
        """Return what a profile's detector makes of it: filtered errors, thresholds, collisions.

        The detector is as fast as in the control cycle: its filter forgets as much in a second, and
        its debounce takes as long.

        Args:
            robot: with the detector's settings for the control cycle.
            control_rate: cycles per second [Hz].

        Raises:
            ConfigurationError: the settings do not fit the robot.
        """
        detector = _detector(robot, self.rate, control_rate)
        return detector.run(self.error, self.torque, self.velocity, self.acceleration)


def recorded_residual(robot: Robot, mechanism: Mechanism, recording: Recording) -> Residual:
    """Return the torque errors of a recording.

    Its measured motion, through the profile's zero-phase filters, stands for the commanded one; its
    measured torque is not filtered, since in a control cycle only the detector's own filter is.

    Raises:
        PreprocessingError: the profile's filters do not fit the recording.
        ConfigurationError: profile and model do not fit.
    """
    # nothing is left out: a detector cannot be choosy about its samples
    settings = robot.settings(IdentificationSettings).model_copy(
        update={"border": 0.0, "trim_rest": False}
    )
    robot = robot.with_settings(settings)
    signals = preprocess(recording, robot)
    motion, torque = (signals.position, signals.velocity, signals.acceleration), signals.raw_torque
    if robot.coupling is not None and robot.settings(RecordingSettings).side == "motor":
        coupling = np.array(robot.coupling)  # q_j = T q_m, tau_m = T^T tau_j
        motion = tuple(part @ np.linalg.inv(coupling).T for part in motion)
        torque = torque @ coupling
    model = control_model(robot, mechanism)
    return Residual(
        model.torque(*motion) - torque, torque, motion[1], motion[2], signals.sampling_rate
    )


def with_collision(robot: Robot, **settings: tuple[float, ...]) -> Robot:
    """Return a robot whose torque errors alone are watched, by other settings of ``collision``."""
    collision = robot.settings(CollisionSettings).model_copy(update=settings)
    limits = robot.limits.model_copy(update={"torque_threshold": None})
    return robot.with_settings(collision).model_copy(update={"limits": limits})


def _detector(robot: Robot, rate: float, control_rate: float) -> _core.CollisionDetector:
    """Return a profile's detector for samples at another rate [Hz]."""
    settings = collision_settings(robot, control_rate=control_rate)
    cycles = control_rate / rate  # per sample
    settings.control_rate = rate
    settings.torque_error_filter = settings.torque_error_filter**cycles
    settings.debounce = max(1, round(settings.debounce / cycles))
    try:
        return _core.CollisionDetector(len(robot.joints), settings)
    except ValueError as error:
        message = f"collision: {error}"
        raise ConfigurationError(message) from None
