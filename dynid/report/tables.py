"""The report's tables, with every number as text."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.report.motion import EvaluatedMotion
from dynid.report.words import rest
from dynid.text import NOT_KNOWN, count, percent, significant, unit

if TYPE_CHECKING:
    from dynid.estimation.cross_validation import HeldOut
    from dynid.evaluation.joint_errors import JointErrors
    from dynid.evaluation.settings import EvaluationSettings
    from dynid.identification.friction.selection import FrictionSelection
    from dynid.identification.quantities import Quantity
    from dynid.identification.result import BaseParameter, Identification
    from dynid.robot.limits import Limits

_PER_BODY = 10
_SHORT_TEXT = 48
_NEGLIGIBLE_SHARE = 1e-9


@dataclass(frozen=True)
class Cell:
    """A text, a smaller one beside it, and its mark (a class of style.css)."""

    text: str
    small: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Regrouping:
    """A base parameter's sum; the rest of a long one is collapsed."""

    start: str
    rest: str


@dataclass(frozen=True)
class BaseParameterRow:
    """One line of the table of base parameters."""

    name: str
    value: str
    standard_deviation: str
    interval: str
    relative: Cell
    consistent: str
    unit: str
    status: str
    mark: str
    regrouping: Regrouping
    numbers: BaseParameter  # to sort by


@dataclass(frozen=True)
class QuantityRow:
    """One line of the table of physical quantities."""

    name: str
    value: str
    standard_deviation: str
    unit: str
    of: str
    meaning: str


@dataclass(frozen=True)
class BodyRow:
    """Ten standard parameters of a body, identified (small: the URDF's)."""

    joint: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class TermTable:
    """Parameters of the joint terms: a row for each joint, a column for each kind."""

    kinds: tuple[str, ...]
    rows: tuple[BodyRow, ...]


LEADING = 4
"""Columns of errors that are shown first; the others are behind them."""


def error_row(
    joint: JointErrors, settings: EvaluationSettings, number: int, held_out: HeldOut | None
) -> list[Cell]:
    """Return one joint's line of the table of errors."""
    torque_unit = "N" if joint.unit == "N" else "N·m"
    largest, mean = joint.errors_in_motion
    limit = settings.largest_error
    too_large = limit is not None and not joint.max_relative_torque_error <= limit
    mark = "bad" if joint.state == "poor" else ""
    unseen = [Cell(percent(held_out.relative_error[number]), mark=mark)] if held_out else []
    own_unit = [] if unit(joint.unit) == torque_unit else [Cell(significant(joint.rmse, 3))]
    return [
        Cell(significant(joint.rmse_torque, 3)),
        Cell(percent(joint.relative_error), mark="" if unseen else mark),
        *unseen,
        *([Cell(percent(joint.urdf_error))] if np.isfinite(joint.urdf_error) else []),
        *([Cell(percent(joint.coverage))] if np.isfinite(joint.coverage) else []),
        Cell(percent(joint.moving_error)),
        Cell(rest(joint), f"{percent(joint.rest_error_share)} of error²"),
        *own_unit,
        Cell(significant(joint.rmse_raw, 3)),
        Cell(percent(joint.nrmse)),
        Cell(percent(joint.noise_share)),
        Cell(significant(joint.r_squared, 4)),
        Cell(percent(largest), mark="bad" if too_large else ""),
        Cell(percent(mean)),
        Cell(count(joint.moving_samples), f"of {count(joint.samples)}"),
    ]


def error_header(joint: JointErrors, *, held_out: bool) -> list[tuple[str, str]]:
    """Return each column's name and its explanation."""
    shown = unit(joint.unit)
    own_unit = [] if shown in ("N·m", "N") else [(f"RMSE [{shown}]", "in the unit recorded")]
    return [
        (
            f"RMSE [{'N' if shown == 'N' else 'N·m'}]",
            "root mean square of model minus measured torque (N for prismatic joints)",
        ),
        ("relative error", "norm of the error over norm of the measured torque"),
        *([("held out", "relative error on parts not used in the fit")] if held_out else []),
        *(
            [("URDF", "relative error with the masses of the URDF and joint terms fitted to them")]
            if np.isfinite(joint.urdf_error)
            else []
        ),
        *(
            [("in 95 %", "share of the samples within the model's 95 % interval")]
            if np.isfinite(joint.coverage)
            else []
        ),
        ("moving", "relative error on unseen data, of the samples in motion"),
        (
            "at rest",
            "RMSE at rest [N·m or N], where torque is undetermined within ± static friction; share "
            "of the squared error",
        ),
        *own_unit,
        ("against raw", "RMSE against the unfiltered torque"),
        ("NRMSE", "RMSE over the range of the measured torque"),
        ("noise", "rms of the noise in the filtered torque over rms of the measured torque"),
        ("R²", "share of the torque's variance that the model explains"),
        ("max error", "largest error over largest measured torque, on moving samples"),
        ("mean error", "mean error over largest measured torque, on moving samples"),
        ("moving samples", "samples with a speed above the threshold"),
    ]


