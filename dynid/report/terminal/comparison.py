"""The differences of two models as tables and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from dynid.json_text import json_by, json_fields
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from dynid.evaluation.model_comparison import ModelComparison, TorqueDifference

_SHOWN = 15  # parameters
_SIGNIFICANT = 3.0  # [standard deviations] of a single parameter
_SIGNIFICANCE = 0.001  # below which the models are said to differ


def print_model_comparison(console: Console, found: ModelComparison) -> None:
    """Print parameters by the significance of their difference, then differences of torque."""
    console = roomy(console)
    print_text(console, f"{found.first.robot.name}: second model minus first", "bold")
    if found.parameters:
        rows = table("parameter", "first", "second", "difference", "std. devs.", "unit")
        for one in found.parameters[:_SHOWN]:
            style = "yellow" if abs(one.score) > _SIGNIFICANT else ""
            numbers = (one.first, one.second, one.second - one.first)
            rows.add_row(
                Text(one.name),
                *(Text(significant(number)) for number in numbers),
                Text(f"{one.score:+.1f}"),
                Text(unit(one.unit)),
                style=style,
            )
        console.print(rows)
        left = len(found.parameters) - _SHOWN
        if left > 0:
            print_text(console, f"{left} more differ by fewer standard deviations (--json).")
    for sentence in sentences(found):
        print_text(console, sentence)
    _print_torques(console, "Torque in random states within the limits", found.workspace)
    for recording in found.recordings:
        _print_torques(console, f"Torque along {recording.name}", recording.torque)
        rows = table("relative torque error", "first", "second")
        for joint, *errors in zip(
            found.first.mechanism.joints,
            recording.first_error,
            recording.second_error,
            strict=True,
        ):
            rows.add_row(Text(joint), *map(percent, errors))
        console.print(rows)


def sentences(found: ModelComparison) -> list[str]:
    """Return what the parameters show, and what they cannot."""
    said = []
    if found.parameters:
        chance = found.probability
        outcome = (
            "The models differ by more than their uncertainties explain"
            if chance < _SIGNIFICANCE
            else "Their uncertainties can explain the difference of the models"
        )
        said.append(
            f"{outcome}: squared distance {found.distance:.4g} with {found.freedom} parameters, "
            f"of which the chance is {percent(chance)} if nothing changed."
        )
    else:
        said.append("The models have no base parameters with uncertainties in common.")
    if found.only_one:
        names = ", ".join(found.only_one[:_SHOWN])
        more = len(found.only_one) - _SHOWN
        rest = f" and {more} more" if more > 0 else ""
        said.append(f"Only one of the models has {names}{rest}, or with another regrouping.")
    gravities = {str(one.robot.gravity) for one in (found.first, found.second)}
    if len(gravities) > 1:
        said.append(
            f"Gravity differs between the profiles ({' and '.join(sorted(gravities))}), and "
            "torques differ by it."
        )
    return said


def comparison_json(found: ModelComparison) -> dict[str, Any]:
    """Return what ``dynid compare --json`` prints."""
    return {
        "robot": found.first.robot.name,
        "distance": found.distance,
        "degrees_of_freedom": found.freedom,
        "probability": found.probability,
        "parameters": {
            one.name: {**json_fields(one), "score": one.score} for one in found.parameters
        },
        "only_one": found.only_one,
        "workspace": json_by("joint", found.workspace),
        "recordings": [
            {
                "recording": one.name,
                "torque": json_by("joint", one.torque),
                "first_error": one.first_error,
                "second_error": one.second_error,
            }
            for one in found.recordings
        ],
    }


def _print_torques(console: Console, title: str, torques: Sequence[TorqueDifference]) -> None:
    console.print()
    print_text(console, f"{title} [N m or N]", "bold")
    rows = table(
        "joint", "torque rms", "difference rms", "largest", "of bodies", "of terms", "expected rms"
    )
    for one in torques:
        numbers = (one.torque, one.rms, one.largest, one.bodies, one.terms, one.expected)
        rows.add_row(Text(one.joint), *(Text(significant(number, 3)) for number in numbers))
    console.print(rows)
    print_text(
        console,
        '"expected": from the standard deviations, if both models are of one unchanged robot.',
    )
