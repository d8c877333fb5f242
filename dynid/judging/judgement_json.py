"""A judgement as JSON, for other programs, and back from it."""

from __future__ import annotations

import json
import math
from typing import Any

from dynid.errors import ModelFileError
from dynid.judging.judgement import JointJudgement, Judgement

_MEASURES = (
    "rmse",
    "unit",
    "rmse_torque",
    "rmse_raw",
    "nrmse",
    "relative_error",
    "r_squared",
    "max_relative_torque_error",
    "mean_relative_torque_error",
    "samples",
    "moving_samples",
    "velocity_threshold",
)


def judgement_json(
    judgement: Judgement, *, condition_number: float, base_parameters: int, samples: int
) -> dict[str, Any]:
    """Return what ``--json`` prints: fractions, not percent; what is not a number is null."""
    return {
        "joints": {
            joint.joint: {name: _finite(getattr(joint, name)) for name in _MEASURES}
            for joint in judgement.joints
        },
        "success": bool(judgement.success),
        "reasons": list(judgement.reasons),
        "warnings": list(judgement.warnings),
        "condition_number": _finite(condition_number),
        "base_parameters": int(base_parameters),
        "samples": int(samples),
    }


def read_judgement(text: str) -> Judgement:
    """Return the judgement in the text of a :func:`judgement_json`; null becomes NaN.

    Raises:
        ModelFileError: the text is something else.
    """
    try:
        content = json.loads(text)
        return Judgement(
            joints=tuple(_joint(name, values) for name, values in content["joints"].items()),
            success=bool(content["success"]),
            reasons=tuple(map(str, content["reasons"])),
            warnings=tuple(map(str, content["warnings"])),
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        start = text if len(text) <= 60 else f"{text[:57]}..."
        message = (
            f"a judgement must be the JSON object that dynid identify --json prints, got: {start}"
        )
        raise ModelFileError(message) from None


def _joint(name: str, values: dict[str, Any]) -> JointJudgement:
    measures: dict[str, Any] = {
        key: math.nan if values[key] is None else values[key] for key in _MEASURES
    }
    return JointJudgement(joint=name, **measures)


def _finite(value: float | str) -> float | str | None:
    if isinstance(value, str | int):
        return value
    return float(value) if math.isfinite(value) else None
