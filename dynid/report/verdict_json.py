"""A verdict as JSON, for other programs, and back from it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dynid.errors import ModelFileError
from dynid.evaluation.verdict import JointErrors, Verdict
from dynid.identification.quantities import Quantity
from dynid.identification.result import Identification
from dynid.identification.validate import Validation

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
_WORDS = ("unit", "of", "meaning", "unknown")


def verdict_json(
    verdict: Verdict,
    *,
    condition_number: float,
    base_parameters: int,
    samples: int,
    quantities: Sequence[Quantity] = (),
) -> dict[str, Any]:
    """Return what ``--json`` prints: fractions, not percent; what is not a number is null.

    ``quantities`` is a key of it only where there are any.
    """
    found = {"quantities": {one.name: _quantity(one) for one in quantities}} if quantities else {}
    return {
        "joints": {
            joint.joint: {name: finite(getattr(joint, name)) for name in _MEASURES}
            for joint in verdict.joints
        },
        "success": bool(verdict.success),
        "reasons": list(verdict.reasons),
        "warnings": list(verdict.warnings),
        "condition_number": finite(condition_number),
        "base_parameters": int(base_parameters),
        "samples": int(samples),
        **found,
    }


def read_judgement(text: str) -> Verdict:
    """Return the verdict in the text of a :func:`verdict_json`; null becomes NaN.

    Raises:
        ModelFileError: the text is something else.
    """
    with _sentence(text):
        content = json.loads(text)
        return Verdict(
            joints=tuple(_joint(name, values) for name, values in content["joints"].items()),
            success=bool(content["success"]),
            reasons=tuple(map(str, content["reasons"])),
            warnings=tuple(map(str, content["warnings"])),
        )


def read_quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities in the text of a :func:`verdict_json`; null becomes NaN.

    Raises:
        ModelFileError: the text is something else.
    """
    with _sentence(text):
        content = json.loads(text).get("quantities", {})
        return tuple(
            Quantity(
                name=name,
                value=_number(entry["value"]),
                standard_deviation=_number(entry["standard_deviation"]),
                **{key: str(entry[key]) for key in _WORDS},
            )
            for name, entry in content.items()
        )


@contextmanager
def _sentence(text: str) -> Iterator[None]:
    """Answer whatever goes wrong in the block with one sentence."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError):
        start = text if len(text) <= 60 else f"{text[:57]}..."
        message = (
            f"a verdict must be the JSON object that dynid identify --json prints, got: {start}"
        )
        raise ModelFileError(message) from None


def _joint(name: str, values: dict[str, Any]) -> JointErrors:
    measures: dict[str, Any] = {key: _number(values[key]) for key in _MEASURES}
    return JointErrors(joint=name, **measures)


def _quantity(one: Quantity) -> dict[str, Any]:
    numbers = {"value": one.value, "standard_deviation": one.standard_deviation}
    return {
        **{key: finite(value) for key, value in numbers.items()},
        **{key: getattr(one, key) for key in _WORDS},
    }


def _number(value: Any) -> Any:  # noqa: ANN401 (a unit is a word)
    return math.nan if value is None else value


def finite(value: float | str) -> float | str | None:
    """Return a number as JSON has it: null for what is not finite."""
    if isinstance(value, str | int):
        return value
    return float(value) if math.isfinite(value) else None


def identification_json(
    identification: Identification, judged: Identification | Validation
) -> dict[str, Any]:
    """The verdict of an identification, or of its model on other motion."""
    signs = {"torque_signs": identification.signs.as_json()} if identification.signs else {}
    found = verdict_json(
        judged.verdict,
        condition_number=identification.provenance.condition_number,
        base_parameters=len(identification.base_parameters),
        samples=judged.samples,
        quantities=identification.quantities,
    )
    return found | signs
