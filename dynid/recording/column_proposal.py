"""A column map proposed from the names of columns, their units, and the robot's joints."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
import yaml

from dynid.errors import RecordingError
from dynid.recording.column_groups import ColumnGroup, column_groups, missing_columns
from dynid.recording.column_words import (
    CURRENT,
    CURRENTS,
    FACTORS,
    NEUTRAL,
    SIGNALS,
    TIMES,
    ColumnName,
    is_known_unit,
    parse_column,
)
from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.samples import choose_joints
from dynid.recording.table import Table
from dynid.recording.table_head import number
from dynid.text import shown, shown_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_TO_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}
_OF_A_TIME = frozenset({"s", "sec", "secs", "seconds", "since", "start", "utc", "unix", "epoch"})
_OF_LABVIEW = ("x", "value")  # words of the first column of its measurement files
_NANOSECONDS = frozenset({"nanosec", "nsec", "nanosecs", "nsecs", "nanoseconds"})
_LARGEST_FACTOR_RATIO = 1.1  # ratio between a factor found and that of a unit
_LONGEST_USUAL_STEP = 0.5  # [s] between samples; with more, times are probably in another unit
_EPOCH = (1e9, 2.2e9)  # [s] dates since 2001 as seconds since 1970
_VELOCITY_RATIO = (0.5, 2.0)  # of change of position and integrated velocity, in the same unit
_SMALLEST_SHARE = 0.5  # of the variance of positions that their velocities explain
_AT_REST = 1e-3  # of the longest travel of a joint: less does not show what a velocity is
_ANY_EFFORT = frozenset({"effort", "efforts", "eff"})
_RECOGNISED_EFFORTS = ("", "torque", "current")


def propose_columns(
    header: Sequence[str],
    joints: Sequence[str] = (),
    units: Sequence[str] = (),
    effort: str = "",
    first_row: Sequence[str] = (),
) -> ColumnMap | None:
    """Propose which column is which signal, from names such as ``q1`` or ``arm_1_velocity``.

    Commanded values are left out, and so are columns without the name of a signal, and efforts of
    something else than what has a position, such as ``tau_ext_1``. Joints are the robot's where
    columns contain their names or numbers, or are counted as they are; otherwise they are named
    as in the header, or ``joint_1``.

    Args:
        header: names of the columns.
        joints: of the robot, in its order.
        units: of the columns, where a row of the table has them.
        effort: ``"torque"``, ``"current"`` …, which decides where both are recorded.
        first_row: cells of the first row, for columns that contain the names of joints.

    Returns:
        the map; None if the header does not give each joint one position and one effort, or has no
        time.
    """
    columns = _parsed(header, units)
    labels = dict(_labels(columns, first_row).values())
    groups = {name: column_groups(columns, name, joints, labels) for name in SIGNALS}
    pair = _position_and_effort(groups["position"], groups["effort"], effort)
    if pair is None or len(set(header)) < len(header):
        return None
    position, _ = pair
    time = _time(columns, frozenset()) or _time(columns, position.stem)
    if time is None:
        return None
    signals = dict(zip(("position", "effort"), pair, strict=True))
    for signal in ("velocity", "temperature"):
        fitting = [group for group in groups[signal] if _fits(group, position)]
        if len(fitting) == 1:
            signals[signal] = fitting[0]
    order = [joint for joint in joints if joint in position.columns] or list(position.columns)
    mapped = {name: _signal_columns(name, group, order) for name, group in signals.items()}
    return ColumnMap(
        time=time,
        joints=tuple(f"joint_{joint}" if joint.isdecimal() else joint for joint in order),
        position=mapped["position"],
        velocity=mapped.get("velocity"),
        effort=mapped["effort"],
        temperature=mapped.get("temperature"),
    )


def propose_for_table(
    table: Table, joints: Sequence[str] = (), effort: str = ""
) -> ColumnMap | None:
    """Return the proposed map of a table, in seconds where its content shows the unit of times."""
    proposal = propose_columns(table.header, joints, table.units, effort, table.first_row)
    return proposal and with_unit_of_time(proposal, table)


def columns_by_name(table: Table, joints: Sequence[str], effort: str = "") -> ColumnMap:
    """Return the column map of a table whose names leave no doubt.

    Raises:
        RecordingError: there is a doubt, which the sentence names.
    """
    twice = [name for name in table.header if table.header.count(name) > 1]
    if twice:
        raise RecordingError(
            f"{table.name}: several columns are named '{shown(twice[0])}'; name each column once, "
            "or give a column map with the numbers of the columns."
        )
    proposal = propose_for_table(table, joints, effort)
    if proposal is None:
        raise RecordingError(doubt_of_names(table, joints))
    choose_joints(joints or None, proposal.joints, table.name)
    for question in _questions(proposal, table, effort):
        raise RecordingError(
            f"{table.name}: {question} ('dynid info' shows a column map to put into the profile)."
        )
    return proposal


def doubt_of_names(table: Table, joints: Sequence[str]) -> str:
    """Return what the names of a table's columns leave open, for which no map is proposed."""
    columns = _parsed(table.header, table.units)
    lacks = "; ".join(
        missing_columns(columns, joints, has_time=_time(columns, frozenset()) is not None)
    )
    names = shown_names(table.header, f"none ({table.width} columns without names)")
    return (
        f"{table.name}: the names of its columns do not show one time, and one position and "
        f"effort of each joint{f': {lacks}' if lacks and columns else ''}; a column map is needed "
        f"(recording.columns of the profile, docs/recordings.md#column-map). Columns are {names}."
    )


