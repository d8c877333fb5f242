"""Elastic joints as a picture: deflection against torque."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from dynid.report.png_style import png_figure
from dynid_plugins.elastic.deflection import COMPLIANCE
from dynid_plugins.elastic.flatness_trial import RUNS
from dynid_plugins.elastic.two_masses import two_mass_response

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dynid.arrays import Array
    from dynid_plugins.elastic.arm_stiffness import ArmStiffness
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
    panels = []
    for joint in resonances.joints:
        response, frequency = joint.response, joint.response.frequency
        modelled = None
        if joint.fit.bends:
            modelled = two_mass_response(frequency, joint.fit.logarithms)
        panels.append(
            _Panel(joint.name, frequency, response.response, modelled, response.coherence)
        )
    _write_panels(panels, "coherence", path)


def write_arm(found: ArmStiffness, path: Path) -> None:
    """Draw the response of each excited motor, that of the model, and the share of distortion.

    Raises:
        WriteError: the file cannot be written.
    """
    panels = []
    for one, torque in zip(found.harmonics, found.fit.torque, strict=True):
        waves = one.excited
        velocity = (2j * np.pi * one.frequency * one.position[:, one.joint])[waves]
        measured, modelled = one.torque[waves], torque[waves]
        share = one.deviation(torque - one.torque)[waves] / np.abs(measured)
        name, frequency = found.robot.joints[one.joint], one.frequency[waves]
        panels.append(_Panel(name, frequency, velocity / measured, velocity / modelled, share))
    _write_panels(panels, "distortion / torque", path)


class _Panel(NamedTuple):
    """Responses (F,) of a motor, measured and modelled, and what they are worth (F,)."""

    name: str
    frequency: Array
    measured: NDArray[Any]
    modelled: NDArray[Any] | None
    quality: Array


def _write_panels(panels: Sequence[_Panel], quality: str, path: Path) -> None:
    with png_figure(path, (3.8 * len(panels), 5.4)) as drawing:
        all_axes = drawing.subplots(3, len(panels), squeeze=False, sharex="col")
        for panel, axes in zip(panels, all_axes.T, strict=True):
            drawn = [(panel.measured, _MEASURED), (panel.modelled, _FITTED)]
            for values, colour in drawn:
                if values is None:
                    continue
                axes[0].loglog(panel.frequency, np.abs(values), color=colour, lw=1.2)
                axes[1].semilogx(
                    panel.frequency, np.degrees(np.angle(values)), color=colour, lw=1.2
                )
            axes[2].semilogx(panel.frequency, panel.quality, color=_MEASURED, lw=1.2)
            axes[0].set_title(panel.name, parse_math=False)
            axes[2].set_xlabel("frequency [Hz]")
            axes[2].xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes[2].xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes[2].xaxis.set_minor_formatter(NullFormatter())
        for axes, label in zip(
            all_axes[:, 0], ("velocity / torque", "phase [°]", quality), strict=True
        ):
            axes.set_ylabel(label)
