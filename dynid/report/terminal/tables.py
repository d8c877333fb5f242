"""Tables that fit a terminal of any usual width: nothing is cut off, and no number is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_GAP = 2  # columns between two cells
_NAME_AT_LEAST = 8  # columns that a name gets however wide the numbers are
_LAST_AT_LEAST = 20  # columns in which a sentence still reads well


class _Row(NamedTuple):
    cells: list[Text]
    style: str


class ResultTable:
    """Rows below headings: names to the left, numbers to the right.

    Where a terminal is too narrow, headings wrap first, then sentences in the last column; where
    that is not enough, the table is printed in parts below each other, each with the first column.
    Cells and headings are plain text: ``[m]`` is a unit, not markup.
    """

    def __init__(self, headings: Sequence[str], *, wrap_last: bool = False) -> None:
        """Make a table without rows.

        Args:
            headings: of the columns.
            wrap_last: whether the last column has sentences, which may wrap.
        """
        self.headings = [Text(heading) for heading in headings]
        self.rows: list[_Row] = []
        self._wrap_last = wrap_last

    def add_row(self, *cells: str | Text, style: str = "") -> None:
        """Add a row of as many cells as there are headings; missing ones at its end are empty."""
        given = [cell if isinstance(cell, Text) else Text(cell) for cell in cells]
        given += [Text() for _ in range(len(self.headings) - len(given))]
        self.rows.append(_Row(given, style))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the table, in parts where it is wider than the console."""
        for number, widths in enumerate(self._parts(options.max_width)):
            if number > 0:
                yield Text()
            yield self._part(widths)

    def _parts(self, width: int) -> Iterator[dict[int, int]]:
        """Yield the columns of each part with their widths."""
        natural = [max(_width(head), wide) for head, wide in self._measured()]
        if _total(natural) <= width:
            yield dict(enumerate(natural))
            return
        narrow = [max(_longest_word(head), wide) for head, wide in self._measured()]
        if _total(narrow) <= width:
            yield dict(enumerate(_widened(narrow, natural, width)))
            return
        last = width - _total(narrow[:-1]) - _GAP
        if self._wrap_last and last >= _LAST_AT_LEAST:
            yield dict(enumerate([*narrow[:-1], last]))
            return
        yield from _divided(narrow, width)

    def _measured(self) -> Iterator[tuple[Text, int]]:
        """Yield each heading with the width of the widest cell below it."""
        for column, heading in enumerate(self.headings):
            yield heading, max((_width(row.cells[column]) for row in self.rows), default=0)

    def _part(self, widths: dict[int, int]) -> Table:
        part = Table(box=None, pad_edge=False, padding=(0, 1), header_style="bold")
        for column, width in widths.items():
            number = column > 0 and not (self._wrap_last and column == len(self.headings) - 1)
            part.add_column(
                self.headings[column],
                justify="right" if number else "left",
                width=width,
                overflow="fold",
                vertical="top",
            )
        for row in self.rows:
            part.add_row(*(row.cells[column] for column in widths), style=row.style)
        return part


def table(first: str, *others: str, wrap_last: bool = False) -> ResultTable:
    """Return a table without rows.

    Args:
        first: heading of the names.
        others: headings of the numbers.
        wrap_last: whether the last column has sentences, which may wrap.
    """
    return ResultTable([first, *others], wrap_last=wrap_last)


def _width(text: Text) -> int:
    return max((cell_len(line) for line in text.plain.splitlines()), default=0)


def _longest_word(text: Text) -> int:
    return max((cell_len(word) for word in text.plain.split()), default=0)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _widened(narrow: list[int], natural: list[int], width: int) -> list[int]:
    """Return widths in which as many headings as possible, from the left, are in one line."""
    spare = width - _total(narrow)
    widths = []
    for least, whole in zip(narrow, natural, strict=True):
        growth = whole - least if whole - least <= spare else 0
        spare -= growth
        widths.append(least + growth)
    return widths


def _divided(narrow: list[int], width: int) -> Iterator[dict[int, int]]:
    """Yield parts that repeat the first column, each with as many others as fit."""
    others = narrow[1:]
    widest = max(others, default=0)
    first = max(min(narrow[0], width // 2, width - _GAP - widest), _NAME_AT_LEAST)
    part = {0: first}
    for column, wanted in enumerate(others, 1):
        needed = min(wanted, width - _GAP - first)
        if len(part) > 1 and _total([*part.values(), needed]) > width:
            yield part
            part = {0: first}
        part[column] = needed
    yield part
