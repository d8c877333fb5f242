"""Recordings of simulated robots with a second encoder at the links of elastic joints."""

from __future__ import annotations

from csv import writer
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.errors import ConfigurationError, WriteError
from dynid.files import whole_file
from dynid.robot.elastic import elastic_settings
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import prepared_run, recording_of
from dynid.text import printable

if TYPE_CHECKING:
    from dynid.excitation.motion import Excitation
    from dynid.recording.columns import SignalColumns
    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot


def simulate_both_encoders(
    robot: Robot,
    excitation: Excitation | None = None,
    *,
    control_rate: float = 1000.0,
    seed: int = 0,
) -> tuple[Recording, Array]:
    """Return the recording of ``simulate`` in :mod:`dynid.simulation.simulate`, and the links.

    Positions of the links (N, n) [rad or m] are exact, and arrive as late as those of the motors.

    Raises:
        DynidError: a setting or mechanism is not suitable.
    """
    run = prepared_run(robot, excitation, control_rate=control_rate, seed=seed)
    simulated, count = run.simulated, len(run.time)
    delay = (robot.find(SimulationSettings) or SimulationSettings()).feedback_delay
    states = np.empty((3, count, len(robot.joints)))
    links = np.empty(states.shape[1:])
    before = simulated.truth.position
    for number, target in enumerate(run.targets):
        states[:, number] = simulated.step(target)
        links[number] = simulated.truth.position
    late = _core.delay_cycles(delay, control_rate)
    arrived = np.concatenate([np.tile(before, (late, 1)), links])[:count]
    return recording_of(run, *states), arrived


def save_both_encoders(recording: Recording, links: Array, robot: Robot, path: Path) -> None:
    """Write a table with the columns of a recording, and those of ``elastic.link_position``.

    Args:
        recording: of the motors.
        links: positions (N, n) of the links [rad or m], on the same time axis.
        robot: whose profile names the columns; they are scaled and late as it says.
        path: of a new CSV file.

    Raises:
        ConfigurationError: the profile has no column for each elastic joint in this file.
        WriteError: the file exists.
    """
    signal, joints = _columns(robot)
    if path.exists():
        raise WriteError(f"{printable(path)}: already exists; name another file.")
    table = recording.columns()
    for joint, column, (factor, offset), delay in zip(
        joints, signal.columns, signal.scaling(), signal.delays(), strict=True
    ):
        late = np.interp(recording.time - delay, recording.time, links[:, joint])
        table[str(column)] = (late - offset) / factor
    with whole_file(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        rows = writer(file, lineterminator="\n")
        rows.writerow(table)
        rows.writerows(np.column_stack(list(table.values())).tolist())


def _columns(robot: Robot) -> tuple[SignalColumns, tuple[int, ...]]:
    """Return the columns of the links' encoders, and the joints that have them."""
    settings = elastic_settings(robot)
    signal, joints = settings.link_position, settings.indices(robot)
    named = signal is not None and all(isinstance(column, str) for column in signal.columns)
    if signal is None or not named or signal.file is not None or len(signal.columns) != len(joints):
        message = (
            f"profile '{robot.name}': elastic.link_position must name a column of the recording "
            "itself for each elastic joint, so that the encoders can be written."
        )
        raise ConfigurationError(message)
    return signal, joints
