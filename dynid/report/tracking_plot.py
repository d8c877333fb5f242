"""A tracking trial as a picture: the error with and without the model's torque."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.report.chart import Chart, Layer
from dynid.report.png_style import draw_chart, png_figure
from dynid.report.terminal.tracking import describe

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.arrays import Array
    from dynid.control.tracking.trial import TrackingTrial

_LABELS = ("position control alone", "with feedforward torque of the model")


def write_plot(trial: TrackingTrial, path: Path) -> None:
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
