"""Signs of torque from a model, sample by sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.regression import unfiltered_torque
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals
from dynid_plugins.laboratory.unsigned.drive_rows import joints_to_drives, moving_signals


def signed_by_model(robot: Robot, model: Mechanism, recording: Recording) -> Recording:
    """Return the recording with the signs of an identified model's torque, for a validation.

    Raises:
        PreprocessingError: a filter does not fit the recording.
    """
    signals = moving_signals(robot, recording)
    torque = drive_torque(model, signals, model.parameters, joints_to_drives(robot))
    return with_signs(robot, recording, np.where(torque < 0, -1.0, 1.0))


def drive_torque(
    mechanism: Mechanism, signals: Signals, standard: Array, to_drives: Array
) -> Array:
    """Return the torque of the drives (N, n) of standard parameters (p,)."""
    return np.asarray(unfiltered_torque(mechanism, signals, standard) @ to_drives)


def with_signs(robot: Robot, recording: Recording, signs: Array) -> Recording:
    """Return the recording with effort such that the drives' torque has the given signs.

    ``signs`` (N, n) are 1 or -1, or between them if a sign is uncertain.
    """
    turned = np.sign(robot.drives.torque_factor(len(robot.joints)))
    return replace(recording, effort=np.abs(recording.effort) * signs * turned)
