"""Lines above the numbers of a text table: preamble, names of columns, and their units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import NamedTuple

from dynid.recording.column_words import is_unit

_DATES = (
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})[ T](?P<rest>.*)"),
    re.compile(r"(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})[ T](?P<rest>.*)"),
    # the day may come first; within a day, this does not change the steps
    re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})[ T](?P<rest>.*)"),
)
_HALF_DAY = re.compile(r"(.*?)\s*([AP])\.?M\.?", re.IGNORECASE)
_CLOCK_TIME = re.compile(r"(\d{1,2}):(\d\d):(\d\d(?:[.,]\d+)?)")
_FRACTION = re.compile(r"[.,](\d+)(?=$|Z$|[+-]\d\d:?\d\d$)")
_SHORTEST_DATE = len("2024-05-01 12:00")
_MONTHS = 12
_DAY = 86400.0  # [s]


class TableHead(NamedTuple):
    """What is above the numbers: so many lines, of which the preamble precedes the names.

    Names are empty without a header, units without a row of them.
    """

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    lines: int = 0
    preamble: int = 0


def find_head(lines: Sequence[Sequence[str]], header: bool | str) -> TableHead:
    """Find the names and units of columns in the cells of the first lines of a table.

    ``header`` says whether the first line names the columns; ``"auto"``: if most of its cells are
    not numbers. Then lines of another width may precede it.
    """
    if header is False or not lines:
        return TableHead()
    if header is True:
        return TableHead(tuple(map(bare, lines[0])), lines=1)
    # a preamble may be longer than what is left of the examined lines
    width = Counter(map(len, lines[len(lines) // 2 :])).most_common(1)[0][0]
    begin = 0
    if len(lines[0]) != width:
        numeric = (n for n, row in enumerate(lines) if len(row) == width and not is_header(row))
        first = next(numeric, 0)
        # all lines from the names up to the first row of numbers have the table's width
        whole = [len(row) == width and is_header(row) for row in lines[:first]]
        begin = next((n for n in range(first) if all(whole[n:])), 0)
    if not is_header(lines[begin]):
        return TableHead(_names_of_joint_states(lines[0]))
    names, past = tuple(map(bare, lines[begin])), begin + 1
    if _is_second_header(names, lines[past : past + 1]):
        names, past = _joined(names, lines[past]), past + 1
    below = [bare(cell) for cell in lines[past]] if past < len(lines) else []
    if len(below) == len(names) and _are_units(below):
        return TableHead(names, tuple(below), past + 1, begin)
    return TableHead(names, lines=past, preamble=begin)


def _are_units(cells: Sequence[str]) -> bool:
    """Return whether most cells are known units, and none is a number."""
    texts = [cell for cell in cells if cell]
    known = sum(map(is_unit, texts))
    return 0 < len(texts) <= 2 * known and all(number(text) is None for text in texts)


def _is_second_header(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether names that appear several times are completed by those of the next line."""
    repeated = len(set(names)) < len(names)
    return repeated and any(len(row) == len(names) and is_header(row) for row in below)


def _joined(names: Sequence[str], below: Sequence[str]) -> tuple[str, ...]:
    """Return the names of two lines; an empty one continues that on its left."""
    above: list[str] = []
    for name in names:
        above.append(name or (above[-1] if above else ""))
    return tuple(f"{left} {bare(cell)}".strip() for left, cell in zip(above, below, strict=True))


def _names_of_joint_states(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns that ``ros2 topic echo --csv`` leaves out, or none.

    The cells of a JointState are its stamp's seconds and nanoseconds, the frame, the names of n
    joints, and n positions, velocities and efforts.
    """
    texts = [place for place, cell in enumerate(cells) if number(bare(cell)) is None]
    count = len(cells[3:]) // 4
    rest = 3 + count * 4 - len(cells)
    stamped = all(cell.strip().isdecimal() for cell in cells[:2])
    if not stamped or rest or not count or set(texts) | {2} != set(range(2, 3 + count)):
        return ()
    signals = ("name", "position", "velocity", "effort")
    numbered = (f"{signal}_{joint}" for signal in signals for joint in range(count))
    return ("sec", "nanosec", "frame_id", *numbered)


def is_header(cells: Sequence[str]) -> bool:
    """Return whether most cells are not numbers; a row with one damaged cell is not a header.

    Empty cells count as neither, as a name may stand above several columns.
    """
    filled = [bare(cell) for cell in cells if bare(cell)]
    words = sum(number(cell) is None for cell in filled)
    return 2 * words > len(filled)


def bare(cell: str) -> str:
    """Strip white space and quotes from a cell."""
    return cell.strip().strip('"').strip()


def number(cell: str) -> float | None:
    """Return the number in a cell, or its date as seconds; NaN if empty; None if it is neither."""
    if not cell:
        return float("nan")
    try:
        # Python accepts "1_000" as a number
        return None if "_" in cell else float(cell)
    except ValueError:
        pass
    if ":" in cell:
        return _seconds(cell)
    try:
        return float(cell.replace(",", ".", 1))
    except ValueError:
        return None


def _seconds(cell: str) -> float | None:
    """Return a date and time as seconds since 1970, or a time as seconds since midnight.

    Without a time zone it is taken as UTC, so that steps do not depend on this computer.
    """
    clock = _CLOCK_TIME.fullmatch(cell)
    if clock:
        hours, minutes, seconds = clock.groups()
        return int(hours) * 3600.0 + int(minutes) * 60 + float(seconds.replace(",", "."))
    if half := _HALF_DAY.fullmatch(cell):
        return _seconds_of_half(half[1], afternoon=half[2] in "Pp")
    date_cell = next(filter(None, (known.fullmatch(cell) for known in _DATES)), None)
    text = _iso(date_cell) if date_cell else cell
    fraction = _FRACTION.search(text)
    if len(text) < _SHORTEST_DATE:
        return None
    try:
        # Python 3.10 reads neither a Z nor fractions of other lengths than 3 and 6
        date = datetime.fromisoformat(_FRACTION.sub("", text).replace("Z", "+00:00"))
    except ValueError:
        return None
    part = float(f"0.{fraction[1]}") if fraction else 0.0
    return (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).timestamp() + part


def _iso(date: re.Match[str]) -> str:
    """Return a date as ISO 8601 writes it; the day comes first where the month cannot."""
    month, day = date["month"], date["day"]
    if int(month) > _MONTHS:
        month, day = day, month
    return f"{date['year']}-{month:0>2}-{day:0>2} {date['rest']}"


def _seconds_of_half(cell: str, *, afternoon: bool) -> float | None:
    """Return a date or time in one half of the day as seconds; at 12 the half begins."""
    seconds = _seconds(cell) if ":" in cell else None
    if seconds is None:
        return None
    begins = seconds % _DAY >= _DAY / 2
    return seconds + (_DAY / 2 if afternoon else 0.0) - (_DAY / 2 if begins else 0.0)