def column_names(columns: ColumnMap) -> str:
    """Return in words which columns a map reads."""
    signals = (
        f"{name} {shown_names(map(str, signal.columns))}"
        for name, signal in columns.signals().items()
    )
    time = "" if columns.time is None else f"time {shown(str(columns.time.column))}, "
    return f"{time}{', '.join(signals)} of {shown_names(columns.joints)}"


def effort_questions(columns: Sequence[ColumnName], effort: str) -> Iterable[str]:
    """Yield where columns of efforts name another quantity than is recorded (``drives.effort``)."""
    name = shown(columns[0].name)
    current = any(CURRENT & set(column.words) or column.unit in CURRENTS for column in columns)
    if any(_ANY_EFFORT & set(column.words) for column in columns) and not current:
        return
    if effort not in _RECOGNISED_EFFORTS:
        yield f"drives.effort is {effort}, which {name} does not say that it is; give the columns"
    elif current and effort == "torque":
        yield (
            f"{name} is a current, but drives.effort is torque; set drives.effort: current with "
            "the torque constants, or name columns of torque"
        )
    elif not current and effort == "current":
        yield f"drives.effort is current, but {name} is none; give the columns of the currents"


def with_unit_of_time(proposal: ColumnMap, table: Table) -> ColumnMap:
    """Return the map with times in seconds, if dates or velocities show that the table's are not.

    Velocities do where positions change, in a unit of the times, by a thousandth of them or less.
    """
    time, velocity = proposal.time, proposal.velocity
    if time is None or time.factor != 1 or time.nanoseconds is not None:
        return proposal
    dates = table.beginning([[time.column]])[0][:, 0]
    date = float(np.nanmedian(dates)) if np.isfinite(dates).any() else 0.0
    for unit in _TO_SECONDS.values():
        if _EPOCH[0] < date * unit < _EPOCH[1]:
            return proposal.model_copy(update={"time": time.model_copy(update={"factor": unit})})
    if velocity is None:
        return proposal
    groups = [[time.column], proposal.position.columns, velocity.columns]
    stamps, position, speed = table.beginning(groups)
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


def _parsed(header: Sequence[str], units: Sequence[str]) -> list[ColumnName]:
    """Return the words of each column; ``units`` may be empty."""
    return [parse_column(name, unit) for name, unit in zip_longest(header, units, fillvalue="")]


def _questions(columns: ColumnMap, table: Table, effort: str) -> Iterable[str]:
    """Yield what the names of columns leave open."""
    parsed = {column.name: column for column in _parsed(table.header, table.units)}
    for name, signal in columns.signals().items():
        for key in signal.columns:
            unit = parsed[str(key)].unit
            if not is_known_unit(name, unit):
                yield f"the unit '{shown(unit)}' of {shown(str(key))} is unknown; give its factor"
    yield from effort_questions([parsed[str(key)] for key in columns.effort.columns], effort)
    yield from _angle_questions(columns.position, parsed, table)
    labels = _labels(list(parsed.values()), table.first_row)
    if labels and not table.cells.constant([table.header.index(name) for name in labels]):
        yield "the order of the joints changes from row to row; export one column for each joint"
    if columns.time is None or table.rows < 2:
        return
    stamps = columns.time.seconds(*table.beginning([columns.time.columns()]))
    step = float(np.nanmedian(np.diff(stamps))) if np.isfinite(stamps).sum() > 1 else 0.0
    if step > _LONGEST_USUAL_STEP:
        yield (
            f"the times in {shown(str(columns.time.column))} are {step:.6g} s apart if they "
            "are in seconds; give the factor of their unit"
        )
    yield from _velocity_questions(columns, table, stamps)


def _angle_questions(
    position: SignalColumns, parsed: Mapping[str, ColumnName], table: Table
) -> Iterable[str]:
    """Yield positions of more than a turn without a unit: they may be degrees or counts."""
    extremes = np.array(
        [
            [np.fmin.reduce(values), np.fmax.reduce(values)]
            for (values, _), *_ in table.parts([position.columns])
        ]
    )
    sizes = np.fmax.reduce(np.abs(extremes), axis=(0, 1))
    for size, name in zip(sizes.tolist(), map(str, position.columns), strict=True):
        largest = 0.0 if np.isnan(size) else size
        if not parsed[name].unit and largest > 2 * np.pi:
            yield (
                f"{shown(name)} is up to {largest:.4g} and has no unit, so that it may be in rad "
                "or degrees; give its factor, or a unit in its name"
            )