def base_row(parameter: BaseParameter) -> BaseParameterRow:
    """Return one line of the table of base parameters."""
    status, mark = "essential", ""
    if not parameter.determined:
        status, mark = "not determined", "unknown"
    elif not parameter.essential:
        status, mark = "not essential", "muted"
    relative = parameter.relative_standard_deviation
    return BaseParameterRow(
        name=parameter.name,
        value=significant(parameter.value),
        standard_deviation=plus_minus(parameter.standard_deviation),
        interval=" … ".join(significant(end) for end in parameter.interval or ()),
        relative=Cell(percent(relative), mark="bad" if relative > 0.3 and not mark else ""),
        consistent=significant(parameter.consistent_value),
        unit=unit(parameter.unit),
        status=status,
        mark=mark,
        regrouping=folded(parameter.regrouping),
        numbers=parameter,
    )


def folded(expression: str) -> Regrouping:
    """Return a base parameter's sum, split between its terms if it is long."""
    # the name it starts with is in the first column
    text = expression.partition(" = ")[2] or expression
    cut = len(text)
    if cut > _SHORT_TEXT:
        cut = max(text.rfind(sign, 0, _SHORT_TEXT) for sign in (" + ", " - "))
    return Regrouping(text[:cut], text[cut:])


def quantity_row(quantity: Quantity) -> QuantityRow:
    """Return one line of the table of physical quantities; if not known, with the reason."""
    return QuantityRow(
        name=quantity.name,
        value=significant(quantity.value),
        standard_deviation=plus_minus(quantity.standard_deviation),
        unit=unit(quantity.unit),
        of=quantity.of,
        meaning=f"Not known: {quantity.unknown}" if quantity.unknown else quantity.meaning,
    )


def plus_minus(value: float) -> str:
    """Return a standard deviation as text, a dash if it is not known."""
    return f"± {significant(value, 2)}" if np.isfinite(value) else NOT_KNOWN


def body_header(identification: Identification) -> list[str]:
    """Return the names and units of a body's ten parameters."""
    mechanism = identification.model.mechanism
    pairs = zip(mechanism.parameter_names, mechanism.parameter_units, strict=True)
    return [f"{name.rstrip('0123456789')} [{unit(u)}]" for name, u in list(pairs)[:_PER_BODY]]


def body_rows(identification: Identification) -> list[BodyRow]:
    """Return one line for each body."""
    joints = identification.model.mechanism.body_joints
    bodies = [
        identification.parameters[_PER_BODY * number : _PER_BODY * (number + 1)]
        for number in range(len(joints))
    ]
    # a solver's zeros are not exact
    largest = [max(abs(p.value) for p in column) for column in zip(*bodies, strict=True)]
    return [
        BodyRow(
            joint,
            tuple(
                Cell(
                    "≈ 0"
                    if 0 < abs(p.value) < _NEGLIGIBLE_SHARE * size
                    else significant(p.value, 3),
                    significant(p.urdf, 3),
                    "" if p.determined else "muted",
                )
                for p, size in zip(body, largest, strict=True)
            ),
        )
        for joint, body in zip(joints, bodies, strict=True)
    ]


def term_table(identification: Identification) -> TermTable:
    """Return the table of the joint terms."""
    mechanism = identification.model.mechanism
    values = identification.parameters[mechanism.first_term :]
    cells: dict[tuple[str, int], Cell] = {}
    for term, parameter in zip(mechanism.terms, values, strict=True):
        kind = term.traits.label + (" (motor)" if term.side == "motor" else "")
        if term.scale:
            kind += f" at {term.scale:g}"
        kind = _unused(kind, term.joint, cells)
        mark = "" if parameter.determined else "muted"
        cell = Cell(significant(parameter.value), unit(parameter.unit), mark)
        cells[kind, term.joint] = cell
    kinds = tuple(dict.fromkeys(kind for kind, _ in cells))
    rows = tuple(
        BodyRow(joint, tuple(cells.get((kind, number), Cell("")) for kind in kinds))
        for number, joint in enumerate(mechanism.moving_joints)
        if number < len(mechanism.joints) or any(of == number for _, of in cells)
    )
    return TermTable(kinds, rows)


def _unused(kind: str, joint: int, cells: dict[tuple[str, int], Cell]) -> str:
    """Return a column name that is not used yet for this joint, with a number if necessary."""
    names = (kind if number == 1 else f"{kind} ({number})" for number in itertools.count(1))
    return next(name for name in names if (name, joint) not in cells)


def selection_rows(selection: FrictionSelection | None) -> list[dict[str, object]]:
    """Return a row for every joint whose friction model was chosen by the recordings."""
    return [
        {
            "joint": joint.joint,
            "chosen": joint.chosen,
            "given_error": percent(joint.given_error),
            "chosen_error": percent(joint.chosen_error),
            "reason": joint.reason,
            "unit": unit(joint.unit),
            "tried": [(trial.name, significant(trial.held_out_error, 3)) for trial in joint.tried],
        }
        for joint in (selection.joints if selection else ())
    ]


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
