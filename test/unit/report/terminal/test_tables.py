"""Tables at any width: nothing cut off, nothing wider than the terminal, units as they are."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from dynid.report.terminal.tables import ResultTable, table


def lines(rows: ResultTable, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(rows)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def numbers(columns: int) -> ResultTable:
    rows = table("joint", *(f"column {k}" for k in range(columns)))
    for joint in ("shoulder", "elbow"):
        rows.add_row(joint, *(f"{k}.23 × 10⁻⁵" for k in range(columns)))
    return rows


def test_a_table_that_fits_is_one_table_with_whole_headings() -> None:
    printed = lines(numbers(3), 80)
    assert len(printed) == 3
    assert "column 0" in printed[0]


def test_headings_wrap_first() -> None:
    rows = table("joint", "a long heading", "another heading")
    rows.add_row("elbow", "1", "2")
    printed = lines(rows, 25)
    assert [line.split() for line in printed[:2]] == [
        ["a", "long", "another"],
        ["joint", "heading", "heading"],
    ]
    assert printed[-1].split() == ["elbow", "1", "2"]


def test_sentences_in_the_last_column_wrap_next() -> None:
    rows = table("joint", "value", "remark", wrap_last=True)
    rows.add_row("elbow", "1.23", "a sentence of several words that is longer than the terminal")
    printed = lines(rows, 40)
    assert printed[0].split() == ["joint", "value", "remark"]
    assert max(map(len, printed)) <= 40
    assert all(line.startswith(" " * 12) for line in printed[2:])


def test_a_wide_table_is_printed_in_parts_with_the_names() -> None:
    printed = lines(numbers(9), 60)
    assert max(map(len, printed)) <= 60
    assert printed.count("") == 2
    assert [line.split()[0] for line in printed if line].count("elbow") == 3
    assert all(f"{k}.23 × 10⁻⁵" in "\n".join(printed) for k in range(9))


def test_a_long_name_folds_and_numbers_do_not() -> None:
    rows = table("joint", "value", "limit")
    rows.add_row("left_arm_of_the_second_robot_shoulder_pitch_joint", "-1.234 … 5.678", "3.141")
    printed = lines(rows, 30)
    assert max(map(len, printed)) <= 30
    assert any("-1.234 … 5.678" in line for line in printed)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 200])
def test_square_brackets_are_not_markup(width: int) -> None:
    rows = table("[b]joint", "[m]")
    rows.add_row("[red]elbow[/red]", "[/i]")
    printed = "\n".join(lines(rows, width))
    for text in ("[b]joint", "[m]", "[red]elbow[/red]", "[/i]"):
        assert text in printed


def test_missing_cells_at_the_end_of_a_row_are_empty() -> None:
    rows = table("joint", "value", "limit")
    rows.add_row("mean")
    assert lines(rows, 40)[1] == "mean"


def test_a_table_without_rows_has_headings() -> None:
    assert lines(table("joint", "value"), 40) == ["joint  value"]
