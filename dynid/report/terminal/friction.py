"""A friction selection as tables on a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from dynid.identification.friction.selection import ChosenTerms, FrictionSelection
from dynid.identification.friction.validation import FrictionComparison
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, printable, significant, unit


def print_selection(console: Console, selection: FrictionSelection) -> None:
    """Print every joint's candidates with their errors, and which was chosen."""
    console = roomy(console)
    for joint in selection.joints:
        print_text(console, f"{joint.joint}: {joint.chosen}", "bold")
        rows = table(
            f"friction model (each {selection.left_out} left out once)",
            "parameters",
            f"fit [{unit(joint.unit)}]",
            f"held out [{unit(joint.unit)}]",
            "",
        )
        for trial in joint.tried:
            shown = [significant(error, 3) for error in (trial.fit_error, trial.held_out_error)]
            mark = "chosen" if trial.name == joint.chosen else ""
            rows.add_row(Text(trial.name), str(trial.parameters), *shown, mark)
        console.print(rows)
        print_text(console, f"{joint.reason[0].upper()}{joint.reason[1:]}.")
        console.print()
    print_text(console, selection.note())


def print_comparisons(console: Console, comparisons: Sequence[FrictionComparison]) -> None:
    """Print errors on unseen recordings, identified with the given and with the chosen terms."""
    console = roomy(console)
    for comparison in comparisons:
        print_text(console, f"Accuracy on unseen data, {comparison.name}:", "bold")
        rows = table("joint", "RMSE given", "RMSE chosen", "RMSE/std given", "RMSE/std chosen")
        for joint in comparison.joints:
            rows.add_row(
                Text(f"{joint.joint} [{unit(joint.unit)}]"),
                significant(joint.given, 3),
                significant(joint.chosen, 3),
                percent(joint.given / joint.standard_deviation),
                percent(joint.chosen / joint.standard_deviation),
            )
        rows.add_row(
            "mean", "", "", percent(comparison.mean_given), percent(comparison.mean_chosen)
        )
        console.print(rows)
        console.print()


def selection_json(
    selection: FrictionSelection, comparisons: Sequence[FrictionComparison]
) -> dict[str, Any]:
    """Return both as one object; errors in the unit of the recorded effort."""
    return {
        "left_out": selection.left_out,
        "joints": {joint.joint: _joint_json(joint) for joint in selection.joints},
        "terms": [
            term.model_dump(mode="json", exclude_defaults=True)
            for term in selection.robot.explicit_terms
        ],
        "validation": {
            printable(comparison.name): _comparison_json(comparison) for comparison in comparisons
        },
        "notes": [selection.note()],
    }


def _joint_json(joint: ChosenTerms) -> dict[str, Any]:
    return {
        "chosen": joint.chosen,
        "reason": joint.reason,
        "unit": joint.unit,
        "given_error": joint.given_error,
        "chosen_error": joint.chosen_error,
        "candidates": joint.tried,
    }


def _comparison_json(comparison: FrictionComparison) -> dict[str, Any]:
    means = {"mean_given": comparison.mean_given, "mean_chosen": comparison.mean_chosen}
    return {"joints": comparison.joints, **means}
