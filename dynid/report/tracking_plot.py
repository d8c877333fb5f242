"""A tracking trial as a picture: the error with and without the model's torque."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.report.png_style import png_figure
from dynid.report.terminal.tracking import describe

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from dynid.control.tracking.trial import TrackingTrial

_WITHOUT, _WITH = "#9aa3af", "#1f6feb"


def write_plot(trial: TrackingTrial, path: Path) -> None:
    """Draw the tool's error over time, and below it that of each joint that moves.

    Raises:
        WriteError: the file cannot be written.
    """
    moved = [joint for joint in range(len(trial.joints)) if trial.has_error(joint)]
    with png_figure(path, (9.0, 3.0 + 1.3 * len(moved))) as drawing:
        rows = drawing.subplots(
            len(moved) + 1, 1, sharex=True, squeeze=False, height_ratios=[2.0] + [1.0] * len(moved)
        )[:, 0]
        drawing.suptitle(_title(trial), x=0.01, ha="left", parse_math=False)
        _draw_tool(trial, rows[0])
        for joint, axes in zip(moved, rows[1:], strict=True):
            for run, colour in ((trial.without, _WITHOUT), (trial.with_model, _WITH)):
                axes.plot(trial.time, 1e3 * run.error[:, joint], color=colour, lw=1.0)
            unit = "mm" if trial.prismatic[joint] else "mrad"
            axes.set_ylabel(f"{trial.joints[joint]}\n[{unit}]", parse_math=False)
        rows[-1].set_xlabel("time since the start of the motion [s]")
        drawing.align_ylabels()


def _draw_tool(trial: TrackingTrial, axes: Axes) -> None:
    for run, colour, label in (
        (trial.without, _WITHOUT, "position control alone"),
        (trial.with_model, _WITH, "with feedforward torque of the model"),
    ):
        axes.plot(trial.time, 1e3 * run.tool_error, color=colour, lw=1.2, label=label)
    axes.axvline(trial.duration, color="#5b6472", lw=0.8, ls=":")
    axes.set_ylabel("tool [mm]")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)


def _title(trial: TrackingTrial) -> str:
    return f"{trial.robot}: errors while following commands\n{describe(trial)}"
