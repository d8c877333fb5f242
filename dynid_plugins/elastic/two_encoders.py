"""Recordings with an encoder at the motor and another one at the link of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError, RecordingError
from dynid.recording.column_proposal import columns_by_name
from dynid.recording.columns import ColumnMap, SignalColumns
from dynid.recording.model import Recording, source_names
from dynid.recording.settings import RecordingSettings
from dynid.recording.table_file import read_table
from dynid.robot.elastic import elastic_settings
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.text import listed

_LARGEST_RATIO = 1.2  # of the motions of both encoders; more is another unit
_AT_REST = 1e-3  # of the motion of the other encoder


@dataclass(frozen=True, eq=False)
class TwoEncoders:
    """A recording of motors and links.

    Attributes:
        motor: positions of the motors, behind the gear, and efforts.
        link_position: (N, n) of the links [rad or m]; of a joint without an encoder there, that of
            its motor.
        elastic: numbers of the joints with two encoders, from 0.
    """

    motor: Recording
    link_position: Array
    elastic: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name of its file."""
        return source_names(self.motor.sources) or "the recording"


def load_two_encoders(
    path: Path,
    robot: Robot,
    *,
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
) -> TwoEncoders:
    """Load a recording whose encoders the profile's ``recording`` and ``elastic`` describe.

    Args:
        path: of the recording.
        robot: with the settings.
        start: omit samples before this time [s].
        stop: omit samples after this time [s].
        run: number of the stretch, where the clock was set back.

    Raises:
        ConfigurationError: the profile names no second encoder, or has a coupling.
        RecordingError: the recording cannot be read, or its encoders do not belong together.
    """
    settings = elastic_settings(robot)
    if settings.link_position is None:
        message = (
            f"profile '{robot.name}' names no encoders at the links: give their columns in "
            "elastic.link_position (docs/friction.md#elastic-joints), or use `dynid identify "
            "resonance`, which needs the motors' alone."
        )
        raise ConfigurationError(message)
    elastic = settings.indices(robot)
    motor = load_recording(path, robot, start=start, stop=stop, run=run)
    columns = _link_columns(_motor_columns(path, robot), settings.link_position, elastic, robot)
    changed = robot.settings(RecordingSettings).model_copy(update={"columns": columns})
    link = load_recording(path, robot.with_settings(changed), start=start, stop=stop, run=run)
    common = _common_span(motor, link)
    if common is None:
        message = f"{path.name}: the encoders of motors and links were sampled at different times."
        raise RecordingError(message)
    motor, link = common
    return two_encoders(motor, link.position, robot)


def _common_span(motor: Recording, link: Recording) -> tuple[Recording, Recording] | None:
    """Return what two readings of a file share; a delay of a position shortens its reading.

    Both have the same torque, which shows where the shorter one begins.
    """
    longer, shorter = (motor, link) if len(motor) >= len(link) else (link, motor)
    count, rate = len(shorter), shorter.sampling_rate
    if longer.sampling_rate != rate:
        return None
    rounding = 1e-9 * float(np.abs(shorter.effort).max())  # of interpolation between samples
    for first in range(len(longer) - count + 1):
        if np.allclose(longer.effort[first : first + count], shorter.effort, rtol=0, atol=rounding):
            span = longer
            if len(longer) > count:
                span = longer.cut(max(0.0, (first - 0.5) / rate), (first + count - 0.5) / rate)
            return (span, link) if longer is motor else (motor, span)
    return None


def two_encoders(motor: Recording, link_position: Array, robot: Robot) -> TwoEncoders:
    """Return a recording of both encoders, after a check that they measure the same motion.

    Args:
        motor: with the positions of the motors, behind the gear.
        link_position: (N, n) [rad or m], on the same time axis; columns of joints that are not
            elastic are ignored.
        robot: with the profile's ``elastic``.

    Raises:
        ConfigurationError: the robot has a coupling.
        RecordingError: an encoder stands still, or counts in another unit or direction.
    """
    if robot.coupling is not None:
        message = (
            f"profile '{robot.name}': elastic joints are identified without a coupling of motors "
            "and joints; remove 'coupling', and give positions of the joints."
        )
        raise ConfigurationError(message)
    elastic = elastic_settings(robot).indices(robot)
    where = source_names(motor.sources) or "the recording"
    for joint in elastic:
        pair = motor.position[:, joint], link_position[:, joint]
        _check_same_motion(*pair, f"{where}: the encoders of '{robot.joints[joint]}'")
    chosen = motor.position.copy()
    chosen[:, list(elastic)] = link_position[:, list(elastic)]
    return TwoEncoders(motor, chosen, elastic)


def _check_same_motion(motor: Array, link: Array, where: str) -> None:
    turned, moved = (float(np.std(one)) for one in (motor, link))
    if moved <= _AT_REST * turned:
        message = (
            f"{where} disagree: that of the link stands still while the motor turns. Leave the "
            "joint out of elastic.joints, or name the right column in elastic.link_position."
        )
        raise RecordingError(message)
    if turned <= _AT_REST * moved:
        message = f"{where} disagree: that of the motor stands still while the link turns."
        raise RecordingError(message)
    ratio = float(np.cov(motor, link)[0, 1]) / moved**2
    if not 1 / _LARGEST_RATIO < ratio < _LARGEST_RATIO:
        message = (
            f"{where} disagree: the motor moves {ratio:.4g} times as far as the link, where 1 is "
            "expected behind the gear; correct 'factor' or 'sign' of elastic.link_position or of "
            "recording.columns.position."
        )
        raise RecordingError(message)


def _motor_columns(path: Path, robot: Robot) -> ColumnMap:
    """Return the column map of the profile, or that of the names of the table's columns."""
    columns = robot.settings(RecordingSettings).columns
    if columns is not None:
        return columns
    return columns_by_name(read_table(path, None, "auto"), robot.joints, robot.drives.effort)


def _link_columns(
    columns: ColumnMap, link: SignalColumns, elastic: tuple[int, ...], robot: Robot
) -> ColumnMap:
    """Return the map with the links' encoders in place of the motors'."""
    motor = columns.position
    if len(link.columns) != len(elastic):
        message = (
            f"profile '{robot.name}': elastic.link_position has {len(link.columns)} columns for "
            f"{len(elastic)} elastic joints; elastic.joints names those that have one."
        )
        raise ConfigurationError(message)
    if len(elastic) == len(columns.joints) and tuple(columns.joints) == robot.joints:
        position = link
    elif (link.file, link.time) != (motor.file, motor.time):
        message = (
            f"profile '{robot.name}': elastic.link_position must be in the file of the motors' "
            f"positions, or have columns for all joints, {listed(robot.joints)}, in this order."
        )
        raise ConfigurationError(message)
    else:
        at = {robot.joints[joint]: number for number, joint in enumerate(elastic)}
        picked = [
            (link, at[name]) if name in at else (motor, number)
            for number, name in enumerate(columns.joints)
        ]
        position = SignalColumns(
            columns=tuple(signal.columns[n] for signal, n in picked),
            factor=tuple(signal.scaling()[n][0] for signal, n in picked),
            offset=tuple(signal.scaling()[n][1] for signal, n in picked),
            delay=tuple(signal.delays()[n] for signal, n in picked),
            file=motor.file,
            time=motor.time,
        )
    return columns.model_copy(update={"position": position, "velocity": None})
