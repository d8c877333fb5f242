"""Alarms of collision thresholds on recordings, or the smallest margins where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from dynid.json_text import json_fields
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from dynid.control.collisions import ThresholdReplay
    from dynid.robot.robot import Robot

_DIGITS = 3
_CAUSES = {
    "torque_error": "torque error",
    "torque_threshold": "measured torque",
}


def collisions_json(robot: Robot, found: Sequence[ThresholdReplay]) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "robot": robot.name,
        "alarms": sum(len(one.alarms) for one in found),
        "minutes": 60 * sum(one.hours for one in found),
        "recordings": [
            {
                "recording": one.recording,
                "minutes": 60 * one.hours,
                "alarms": one.alarms,
                "margins": [
                    {**json_fields(margin), "share": margin.share} for margin in one.margins
                ],
            }
            for one in found
        ],
    }


def print_collisions(
    console: Console, robot: Robot, found: Sequence[ThresholdReplay], origin: str
) -> None:
    """Print every alarm; for a recording without one, the smallest margin of each joint."""
    console = roomy(console)
    print_text(console, f"Settings of the detector: {origin}.")
    for one in found:
        count = "no alarm" if not one.alarms else _counted(len(one.alarms))
        print_text(console, f"{one.recording}: {count} in {60 * one.hours:.3g} min", "bold")
        if one.alarms:
            _print_alarms(console, one)
        else:
            _print_margins(console, one)
    total = sum(len(one.alarms) for one in found)
    minutes = 60 * sum(one.hours for one in found)
    print_text(console, f"{robot.name}: {_counted(total)} in {minutes:.3g} min")
    print_text(
        console, "Filtered torque errors, or measured torques, in N m (N at prismatic joints)."
    )


def _print_alarms(console: Console, one: ThresholdReplay) -> None:
    rows = table("from [s]", "to [s]", "joint", "cause", "value", "threshold", "share")
    for alarm in one.alarms:
        rows.add_row(
            f"{alarm.time:.2f}",
            f"{alarm.until:.2f}",
            Text(alarm.joint),
            _CAUSES[alarm.cause],
            significant(alarm.value, _DIGITS),
            significant(alarm.threshold, _DIGITS),
            f"{100 * abs(alarm.value) / alarm.threshold:.0f} %",
        )
    console.print(rows)


def _print_margins(console: Console, one: ThresholdReplay) -> None:
    rows = table("smallest margin", "at [s]", "value", "threshold", "share")
    for margin in sorted(one.margins, key=lambda margin: -margin.share):
        rows.add_row(
            Text(margin.joint),
            f"{margin.time:.2f}",
            significant(margin.value, _DIGITS),
            significant(margin.threshold, _DIGITS),
            f"{100 * margin.share:.0f} %",
        )
    console.print(rows)


def _counted(alarms: int) -> str:
    return "1 alarm" if alarms == 1 else f"{alarms} alarms"
