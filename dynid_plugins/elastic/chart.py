"""Elastic joints as a picture: deflection against torque."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.report.png_style import png_figure
from dynid_plugins.elastic.deflection import COMPLIANCE
from dynid_plugins.elastic.flatness_trial import RUNS
from dynid_plugins.elastic.two_masses import two_mass_response

if TYPE_CHECKING:
    from pathlib import Path

    from dynid_plugins.elastic.flatness_trial import FlatnessTrial
    from dynid_plugins.elastic.resonance import Resonances
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


def write_flatness(trial: FlatnessTrial, path: Path) -> None:
    """Draw the tool's error over time, with rigid and with elastic feedforward.

    Raises:
        WriteError: the file cannot be written.
    """
    with png_figure(path, (9.0, 3.0)) as drawing:
        axes = drawing.subplots()
        errors = 1e3 * trial.tool_error.T
        for name, error, colour in zip(RUNS, errors, (_MEASURED, _FITTED), strict=False):
            label = f"{name} feedforward"
            axes.plot(trial.time, error, color=colour, lw=1.2, label=label)
        axes.set_title(f"{trial.robot}: error of the path", loc="left", parse_math=False)
        axes.set_xlabel("time [s]")
        axes.set_ylabel("tool [mm]")
        axes.legend(loc="upper right", ncols=2)


def write_bode(resonances: Resonances, path: Path) -> None:
    """Draw the response of each motor, the two masses of one that bends, and the coherence.

    Raises:
        WriteError: the file cannot be written.
    """
    joints = resonances.joints
    with png_figure(path, (3.8 * len(joints), 5.4)) as drawing:
        all_axes = drawing.subplots(3, len(joints), squeeze=False, sharex="col")
        for joint, axes in zip(joints, all_axes.T, strict=True):
            response, frequency = joint.response, joint.response.frequency
            drawn = [(response.response, _MEASURED)]
            if joint.fit.bends:
                drawn.append((two_mass_response(frequency, joint.fit.logarithms), _FITTED))
            for values, colour in drawn:
                axes[0].loglog(frequency, np.abs(values), color=colour, lw=1.2)
                axes[1].semilogx(frequency, np.degrees(np.angle(values)), color=colour, lw=1.2)
            axes[2].semilogx(frequency, response.coherence, color=_MEASURED, lw=1.2)
            axes[0].set_title(joint.name, parse_math=False)
            axes[2].set_xlabel("frequency [Hz]")
        for axes, label in zip(
            all_axes[:, 0], ("velocity / torque", "phase [°]", "coherence"), strict=True
        ):
            axes.set_ylabel(label)
