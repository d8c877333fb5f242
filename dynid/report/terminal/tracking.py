"""A tracking trial as a table and a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from dynid.report.terminal.console import roomy, table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.control.tracking.trial import Trial


def print_trial(console: Console, trial: Trial) -> None:
    """Print each joint's errors in both runs, and what the model's torque leaves of the metric."""
    console = roomy(console)
    console.print(Text(f"{trial.robot}: errors while following commands", style="bold"))
    rows = table("joint", "unit", "peak without", "with model", "RMS without", "with model")
    for joint, name in enumerate(trial.joints):
        errors = (
            getattr(run, kind)[joint]
            for kind in ("peak", "rms")
            for run in (trial.without, trial.with_model)
        )
        unit = "mm" if trial.prismatic[joint] else "mrad"
        rows.add_row(Text(name), Text(unit), *(Text(_thousand(error)) for error in errors))
    console.print(rows)
    better = trial.ratio < 1
    console.print(Text(f"{describe(trial)}.", style="bold green" if better else "bold red"))


def _thousand(error: float) -> str:
    return significant(1e3 * error, 3) if error > 1e-9 else "0"


def describe(trial: Trial) -> str:
    """Say what both runs come to: settling of tool 190 ms without, 0 ms with the model (0 %)."""
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
