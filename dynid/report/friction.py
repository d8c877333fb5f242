"""A friction selection: as a page with measured friction and the model, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from rich.console import Console

from dynid.arrays import Array
from dynid.files import write_text
from dynid.identification.friction.joint_problem import JointProblem
from dynid.identification.friction.joint_trials import JointTrials, friction_torque
from dynid.identification.friction.selection import ChosenTerms, FrictionSelection
from dynid.identification.friction.validation import FrictionComparison
from dynid.json_text import json_fields
from dynid.report.chart import Chart, Layer, grid
from dynid.report.decimation import evenly
from dynid.report.pages import render
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, printable, significant, unit

_DOTS = 1500
_STRETCH = 800  # samples over which hysteresis is drawn over position


def write_page(selection: FrictionSelection, path: Path) -> None:
    """Write a friction selection as one HTML file without external resources.

    Raises:
        WriteError: the file cannot be written.
    """
    content = {
        "title": f"{selection.robot.name}: friction",
        "sources": selection.sources,
        "selection": selection,
        "joints": [
            (joint, _plot(joint, trials))
            for joint, trials in zip(selection.joints, selection.trials, strict=True)
        ],
    }
    write_text(path, render("friction.html.j2", content))


def _plot(joint: ChosenTerms, trials: JointTrials) -> Markup:
    problem = trials.problem
    fit = next(trial.fit for trial in trials.trials if trial.name == joint.chosen)
    measured = friction_torque(problem, fit)
    model = problem.columns(fit.terms) @ fit.friction
    position, velocity = _rows_of(problem, "position"), _rows_of(problem, "velocity")
    length, force = ("m", "N") if problem.prismatic else ("rad", "N·m")
    start = max(0, problem.spans[0].stop // 2 - _STRETCH // 2)
    stretch = np.arange(start, min(start + _STRETCH, len(measured)))
    everywhere = np.asarray(evenly(len(measured), _DOTS))
    sides: tuple[tuple[str, str, Array, NDArray[Any], Literal["dots", "line"]], ...] = (
        ("velocity", f"velocity [{length}/s]", velocity, everywhere, "dots"),
        (
            "position",
            f"position [{length}], part of the first recording",
            position,
            stretch,
            "line",
        ),
    )
    return grid(
        [
            Chart(
                f"Friction of {joint.joint} over {name}",
                label,
                f"friction [{force}]",
                (
                    Layer(over[rows], measured[rows], "measured", "dots", "measured"),
                    Layer(over[rows], model[rows], "model", style, "model"),
                ),
            )
            for name, label, over, rows, style in sides
        ]
    )


def _rows_of(problem: JointProblem, name: str) -> Array:
    """Return a signal of the joint at the rows of its problem, (m,)."""
    return np.concatenate(
        [track.parallel_filter.decimate(getattr(track, name)) for track in problem.tracks]
    )


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
            rows.add_row(trial.name, str(trial.parameters), *shown, mark)
        console.print(rows)
        print_text(console, f"{joint.reason[0].upper()}{joint.reason[1:]}.")
        console.print()
    print_text(console, selection.note())


def print_friction(
    console: Console, selection: FrictionSelection, comparisons: Sequence[FrictionComparison]
) -> None:
    """Print the choice at every joint, and errors on unseen recordings."""
    print_selection(console, selection)
    print_comparisons(console, comparisons)


def print_comparisons(console: Console, comparisons: Sequence[FrictionComparison]) -> None:
    """Print errors on unseen recordings, identified with the given and with the chosen terms."""
    console = roomy(console)
    for comparison in comparisons:
        print_text(console, f"Accuracy on unseen data, {comparison.name}:", "bold")
        rows = table("joint", "RMSE given", "RMSE chosen", "RMSE/std given", "RMSE/std chosen")
        for joint in comparison.joints:
            rows.add_row(
                f"{joint.joint} [{unit(joint.unit)}]",
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
        "joints": {
            joint.joint: json_fields(joint, without=["joint", "tried"])
            | {"candidates": joint.tried}
            for joint in selection.joints
        },
        "terms": [
            term.model_dump(mode="json", exclude_defaults=True)
            for term in selection.robot.explicit_terms
        ],
        "validation": {
            printable(comparison.name): _comparison_json(comparison) for comparison in comparisons
        },
        "notes": [selection.note()],
    }


def _comparison_json(comparison: FrictionComparison) -> dict[str, Any]:
    means = {"mean_given": comparison.mean_given, "mean_chosen": comparison.mean_chosen}
    return {"joints": comparison.joints, **means}
