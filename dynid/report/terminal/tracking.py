"""A tracking trial as a table and a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.control.tracking.trial import TrackingTrial


def print_trial(console: Console, trial: TrackingTrial) -> None:
    """Print each joint's errors in both runs, and the metric with and without the model."""
    console = roomy(console)
    print_text(console, f"{trial.robot}: errors while following commands", "bold")
    rows = table("joint", "unit", "peak without", "peak with", "RMS without", "RMS with")
    for joint, name in enumerate(trial.joints):
        errors = (
            getattr(run, kind)[joint]
            for kind in ("peak", "rms")
            for run in (trial.without, trial.with_model)
        )
        unit = "mm" if trial.prismatic[joint] else "mrad"
        rows.add_row(name, unit, *(_thousand(error) for error in errors))
    console.print(rows)
    better = trial.ratio < 1
    print_text(console, f"{describe(trial)}.", "bold green" if better else "bold red")


def _thousand(error: float) -> str:
    return significant(1e3 * error, 3) if error > 1e-9 else "0"


def describe(trial: TrackingTrial) -> str:
    """Describe both runs: settling of tool 190 ms without, 0 ms with the model's torque (0 %)."""
    what = "settling" if trial.metric == "settling_time" else "peak-to-peak error"
    slides = trial.watched in trial.joints and trial.prismatic[trial.joints.index(trial.watched)]
    unit = "ms" if trial.metric == "settling_time" else "mm" if slides else "mrad"
    without, with_model = (
        significant(1e3 * run.metric, 3) for run in (trial.without, trial.with_model)
    )
    return (
        f"{what} of {trial.watched} {without} {unit} without, {with_model} {unit} with the model's "
        f"torque ({percent(trial.ratio)})"
    )
