"""Control as pictures: errors of a tracking trial, and the external wrench along a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.report.chart import Chart, Layer
from dynid.report.png_style import draw_chart, png_figure
from dynid.report.terminal.tracking import describe

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from dynid.arrays import Array
    from dynid.control.tracking.trial import TrackingTrial
    from dynid.control.wrench.estimation import ExternalWrench


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


_COLOURS = ("#1f6feb", "#d1651a", "#3a8f4d")
_CONTACT = "#f3d9a4"
_POINTS = 2000


def write_wrench(estimate: ExternalWrench, title: str, path: Path) -> None:
    """Draw the force at the frame with twice its standard deviation, and each link's probability.

    Raises:
        WriteError: the file cannot be written.
    """
    rows = slice(None, None, -(-len(estimate.time) // _POINTS))
    with png_figure(path, (9.0, 7.0)) as drawing:
        force, moment, links = drawing.subplots(3, 1, sharex=True)
        drawing.suptitle(title, x=0.01, ha="left", parse_math=False)
        for axes, first, label in ((force, 0, "force [N]"), (moment, 3, "moment [N m]")):
            _draw(axes, estimate, first, rows)
            axes.set_ylabel(f"{label}\nat {estimate.frame}", parse_math=False)
        _draw_links(links, estimate, rows)
        links.set_xlabel("time [s]")
        for axes in (force, moment, links):
            for contact in estimate.contacts:
                axes.axvspan(contact.start, contact.stop, color=_CONTACT, lw=0, zorder=0)


def _draw(axes: Axes, estimate: ExternalWrench, first: int, rows: slice) -> None:
    time, number = estimate.time[rows], 0
    for number, name in enumerate("xyz"):
        value = estimate.wrench[rows, first + number]
        if np.isnan(value).all():
            continue
        width = 2 * _deviation(estimate, first + number)[rows]
        axes.fill_between(
            time, value - width, value + width, color=_COLOURS[number], alpha=0.2, lw=0
        )
        axes.plot(time, value, color=_COLOURS[number], lw=1.0, label=f"{name} ± 2σ")
    if axes.lines:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0)
    else:
        axes.text(0.5, 0.5, "not observable", ha="center", transform=axes.transAxes)


def _deviation(estimate: ExternalWrench, component: int) -> Array:
    variance = estimate.wrench_covariance[:, component, component]
    return np.sqrt(np.where(np.isfinite(variance), variance, np.nan))


def _draw_links(axes: Axes, estimate: ExternalWrench, rows: slice) -> None:
    """Draw probabilities during contacts only: without one they say nothing."""
    shown = np.where(estimate.contact[:, np.newaxis], estimate.probability, np.nan)[rows]
    for number, link in enumerate(estimate.links):
        line = axes.plot(estimate.time[rows], shown[:, number], lw=1.0)[0]
        line.set_label(link)
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("probability of a link\nif there is contact")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=7)
