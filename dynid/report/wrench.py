"""External wrenches of recordings: contacts, size and uncertainty, as a table and in files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from rich.console import Console

from dynid.arrays import Array
from dynid.control.wrench.estimation import ExternalWrench, deviations
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
from dynid.json_text import json_fields
from dynid.report.png_style import png_figure
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import significant

_NAMES = ("force x", "force y", "force z", "moment x", "moment y", "moment z")
_DIGITS = 3
_UNLIKELY = 0.05  # probability of seeing no event


def wrench_json(
    robot: str, uncertainty: ExternalTorqueUncertainty, estimates: dict[str, ExternalWrench]
) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "robot": robot,
        "uncertainty": json_fields(uncertainty),
        "recordings": [
            {
                "recording": name,
                "frame": estimate.frame,
                "seconds": float(estimate.time[-1] - estimate.time[0]),
                "contacts": estimate.contacts,
                "rms": rms(estimate.wrench).tolist(),
                "standard_deviation": _typical(estimate.wrench_covariance).tolist(),
                "pure_force_rms": rms(estimate.frame_force).tolist(),
                "pure_force_standard_deviation": _typical(estimate.frame_force_covariance).tolist(),
            }
            for name, estimate in estimates.items()
        ],
    }


def false_contacts(uncertainty: ExternalTorqueUncertainty) -> str:
    """Return what is known about the rate of contacts that are none, as a sentence."""
    if uncertainty.origin == "identification":
        return (
            "The rate of false contacts is unknown: the threshold assumes normal torque errors "
            "of the size that the identification states."
        )
    if uncertainty.free_seconds <= 0:
        return "The rate of false contacts is unknown, as is the duration of the free motion."
    # of a Poisson process without an event
    most = float(f"{-np.log(_UNLIKELY) / uncertainty.free_seconds * 3600:.2g}")
    return (
        f"No false contact in {uncertainty.free_seconds:.3g} s of free motion, which shows at most "
        f"{most:g} an hour (95 %); a lower rate is extrapolated."
    )


def print_wrench(console: Console, name: str, estimate: ExternalWrench) -> None:
    """Print the contacts of a recording, and what was estimated at the frame."""
    console = roomy(console)
    seconds = float(estimate.time[-1] - estimate.time[0])
    count = {0: "no contact", 1: "1 contact"}.get(
        len(estimate.contacts), f"{len(estimate.contacts)} contacts"
    )
    print_text(console, f"{name}: {count} in {seconds:.3g} s", "bold")
    if estimate.contacts:
        rows = table(
            "from [s]", "to [s]", "distance/threshold", "link's probability", "link", wrap_last=True
        )
        for contact in estimate.contacts:
            rows.add_row(
                f"{contact.start:.2f}",
                f"{contact.stop:.2f}",
                significant(contact.distance / estimate.threshold, _DIGITS),
                f"{100 * sum(contact.probabilities):.0f} %",
                " or ".join(contact.links),
            )
        console.print(rows)
        if not all(contact.distinguished for contact in estimate.contacts):
            print_text(console, "Links joined by 'or' cannot be distinguished.")
    rows = table(f"at {estimate.frame}", "rms", "standard deviation", "observable")
    for label, values, covariance in (
        *_components(estimate.wrench, estimate.wrench_covariance, ""),
        *_components(estimate.frame_force, estimate.frame_force_covariance, "pure "),
    ):
        share = float(np.isfinite(values).mean())
        rows.add_row(
            label,
            significant(float(rms(values[:, None])[0]), _DIGITS) if share else "",
            significant(covariance, _DIGITS) if np.isfinite(covariance) else "",
            f"{100 * share:.0f} %",
        )
    console.print(rows)
    print_text(
        console,
        "Forces in N, moments in N m, in the frame's axes; standard deviations are medians. A pure "
        "force acts at the frame's origin, without moment.",
    )


def _components(values: Array, covariance: Array, prefix: str) -> list[tuple[str, Array, float]]:
    typical = _typical(covariance)
    return [
        (f"{prefix}{_NAMES[k]}", values[:, k], float(typical[k])) for k in range(values.shape[1])
    ]


def _typical(covariance: Array) -> Array:
    """Return medians of the standard deviations of observable components (k,); NaN without any."""
    deviation = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    return np.array(
        [
            np.median(column[np.isfinite(column)]) if np.isfinite(column).any() else np.nan
            for column in deviation.T
        ]
    )


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


_AXES = ("x", "y", "z")
_RATE = 200.0  # [Hz] rows per second at most


def csv_text(external: ExternalWrench) -> str:
    """Return the estimates as CSV, each with its standard deviation (``_sd``).

    At most 200 rows per second: time [s], ``contact`` 0 or 1, ``link`` (empty without contact,
    ``?`` where links cannot be distinguished), ``distance``, ``torque_<joint>`` [N m or N], force
    [N] and moment [N m] at the frame, ``pure_force`` there, ``contact_force`` on the most probable
    link, and ``probability_<link>``. Components that are not determined are empty.
    """
    stride = max(1, round(1.0 / (np.median(np.diff(external.time)) * _RATE)))
    rows = slice(None, None, stride)
    names, columns = ["distance"], [external.distance]
    wrench = [f"{kind}_{axis}" for kind in ("force", "moment") for axis in _AXES]
    for group, values, covariance in (
        (
            [f"torque_{joint}" for joint in external.joints],
            external.torque,
            external.torque_covariance,
        ),
        (wrench, external.wrench, external.wrench_covariance),
        ([f"pure_force_{a}" for a in _AXES], external.frame_force, external.frame_force_covariance),
        ([f"contact_force_{a}" for a in _AXES], external.force, external.force_covariance),
    ):
        deviation = deviations(covariance)
        for k, name in enumerate(group):
            names += [name, f"{name}_sd"]
            columns += [
                values[:, k],
                np.where(np.isfinite(deviation[:, k]), deviation[:, k], np.nan),
            ]
    names += [f"probability_{link}" for link in external.links]
    columns += list(external.probability.T)
    numbers = np.column_stack(columns)[rows]
    text = io.StringIO()
    text.write(",".join(["time", "contact", "link", *names]) + "\n")
    links = [_link(external, k) for k in range(len(external.time))[rows]]
    for time, contact, link, values in zip(
        external.time[rows], external.contact[rows], links, numbers, strict=True
    ):
        cells = ["" if np.isnan(value) else f"{value:.6g}" for value in values]
        text.write(",".join([f"{time:.6f}", str(int(contact)), link, *cells]) + "\n")
    return text.getvalue()


def rms(values: Array) -> Array:
    """Return the root mean square of each column over finite values (N, k); NaN without any."""
    finite = np.isfinite(values)
    count = finite.sum(axis=0)
    total = (np.where(finite, values, 0.0) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(np.where(count > 0, total / np.maximum(count, 1), np.nan)))


def _link(external: ExternalWrench, k: int) -> str:
    if not external.contact[k]:
        return ""
    return external.links[external.link[k]] if external.link[k] >= 0 else "?"
