"""Errors of tools in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from rich.console import Console

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid_plugins.bench.evaluation import ToolErrors

_HEADINGS = "fit", "held out", "moving", "resting", "in 95 %", "width", "CPU [s]", "MiB", "keys"


def print_recording(console: Console, results: Sequence[ToolErrors]) -> None:
    """Print the errors of every tool on one recording."""
    there = [one for one in results if not one.problem]
    if not there:
        return
    console = roomy(console)
    print_text(console, f"{there[0].recording}: relative errors [%]", "bold")
    rows = table("tool", *_HEADINGS)
    for one in there:
        shares = one.fit, one.held_out, one.moving, one.resting, one.coverage, one.width
        cells = [number(100 * share) for share in shares]
        rows.add_row(one.tool, *cells, number(one.cpu), f"{one.memory:.0f}", str(one.keys))
    console.print(rows)


def print_comparison(
    console: Console,
    results: Sequence[ToolErrors],
    tools: Mapping[str, str],
    skipped: Mapping[str, str],
) -> None:
    """Print the errors held out on all recordings, and what was skipped, and why."""
    console = roomy(console)
    names = list(dict.fromkeys(one.recording for one in results))
    if len(names) > 1:
        print_text(console, "All recordings: relative errors held out [%]", "bold")
        rows = table("recording", *tools)
        for name in names:
            held_out = {one.tool: one.held_out for one in results if one.recording == name}
            rows.add_row(name, *(number(100 * held_out[tool]) for tool in tools))
        console.print(rows)
    problems = [f"{one.recording}, {one.tool}: {one.problem}" for one in results if one.problem]
    left_out = [f"{name}: {why}" for name, why in skipped.items()]
    print_sentences(console, "Skipped", problems + left_out, "yellow")
    print_sentences(console, "Tools", [f"{name}: {title}" for name, title in tools.items()], "")


def number(value: float) -> str:
    """Return two decimals; "" for NaN."""
    return "" if isnan(value) else f"{value:.2f}"
