"""The differences of two models as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from dynid.evaluation.model_comparison import ModelComparison, TorqueDifference
from dynid.json_text import json_by, json_fields
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant, unit

_SHOWN = 15  # parameters
_SIGNIFICANT = 3.0  # [standard deviations] of a single parameter
_SIGNIFICANCE = 0.001  # below which the models are said to differ


def print_model_comparison(console: Console, comparison: ModelComparison) -> None:
    """Print parameters by the significance of their difference, then differences of torque."""
    console = roomy(console)
    print_text(console, f"{comparison.first.robot.name}: second model minus first", "bold")
    differing = [one for one in comparison.parameters if one.first != one.second]
    if differing:
        rows = table("parameter", "first", "second", "difference", "std. devs.", "unit")
        for parameter in differing[:_SHOWN]:
            style = "yellow" if abs(parameter.score) > _SIGNIFICANT else ""
            numbers = (parameter.first, parameter.second, parameter.second - parameter.first)
            rows.add_row(
                parameter.name,
                *(significant(number) for number in numbers),
                f"{parameter.score:+.1f}",
                unit(parameter.unit),
                style=style,
            )
        console.print(rows)
        left = len(differing) - _SHOWN
        if left > 0:
            print_text(console, f"{left} more differ by fewer standard deviations (--json).")
    elif comparison.parameters:
        print_text(console, f"All {len(comparison.parameters)} parameters are equal.")
    for sentence in sentences(comparison):
        print_text(console, sentence)
    _print_torques(console, "Torque in random states within the limits", comparison.workspace)
    for recording in comparison.recordings:
        _print_torques(console, f"Torque along {recording.name}", recording.torque)
        rows = table("relative torque error", "first", "second")
        for joint, *errors in zip(
            comparison.first.mechanism.joints,
            recording.first_error,
            recording.second_error,
            strict=True,
        ):
            rows.add_row(joint, *map(percent, errors))
        console.print(rows)


def sentences(comparison: ModelComparison) -> list[str]:
    """Return what the parameters show, and what they cannot."""
    lines = []
    if comparison.parameters:
        chance = comparison.probability
        outcome = (
            "The models differ by more than their uncertainties explain"
            if chance < _SIGNIFICANCE
            else "Their uncertainties can explain the difference of the models"
        )
        lines.append(
            f"{outcome}: squared distance {comparison.distance:.4g} with {comparison.freedom} "
            f"parameters, of which the chance is {percent(chance)} if nothing changed."
        )
    else:
        lines.append("The models have no base parameters with uncertainties in common.")
    if comparison.only_one:
        names = ", ".join(comparison.only_one[:_SHOWN])
        hidden = len(comparison.only_one) - _SHOWN
        rest = f" and {hidden} more" if hidden > 0 else ""
        lines.append(f"Only one of the models has {names}{rest}, or with another regrouping.")
    gravities = {str(model.robot.gravity) for model in (comparison.first, comparison.second)}
    if len(gravities) > 1:
        lines.append(
            f"Gravity differs between the profiles ({' and '.join(sorted(gravities))}), and "
            "torques differ by it."
        )
    return lines


def comparison_json(comparison: ModelComparison) -> dict[str, Any]:
    """Return what ``dynid model compare --json`` prints."""
    return {
        "robot": comparison.first.robot.name,
        "distance": comparison.distance,
        "degrees_of_freedom": comparison.freedom,
        "probability": comparison.probability,
        "parameters": {
            parameter.name: {**json_fields(parameter), "score": parameter.score}
            for parameter in comparison.parameters
        },
        "only_one": comparison.only_one,
        "workspace": json_by("joint", comparison.workspace),
        "recordings": [
            {
                "recording": recording.name,
                "torque": json_by("joint", recording.torque),
                "first_error": recording.first_error,
                "second_error": recording.second_error,
            }
            for recording in comparison.recordings
        ],
    }


def _print_torques(console: Console, title: str, torques: Sequence[TorqueDifference]) -> None:
    console.print()
    print_text(console, f"{title} [N m or N]", "bold")
    rows = table(
        "joint", "torque rms", "difference rms", "largest", "of bodies", "of terms", "expected rms"
    )
    for joint in torques:
        numbers = (
            joint.torque,
            joint.rms,
            joint.largest,
            joint.bodies,
            joint.terms,
            joint.expected,
        )
        rows.add_row(joint.joint, *(significant(number, 3) for number in numbers))
    console.print(rows)
    print_text(
        console,
        '"expected": from the standard deviations, if both models are of one unchanged robot.',
    )
