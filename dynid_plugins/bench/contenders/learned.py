"""A learned model of torque, and its sum with dynid's, as upper references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from dynid.arrays import Array
from dynid.signals.signals import Signals
from dynid_plugins.bench.contenders.interface import Contender, FittedModel, FittingTask
from dynid_plugins.bench.contenders.model_based import fit_dynid

_DEFAULTS = "defaults of scikit-learn's HistGradientBoostingRegressor, one for each joint"


def fit(task: FittingTask) -> FittedModel:
    """Learn each joint's torque from positions, velocities and accelerations of all joints."""
    joints = _learn(task.signals, [one.torque for one in task.signals])
    return FittedModel(lambda signals: _predict(joints, signals))


def fit_residual(task: FittingTask) -> FittedModel:
    """Learn what dynid's model leaves of the torque."""
    physical = fit_dynid(task)
    residuals = [one.torque - physical.torque(one) for one in task.signals]
    joints = _learn(task.signals, residuals)
    return FittedModel(lambda signals: physical.torque(signals) + _predict(joints, signals))


def _learn(signals: Sequence[Signals], torques: Sequence[Array]) -> list[Any]:
    inputs = np.concatenate([np.hstack(one.motion) for one in signals])
    return [
        HistGradientBoostingRegressor(random_state=0).fit(inputs, torque)
        for torque in np.concatenate(torques).T
    ]


def _predict(joints: Sequence[Any], signals: Signals) -> Array:
    inputs = np.hstack(signals.motion)
    return np.column_stack([joint.predict(inputs) for joint in joints])


LEARNED = Contender("gradient boosting", fit, ("scikit-learn",), _DEFAULTS, learned=True)
RESIDUAL = Contender(
    "dynid + gradient boosting", fit_residual, ("dynid", "scikit-learn"), _DEFAULTS, learned=True
)
