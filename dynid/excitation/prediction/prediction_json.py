"""An expectation as JSON, for other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.excitation.prediction.advice import advice, good, verdict

if TYPE_CHECKING:
    from dynid.excitation.prediction.parameters import ExpectedParameter
    from dynid.excitation.prediction.prediction import Expectation


def expectation_json(expectation: Expectation) -> dict[str, Any]:
    """Return what ``--json`` prints: SI, fractions, not percent; what is not known is null."""
    precision = expectation.precision
    lowest, highest = expectation.tool_box.tolist()
    return {
        "robot": expectation.robot,
        "good": good(expectation),
        "verdict": verdict(expectation),
        "advice": advice(expectation),
        "assumptions": list(expectation.assumptions),
        "duration": expectation.duration,
        "sampling_rate": expectation.signals.sampling_rate,
        "condition_number": _finite(precision.condition_number),
        "scaled_condition_number": _finite(precision.scaled_condition_number),
        "rigid_condition_number": _finite(precision.rigid_condition_number),
        "rigid_scaled_condition_number": _finite(precision.rigid_scaled_condition_number),
        "log10_det": _finite(precision.log10_det),
        "parameters": {one.name: _parameter(one) for one in expectation.parameters},
        "joints": {
            joint: {**asdict(covered), "torque": asdict(torque)}
            for joint, covered, torque in zip(
                expectation.joints, expectation.coverage, expectation.torques, strict=True
            )
        },
        "tool": {"speed": expectation.tool_speed, "lowest": lowest, "highest": highest},
    }


def _parameter(one: ExpectedParameter) -> dict[str, Any]:
    return {
        "value": one.value,
        "unit": one.unit,
        "standard_deviation": _finite(one.standard_deviation),
        "relative_standard_deviation": _finite(one.relative),
        "determined": one.determined,
    }


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
