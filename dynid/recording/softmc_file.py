"""Recordings of softMC's identification (IDNT.REC), as tables with the names of its properties.

softMC's manual names the properties (*Inverse Dynamic Model*, "identification process recording
file"), but neither their units nor how the file is laid out. Assumed are a text with one header
line, columns ``<axis>.<property>``, ``<property><number>`` or ``<property>[<number>]`` in any order
and case, and SI units. Anything else is refused, and can be read as CSV with a column map.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dynid.errors import RecordingError
from dynid.limits import RECORDING_JOINTS
from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.csv_file import read_csv
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.samples import Samples
from dynid.recording.text_table import read_text_table
from dynid.text import shown, shown_names

KIND = "softMC rec"
"""Kind of a source in this format."""

SOFTMC_SUFFIX = ".rec"

_PROPERTIES = ("pfbraw", "tfbraw", "pfb", "tfb", "vfb", "afb", "tcmd", "te")
_NAME = re.compile(
    rf"(?:(?P<axis>[a-z_]\w*)\.)?(?P<property>{'|'.join(_PROPERTIES)})"
    r"(?P<number>\d{1,3}|\[\d{1,3}\])?",
    re.IGNORECASE | re.ASCII,
)
_TIME = "time"
_PAIRS = (("pfbraw", "tfbraw"), ("pfb", "tfb"))
_UNITS = (
    "The file states no units: positions were taken as rad or m, torques in the unit of "
    "drives.effort; where softMC's user units are others, give recording.columns with factors."
)
_FILTERED = (
    "The file contains filtered positions and torques only, so softMC's filter and dynid's act one "
    "after the other."
)


def is_softmc(path: Path) -> bool:
    """Whether a file has the name of a softMC recording."""
    return path.suffix.lower() == SOFTMC_SUFFIX


def read_softmc(path: Path, joints: Sequence[str] | None, sampling_rate: float | None) -> Samples:
    """Read positions and torques of every axis, without softMC's filter where the file has them.

    Velocity is left out because softMC has filtered it. Joints are in the order of the file's axes,
    and have their names if None. A file without a column ``time`` needs the sampling rate [Hz].

    Raises:
        RecordingError: the file is no such table, or has another number of axes.
    """
    columns, notes = _column_map(path, joints, sampling_rate)
    samples = read_csv(path, columns, columns.joints)
    sources = tuple(replace(source, kind=KIND) for source in samples.sources)
    return replace(samples, sources=sources, repairs=(*samples.repairs, *notes))


def _column_map(
    path: Path, joints: Sequence[str] | None, sampling_rate: float | None
) -> tuple[ColumnMap, tuple[str, ...]]:
    name = shown(path)
    table = read_text_table(path, None, "auto")
    axes, pair = _axes(table.header, name)
    what = f"{name}: names {len(axes)} axes"
    RECORDING_JOINTS.check(len(axes), what, RecordingTooLargeError)
    if joints is not None and len(joints) != len(axes):
        raise RecordingError(
            f"{name}: has {len(axes)} axes ({shown_names(tuple(axes))}), but the robot has "
            f"{len(joints)} joints; record the axes of this robot, in the order of its joints."
        )
    time = next((column for column in table.header if column.lower() == _TIME), None)
    if time is None and sampling_rate is None:
        raise RecordingError(
            f"{name}: has no column 'time' [s]; give recording.sampling_rate, the rate [Hz] at "
            "which softMC recorded."
        )
    columns = ColumnMap(
        header=True,
        time=None if time is None else TimeColumn(column=time),
        sampling_rate=sampling_rate if time is None else None,
        joints=tuple(axes) if joints is None else tuple(joints),
        position=SignalColumns(columns=tuple(axis[pair[0]] for axis in axes.values())),
        effort=SignalColumns(columns=tuple(axis[pair[1]] for axis in axes.values())),
    )
    return columns, (_UNITS,) if pair == _PAIRS[0] else (_UNITS, _FILTERED)


def _axes(header: Sequence[str], name: str) -> tuple[dict[str, dict[str, str]], tuple[str, str]]:
    """Return the column of each property for each axis, and the pair of properties to read."""
    axes: dict[str, dict[str, str]] = {}
    for column in header:
        match = _NAME.fullmatch(column)
        if match is None or (match["axis"] and match["number"]):
            continue
        axis = match["axis"] or f"A{(match['number'] or '1').strip('[]')}"
        axis = next((known for known in axes if known.lower() == axis.lower()), axis)
        properties = axes.setdefault(axis, {})
        if match["property"].lower() in properties:
            raise RecordingError(
                f"{name}: '{match['property']}' of axis {axis} appears more than once in the "
                "header; expected one column for each property of an axis."
            )
        properties[match["property"].lower()] = column
    for pair in _PAIRS:
        if axes and all(set(pair) <= set(properties) for properties in axes.values()):
            return axes, pair
    header_text = shown_names(tuple(header)) if header else "no header"
    raise RecordingError(
        f"{name}: is not a softMC recording that dynid knows: expected one header line with "
        "pfbRaw and tfbRaw, or pfb and tfb, of every axis, named as in 'A1.pfbRaw' or 'pfbRaw1', "
        f"found {header_text}; describe any other table with recording.columns."
    )
