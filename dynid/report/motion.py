"""The motion that a report is on, with measured and model torque."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.identification.evaluated_model import EvaluatedModel
from dynid.signals.signals import Signals


@dataclass(frozen=True)
class EvaluatedMotion:
    """All recordings with measured and model torque, and the units of each joint."""

    signals: tuple[Signals, ...]
    measured_torque: tuple[Array, ...]  # (N, n) through the model's filter
    model_torque: tuple[Array, ...]
    prismatic: tuple[bool, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.signals[0].joint_names

    def units(self, joint: int) -> tuple[str, str, str, str]:
        """Return the units of position, velocity, acceleration and torque."""
        length = "m" if self.prismatic[joint] else "rad"
        return length, f"{length}/s", f"{length}/s²", "N" if self.prismatic[joint] else "N·m"

    def torque_label(self, joint: int) -> str:
        """Return the label of an axis with the joint's torque."""
        return "force [N]" if self.prismatic[joint] else "torque [N·m]"

    @property
    def lengths(self) -> list[float]:
        """Duration of each recording [s]."""
        return [float(signals.time[-1] - signals.time[0]) for signals in self.signals]

    @property
    def gap(self) -> float:
        """Gap between two recordings on a common time axis [s]."""
        return 0.02 * sum(self.lengths)

    def starts(self) -> list[float]:
        """Start of each recording on a common time axis [s]."""
        return [sum(self.lengths[:i]) + i * self.gap for i in range(len(self.lengths))]

    def joined(self, name: str, joint: int) -> Array:
        """Return a signal of a joint over all recordings, (N,)."""
        return np.concatenate([getattr(signals, name)[:, joint] for signals in self.signals])

    def temperature(self, joint: int) -> list[tuple[Array, Array]]:
        """Return times on the common axis (M,) [s] and temperatures (M,) [°C] by recording.

        Both are empty where the joint's was not measured.
        """
        return [
            _temperature(signals, joint, start)
            for signals, start in zip(self.signals, self.starts(), strict=True)
        ]

    def errors(self, joint: int) -> Array:
        """Return model minus measured torque of a joint over all recordings, (N,) [N m or N]."""
        pairs = zip(self.measured_torque, self.model_torque, strict=True)
        return np.concatenate([model[:, joint] - measured[:, joint] for measured, model in pairs])


def evaluated_motion(result: EvaluatedModel) -> EvaluatedMotion:
    """Return the motion of an identification or a validation."""
    prismatic = result.model.mechanism.prismatic
    return EvaluatedMotion(result.signals, result.measured_torque, result.model_torque, prismatic)


def _temperature(signals: Signals, joint: int, start: float) -> tuple[Array, Array]:
    heat = signals.temperature
    if heat is None or not np.isfinite(heat.celsius[:, joint]).any():
        return np.empty(0), np.empty(0)
    first, last = float(signals.time[0]), float(signals.time[-1])
    inside = (heat.time > first) & (heat.time < last) & np.isfinite(heat.celsius[:, joint])
    time = np.concatenate([[first], heat.time[inside], [last]])
    return start + time - first, heat.at(time)[:, joint]
