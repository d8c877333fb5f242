"""Collision thresholds as tables and JSON: as tuned, and their alarms and margins on recordings."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.text import Text

from dynid.control.collisions import ThresholdReplay
from dynid.control.tail import Level
from dynid.control.tuning import Tuning
from dynid.json_text import json_fields
from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.text import significant

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


_GIVEN = ("torque_error_time_constant", "low_speed", "boost_time", "debounce_time")


def _profile_lines(robot: Robot, tuning: Tuning) -> str:
    """Return the ``collision`` group that a profile needs, as YAML."""
    given = robot.settings(CollisionSettings).model_dump(mode="json", exclude_defaults=True)
    used = {name: getattr(robot.settings(CollisionSettings), name) for name in _GIVEN}
    values = {**given, **used, **tuning.settings()}
    values = {
        key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
    }
    return yaml.safe_dump(
        {"collision": values}, sort_keys=False, default_flow_style=None, width=100
    )


def tuning_header(
    robot: Robot, tuning: Tuning, recordings: Sequence[Path], model: Path
) -> list[str]:
    """Return comments for a file of thresholds: the sources, and warnings."""
    return [
        f"Collision thresholds of {robot.name} from {60 * tuning.hours:.3g} min of free motion, "
        f"for {tuning.false_alarms_per_hour:g} false alarms per hour.",
        f"Model: {model.name}. Recordings: {', '.join(path.name for path in recordings)}.",
        *(f"Warning: {warning}" for warning in tuning.warnings),
    ]


def tuning_json(robot: Robot, tuning: Tuning, origin: str) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "robot": robot.name,
        "settings": origin,
        "minutes": 60 * tuning.hours,
        "false_alarms_per_hour": tuning.false_alarms_per_hour,
        "joints": [joint.joint for joint in tuning.joints],
        **tuning.settings(),
        "held_out_alarms": tuning.held_out_alarms,
        "largest_error": [joint.largest for joint in tuning.joints],
        "friction": [joint.friction for joint in tuning.joints],
        "raised": [joint.raised for joint in tuning.joints],
        "moving": [joint.moving._asdict() for joint in tuning.joints],
        "resting": [joint.resting and joint.resting._asdict() for joint in tuning.joints],
        "causes": [json_fields(cause) for cause in tuning.causes],
        "detectable_force_at_rest": tuning.force_at_rest,
        "detectable_force_in_motion": tuning.force_in_motion,
        "warnings": tuning.warnings,
    }


def print_tuning(console: Console, robot: Robot, tuning: Tuning, origin: str) -> None:
    """Print each joint's threshold at rest and in motion, its basis, and warnings."""
    console = roomy(console)
    print_text(console, f"Settings of the detector: {origin}.")
    print_text(
        console,
        f"{robot.name}: collision thresholds from {60 * tuning.hours:.3g} min of free "
        f"motion, for {tuning.false_alarms_per_hour:g} false alarms per hour",
        "bold",
    )
    rows = table(
        "joint",
        "largest error",
        "in motion",
        "(90 %)",
        "per speed",
        "per accel.",
        "at rest",
        "(90 %)",
    )
    for joint in tuning.joints:
        rows.add_row(
            joint.joint,
            significant(joint.largest, _DIGITS),
            significant(joint.torque_error_max, _DIGITS),
            _range(joint.moving),
            significant(joint.velocity_factor, _DIGITS),
            significant(joint.acceleration_factor, _DIGITS),
            f"+ {significant(joint.reversal_boost, _DIGITS)}",
            "" if joint.resting is None else _range(joint.resting),
        )
    console.print(rows)
    print_text(
        console,
        "Filtered torque errors and thresholds in N m (N at prismatic joints); (90 %): range of "
        "the threshold that nine of ten other recordings of the same length would give.",
    )
    _print_causes(console, tuning)
    _print_forces(console, tuning)
    if tuning.held_out_alarms:
        counts = ", ".join(map(str, tuning.held_out_alarms))
        print_text(console, f"Alarms in each recording with thresholds from the others: {counts}.")
    print_sentences(console, "Warnings", tuning.warnings, "yellow")
    console.print(Text(_profile_lines(robot, tuning)), end="", soft_wrap=True)


def _print_causes(console: Console, tuning: Tuning) -> None:
    """Print which part of which recording determines each joint's threshold."""
    rows = table("threshold of", "determined by", "at [s]", "error", "threshold", "without")
    for joint, cause in zip(tuning.joints, tuning.causes, strict=True):
        rows.add_row(
            f"{joint.joint}, {'at rest' if cause.resting else 'in motion'}",
            cause.recording,
            f"{cause.time:.1f}",
            significant(cause.error, _DIGITS),
            significant(cause.threshold, _DIGITS),
            significant(cause.without, _DIGITS),
        )
    console.print(rows)
    print_text(console, "without: the threshold if half a second around that time is left out.")


def _print_forces(console: Console, tuning: Tuning) -> None:
    """Print the smallest forces at the tool that are found."""
    at_rest, moving = tuning.force_at_rest, tuning.force_in_motion
    if at_rest is None or moving is None:
        return
    rows = table("smallest force at the tool", "at rest [N]", "in motion [N]")
    for number, joint in enumerate(tuning.joints):
        pair = (at_rest.of_joint[number], moving.of_joint[number])
        rows.add_row(f"by {joint.joint}, best direction", *map(_newtons, pair))
    rows.add_row("by any joint, best direction", *map(_newtons, (at_rest.easiest, moving.easiest)))
    rows.add_row("by any joint, worst direction", *map(_newtons, (at_rest.hardest, moving.hardest)))
    console.print(rows)
    print_text(console, "Means over the recorded poses, of a force that lasts, without moment.")


def _newtons(force: float) -> str:
    return significant(force, 2) if isfinite(force) else "none"


def _range(level: Level) -> str:
    return f"{significant(level.low, 2)} … {significant(level.high, 2)}"
