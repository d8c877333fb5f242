"""The external wrench along a recording as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.report.png_style import png_figure

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from dynid.arrays import Array
    from dynid.control.wrench.estimation import ExternalWrench

_COLOURS = ("#1f6feb", "#d1651a", "#3a8f4d")
_CONTACT = "#f3d9a4"
_POINTS = 2000


def write_plot(estimate: ExternalWrench, title: str, path: Path) -> None:
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
