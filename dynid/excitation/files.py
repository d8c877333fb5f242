"""Motions in files: excitations in YAML, trajectories in CSV and YAML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from pydantic import Field, NonNegativeInt

from dynid.arrays import Array
from dynid.configuration import Settings, parse, yaml_mapping
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.settings import (
    ExcitationSettings,
    TrajectoryColumns,
    TrajectorySettings,
    find_trajectory,
)
from dynid.excitation.spline import SplineExcitation, spline_through
from dynid.input_file import is_file, read_text
from dynid.limits import MOTION_SECONDS
from dynid.recording.columns import Column
from dynid.recording.table import Table
from dynid.recording.text_table import read_text_table

_CLOSEST = 0.02
"""Time between points that are connected [s]: rounding of closer ones would show in acceleration,
and polynomials this long represent a swing of 5 Hz to a few millionths of its size."""

_ASIDE = 1e-3  # [rad or m] that omitted points may differ from the motion


class Points(NamedTuple):
    """Contents of a file, joints in drive order.

    Attributes:
        time: (K,) [s].
        position: (K, n) [rad or m].
        velocity: (K, n) [rad/s or m/s], or None.
        acceleration: (K, n) [rad/s^2 or m/s^2], or None.
    """

    time: Array
    position: Array
    velocity: Array | None
    acceleration: Array | None


class _DurationMessage(Settings):
    sec: int = 0
    nanosec: NonNegativeInt = 0


class _TrajectoryPoint(Settings):
    positions: tuple[float, ...]
    velocities: tuple[float, ...] = ()
    accelerations: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    time_from_start: _DurationMessage


class _Message(Settings):
    """trajectory_msgs/JointTrajectory."""

    header: dict[str, Any] | None = None
    joint_names: tuple[str, ...]
    points: tuple[_TrajectoryPoint, ...] = Field(min_length=2)


def trajectory_excitation(settings: TrajectorySettings, joints: Sequence[str]) -> SplineExcitation:
    """Read a file's points and connect them to a motion from rest to rest.

    It starts at the first point, whatever its time. Because the robot rests before and after the
    motion, acceleration at the first and the last point is set to 0. Some points that are closer
    than 20 ms are omitted; these must be within 1 mrad or mm of the motion.

    Raises:
        DynidError: the file cannot be read, lacks a joint, or has no motion from rest to rest.
    """
    path = Path(settings.file)
    if is_table(path):
        points = _table_points(path, settings.columns, joints)
    elif settings.columns.model_fields_set:
        raise ConfigurationError(f"{path.name}: 'columns' apply to CSV files only; remove them.")
    else:
        points = _message_points(path, joints)
    _check_numbers(points, path.name, joints)
    _check_ends(points, path.name, joints)
    if points.acceleration is not None:
        points.acceleration[[0, -1]] = 0.0
    kept = _spaced(points.time)
    velocity, acceleration = (
        None if values is None else values[kept]
        for values in (points.velocity, points.acceleration)
    )
    spline = spline_through(points.time[kept], points.position[kept], velocity, acceleration)
    _check_left_out(spline, points, path.name, joints)
    return spline


def is_table(path: Path) -> bool:
    """Return whether a file name is that of a table rather than of a message in YAML."""
    return path.suffix.lower() in {".csv", ".txt"}


def is_message(text: str) -> bool:
    """Return whether a YAML text is a message of trajectory_msgs/JointTrajectory."""
    return re.search(r"\bjoint_names['\"]?\s*:", text) is not None


def _table_points(path: Path, columns: TrajectoryColumns, joints: Sequence[str]) -> Points:
    if not is_file(path):
        raise ConfigurationError(f"{path}: there is no such file.")
    table = read_text_table(path, None, "auto")
    if table.repairs:
        raise ConfigurationError(f"{path.name}: its last line is incomplete; write the file again.")
    position = _signal(table, "position", columns.position or tuple(joints), joints)
    derivatives = []
    for name in ("velocity", "acceleration"):
        chosen = getattr(columns, name) or _named(table, name, joints)
        derivatives.append(None if chosen is None else _signal(table, name, chosen, joints))
    return Points(table.numbers([columns.time])[:, 0], position, *derivatives)


def _named(table: Table, signal: str, joints: Sequence[str]) -> tuple[str, ...] | None:
    """Return the columns ``<joint>_velocity``, if there are any."""
    names = tuple(f"{joint}_{signal}" for joint in joints)
    return names if set(names) & set(table.header) else None


def _signal(table: Table, signal: str, columns: tuple[Column, ...], joints: Sequence[str]) -> Array:
    if len(columns) != len(joints):
        raise ConfigurationError(
            f"excitation: columns.{signal} lists {len(columns)} columns, expected {len(joints)} "
            "(one per joint)."
        )
    return table.numbers(columns)


def _message_points(path: Path, joints: Sequence[str]) -> Points:
    message = parse(_Message, yaml_mapping(_one_message(path), path.name), path.name)
    for joint in joints:
        if message.joint_names.count(joint) != 1:
            raise ConfigurationError(
                f"{path.name}: its joint_names are {', '.join(message.joint_names)}; expected "
                f"'{joint}' among them, once."
            )
    for joint in message.joint_names:
        if joint not in joints:
            raise ConfigurationError(
                f"{path.name}: also moves '{joint}', which is not one of the profile's joints "
                f"{', '.join(joints)}; remove it."
            )
    order = [message.joint_names.index(joint) for joint in joints]
    durations = [point.time_from_start for point in message.points]
    time = np.array([duration.sec + 1e-9 * duration.nanosec for duration in durations])
    position, velocity, acceleration = (
        _rows(message, name, path.name) for name in ("positions", "velocities", "accelerations")
    )
    if position is None:
        raise ConfigurationError(f"{path.name}: its points have no positions; add them.")
    given = (velocity, acceleration)
    derivatives = (None if values is None else values[:, order] for values in given)
    return Points(time, position[:, order], *derivatives)


def _one_message(path: Path) -> str:
    text = read_text(path)
    if "- '...'" in text:
        message = f"{path.name}: was truncated by ros2 topic echo; use its option --full-length."
        raise ConfigurationError(message)
    messages = [part for part in re.split(r"(?m)^---\s*$", text) if part.strip()]
    if len(messages) != 1:
        raise ConfigurationError(f"{path.name}: contains {len(messages)} messages; keep only one.")
    return messages[0]


def _rows(message: _Message, name: str, where: str) -> Array | None:
    """Return one quantity of all points, (K, joints of the message), or None if they have none."""
    rows = [getattr(point, name) for point in message.points]
    if not any(rows):
        return None
    for number, row in enumerate(rows, start=1):
        if len(row) != len(message.joint_names):
            raise ConfigurationError(
                f"{where}: point {number} has {len(row)} {name}, expected "
                f"{len(message.joint_names)} (one per joint) at every point."
            )
    return np.array(rows, dtype=np.float64)


def _spaced(time: Array) -> list[int]:
    """Return the indices of points that are not too close, including the first and the last."""
    kept = [0]
    closest = _CLOSEST * (1 - 1e-6)
    for k in range(1, len(time) - 1):
        if min(time[k] - time[kept[-1]], time[-1] - time[k]) >= closest:
            kept.append(k)
    return [*kept, len(time) - 1]


def _check_left_out(
    spline: SplineExcitation, points: Points, where: str, joints: Sequence[str]
) -> None:
    made = spline.evaluate(points.time - points.time[0]).position
    aside = np.abs(made - points.position)
    k, j = divmod(int(np.argmax(aside)), len(joints))
    if not aside[k, j] <= _ASIDE:
        raise ExcitationError(
            f"{where}: joint '{joints[j]}' is at {points.position[k, j]:.4g} at "
            f"{points.time[k]:.4g} s, {aside[k, j]:.2g} from the smooth motion through points "
            f"{_CLOSEST:g} s apart; smooth it, or remove points that are not part of the motion."
        )


def _check_numbers(points: Points, where: str, joints: Sequence[str]) -> None:
    """Raise unless times increase and all values are finite numbers."""
    time = points.time
    if len(time) < 2:
        raise ConfigurationError(f"{where}: has a single point; a motion needs at least two.")
    for k in np.flatnonzero(~(np.diff(time, prepend=-np.inf) > 0) | ~np.isfinite(time)).tolist():
        after = f", after {time[k - 1]:g} s" if k else ""
        raise ConfigurationError(
            f"{where}: the time of point {k + 1} is {time[k]:g} s{after}; times must be numbers "
            "that increase."
        )
    lasts = float(time[-1] - time[0])
    longest = MOTION_SECONDS.most
    if not _CLOSEST <= lasts <= longest:
        raise ConfigurationError(
            f"{where}: lasts {lasts:g} s, expected {_CLOSEST:g} to {longest} s; are its times in s?"
        )
    for name in ("position", "velocity", "acceleration"):
        values = getattr(points, name)
        for k, j in () if values is None else np.argwhere(~np.isfinite(values)).tolist():
            raise ConfigurationError(
                f"{where}: the {name} of joint '{joints[j]}' at point {k + 1} is {values[k, j]}; "
                "expected a number."
            )
    if points.velocity is None and points.acceleration is not None:
        message = f"{where}: has accelerations but no velocities; add velocities, or remove both."
        raise ConfigurationError(message)


def _check_ends(points: Points, where: str, joints: Sequence[str]) -> None:
    """Raise unless the motion starts and ends at rest."""
    if points.velocity is None:
        return
    for k, which in ((0, "first"), (-1, "last")):
        for j in np.flatnonzero(points.velocity[k]).tolist():
            raise ExcitationError(
                f"{where}: the velocity of joint '{joints[j]}' is {points.velocity[k, j]:g} at the "
                f"{which} point; a motion must start and end at rest: make it 0."
            )


class _ExcitationFile(Settings):
    excitation: ExcitationSettings


def read_excitation(path: Path) -> ExcitationSettings:
    """Read a YAML file with a group ``excitation``, or a trajectory: CSV, or a message in YAML.

    Raises:
        ConfigurationError: the file cannot be read, or is neither.
    """
    if is_table(path):
        return TrajectorySettings(file=str(path))
    text = read_text(path)
    if is_message(text):
        return TrajectorySettings(file=str(path))
    content = yaml_mapping(text, str(path))
    find_trajectory(content, path)
    return parse(_ExcitationFile, content, path.name).excitation


def excitation_text(settings: ExcitationSettings, comments: Sequence[str]) -> str:
    """Return YAML with a group ``excitation``, below comments of one line each.

    Numbers are written with all digits, so that they are read back exactly.
    """
    content = settings.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    group = {"excitation": {"type": settings.type, **content}}
    text = yaml.safe_dump(group, sort_keys=False, default_flow_style=None, width=100)
    return "".join(f"# {line}\n" for line in comments) + text
