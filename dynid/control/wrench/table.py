"""External wrenches as a CSV file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from dynid.files import write_text

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.arrays import Array
    from dynid.control.wrench.estimation import ExternalWrench

_AXES = ("x", "y", "z")
_RATE = 200.0  # [Hz] rows per second at most


def csv_text(found: ExternalWrench) -> str:
    """Return the estimates as CSV, each with its standard deviation (``_sd``).

    At most 200 rows per second: time [s], ``contact`` 0 or 1, ``link`` (empty without contact,
    ``?`` where links cannot be distinguished), ``distance``, ``torque_<joint>`` [N m or N], force
    [N] and moment [N m] at the frame, ``pure_force`` there, ``contact_force`` on the most probable
    link, and ``probability_<link>``. Components that are not determined are empty.
    """
    every = max(1, round(1.0 / (np.median(np.diff(found.time)) * _RATE)))
    rows = slice(None, None, every)
    names, columns = ["distance"], [found.distance]
    wrench = [f"{kind}_{axis}" for kind in ("force", "moment") for axis in _AXES]
    for group, values, covariance in (
        ([f"torque_{joint}" for joint in found.joints], found.torque, found.torque_covariance),
        (wrench, found.wrench, found.wrench_covariance),
        ([f"pure_force_{a}" for a in _AXES], found.frame_force, found.frame_force_covariance),
        ([f"contact_force_{a}" for a in _AXES], found.force, found.force_covariance),
    ):
        deviation = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        for k, name in enumerate(group):
            names += [name, f"{name}_sd"]
            columns += [
                values[:, k],
                np.where(np.isfinite(deviation[:, k]), deviation[:, k], np.nan),
            ]
    names += [f"probability_{link}" for link in found.links]
    columns += list(found.probability.T)
    numbers = np.column_stack(columns)[rows]
    text = io.StringIO()
    text.write(",".join(["time", "contact", "link", *names]) + "\n")
    links = [_link(found, k) for k in range(len(found.time))[rows]]
    for time, contact, link, values in zip(
        found.time[rows], found.contact[rows], links, numbers, strict=True
    ):
        cells = ["" if np.isnan(value) else f"{value:.6g}" for value in values]
        text.write(",".join([f"{time:.6f}", str(int(contact)), link, *cells]) + "\n")
    return text.getvalue()


def write_csv(found: ExternalWrench, path: Path) -> None:
    """Write the file of :func:`csv_text` atomically.

    Raises:
        WriteError: the file cannot be written.
    """
    write_text(path, csv_text(found))


def rms(values: Array) -> Array:
    """Return the root mean square of each column over finite values (N, k); NaN without any."""
    finite = np.isfinite(values)
    count = finite.sum(axis=0)
    total = (np.where(finite, values, 0.0) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(np.where(count > 0, total / np.maximum(count, 1), np.nan)))


def _link(found: ExternalWrench, k: int) -> str:
    if not found.contact[k]:
        return ""
    return found.links[found.link[k]] if found.link[k] >= 0 else "?"
