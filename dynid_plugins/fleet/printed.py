"""What robots of a fleet need, on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dynid.report.terminal.console import print_sentences, print_text
from dynid_plugins.fleet.drift.printed import drift_json

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.fleet.watch import RobotState


def print_states(console: Console, states: Sequence[RobotState]) -> None:
    """Print the robots that need a person, with the sentences, and the number of the others."""
    needy = [one for one in states if one.needs_a_person]
    for one in needy:
        until = f", until {one.last_recorded}" if one.last_recorded else ""
        title = f"{one.robot} ({one.type}, {one.recordings} recordings{until})"
        print_sentences(console, title, one.sentences, "yellow" if one.changed else "bold")
    quiet = len(states) - len(needy)
    print_text(console, f"{quiet} of {len(states)} robots: nothing found.")


def states_json(states: Sequence[RobotState]) -> dict[str, Any]:
    """Return what ``dynid fleet watch --json`` prints."""
    robots = [
        {
            "robot": one.robot,
            "type": one.type,
            "recordings": one.recordings,
            "failed": one.failed,
            "needs_a_person": one.needs_a_person,
            "sentences": one.sentences,
            "unusual": one.unusual,
            "drift": None if one.drift is None else drift_json(one.drift),
        }
        for one in states
    ]
    return {"robots": robots}
