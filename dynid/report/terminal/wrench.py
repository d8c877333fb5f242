"""External wrenches of recordings: contacts, and the estimates' size and uncertainty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.control.wrench.table import rms
from dynid.json_text import json_fields
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.arrays import Array
    from dynid.control.wrench.estimation import ExternalWrench
    from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty

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
