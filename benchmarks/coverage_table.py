"""How much of each room of dynid the tests run: lines and branches, and the files below 80 %.

Usage: coverage_table.py coverage.json, as `make coverage` does.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

ENOUGH = 0.8
COUNTS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def main(report: str) -> None:
    """Print the table of a report that coverage wrote as JSON."""
    files = {
        name: one["summary"] for name, one in json.loads(Path(report).read_text())["files"].items()
    }
    rooms: dict[str, list[dict[str, float]]] = defaultdict(list)
    for name, summary in files.items():
        rooms[_room(name)].append(summary)
    print(f"{'room':24} {'files':>5} {'lines':>6} {'branches':>8}")
    for room, summaries in sorted(rooms.items()):
        lines, branches = _shares(summaries)
        print(f"{room:24} {len(summaries):5} {lines:6.1%} {branches:8.1%}")
    below = {name: shares for name, one in files.items() if min(shares := _shares([one])) < ENOUGH}
    print(f"\nfiles below {ENOUGH:.0%} of lines or branches: {len(below)}")
    for name, (lines, branches) in sorted(below.items()):
        print(f"{name:58} {lines:6.1%} {branches:8.1%}")


def _room(name: str) -> str:
    parts = Path(name).parts
    return "/".join(parts[:2]) if len(parts) > 2 else f"{parts[0]} (root)"


def _shares(summaries: list[dict[str, float]]) -> tuple[float, float]:
    lines, statements, taken, branches = (sum(one[key] for one in summaries) for key in COUNTS)
    return lines / statements if statements else 1.0, taken / branches if branches else 1.0


if __name__ == "__main__":
    main(*sys.argv[1:])
