"""Elastic joints as a picture: deflection against torque."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.report.png_style import png_figure
from dynid_plugins.elastic.deflection import COMPLIANCE

if TYPE_CHECKING:
    from pathlib import Path

    from dynid_plugins.elastic.result import ElasticIdentification

_MEASURED, _FITTED = "#9aa3af", "#1f6feb"
_MOST_POINTS = 3000  # of a joint


def write_deflections(identification: ElasticIdentification, path: Path) -> None:
    """Draw the deflection of each joint, without encoder errors, against the link's torque.

    Raises:
        WriteError: the file cannot be written.
    """
    joints = identification.joints
    with png_figure(path, (3.6 * len(joints), 3.4)) as drawing:
        all_axes = drawing.subplots(1, len(joints), squeeze=False)[0]
        drawing.suptitle(
            f"{identification.robot}: deflection under load", x=0.01, ha="left", parse_math=False
        )
        for joint, axes in zip(joints, all_axes, strict=True):
            load = np.concatenate(joint.fit.load)
            deflection = np.concatenate(joint.fit.corrected)
            kept = slice(None, None, max(1, len(load) // _MOST_POINTS))
            axes.plot(load[kept], 1e3 * deflection[kept], ".", ms=2, color=_MEASURED)
            ends = np.array([load.min(), load.max()])
            bend = 1e3 * float(joint.fit.coefficients[COMPLIANCE])
            axes.plot(ends, bend * ends, color=_FITTED, lw=1.4)
            axes.set_title(joint.name, parse_math=False)
            axes.set_xlabel("link force [N]" if joint.prismatic else "link torque [N m]")
            axes.set_ylabel("deflection [mm]" if joint.prismatic else "deflection [mrad]")
