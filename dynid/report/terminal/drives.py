"""Drives as tables: torque factors and limits; torque constants, in a profile and as JSON, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from dynid.arrays import Array
from dynid.identification.drive_gains.identification import DriveGains
from dynid.report.terminal.console import (
    NOT_IDENTIFIABLE,
    print_outcome,
    print_sentences,
    print_text,
    roomy,
)
from dynid.report.terminal.tables import table
from dynid.robot import drives as factors
from dynid.robot.robot import Robot
from dynid.text import percent, significant

_DIGITS = 6


def print_drives(console: Console, robot: Robot) -> None:
    """Print the data sheet, and every factor and limit that follows from it, joint by joint.

    Raises:
        ConfigurationError: the data sheet lacks an entry.
    """
    drives, n = robot.drives, len(robot.joints)
    limits = robot.limits
    constant = drives.torque_constant or drives.force_constant
    counts = None if drives.encoder_counts is None else factors.counts_factor(drives, n)
    permille = factors.measured_torque_per_permille(drives, n)
    torque_max = None if limits.torque_max is None else np.asarray(limits.torque_max)
    console = roomy(console)
    _print(
        console,
        f"{robot.name}: drives",
        robot.joints,
        {
            "rated [mA]": drives.rated_current_ma,
            "peak [mA]": drives.peak_current_ma,
            "Kt [N m/A]" if drives.force_constant is None else "Kf [N/A]": constant,
            "gear ratio": drives.gear_ratio,
            "screw lead [m]": drives.screw_lead,
            "counts/rad": None if counts is None else counts.tolist(),
        },
    )
    _print(
        console,
        "At the joint, behind the gear [N m] (prismatic joints: N and counts/m)",
        robot.joints,
        {
            "per permille": permille.tolist(),
            "softMC TFac": (1 / permille).tolist(),
            "torque_max": limits.torque_max,
            "threshold": limits.torque_threshold,
            "int16 limit ±": factors.torque_offset_limit(drives, n).tolist(),
            "torque offset ±": factors.torque_offset_limit(drives, n, torque_max).tolist(),
        },
    )


def _print(
    console: Console,
    title: str,
    joints: Sequence[str],
    columns: dict[str, Sequence[float | None] | None],
) -> None:
    rows = table("joint", *columns)
    for i, joint in enumerate(joints):
        cells = []
        for values in columns.values():
            value = None if values is None else values[i if len(values) > 1 else 0]
            cells.append("-" if value is None else f"{value:.{_DIGITS}g}")
        rows.add_row(joint, *cells)
    print_text(console, title, "bold")
    console.print(rows)


def print_drive_gains(console: Console, gains: DriveGains) -> None:
    """Print each joint's constant with its standard deviation, and that of the profile."""
    console = roomy(console)
    unit = "N/A" if gains.quantity == "force_constant" else "N·m/A"
    words = gains.quantity.replace("_", " ")
    print_text(console, f"{gains.robot}: {words}s of its drives [{unit}]", "bold")
    consistent = [] if gains.consistent is None else ["consistent"]
    rows = table("joint", "profile", words, "std. dev.", *consistent)
    for joint, name in enumerate(gains.joints):
        numbers = [NOT_IDENTIFIABLE, *([""] if consistent else [])]
        deviation = gains.standard_deviations[joint] / abs(gains.fitted[joint])
        if gains.identifiable[joint]:
            numbers = [significant(gains.fitted[joint])]
            if gains.consistent is not None:
                numbers.append(significant(gains.consistent[joint]))
        values = [significant(gains.profile[joint]), numbers[0], percent(deviation), *numbers[1:]]
        rows.add_row(name, *values)
    console.print(rows)
    print_sentences(console, "Warnings", gains.reasons, "yellow")
    print_sentences(console, "Notes", gains.notes, "")
    print_outcome(console, gains.success)


def profile_fragment(gains: DriveGains) -> str:
    """Return lines that replace those of the profile, with their sources as comments."""
    width = max(len(name) for name in gains.joints)
    figures = zip(
        gains.joints, gains.best, gains.standard_deviations, gains.identifiable, strict=True
    )
    lines = [
        f"# drives of {gains.robot}, from a payload of {gains.payload.mass:g} kg",
        *(f"# recording: {source.name}, SHA-256 {source.sha256}" for source in gains.sources),
        *(
            f"#   {name:<{width}} "
            + (
                f"{value:.5g} +- {deviation:.2g}"
                if identifiable
                else f"{NOT_IDENTIFIABLE}; {value:g} kept"
            )
            for name, value, deviation, identifiable in figures
        ),
        "drives:",
        f"  {gains.quantity}: [{', '.join(f'{value:.5g}' for value in gains.best)}]",
    ]
    return "\n".join(lines) + "\n"


def drive_gains_json(gains: DriveGains) -> dict[str, Any]:
    """Return what ``dynid drives gains --json`` prints; what is not identifiable is null."""

    def number(values: Array | None, joint: int) -> float | None:
        return values[joint] if gains.identifiable[joint] and values is not None else None

    return {
        "robot": gains.robot,
        "quantity": gains.quantity,
        "payload_mass": gains.payload.mass,
        "joints": {
            name: {
                "profile": gains.profile[joint],
                "value": number(gains.fitted, joint),
                "standard_deviation": number(gains.standard_deviations, joint),
                "consistent_value": number(gains.consistent, joint),
            }
            for joint, name in enumerate(gains.joints)
        },
        "success": gains.success,
        "reasons": gains.reasons,
    }
