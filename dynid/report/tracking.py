"""A tracking trial: errors as a table and a sentence, and as a picture."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from dynid.arrays import Array
from dynid.control.tracking.trial import TrackingTrial
from dynid.report.chart import Chart, Layer
from dynid.report.png_style import draw_chart, png_figure
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

_LABELS = ("position control alone", "with feedforward torque of the model")


def write_tracking(trial: TrackingTrial, path: Path) -> None:
    """Draw the tool's error over time, and below it that of each joint that moves.

    Raises:
        WriteError: the file cannot be written.
    """
    runs = (trial.without, trial.with_model)
    charts = [_chart(trial, "tool [mm]", [run.tool_error for run in runs], _LABELS)]
    for joint, name in enumerate(trial.joints):
        if trial.has_error(joint):
            label = f"{name}\n[{'mm' if trial.prismatic[joint] else 'mrad'}]"
            charts.append(_chart(trial, label, [run.error[:, joint] for run in runs], ("", "")))
    heights = [2.0] + [1.0] * (len(charts) - 1)
    with png_figure(path, (9.0, 1.7 + 1.3 * len(charts))) as drawing:
        rows = drawing.subplots(len(charts), 1, sharex=True, squeeze=False, height_ratios=heights)
        title = f"{trial.robot}: errors while following commands\n{describe(trial)}"
        drawing.suptitle(title, x=0.01, ha="left", parse_math=False)
        for chart, axes in zip(charts, rows[:, 0], strict=True):
            draw_chart(chart, axes)
        rows[-1, 0].set_xlabel("time since the start of the motion [s]")
        drawing.align_ylabels()


def _chart(trial: TrackingTrial, label: str, errors: list[Array], labels: tuple[str, str]) -> Chart:
    """Return errors [m or rad] over time in thousandths, and the end of the motion."""
    without, with_model = (1e3 * error for error in errors)
    layers = (
        Layer(trial.time, without, "measured", label=labels[0]),
        Layer(trial.time, with_model, "model", label=labels[1]),
    )
    return Chart("", "", label, layers, upright=(trial.duration,))


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
