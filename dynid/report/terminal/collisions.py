"""Alarms of collision thresholds on recordings, or the smallest margins where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
_CAUSES = {"torque_error": "torque error", "torque_threshold": "measured torque"}


def collisions_json(
    robot: Robot, replays: Sequence[ThresholdReplay], origin: str, tune: str
) -> dict[str, Any]:
    """Return what ``--json`` prints; the arguments are those of :func:`print_collisions`."""
    return {
        "robot": robot.name,
        "thresholds": origin,
        "next": tune if _alarms(replays) and tune else None,
        "alarms": _alarms(replays),
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
    console: Console, robot: Robot, replays: Sequence[ThresholdReplay], origin: str, tune: str
) -> None:
    """Print every alarm; for a recording without one, the smallest margin of each joint.

    Args:
        console: where to print.
        robot: with the thresholds.
        replays: one of each recording.
        origin: of the thresholds, as a phrase.
        tune: command that tunes thresholds to the model; "" if these are.
    """
    console = roomy(console)
    print_text(console, f"Settings of the detector: {origin}.")
    for replay in replays:
        count = "no alarm" if not replay.alarms else _counted(len(replay.alarms))
        print_text(console, f"{replay.recording}: {count} in {60 * replay.hours:.3g} min", "bold")
        if replay.alarms:
            _print_alarms(console, replay)
        else:
            _print_margins(console, replay)
    total = _alarms(replays)
    minutes = 60 * sum(replay.hours for replay in replays)
    print_text(console, f"{robot.name}: {_counted(total)} in {minutes:.3g} min")
    print_text(
        console, "Filtered torque errors, or measured torques, in N m (N at prismatic joints)."
    )
    if total and tune:
        print_text(
            console,
            "These thresholds were not tuned with this model. If the robot touched nothing, they "
            "do not fit it; the verdict on collision detection is for tuned ones.",
            "yellow",
        )
        print_text(console, f"Next: {tune}")


def _print_alarms(console: Console, replay: ThresholdReplay) -> None:
    rows = table("from [s]", "to [s]", "joint", "cause", "value", "threshold", "share")
    for alarm in replay.alarms:
        rows.add_row(
            f"{alarm.time:.2f}",
            f"{alarm.until:.2f}",
            alarm.joint,
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
            margin.joint,
            f"{margin.time:.2f}",
            significant(margin.value, _DIGITS),
            significant(margin.threshold, _DIGITS),
            f"{100 * margin.share:.0f} %",
        )
    console.print(rows)


def _alarms(replays: Sequence[ThresholdReplay]) -> int:
    return sum(len(replay.alarms) for replay in replays)


def _counted(alarms: int) -> str:
    return "1 alarm" if alarms == 1 else f"{alarms} alarms"
