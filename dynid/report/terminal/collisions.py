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


def collisions_json(robot: Robot, replays: Sequence[ThresholdReplay]) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "robot": robot.name,
        "alarms": sum(len(replay.alarms) for replay in replays),
        "minutes": 60 * sum(replay.hours for replay in replays),
        "recordings": [
            {
                "recording": replay.recording,
                "minutes": 60 * replay.hours,
                "alarms": replay.alarms,
                "margins": [
                    {**json_fields(margin), "share": margin.share} for margin in replay.margins
                ],
            }
            for replay in replays
        ],
    }


def print_collisions(
    console: Console, robot: Robot, replays: Sequence[ThresholdReplay], origin: str
) -> None:
    """Print every alarm; for a recording without one, the smallest margin of each joint."""
    console = roomy(console)
    print_text(console, f"Settings of the detector: {origin}.")
    for replay in replays:
        count = "no alarm" if not replay.alarms else _counted(len(replay.alarms))
        print_text(console, f"{replay.recording}: {count} in {60 * replay.hours:.3g} min", "bold")
        if replay.alarms:
            _print_alarms(console, replay)
        else:
            _print_margins(console, replay)
    total = sum(len(replay.alarms) for replay in replays)
    minutes = 60 * sum(replay.hours for replay in replays)
    print_text(console, f"{robot.name}: {_counted(total)} in {minutes:.3g} min")
    print_text(
        console, "Filtered torque errors, or measured torques, in N m (N at prismatic joints)."
    )


def _print_alarms(console: Console, replay: ThresholdReplay) -> None:
    rows = table("from [s]", "to [s]", "joint", "cause", "value", "threshold", "share")
    for alarm in replay.alarms:
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


def _print_margins(console: Console, replay: ThresholdReplay) -> None:
    rows = table("smallest margin", "at [s]", "value", "threshold", "share")
    for margin in sorted(replay.margins, key=lambda margin: -margin.share):
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
