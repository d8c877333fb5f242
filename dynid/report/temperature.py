"""The report's section on temperature: whether friction and torque error go with it."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from markupsafe import Markup

from dynid.dynamics.mechanism import Mechanism
from dynid.evaluation.temperature import CHANCE, Effect, JointTemperature, temperature_effects
from dynid.report.chart import Chart, Layer, grid
from dynid.report.motion import EvaluatedMotion
from dynid.signals.settings import SignalSettings
from dynid.text import NOT_KNOWN, listed, percent, significant


def temperature_section(
    motion: EvaluatedMotion, mechanism: Mechanism, settings: SignalSettings
) -> dict[str, Any] | None:
    """Return the contents of the section; None where no temperatures were recorded."""
    errors = [
        measured - model
        for measured, model in zip(motion.measured_torque, motion.model_torque, strict=True)
    ]
    joints = temperature_effects(motion.signals, errors, mechanism, settings)
    if not any(isfinite(joint.low) for joint in joints):
        return None
    units = [motion.units(joint)[3] for joint in range(len(joints))]
    return {
        "statements": statements(joints, units),
        "friction": friction_sentence(joints),
        "rows": [_row(joint, unit) for joint, unit in zip(joints, units, strict=True)],
        "charts": _charts(joints),
    }


def statements(joints: Sequence[JointTemperature], units: Sequence[str]) -> list[str]:
    """Return what goes with temperature, in sentences; or that nothing does, or cannot be said."""
    sentences = []
    for joint, unit in zip(joints, units, strict=True):
        if joint.friction is not None and joint.friction.significant:
            size = _interval(100 * joint.friction.slope, 100 * joint.friction.half_width, "%")
            sentences.append(
                f"{joint.joint}: friction changes by {size} for each °C{_cause(joint)}"
            )
        if joint.offset is not None and joint.offset.significant:
            size = _interval(joint.offset.slope, joint.offset.half_width, unit)
            sentences.append(
                f"{joint.joint}: the mean torque error changes by {size} for each °C{_cause(joint)}"
            )
    estimated = [joint.joint for joint in joints if joint.friction or joint.offset]
    if not estimated:
        sentences.append(
            "Nothing can be said on whether torque errors go with temperature: see the table."
        )
    elif not sentences:
        sentences.append(
            "No effect of temperature was found beyond chance "
            f"({percent(CHANCE)} for all joints together). This does not mean that there is none: "
            "the intervals in the table say how large it may be."
        )
    return sentences


def friction_sentence(joints: Sequence[JointTemperature]) -> str:
    """Return one sentence for the section on friction."""
    significant_joints = [
        joint.joint for joint in joints if joint.friction is not None and joint.friction.significant
    ]
    if significant_joints:
        return (
            f"Friction of {listed(significant_joints)} goes with temperature; the lines are means "
            "over the temperatures of the recordings."
        )
    if any(joint.friction is not None for joint in joints):
        return "Friction was not found to go with temperature beyond chance."
    return "Whether friction goes with temperature cannot be said from these recordings."


def _cause(joint: JointTemperature) -> str:
    effects = [e for e in (joint.friction, joint.offset) if e is not None and e.significant]
    if all(effect.beyond_time for effect in effects):
        return ", also if a steady change in time is allowed for."
    return (
        ". Its temperature changed steadily in time, so that another cause which acts over time "
        "would look the same."
    )


def _interval(value: float, half_width: float, unit: str) -> str:
    sign = "+" if value > 0 else "\u2212"
    return f"{sign}{_number(abs(value))} ± {_number(half_width)} {unit}"


def _number(value: float) -> str:
    return significant(value, 2)


def _row(joint: JointTemperature, unit: str) -> dict[str, Any]:
    measured = isfinite(joint.low)
    return {
        "joint": joint.joint,
        "range": f"{joint.low:.1f} to {joint.high:.1f}" if measured else NOT_KNOWN,
        "friction": _cell(joint.friction, 100.0, "%"),
        "offset": _cell(joint.offset, 1.0, unit),
        "note": joint.problem,
    }


def _cell(effect: Effect | None, factor: float, unit: str) -> dict[str, str]:
    if effect is None:
        return {"text": NOT_KNOWN, "mark": ""}
    text = _interval(factor * effect.slope, factor * effect.half_width, unit)
    return {"text": text, "mark": "found" if effect.significant else ""}


def _charts(joints: Sequence[JointTemperature]) -> Markup:
    shown = [joint for joint in joints if joint.friction is not None and len(joint.change)]
    return grid([_chart(joint) for joint in shown])


def _chart(joint: JointTemperature) -> Chart:
    assert joint.friction is not None  # noqa: S101  see _charts()
    ends = np.array([joint.temperature.min(), joint.temperature.max()])
    dots = Layer(joint.temperature, 100 * joint.change, "measured", "dots")
    line = Layer(ends, 100 * joint.friction.slope * ends, "model")
    return Chart(
        description=f"Change of friction of {joint.joint} over its temperature",
        title=joint.joint,
        x_label="temperature minus its mean [°C]",
        y_label="friction minus its mean [%]",
        layers=(dots, line) if joint.friction.significant else (dots,),
        across=(0.0,),
    )
