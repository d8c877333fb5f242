"""An prediction as JSON, for other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.excitation.prediction.advice import advice, good, verdict

if TYPE_CHECKING:
    from dynid.excitation.prediction.parameters import PredictedParameter
    from dynid.excitation.prediction.prediction import Prediction


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """Return what ``--json`` prints: SI, fractions, not percent; what is not known is null."""
    precision = prediction.precision
    lowest, highest = prediction.tool_box.tolist()
    return {
        "robot": prediction.robot.name,
        "good": good(prediction),
        "verdict": verdict(prediction),
        "advice": advice(prediction),
        "assumptions": list(prediction.assumptions),
        "duration": prediction.duration,
        "sampling_rate": prediction.signals.sampling_rate,
        "condition_number": _finite(precision.condition_number),
        "scaled_condition_number": _finite(precision.scaled_condition_number),
        "rigid_condition_number": _finite(precision.rigid_condition_number),
        "rigid_scaled_condition_number": _finite(precision.rigid_scaled_condition_number),
        "log10_det": _finite(precision.log10_det),
        "parameters": {one.name: _parameter(one) for one in prediction.parameters},
        "joints": {
            joint: {**asdict(covered), "torque": asdict(torque)}
            for joint, covered, torque in zip(
                prediction.joints, prediction.coverage, prediction.torques, strict=True
            )
        },
        "tool": {"speed": prediction.tool_speed, "lowest": lowest, "highest": highest},
    }


def _parameter(one: PredictedParameter) -> dict[str, Any]:
    return {
        "value": one.value,
        "unit": one.unit,
        "standard_deviation": _finite(one.standard_deviation),
        "relative_standard_deviation": _finite(one.relative),
        "determined": one.determined,
    }


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