def _velocity_questions(
    columns: ColumnMap, table: Table, stamps: NDArray[np.float64]
) -> Iterable[str]:
    """Yield velocities that the positions contradict: their columns may be something else.

    Velocities are integrated, as differences of positions are noisy.
    """
    if columns.velocity is None:
        return
    groups = [columns.position.columns, columns.velocity.columns]
    position, velocity = table.beginning(groups)
    scaling = zip(columns.position.scaling(), columns.velocity.scaling(), strict=True)
    tracks = []
    for place, ((to_radian, _), (to_speed, _)) in enumerate(scaling):
        values = np.column_stack([stamps, position[:, place], velocity[:, place]])
        seconds, angle, speed = values[np.isfinite(values).all(axis=1)].T
        if len(seconds) >= 3 and np.ptp(speed):
            tracks.append((place, seconds, np.unwrap(angle * to_radian), speed * to_speed))
    longest = max((float(np.ptp(turned)) for _, _, turned, _ in tracks), default=0.0)
    for place, seconds, turned, speed in tracks:
        if np.ptp(turned) <= _AT_REST * longest:
            continue
        steps = np.diff(seconds)
        path = np.concatenate([[0.0], np.cumsum(steps * (speed[1:] + speed[:-1]) / 2)])
        basis = np.column_stack([np.ones_like(path), seconds - seconds[0], path])
        plain, *_ = np.linalg.lstsq(basis[:, :2], turned, rcond=None)
        ratio, *_ = np.linalg.lstsq(basis, turned, rcond=None)
        left = np.sum((turned - basis @ ratio) ** 2)
        drifting = np.sum((turned - basis[:, :2] @ plain) ** 2)
        low, high = _VELOCITY_RATIO
        if not low < ratio[2] < high or left > (1 - _SMALLEST_SHARE) * drifting:
            yield (
                f"{shown(str(columns.velocity.columns[place]))} is not the velocity of "
                f"{shown(str(columns.position.columns[place]))} (their ratio is {ratio[2]:.3g}); "
                "give the columns and factors"
            )


def _position_and_effort(
    positions: Sequence[ColumnGroup], efforts: Sequence[ColumnGroup], effort: str
) -> tuple[ColumnGroup, ColumnGroup] | None:
    """Return the only position and effort of the same joints; None where several readings remain.

    Of torques and currents, the recorded quantity decides.
    """
    if effort and {group.current for group in efforts} == {True, False}:
        efforts = [group for group in efforts if group.current == (effort == "current")]
    pairs = [(q, tau) for q in positions for tau in efforts if _fits(tau, q)]
    return pairs[0] if len(pairs) == 1 else None


def _fits(group: ColumnGroup, position: ColumnGroup) -> bool:
    """Return whether a signal is of what has a position: of the same joints, and the same stem."""
    same_joints = set(position.columns) <= set(group.columns)
    of_motors = group.current and group.stem <= {"motor"} and not position.stem
    return same_joints and (group.stem == position.stem or of_motors)


def _signal_columns(signal: str, group: ColumnGroup, order: Sequence[str]) -> SignalColumns:
    columns = [group.columns[joint] for joint in order]
    factors = tuple(FACTORS[signal].get(column.unit, 1.0) for column in columns)
    names = tuple(column.name for column in columns)
    return SignalColumns(columns=names, factor=factors[0] if len(set(factors)) == 1 else factors)


def _time(columns: Sequence[ColumnName], stem: frozenset[str]) -> TimeColumn | None:
    """Return the column of times; two of them are the seconds and nanoseconds of a stamp.

    Words of the ``stem`` may precede, as in the names of positions.
    """
    for column in columns:
        words = [word for word in column.words if word not in NEUTRAL | stem]
        rest = {
            *words[1:],
            *([] if column.unit in FACTORS["time"] else filter(None, [column.unit])),
        }
        if column.words == _OF_LABVIEW:
            return TimeColumn(column=column.name)
        if not words or words[0] not in TIMES or not rest <= {*_OF_A_TIME, *_TO_SECONDS, *TIMES}:
            continue
        if words[-1] in ("sec", "secs") and (nano := _nanoseconds(column, columns)):
            return TimeColumn(column=column.name, nanoseconds=nano)
        factor = FACTORS["time"].get(column.unit, 1.0)
        named = next((_TO_SECONDS[word] for word in words if word in _TO_SECONDS), factor)
        return TimeColumn(column=column.name, factor=named)
    return None


def _nanoseconds(seconds: ColumnName, columns: Sequence[ColumnName]) -> str | None:
    """Return the column of a stamp's nanoseconds."""
    same = (other for other in columns if other.words[:-1] == seconds.words[:-1])
    return next((other.name for other in same if _NANOSECONDS & set(other.words[-1:])), None)


def _labels(columns: Sequence[ColumnName], first_row: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return (number, name of a joint) of columns of names, such as ``name0``, by their name."""
    labels = {}
    for column, cell in zip(columns, first_row, strict=False):
        numbers = [word for word in column.words if word.isdecimal()]
        # such as name0; in a query such as {name=='j1'} it is a value
        text = cell and number(cell) is None
        if {"name", "names"} & set(column.words) and len(numbers) == 1 and text:
            labels[column.name] = (numbers[0], cell)
    return labels
