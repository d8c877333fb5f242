"""Measured and model torque of one joint, by hand."""

from __future__ import annotations

import numpy as np

from dynid.evaluation.verdict import TorqueComparison
from dynid.signals.signals import Signals


def comparison(
    measured: list[float] | np.ndarray,
    model: list[float] | np.ndarray,
    *,
    moving: list[bool] | None = None,
    factor: float = 1.0,
    unit: str = "N*m",
    threshold: float = 0.1,
    raw: list[float] | None = None,
) -> TorqueComparison:
    """Return measured and model torque of one joint."""
    torque, other = np.array(measured, dtype=float)[:, None], np.array(model, dtype=float)[:, None]
    return TorqueComparison(
        signals=Signals(
            joint_names=("elbow",),
            time=np.arange(len(torque)) * 0.01,
            position=np.zeros_like(torque),
            velocity=np.ones_like(torque),
            acceleration=np.zeros_like(torque),
            torque=torque,
            raw_position=np.zeros_like(torque),
            raw_torque=torque if raw is None else np.array(raw)[:, None],
            moving=np.ones_like(torque, dtype=bool)
            if moving is None
            else np.array(moving)[:, None],
            velocity_threshold=np.array([threshold]),
            torque_per_effort=np.array([factor]),
            effort_unit=unit,
            sampling_rate=100.0,
        ),
        measured=torque,
        model=other,
        raw_model=other,
    )
