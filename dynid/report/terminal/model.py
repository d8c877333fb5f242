"""States, splits of torque and base parameters as tables, and these in LaTeX and YAML, too."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import yaml
from rich.console import Console

from dynid.arrays import Array
from dynid.control.loop_gains import CascadeGains
from dynid.dynamics.base_parameters import INERTIAL, BaseTable
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.torque_parts import ModelAtPoint
from dynid.evaluation.torque_split import TorqueSplit
from dynid.report.terminal.console import PIPE_WIDTH, print_text, roomy
from dynid.report.terminal.tables import ResultTable, table
from dynid.text import percent, significant

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


def print_gains(console: Console, found: Sequence[CascadeGains]) -> None:
    """Print the gains of every joint, with the bandwidths and phase margins of its loops."""
    rows = table("joint", "inertia", "Kp", "Ti [s]", "Kv [1/s]", "velocity loop", "position loop")
    for one in found:
        low, high = (significant(value) for value in one.inertia)
        rows.add_row(
            one.joint,
            low if low == high else f"{low} to {high}",
            significant(one.velocity_gain),
            significant(one.integral_time),
            significant(one.position_gain),
            f"{one.velocity_bandwidth:.1f} Hz, {one.velocity_margin:.0f} deg",
            f"{one.position_bandwidth:.1f} Hz, {one.position_margin:.0f} deg",
        )
    roomy(console).print(rows)


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


_MARKS = {"leads": "", "regrouped": " r", "without effect": " –"}


def base_text(table: BaseTable) -> str:
    """Return the base parameters, one per line, then the standard parameters of each body."""
    width = max(len(row.name) for row in table.rows)
    units = max(len(row.unit) for row in table.rows)
    lines = [f"{table.robot}: {len(table.rows)} base parameters; {table.origin}", ""]
    for row in table.rows:
        value = f"{row.value:>12.6g} {row.unit:<{units}}"
        if row.standard_deviation is not None:
            value += f" ± {row.standard_deviation:<8.2g}"
        lines.append(f"{row.name:<{width}} {value}  = {row.relation()}")
    return "\n".join([*lines, "", *_body_lines(table)]) + "\n"


def _body_lines(table: BaseTable) -> list[str]:
    """Return standard parameters, one line per body; marked if they are not identifiable alone."""
    cells = [
        f"{value:.5g}{_MARKS[role]}" for value, role in zip(table.values, table.roles, strict=True)
    ]
    rows = [["body", *INERTIAL]]
    count = len(INERTIAL)
    for number, joint in enumerate(table.bodies):
        rows.append([f"{number + 1} {joint}", *cells[count * number : count * (number + 1)]])
    widths = [max(len(row[column]) for row in rows) for column in range(count + 1)]
    lines = ["Standard parameters [SI]; r: regrouped into others, –: without effect on torque"]
    for name, *values in rows:
        padded = [f"{value:>{width}}" for value, width in zip(values, widths[1:], strict=True)]
        lines.append("  ".join([f"{name:<{widths[0]}}", *padded]))
    return lines


def base_latex(table: BaseTable) -> str:
    r"""Return a ``longtable``; the document needs ``\usepackage{longtable}``."""
    lines = [
        f"% {table.robot}: {table.origin}",
        r"% \usepackage{longtable}",
        r"\begin{longtable}{lrlp{0.55\linewidth}}",
        r"parameter & value & unit & regrouping \\ \hline",
        r"\endhead",
    ]
    for row in table.rows:
        relation = " ".join(_latex_word(word) for word in row.relation().split())
        value = _latex_number(f"{row.value:.6g}")
        if row.standard_deviation is not None:
            value += rf" \pm {_latex_number(f'{row.standard_deviation:.2g}')}"
        cells = [f"${_latex_word(row.name)}$", f"${value}$"]
        lines.append(" & ".join([*cells, f"${_latex_unit(row.unit)}$", f"${relation}$"]) + r" \\")
    return "\n".join([*lines, r"\end{longtable}"]) + "\n"


def base_yaml(table: BaseTable) -> str:
    """Return all values with all digits, for use in other programs."""
    content = {
        "robot": table.robot,
        "origin": table.origin,
        "bodies": list(table.bodies),
        "standard_parameters": [
            {"name": name, "unit": unit, "value": value, "role": role}
            for name, unit, value, role in zip(
                table.names, table.units, table.values, table.roles, strict=True
            )
        ],
        "base_parameters": [
            {
                "name": row.name,
                "unit": row.unit,
                "value": row.value,
                **(
                    {}
                    if row.standard_deviation is None
                    else {"standard_deviation": row.standard_deviation}
                ),
                "coefficients": row.coefficients,
            }
            for row in table.rows
        ],
    }
    return yaml.safe_dump(content, sort_keys=False, width=100, allow_unicode=True)


def _latex_word(word: str) -> str:
    """Return a sign, number or parameter's name of a relation in math mode."""
    if word in "+-":
        return word
    sign, word = ("-", word[1:]) if word.startswith("-") else ("", word)
    named = re.fullmatch(r"([A-Za-z]+)(\d.*)", word)
    if named is None:
        return sign + _latex_number(word) + r"\,"
    number = named[2].replace("_", ",")
    return rf"{sign}\mathit{{{named[1]}}}_{{{number}}}"


def _latex_number(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _latex_unit(unit: str) -> str:
    text = re.sub(r"\^([\d.]+)", r"^{\1}", unit).replace("*", r"\,")
    return rf"\mathrm{{{text}}}"
