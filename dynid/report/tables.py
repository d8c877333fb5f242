"""The report's tables, with every number as text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.joint_errors import JointErrors
from dynid.evaluation.settings import EvaluationSettings
from dynid.identification.result import BaseParameter, Identification
from dynid.report.motion import EvaluatedMotion
from dynid.report.words import rest
from dynid.robot.limits import Limits
from dynid.text import NOT_KNOWN, count, percent, significant, unit

_PER_BODY = 10
_NEGLIGIBLE_SHARE = 1e-9


@dataclass(frozen=True)
class Cell:
    """A text, a smaller one beside it, and its mark (a class of style.css)."""

    text: str
    small: str = ""
    mark: str = ""


class ErrorColumn(NamedTuple):
    """A column of the table of errors, with a cell for each joint."""

    name: str
    meaning: str
    cells: list[Cell]


class ParameterMatrix(NamedTuple):
    """Values by joint and column."""

    columns: list[str]
    rows: list[tuple[str, list[Cell]]]


LEADING = 4
"""Columns of errors that are shown first; the others are behind them."""

_MEANINGS = {
    "relative error": "norm of the error over norm of the measured torque",
    "held out": "relative error on parts not used in the fit",
    "URDF": "relative error with the masses of the URDF and joint terms fitted to them",
    "in 95 %": "share of the samples within the model's 95 % interval",
    "moving": "relative error on unseen data, of the samples in motion",
    "at rest": "RMSE at rest [N·m or N], where torque is undetermined within ± static friction; "
    "share of the squared error",
    "against raw": "RMSE against the unfiltered torque",
    "NRMSE": "RMSE over the range of the measured torque",
    "noise": "rms of the noise in the filtered torque over rms of the measured torque",
    "R²": "share of the torque's variance that the model explains",
    "max error": "largest error over largest measured torque, on moving samples",
    "mean error": "mean error over largest measured torque, on moving samples",
    "moving samples": "samples with a speed above the threshold",
}


def error_columns(
    joints: Sequence[JointErrors], settings: EvaluationSettings, held_out: HeldOut | None
) -> list[ErrorColumn]:
    """Return the table of errors; what is not known of any joint has no column."""
    first = unit(joints[0].unit)
    torque = "N" if first == "N" else "N·m"
    meanings = _MEANINGS | {
        f"RMSE [{first}]": "in the unit recorded",
        f"RMSE [{torque}]": "root mean square of model minus measured torque (N for prismatic "
        "joints)",
    }
    rows = [
        {f"RMSE [{torque}]": Cell(significant(joint.rmse_torque, 3))}
        | _relative_errors(joint, None if held_out is None else held_out.relative_error[number])
        | ({} if first == torque else {f"RMSE [{first}]": Cell(significant(joint.rmse, 3))})
        | _further_errors(joint, settings.largest_error)
        for number, joint in enumerate(joints)
    ]
    names = {name: [row[name] for row in rows] for name in rows[0]}
    optional = ("held out", "URDF", "in 95 %")
    return [
        ErrorColumn(name, meanings[name], cells)
        for name, cells in names.items()
        if name not in optional or any(cell.text != NOT_KNOWN for cell in cells)
    ]


def _relative_errors(joint: JointErrors, held_out: float | None) -> dict[str, Cell]:
    mark = "bad" if joint.state == "poor" else ""
    unseen = NOT_KNOWN if held_out is None else percent(held_out)
    return {
        "relative error": Cell(percent(joint.relative_error), mark="" if held_out else mark),
        "held out": Cell(unseen, mark=mark),
        "URDF": Cell(percent(joint.urdf_error)),
        "in 95 %": Cell(percent(joint.coverage)),
        "moving": Cell(percent(joint.moving_error)),
        "at rest": Cell(rest(joint), f"{percent(joint.rest_error_share)} of error²"),
    }


def _further_errors(joint: JointErrors, limit: float | None) -> dict[str, Cell]:
    largest, mean = joint.errors_in_motion
    too_large = limit is not None and not joint.max_relative_torque_error <= limit
    return {
        "against raw": Cell(significant(joint.rmse_raw, 3)),
        "NRMSE": Cell(percent(joint.nrmse)),
        "noise": Cell(percent(joint.noise_share)),
        "R²": Cell(significant(joint.r_squared, 4)),
        "max error": Cell(percent(largest), mark="bad" if too_large else ""),
        "mean error": Cell(percent(mean)),
        "moving samples": Cell(count(joint.moving_samples), f"of {count(joint.samples)}"),
    }


def with_status(parameter: BaseParameter) -> tuple[BaseParameter, str, str]:
    """Return a base parameter with its status, and the mark of its line."""
    if not parameter.determined:
        return parameter, "not determined", "unknown"
    return parameter, *(("essential", "") if parameter.essential else ("not essential", "muted"))


def body_matrix(identification: Identification) -> ParameterMatrix:
    """Return the ten standard parameters of each body, identified (small: the URDF's)."""
    mechanism = identification.model.mechanism
    parameters = identification.parameters[: mechanism.first_term]
    bodies = [
        parameters[first : first + _PER_BODY] for first in range(0, len(parameters), _PER_BODY)
    ]
    # a solver's zeros are not exact
    largest = [max(abs(p.value) for p in column) for column in zip(*bodies, strict=True)]
    rows = []
    for body in bodies:
        cells = []
        for p, size in zip(body, largest, strict=True):
            negligible = 0 < abs(p.value) < _NEGLIGIBLE_SHARE * size
            text = "≈ 0" if negligible else significant(p.value, 3)
            cells.append(Cell(text, significant(p.urdf, 3), "" if p.determined else "muted"))
        rows.append(cells)
    names = [f"{p.name.rstrip('0123456789')} [{unit(p.unit)}]" for p in bodies[0]]
    return ParameterMatrix(names, list(zip(mechanism.body_joints, rows, strict=True)))


def term_matrix(identification: Identification) -> ParameterMatrix:
    """Return the parameters of the joint terms, with a column for each kind."""
    mechanism = identification.model.mechanism
    values = identification.parameters[mechanism.first_term :]
    cells: dict[tuple[str, int], Cell] = {}
    for term, parameter in zip(mechanism.terms, values, strict=True):
        kind = term.traits.label + (" (motor)" if term.side == "motor" else "")
        if term.scale:
            kind += f" at {term.scale:g}"
        kind = _unused(kind, term.joint, cells)
        mark = "" if parameter.determined else "muted"
        cells[kind, term.joint] = Cell(significant(parameter.value), unit(parameter.unit), mark)
    kinds = list(dict.fromkeys(kind for kind, _ in cells))
    rows = [
        (joint, [cells.get((kind, number), Cell("")) for kind in kinds])
        for number, joint in enumerate(mechanism.moving_joints)
        if number < len(mechanism.joints) or any(of == number for _, of in cells)
    ]
    return ParameterMatrix(kinds, rows)


def _unused(kind: str, joint: int, cells: dict[tuple[str, int], Cell]) -> str:
    """Return a column name that is not used yet for this joint, with a number if necessary."""
    names = (kind if number == 1 else f"{kind} ({number})" for number in itertools.count(1))
    return next(name for name in names if (name, joint) not in cells)


def coverage_row(motion: EvaluatedMotion, limits: Limits, joint: int) -> list[Cell]:
    """Return the range of a joint's motion and its share of the limits."""
    cells = []
    for name, shown in zip(
        ("position", "velocity", "acceleration"), motion.units(joint), strict=False
    ):
        values = motion.joined(name, joint)
        low, high = float(values.min()), float(values.max())
        allowed = limits.range_of(name, joint)
        share = ""
        if allowed is not None:
            used = (
                (high - low) / (allowed[1] - allowed[0])
                if name == "position"
                else float(np.abs(values).max()) / allowed[1]
            )
            share = f"{percent(used)} of limits"
        text = f"{significant(low, 3)} … {significant(high, 3)} {shown}"
        cells.append(Cell(text if np.isfinite([low, high]).all() else NOT_KNOWN, share))
    return cells
