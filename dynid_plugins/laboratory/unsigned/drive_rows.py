"""Rows of drives that measure torque without sign: its absolute value and the regressor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

_KEPT_NUMBERS = 2**24  # of the regressors of all recordings together, which must fit in memory
_BLOCK = 8192  # samples whose regressor of standard parameters is in memory at once
_NEGATIVE = 0.01  # share of negative samples above which torque has a sign


@dataclass(frozen=True)
class DriveRows:
    """One recording at the side of the drives, without signs of torque.

    Attributes:
        signals: motion at the joints, with all samples of the recording.
        size: (N, n) absolute value of the drives' torque [N m or N].
        velocity: (N, n) of the drives [rad/s or m/s].
        stride: the search uses every ``stride``-th sample.
        regressor: (m, n, k) of these samples, in base parameters.
        to_drives: (n, n) from joint torque to drive torque: ``joints @ to_drives``.
    """

    signals: Signals
    size: Array
    velocity: Array
    stride: int
    regressor: Array
    to_drives: Array

    @property
    def searched(self) -> Array:
        """Absolute torque at the samples of the search, (m, n)."""
        return np.asarray(self.size[:: self.stride])


def drive_rows(
    robot: Robot, mechanism: Mechanism, base: BaseParameterization, recordings: Sequence[Recording]
) -> list[DriveRows]:
    """Return motion with the profile's filters, and unfiltered absolute torque.

    Torque must not be filtered before its signs are known, because a filter would smooth the kinks
    at zero crossings.

    Raises:
        EstimationError: torque has a sign, is always zero, or there is no motion.
        PreprocessingError: a filter does not fit the recording.
    """
    rows, k = sum(r.effort.size for r in recordings), len(base.independent)
    stride = max(1, ceil(rows * k / _KEPT_NUMBERS))
    found = [_of_one(robot, mechanism, base, one, stride) for one in recordings]
    if not any(one.signals.moving.any() for one in found):
        raise EstimationError("no joint moves in the recordings; an identification needs motion.")
    if not any(one.size.any() for one in found):
        raise EstimationError(
            "the torque is always zero in the recordings; check that torque or current was "
            "recorded."
        )
    return found


def moving_signals(robot: Robot, recording: Recording) -> Signals:
    """Preprocess motion with the profile's filters, keeping all samples of the recording."""
    whole = {"period": None, "trim_rest": False, "border": 0.0, "filter_torque": False}
    settings = robot.settings(IdentificationSettings).model_copy(update=whole)
    return preprocess(recording, robot.with_settings(settings), unsettled=True)


def joints_to_drives(robot: Robot) -> Array:
    """Return the matrix ``DriveRows.to_drives``: the coupling if motors are recorded."""
    if robot.coupling is None or robot.settings(RecordingSettings).side == "joint":
        return np.eye(len(robot.joints))
    return np.array(robot.coupling)


def _of_one(
    robot: Robot,
    mechanism: Mechanism,
    base: BaseParameterization,
    recording: Recording,
    stride: int,
) -> DriveRows:
    _check_unsigned(recording)
    signals = moving_signals(robot, recording)
    to_drives = joints_to_drives(robot)
    factor = np.abs(robot.drives.torque_factor(len(robot.joints)))
    return DriveRows(
        signals=signals,
        size=np.abs(recording.effort) * factor,
        velocity=signals.velocity @ np.linalg.inv(to_drives).T,
        stride=stride,
        regressor=_regressor(mechanism, base.independent, signals, stride, to_drives),
        to_drives=to_drives,
    )


def _check_unsigned(recording: Recording) -> None:
    negative = np.mean(recording.effort < 0, axis=0)
    joint = int(np.argmax(negative))
    if negative[joint] > _NEGATIVE:
        raise EstimationError(
            f"the torque of {recording.joint_names[joint]} is negative at "
            f"{100 * negative[joint]:.0f} % of its samples, so it has a sign; identify without "
            "unsigned_torque."
        )


def _regressor(
    mechanism: Mechanism, columns: NDArray[np.intp], signals: Signals, stride: int, to_drives: Array
) -> Array:
    """Compute the regressor of every ``stride``-th sample at the drives (m, n, k), in blocks."""
    block, past = stride * max(1, _BLOCK // stride), signals.past(mechanism)
    parts = []
    for start in range(0, len(signals.time), block):
        span = slice(start, start + block)
        whole = mechanism.regressor(
            signals.position[span], signals.velocity[span], signals.acceleration[span], past=past
        )
        parts.append(to_drives.T @ whole[::stride][:, :, columns])
    return np.concatenate(parts)
