"""Figures by matplotlib, for notebooks and scripts: recordings, torques and motions over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.excitation.motion import Excitation
from dynid.identification.evaluated_model import EvaluatedModel
from dynid.recording.model import Recording
from dynid.report.motion import evaluated_motion

Axes = NDArray[Any]
"""Of matplotlib's ``Axes``; ``axes.flat[0].figure.savefig("plot.png")`` writes their figure."""

_INSTANTS = 2000  # of a motion


def recording_axes(recording: Recording) -> Axes:
    """Draw the signals of a recording over time; return the axes (k, n), one column a joint."""
    measured = recording.measured()
    axes = _subplots([*measured], recording.joint_names)
    _draw(axes, recording.time, measured.values())
    return axes


def torque_axes(result: EvaluatedModel) -> Axes:
    """Draw measured and model torque over time, recordings side by side; return the axes (n,)."""
    motion = evaluated_motion(result)
    labels = [f"{name}\n{motion.torque_label(j)}" for j, name in enumerate(motion.names)]
    axes: Axes = _subplots(labels, [""])[:, 0]
    for start, signals, *torques in zip(
        motion.starts(), motion.signals, motion.measured_torque, motion.model_torque, strict=True
    ):
        time = start + np.linspace(0, signals.time[-1] - signals.time[0], len(torques[0]))
        for joint, cell in enumerate(axes):
            cell.plot(time, torques[0][:, joint], color="tab:blue", linewidth=1)
            cell.plot(time, torques[1][:, joint], color="tab:orange", linewidth=1)
    axes[0].legend(axes[0].lines[:2], ["measured", "model"], loc="upper right")
    return axes


def motion_axes(excitation: Excitation) -> Axes:
    """Draw position, velocity and acceleration over time; return the axes (3, n)."""
    time = np.linspace(0, excitation.duration, _INSTANTS)
    motion = excitation.evaluate(time)
    joints = [f"joint {number + 1}" for number in range(excitation.joint_count)]
    axes = _subplots(motion._fields, joints)
    _draw(axes, time, motion)
    return axes


def _draw(axes: Axes, time: Array, signals: Iterable[Array]) -> None:
    """Draw signals (N, n) over time (N,), one in each row of axes, a joint in each column."""
    for row, values in zip(axes, signals, strict=True):
        for cell, column in zip(row, values.T, strict=True):
            cell.plot(time, column, linewidth=1)


def _subplots(rows: Sequence[str], columns: Sequence[str]) -> Axes:
    """Return axes (rows, columns) over a common time axis, with the labels of both."""
    shape = (len(rows), len(columns))
    size = (max(3.0 * shape[1], 8.0), 1.8 * shape[0] + 0.6)
    _, axes = plt.subplots(*shape, figsize=size, sharex=True, squeeze=False, layout="constrained")
    for cell, label in zip(axes[:, 0], rows, strict=True):
        cell.set_ylabel(label, parse_math=False)
    for cell, title in zip(axes[0], columns, strict=True):
        cell.set_title(title, parse_math=False)
    for cell in axes[-1]:
        cell.set_xlabel("time [s]")
    return np.asarray(axes)
