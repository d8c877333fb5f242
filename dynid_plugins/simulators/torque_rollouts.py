"""Simulated motion under recorded torques, compared with the recorded motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.signals.signals import Signals
    from dynid_plugins.simulators.mujoco_model import MujocoModel


@dataclass(frozen=True, eq=False)
class TorqueRollouts:
    """Simulated motion from recorded states.

    Attributes:
        time: (W, T) of every sample [s].
        position: (W, T, n) simulated [rad or m].
        recorded: (W, T, n) recorded, filtered [rad or m].
    """

    time: Array
    position: Array
    recorded: Array

    @property
    def error(self) -> Array:
        """Root mean square of the position error at each joint over all samples (n,)."""
        return np.asarray(np.sqrt(np.mean((self.position - self.recorded) ** 2, axis=(0, 1))))

    @property
    def travel(self) -> Array:
        """Root mean square of the recorded distance from the start of each window (n,)."""
        way = self.recorded - self.recorded[:, :1]
        return np.asarray(np.sqrt(np.mean(way**2, axis=(0, 1))))


def torque_rollouts(
    model: MujocoModel, joints: Sequence[str], signals: Signals, *, horizon: float = 1.0
) -> TorqueRollouts:
    """Simulate windows of a recording, one after the other, each from its recorded state.

    The torques are those of the recording, held from sample to sample; nothing corrects the motion.

    Args:
        model: of the robot.
        joints: names of its joints, in the order of the signals.
        signals: of the recording.
        horizon: duration of a window [s].

    Raises:
        ConfigurationError: the recording is shorter than a window.
    """
    count = round(horizon * signals.sampling_rate)
    windows = (len(signals.time) - 1) // max(count, 1)
    if windows < 1 or count < 1:
        raise ConfigurationError(
            f"the recording has {len(signals.time)} samples at {signals.sampling_rate:g} Hz, but a "
            f"window of {horizon:g} s needs {count + 1}."
        )
    starts = np.arange(windows) * count
    index = starts[:, None] + np.arange(count + 1)
    position = np.array(
        [
            model.simulate(
                joints,
                signals.position[start],
                signals.velocity[start],
                signals.torque[start : start + count],
                1 / signals.sampling_rate,
            )
            for start in starts
        ]
    )
    return TorqueRollouts(signals.time[index], position, signals.position[index])
