"""States and splits of torque as tables on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from dynid.arrays import Array
from dynid.report.terminal.console import PIPE_WIDTH, print_text, roomy
from dynid.report.terminal.tables import ResultTable, table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.dynamics.torque_parts import ModelAtPoint
    from dynid.evaluation.torque_split import TorqueSplit


_WIDTH_OF_NAMES, _WIDTH_OF_NUMBER = 20, 12


def print_point(console: Console, mechanism: Mechanism, point: ModelAtPoint) -> None:
    """Print matrices and torques of one state, a row per joint."""
    console = _roomy(console, mechanism)
    _print_matrix(console, "Mass matrix M(q), rotors included", mechanism, point.mass_matrix)
    eigenvalues = ", ".join(_number(value) for value in point.eigenvalues)
    condition = significant(point.condition)
    print_text(console, f"eigenvalues {eigenvalues}; condition number {condition}")
    console.print()
    title = "Coriolis matrix C(q, dq), Christoffel: dM/dt - 2 C is skew-symmetric"
    _print_matrix(console, title, mechanism, point.coriolis_matrix)
    console.print()
    print_text(console, f"Torque [{_torque_units(mechanism)}] of this motion", "bold")
    torques = {**point.parts.named(), "sum": point.parts.total}
    if point.tau is not None and point.forward is not None:
        torques |= {"given tau": point.tau, "ddq of given tau": point.forward}
    rows = _columns_per_joint("part", mechanism)
    for name, values in torques.items():
        rows.add_row(_TITLES.get(name, name), *map(_number, values))
    console.print(rows)


def print_shares(console: Console, split: TorqueSplit) -> None:
    """Print the RMS of each part of the torque, relative to that of the measured torque."""
    console = _roomy(console, split.mechanism)
    rms = split.rms()
    measured = rms.pop("measured")
    print_text(console, "RMS of each part over RMS of the measured torque", "bold")
    joints = split.mechanism.joints
    print_text(console, "joints: " + ", ".join(f"{k} {name}" for k, name in enumerate(joints, 1)))
    rows = _columns_per_joint("part", split.mechanism)
    units = _torque_units(split.mechanism)
    rows.add_row(f"measured [{units}]", *(significant(value, 3) for value in measured))
    for name, values in rms.items():
        known = np.where(measured > 0, measured, np.nan)
        rows.add_row(_TITLES.get(name, name), *map(percent, values / known))
    console.print(rows)


_TITLES = {"inertia": "M ddq", "coriolis": "C dq"}


def _roomy(console: Console, mechanism: Mechanism) -> Console:
    """Return a console as wide as a column for each joint needs, where no window limits it."""
    width = _WIDTH_OF_NAMES + _WIDTH_OF_NUMBER * len(mechanism.joints)
    return roomy(console, max(PIPE_WIDTH, width))


def _torque_units(mechanism: Mechanism) -> str:
    return ", ".join(sorted({"N" if slides else "N·m" for slides in mechanism.prismatic}))


def _columns_per_joint(first: str, mechanism: Mechanism) -> ResultTable:
    return table(first, *(str(number) for number in range(1, len(mechanism.joints) + 1)))


def _print_matrix(console: Console, title: str, mechanism: Mechanism, matrix: Array) -> None:
    print_text(console, title, "bold")
    rows = _columns_per_joint("joint", mechanism)
    for joint, row in zip(mechanism.joints, matrix, strict=True):
        rows.add_row(joint, *map(_number, row))
    console.print(rows)


def _number(value: float) -> str:
    """Return a number; 0 below the rounding errors of torques and inertias."""
    return "0" if abs(value) < 1e-12 else f"{value:.4g}"
