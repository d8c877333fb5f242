"""The report's section on temperature: whether friction and torque error go with it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from dynid.evaluation.temperature import (
    CHANCE,
    Effect,
    JointTemperature,
    temperature_effects,
)
from dynid.report.chart import Chart, Layer, grid
from dynid.text import NOT_KNOWN, listed, percent, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.mechanism import Mechanism
    from dynid.report.motion import EvaluatedMotion
    from dynid.signals.settings import SignalSettings


def temperature_section(
    motion: EvaluatedMotion, mechanism: Mechanism, settings: SignalSettings
) -> dict[str, Any] | None:
    """Return the contents of the section; None where no temperatures were recorded."""
    errors = [
        measured - model
        for measured, model in zip(motion.measured_torque, motion.model_torque, strict=True)
    ]
    joints = temperature_effects(motion.signals, errors, mechanism, settings)
    if not any(isfinite(one.low) for one in joints):
        return None
    units = [motion.units(joint)[3] for joint in range(len(joints))]
    return {
        "statements": statements(joints, units),
        "friction": friction_sentence(joints),
        "rows": [_row(one, unit) for one, unit in zip(joints, units, strict=True)],
        "charts": _charts(joints),
    }


def statements(joints: Sequence[JointTemperature], units: Sequence[str]) -> list[str]:
    """Return what goes with temperature, in sentences; or that nothing does, or cannot be said."""
    found = []
    for one, unit in zip(joints, units, strict=True):
        if one.friction is not None and one.friction.significant:
            size = _interval(100 * one.friction.slope, 100 * one.friction.half_width, "%")
            found.append(f"{one.joint}: friction changes by {size} for each °C{_cause(one)}")
        if one.offset is not None and one.offset.significant:
            size = _interval(one.offset.slope, one.offset.half_width, unit)
            found.append(
                f"{one.joint}: the mean torque error changes by {size} for each °C{_cause(one)}"
            )
    estimated = [one.joint for one in joints if one.friction or one.offset]
    if not estimated:
        found.append(
            "Nothing can be said on whether torque errors go with temperature: see the table."
        )
    elif not found:
        found.append(
            "No effect of temperature was found beyond chance "
            f"({percent(CHANCE)} for all joints together). This does not mean that there is none: "
            "the intervals in the table say how large it may be."
        )
    return found


def friction_sentence(joints: Sequence[JointTemperature]) -> str:
    """Return one sentence for the section on friction."""
    found = [one.joint for one in joints if one.friction is not None and one.friction.significant]
    if found:
        return (
            f"Friction of {listed(found)} goes with temperature; the lines are means over the "
            "temperatures of the recordings."
        )
    if any(one.friction is not None for one in joints):
        return "Friction was not found to go with temperature beyond chance."
    return "Whether friction goes with temperature cannot be said from these recordings."


def _cause(one: JointTemperature) -> str:
    effects = [e for e in (one.friction, one.offset) if e is not None and e.significant]
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


def _row(one: JointTemperature, unit: str) -> dict[str, Any]:
    measured = isfinite(one.low)
    return {
        "joint": one.joint,
        "range": f"{one.low:.1f} to {one.high:.1f}" if measured else NOT_KNOWN,
        "friction": _cell(one.friction, 100.0, "%"),
        "offset": _cell(one.offset, 1.0, unit),
        "note": one.problem,
    }


def _cell(effect: Effect | None, factor: float, unit: str) -> dict[str, str]:
    if effect is None:
        return {"text": NOT_KNOWN, "mark": ""}
    text = _interval(factor * effect.slope, factor * effect.half_width, unit)
    return {"text": text, "mark": "found" if effect.significant else ""}


def _charts(joints: Sequence[JointTemperature]) -> Markup:
    shown = [one for one in joints if one.friction is not None and len(one.change)]
    return grid([_chart(one) for one in shown])


def _chart(one: JointTemperature) -> Chart:
    assert one.friction is not None  # noqa: S101  see _charts()
    ends = np.array([one.temperature.min(), one.temperature.max()])
    dots = Layer(one.temperature, 100 * one.change, "measured", "dots")
    line = Layer(ends, 100 * one.friction.slope * ends, "model")
    return Chart(
        description=f"Change of friction of {one.joint} over its temperature",
        title=one.joint,
        x_label="temperature minus its mean [°C]",
        y_label="friction minus its mean [%]",
        layers=(dots, line) if one.friction.significant else (dots,),
        across=(0.0,),
    )
