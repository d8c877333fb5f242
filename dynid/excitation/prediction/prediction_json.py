"""A prediction as JSON, for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.excitation.prediction.advice import advice, good, verdict
from dynid.json_text import json_fields

if TYPE_CHECKING:
    from dynid.excitation.prediction.parameters import PredictedParameter
    from dynid.excitation.prediction.prediction import Prediction

_PRECISION = (
    "condition_number",
    "scaled_condition_number",
    "rigid_condition_number",
    "rigid_scaled_condition_number",
    "log10_det",
)


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """Return what ``--json`` prints: SI units, fractions, and null for unknown values."""
    precision = prediction.precision
    lowest, highest = prediction.tool_box
    return {
        "robot": prediction.robot.name,
        "good": good(prediction),
        "verdict": verdict(prediction),
        "advice": advice(prediction),
        "assumptions": prediction.assumptions,
        "duration": prediction.duration,
        "sampling_rate": prediction.signals.sampling_rate,
        **{name: getattr(precision, name) for name in _PRECISION},
        "parameters": {
            parameter.name: _parameter(parameter) for parameter in prediction.parameters
        },
        "joints": {
            joint: {**json_fields(covered), "torque": torque}
            for joint, covered, torque in zip(
                prediction.joints, prediction.coverage, prediction.torques, strict=True
            )
        },
        "tool": {"speed": prediction.tool_speed, "lowest": lowest, "highest": highest},
    }


def _parameter(parameter: PredictedParameter) -> dict[str, Any]:
    return {
        "value": parameter.value,
        "unit": parameter.unit,
        "standard_deviation": parameter.standard_deviation,
        "relative_standard_deviation": parameter.relative,
        "determined": parameter.determined,
    }
