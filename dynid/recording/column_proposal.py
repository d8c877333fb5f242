"""A column map proposed from the header of a CSV file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import yaml

from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.table import Table

_SIGNALS = {
    "position": {"q", "pos", "position", "positions", "angle", "angles"},
    "velocity": {"dq", "qd", "qdot", "vel", "velocity", "velocities", "speed"},
    "temperature": {"temp", "temps", "temperature", "temperatures"},
    "effort": {"tau", "torque", "torques", "eff", "effort", "efforts", "current", "currents", "i"},
}
_COMMANDED = {"target", "desired", "des", "cmd", "command", "commanded", "ref", "reference"}
_TIMES = {"t", "time", "times", "timestamp", "stamp"}
_TO_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}
_LARGEST_FACTOR_RATIO = 1.1  # ratio between a factor found and that of a unit


def propose_columns(header: Sequence[str], joints: Sequence[str] = ()) -> ColumnMap | None:
    """Propose which column is which signal, from names such as ``q1`` or ``arm_1_velocity``.

    Commanded values are left out, and so are columns without the name of a signal, and efforts of
    what has no position, such as ``tau_ext_1``. Joints are named as in the header; where it has
    numbers only, as the robot's, or ``joint_1``.

    Args:
        header: names of the columns.
        joints: of the robot, in its order; used if as many columns are numbered.

    Returns:
        the map; None if the header does not give each joint one position and one effort, or has no
        time.
    """
    words = {name: re.findall(r"[a-z]+|\d+", name.lower()) for name in header}
    if len(words) < len(header):
        return None
    times = [name for name in header if words[name] and _is_time(words[name])]
    columns = {signal: _columns(words, names) for signal, names in _SIGNALS.items()}
    position, effort = columns["position"], columns["effort"]
    if not times or not position or not effort or not set(position) <= set(effort):
        return None
    found_joints = tuple(position)
    velocity, temperature = columns["velocity"] or {}, columns["temperature"] or {}
    return ColumnMap(
        time=TimeColumn(column=times[0], factor=_factor(words[times[0]])),
        joints=_names(found_joints, joints),
        position=SignalColumns(columns=tuple(position.values())),
        velocity=SignalColumns(columns=tuple(velocity[joint] for joint in found_joints))
        if set(found_joints) <= set(velocity)
        else None,
        effort=SignalColumns(columns=tuple(effort[joint] for joint in found_joints)),
        temperature=SignalColumns(columns=tuple(temperature[joint] for joint in found_joints))
        if set(found_joints) <= set(temperature)
        else None,
    )


def with_unit_of_time(proposal: ColumnMap, table: Table) -> ColumnMap:
    """Return the map with times in seconds, if its velocities show that the table's are not.

    Then positions change, in a unit of the times, by a thousandth of the velocity or less.

    Args:
        proposal: of the table's header.
        table: a recording.
    """
    time, velocity = proposal.time, proposal.velocity
    if time is None or time.factor != 1 or velocity is None:
        return proposal
    groups = [[time.column], proposal.position.columns, velocity.columns]
    (stamps, _), (position, _), (speed, _) = table.readable(groups)
    with np.errstate(all="ignore"):
        change = np.gradient(position, stamps[:, 0], axis=0) if len(stamps) > 1 else position
        known = np.isfinite(change) & np.isfinite(speed)
    change, speed = np.where(known, change, 0.0), np.where(known, speed, 0.0)
    squares = np.sum(speed**2, axis=0)
    if not squares.all():
        return proposal
    factor = float(np.median(np.sum(change * speed, axis=0) / squares))
    for unit in _TO_SECONDS.values():
        if unit / _LARGEST_FACTOR_RATIO < factor < unit * _LARGEST_FACTOR_RATIO:
            return proposal.model_copy(update={"time": time.model_copy(update={"factor": unit})})
    return proposal


def proposal_text(proposal: ColumnMap) -> str:
    """Return the map as YAML, as it stands below ``columns:`` or in a file of its own."""
    content = proposal.model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(
        content, sort_keys=False, default_flow_style=None, width=float("inf"), allow_unicode=True
    ).rstrip()


def _names(found_joints: Sequence[str], robot: Sequence[str]) -> tuple[str, ...]:
    """Return the names of joints found in a header; increasing numbers are the robot's joints."""
    numbers = [int(joint) for joint in found_joints if joint.isdecimal()]
    if len(numbers) == len(found_joints) == len(robot) and numbers == sorted(numbers):
        return tuple(robot)
    return tuple(f"joint_{joint}" if joint.isdecimal() else joint for joint in found_joints)


def _columns(words: dict[str, list[str]], signal: set[str]) -> dict[str, str] | None:
    """Return the measured columns of a signal by joint; None if two columns have the same joint."""
    other = set().union(*_SIGNALS.values()) - signal
    columns: dict[str, str] = {}
    for name, parts in words.items():
        if not signal & set(parts) or (other | _COMMANDED) & set(parts):
            continue
        joint = "_".join(part for part in parts if part not in signal)
        if not joint or joint in columns:
            return None
        columns[joint] = name
    return columns


def _is_time(parts: list[str]) -> bool:
    return parts[0] in _TIMES and set(parts[1:]) <= {"s", "sec", "seconds", *_TO_SECONDS}


def _factor(parts: Iterable[str]) -> float:
    return next((_TO_SECONDS[part] for part in parts if part in _TO_SECONDS), 1.0)
