"""Recordings with encoders at motors and links of elastic joints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from typing_extensions import Unpack

from dynid.errors import ConfigurationError, RecordingError
from dynid.recording.bag import choose_topic, open_bag
from dynid.recording.bag_columns import column_heads
from dynid.recording.bag_folder import is_bag
from dynid.recording.bag_topics import STAMP, names_topics, propose_topics
from dynid.recording.column_proposal import columns_by_name
from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.corrections import Correction
from dynid.recording.joint_names import recorded_names
from dynid.recording.jointstate import NoJointStatesError
from dynid.recording.model import Recording
from dynid.recording.npz_file import has_names_of_signals
from dynid.recording.settings import RecordingSettings
from dynid.recording.table_file import read_table
from dynid.recording.temperature import Temperature
from dynid.robot.elastic import elastic_settings
from dynid.robot.recordings import ReadSpan, load_joints, load_recording, with_servo_torque
from dynid.robot.robot import Robot
from dynid.text import listed

_LINK = " (link)"  # end of the name under which a link is read as a joint of its own


def load_supervised(path: Path, robot: Robot, **span: Unpack[ReadSpan]) -> Recording:
    """Load a recording for collision detection: with the links where ``elastic.link_torque`` is.

    Raises:
        DynidError: as for :func:`load_both_encoders`.
    """
    load = load_both_encoders if elastic_settings(robot).link_torque else load_recording
    return load(path, robot, **span)


def load_both_encoders(path: Path, robot: Robot, **span: Unpack[ReadSpan]) -> Recording:
    """Load a recording, with the positions of the links where the profile names their encoders.

    Raises:
        ConfigurationError: columns and joints do not match.
        RecordingError: the recording cannot be read, or lacks the links.
    """
    settings = elastic_settings(robot)
    link = settings.encoders(robot)
    if link is None:
        return load_recording(path, robot, **span)
    elastic = settings.indices(robot)
    given = robot.settings(RecordingSettings)
    recorded = recorded_names(robot.joints, given.names)
    if path.suffix.lower() == ".npz" and has_names_of_signals(path):
        links = _as_joints(link, robot)
        robot_of_links = robot.with_settings(
            given.model_copy(update={"corrections": (*given.corrections, *_corrections(link))})
        )
    else:
        columns = _motor_columns(path, robot, recorded)
        motor = columns.position
        if (link.file, link.time) != (motor.file, motor.time):
            return _two_readings(path, robot, columns, **span)
        links = tuple(f"{recorded[joint]}{_LINK}" for joint in elastic)
        wide = _with_links(columns, _fields(link, columns), links, [recorded[j] for j in elastic])
        robot_of_links = robot.with_settings(given.model_copy(update={"columns": wide}))
    whole = load_joints(path, robot_of_links, links, **span)
    return with_servo_torque(_split(whole, robot, elastic), robot)


def _two_readings(
    path: Path, robot: Robot, columns: ColumnMap, **span: Unpack[ReadSpan]
) -> Recording:
    """Read a recording with the positions of motors, and once more with those of all links.

    Both have the same torque, which shows where the reading that a delay shortens begins.
    """
    link, given = elastic_settings(robot).link_position, robot.settings(RecordingSettings)
    if columns.joints != robot.joints or link is None or len(link.columns) != len(robot.joints):
        message = (
            f"profile '{robot.name}': elastic.link_position must be in the file of the motors' "
            f"positions, or have columns for all joints, {listed(robot.joints)}, in this order."
        )
        raise ConfigurationError(message)
    motor, other = (
        load_recording(
            path,
            robot.with_settings(given.model_copy(update={"columns": mapped})),
            **span,
        )
        for mapped in (
            columns,
            columns.model_copy(update={"position": link, "velocity": None}),
        )
    )
    common = _common_span(motor, other)
    if common is None:
        message = f"{path.name}: the encoders of motors and links were sampled at different times."
        raise RecordingError(message)
    motor, other = common
    return replace(motor, link_position=other.position)


def _common_span(motor: Recording, link: Recording) -> tuple[Recording, Recording] | None:
    """Return what two readings of a file share."""
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


def _split(whole: Recording, robot: Robot, elastic: tuple[int, ...]) -> Recording:
    """Return the recording of the robot's joints, with the last ones as positions of its links."""
    count, heat = len(robot.joints), whole.temperature
    motors = np.ascontiguousarray(whole.position[:, :count])
    links = motors.copy()
    links[:, list(elastic)] = whole.position[:, count:]
    velocity = None if whole.velocity is None else whole.velocity[:, :count]
    return replace(
        whole,
        position=motors,
        velocity=None if velocity is None or np.isnan(velocity).any() else velocity,
        effort=whole.effort[:, :count],
        joint_names=robot.joints,
        position_step=None if whole.position_step is None else whole.position_step[:count],
        temperature=heat and Temperature(heat.time, heat.celsius[:, :count]),
        link_position=links,
    )


