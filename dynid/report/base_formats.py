"""Base parameters as text, LaTeX and YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from dynid.dynamics.base_parameters import INERTIAL

if TYPE_CHECKING:
    from dynid.dynamics.base_table import BaseTable

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
