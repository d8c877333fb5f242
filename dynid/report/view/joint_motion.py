"""Motions to show: a profile's excitation, or a recording."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.evaluation.errors import compare
from dynid.excitation.settings import find_excitation
from dynid.identification.settings import IdentificationSettings
from dynid.playback.plan import examine_plan
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

_RATE = 100.0  # [Hz] at which an excitation is sampled


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Positions over time, and torque errors.

    Attributes:
        name: source of the motion.
        time: (N,) [s], increasing.
        position: (N, n) [rad or m], at the joints.
        torque_error: (N, n) model minus measured [N m or N], or None without a model.
        violation: a sentence on why the motion would be refused; None where it would not.
    """

    name: str
    time: Array
    position: Array
    torque_error: Array | None = None
    violation: str | None = None

    def index(self, time: float) -> int:
        """Return the index of the sample nearest to a time [s].

        Raises:
            ConfigurationError: the time is outside the motion.
        """
        first, last = float(self.time[0]), float(self.time[-1])
        if not first <= time <= last:
            raise ConfigurationError(
                f"--at {time:g}: the {self.name} has samples from {first:.3f} s to {last:.3f} s."
            )
        return int(np.argmin(np.abs(self.time - time)))

    def peak_errors(self) -> Array | None:
        """Return the largest error of each joint, with its sign; (n,)."""
        if self.torque_error is None:
            return None
        at = np.argmax(np.abs(self.torque_error), axis=0)
        return np.asarray(self.torque_error[at, np.arange(self.torque_error.shape[1])])

    def resampled(self, rate: float, most: int) -> JointMotion:
        """Return positions at about a rate [Hz], but at most at a number of times."""
        duration = float(self.time[-1] - self.time[0])
        count = max(2, min(most, round(duration * rate) + 1))
        time = np.linspace(self.time[0], self.time[-1], count)
        columns = [np.interp(time, self.time, column) for column in self.position.T]
        return replace(self, time=time, position=np.stack(columns, axis=1), torque_error=None)


def excitation_motion(robot: Robot, file: Path | None = None) -> JointMotion | None:
    """Return the excitation of a file, or of the profile; None if that has none.

    Raises:
        DynidError: the excitation cannot be read or built.
    """
    if file is None and find_excitation(robot) is None:
        return None
    motion, check = examine_plan(robot, excitation=file)
    time = np.linspace(0.0, motion.duration, max(2, round(motion.duration * _RATE) + 1))
    position = motion.evaluate(time).position
    return JointMotion("excitation", time, position, violation=check.violation)


def recorded_motion(
    robot: Robot, recording: Recording, model: Mechanism | None = None
) -> JointMotion:
    """Return a recording's motion after the profile's filters, with the errors of a given model.

    Torques are compared as in a validation: both after the profile's parallel filter.

    Raises:
        DynidError: a setting does not match the recording.
    """
    # as in a validation, borders are included
    settings = robot.settings(IdentificationSettings).model_copy(update={"border": 0.0})
    signals = preprocess(recording, robot.with_settings(settings), unsettled=True)
    error = None
    if model is not None:
        (comparison,) = compare(model, [signals], settings)
        error = comparison.model - comparison.measured
    return JointMotion("recording", signals.time, signals.position, error)


def resting_position(robot: Robot) -> Array:
    """Return a position to show without a motion: 0, or the nearest limit; (n,)."""
    limits = robot.limits.of_joints(len(robot.joints))
    return np.clip(np.zeros(len(robot.joints)), limits.low, limits.high)