def _as_joints(link: SignalColumns, robot: Robot) -> tuple[str, ...]:
    """Return the columns as names of joints of a recording that has these alone."""
    numbers = [str(name) for name in link.columns if not isinstance(name, str)]
    if numbers:
        raise ConfigurationError(
            f"profile '{robot.name}': elastic.link_position names columns {listed(numbers)} by "
            "number, but an .npz has names of joints; give those of the links."
        )
    return tuple(str(name) for name in link.columns)


def _corrections(link: SignalColumns) -> list[Correction]:
    """Return what factor, offset and delay of columns are for joints of their own."""
    return [
        Correction(signal="position", joint=str(name), factor=factor, offset=offset, delay=delay)
        for name, (factor, offset), delay in zip(
            link.columns, link.scaling(), link.delays(), strict=True
        )
        if (factor, offset, delay) != (1.0, 0.0, 0.0)
    ]


def _motor_columns(path: Path, robot: Robot, recorded: tuple[str, ...]) -> ColumnMap:
    """Return the column map of the profile, or else that of the names in the recording."""
    settings = robot.settings(RecordingSettings)
    if not is_bag(path):
        if settings.columns is not None:
            return settings.columns
        return columns_by_name(read_table(path, None, "auto"), recorded, robot.drives.effort)
    if settings.columns is not None and names_topics(settings.columns):
        return settings.columns
    with open_bag(path) as bag:
        try:
            topic, _ = choose_topic(bag, settings.topic)
        except NoJointStatesError as error:
            proposed = propose_topics(bag, recorded, robot.drives.effort)
            if proposed is None:
                raise RecordingError(str(error)) from None
            return proposed
        info = next(one for one in bag.topics if one.name == topic)
        heads = column_heads(bag, info)

    def fields(signal: str) -> SignalColumns:
        return SignalColumns(columns=tuple(f"{topic}/{signal}[{name}]" for name in recorded))

    velocity = fields("velocity")
    return ColumnMap(
        time=TimeColumn(column=STAMP),
        joints=recorded,
        position=fields("position"),
        velocity=velocity if set(velocity.columns) <= set(heads) else None,
        effort=fields("effort"),
    )


def _fields(link: SignalColumns, columns: ColumnMap) -> SignalColumns:
    """Return the links' columns as fields of a bag, where those of the motors are."""
    if not names_topics(columns):
        return link
    topic = str(columns.position.columns[0]).rpartition("/")[0]
    names = tuple(
        name if str(name).startswith("/") else f"{topic}/position[{name}]" for name in link.columns
    )
    return link.model_copy(update={"columns": names})


def _with_links(
    columns: ColumnMap, link: SignalColumns, links: tuple[str, ...], of: list[str]
) -> ColumnMap:
    """Return a map that has the links as joints of their own, with the motors' other signals."""
    motor = columns.position
    places = [columns.joints.index(name) for name in of if name in columns.joints]
    if len(places) < len(of):
        raise ConfigurationError(
            f"recording.columns has {listed(columns.joints)}, but elastic joints are {listed(of)}."
        )

    def wider(signal: SignalColumns, more: SignalColumns, at: list[int]) -> SignalColumns:
        parts = [(signal, k) for k in range(len(signal.columns))] + [(more, k) for k in at]
        return SignalColumns(
            columns=tuple(part.columns[k] for part, k in parts),
            factor=tuple(part.scaling()[k][0] for part, k in parts),
            offset=tuple(part.scaling()[k][1] for part, k in parts),
            delay=tuple(part.delays()[k] for part, k in parts),
            file=signal.file,
            time=signal.time,
        )

    speed, effort = columns.velocity, columns.effort
    return columns.model_copy(
        update={
            "joints": (*columns.joints, *links),
            "position": wider(motor, link, list(range(len(link.columns)))),
            "velocity": None if speed is None else wider(speed, speed, places),
            "effort": wider(effort, effort, places),
            "temperature": None,
        }
    )
