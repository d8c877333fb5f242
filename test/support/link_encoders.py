"""Recordings of simulated robots with a second encoder at the links of elastic joints."""

from __future__ import annotations

from csv import writer
from dataclasses import replace
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.excitation.motion import Excitation
from dynid.recording.model import Recording
from dynid.robot.elastic import elastic_settings
from dynid.robot.robot import Robot
from dynid.simulation.simulate import simulate


def simulate_both_encoders(
    robot: Robot, excitation: Excitation | None = None
) -> tuple[Recording, Array]:
    """Return the recording of ``simulate``, and positions (N, n) of the links [rad or m]."""
    recording = simulate(robot, excitation)
    links = recording.position if recording.link_position is None else recording.link_position
    return replace(recording, link_position=None), links


def save_both_encoders(recording: Recording, links: Array, robot: Robot, path: Path) -> None:
    """Write a table with the columns of a recording, and those of ``elastic.link_position``.

    The columns of ``links`` (N, n) [rad or m] are scaled and late as the profile says.
    """
    settings = elastic_settings(robot)
    signal, joints = settings.link_position, settings.indices(robot)
    assert signal is not None
    table = recording.columns()
    for joint, column, (factor, offset), delay in zip(
        joints, signal.columns, signal.scaling(), signal.delays(), strict=True
    ):
        late = np.interp(recording.time - delay, recording.time, links[:, joint])
        table[str(column)] = (late - offset) / factor
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = writer(file, lineterminator="\n")
        rows.writerow(table)
        rows.writerows(np.column_stack(list(table.values())).tolist())
