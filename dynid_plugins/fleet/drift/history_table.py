"""A table of the models of one robot: file, time and temperature of each recording."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from dynid.errors import ConfigurationError
from dynid.input_file import read_text
from dynid.limits import HISTORY_MODELS
from dynid.text import printable

# years: others are of a clock that was not set, or mistyped
_EARLIEST_YEAR, _LATEST_YEAR = 1980, 2200
_COLUMNS = ("model", "time", "temperature")
_COLDEST, _HOTTEST = -100.0, 500.0  # [°C], of a robot or its surroundings, with a reserve


@dataclass(frozen=True)
class TableRow:
    """A recording of the table.

    Attributes:
        model: path of its model.yaml.
        time: of the recording [s since 1970].
        temperature: [°C]; None if the table has none.
    """

    model: Path
    time: float
    temperature: float | None


def read_history_table(path: Path) -> tuple[TableRow, ...]:
    """Read a CSV file with the columns model, time (ISO 8601) and, if recorded, temperature.

    Paths of models are relative to the table's folder; a time without a zone is in UTC.

    Raises:
        ConfigurationError: a column, cell or row is missing or invalid, or the file is unreadable.
    """
    try:
        lines = list(csv.reader(read_text(path).splitlines()))
    except csv.Error as problem:
        raise ConfigurationError(f"{printable(path)}: is not a CSV table ({problem}).") from None
    header = [cell.strip() for cell in lines[0]] if lines else []
    if header[:2] != list(_COLUMNS[:2]) or header not in (list(_COLUMNS), list(_COLUMNS[:2])):
        raise ConfigurationError(
            f"{printable(path)}: its first line is '{printable(','.join(header))}', expected "
            "'model,time' or 'model,time,temperature'."
        )
    HISTORY_MODELS.check(len(lines), f"{printable(path)}: has {len(lines)} lines")
    rows = []
    for number, cells in enumerate(lines[1:], 2):
        if not cells:
            continue
        if len(cells) != len(header):
            raise ConfigurationError(
                f"{printable(path)}, line {number}: {len(cells)} cells, expected {len(header)}."
            )
        where = f"{printable(path)}, line {number}"
        warmth = parse_temperature(where, cells[2]) if len(header) > 2 else None
        time = parse_time(where, cells[1]).timestamp()
        rows.append(TableRow(path.parent / cells[0].strip(), time, warmth))
    return tuple(rows)


def parse_time(where: str, cell: str) -> datetime:
    """Return a date and time in ISO 8601 in UTC; without a zone it is taken as in UTC.

    Raises:
        ConfigurationError: it is no date and time, or not of a recording.
    """
    try:
        moment = datetime.fromisoformat(cell.strip().replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        moment = moment.astimezone(timezone.utc)
    except (ValueError, OverflowError):  # the latter in the first and last hours of all years
        raise ConfigurationError(
            f"{where}: time '{printable(cell)}' is not a date and time such as "
            "2026-01-31T12:00:00Z."
        ) from None
    if not _EARLIEST_YEAR <= moment.year <= _LATEST_YEAR:
        raise ConfigurationError(
            f"{where}: time '{printable(cell)}' is not between the years {_EARLIEST_YEAR} "
            f"and {_LATEST_YEAR}."
        )
    return moment


def parse_temperature(where: str, cell: str) -> float:
    """Return a temperature [°C].

    Raises:
        ConfigurationError: it is no number, or not the temperature of a robot.
    """
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not _COLDEST <= value <= _HOTTEST:
        raise ConfigurationError(
            f"{where}: temperature '{printable(cell)}' is not a number from {_COLDEST:g} to "
            f"{_HOTTEST:g} °C; leave the column out if it was not recorded for every recording."
        )
    return value
