"""External wrenches as a CSV file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from dynid.control.wrench.estimation import deviations

if TYPE_CHECKING:
    from dynid.arrays import Array
    from dynid.control.wrench.estimation import ExternalWrench

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
