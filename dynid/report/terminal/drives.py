"""Torque factors and limits of a robot's drives, as tables on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.robot import drives as factors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from dynid.robot.robot import Robot

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
