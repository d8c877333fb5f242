"""A prediction as one HTML file without external resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.excitation.prediction.advice import advice, good, verdict, worst_first
from dynid.files import write_text
from dynid.report import svg
from dynid.report.pages import render
from dynid.report.plots import coverage_plot
from dynid.report.prediction_panels import (
    Palette,
    as_motion,
    draw_joints,
    draw_standard_deviations,
    draw_use,
    prediction_scene,
)
from dynid.report.tables import Cell, coverage_row, folded, plus_minus
from dynid.report.terminal.prediction import (
    condition_numbers,
    mixed_in_words,
    rest_in_words,
    share,
    tool_in_words,
)
from dynid.report.view.turntable import turntable
from dynid.text import NOT_KNOWN, percent, significant, unit

if TYPE_CHECKING:
    from pathlib import Path

    from markupsafe import Markup

    from dynid.excitation.prediction.parameters import PredictedParameter
    from dynid.excitation.prediction.prediction import Prediction

_COLOURS = Palette(ink=svg.INK, line=svg.MODEL, limit=svg.LIMIT, bad=svg.ERROR)
_WIDTH, _BARS, _ROW = 11.4, 2.7, 1.3  # [inch]


def write_prediction_report(prediction: Prediction, path: Path) -> None:
    """Write a predicted uncertainty: verdict, tables, figures, and the tool's path in 3D.

    Raises:
        WriteError: the file cannot be written.
    """
    precision = prediction.precision
    scaled, rigid_scaled, plain, rigid = condition_numbers(precision)
    content = {
        "title": f"{prediction.robot.name}: predicted parameter uncertainty",
        "good": good(prediction),
        "verdict": verdict(prediction),
        "advice": advice(prediction),
        "facts": [
            (f"{significant(prediction.duration, 4)} s", "of motion"),
            (str(len(prediction.parameters)), "base parameters"),
            (scaled, f"condition number, {rigid_scaled} for the bodies alone"),
            (plain, f"condition number in SI units, {rigid} for the bodies alone"),
            (significant(precision.log10_det, 4), "log₁₀ det of the information matrix"),
        ],
        "joints": _joint_rows(prediction),
        "use": _use(prediction),
        "parameters": [_parameter_row(parameter) for parameter in prediction.parameters],
        "summary": rest_in_words(prediction, shown=len(worst_first(prediction))),
        "standard_deviations": _standard_deviations(prediction),
        "motion": _motion(prediction),
        "coverage": coverage_plot(as_motion(prediction), prediction.limits),
        "tool": tool_in_words(prediction),
        "turntable": turntable(prediction_scene(prediction)),
        "assumptions": prediction.assumptions,
    }
    write_text(path, render("prediction.html.j2", content, scripts=("turntable.js",)))


def _joint_rows(prediction: Prediction) -> list[dict[str, Any]]:
    motion, rows = as_motion(prediction), []
    for number, name in enumerate(prediction.joints):
        covered, torque = prediction.coverage[number], prediction.torques[number]
        shown = motion.units(number)[3]
        used = "" if torque.share is None else f"{percent(torque.share)} of limits"
        over = torque.share is not None and torque.share > 1
        cells = [
            *coverage_row(motion, prediction.limits, number),
            Cell(share(covered.bin_share)),
            Cell(share(covered.pair_share)),
            Cell(f"{covered.cycles:g}"),
            Cell(share(covered.moving_share)),
            Cell(f"{significant(torque.peak, 3)} {shown}", used, "bad" if over else ""),
            Cell(significant(torque.rms, 3)),
            Cell(significant(torque.noise, 2)),
        ]
        rows.append({"name": name, "cells": cells})
    return rows


def _parameter_row(parameter: PredictedParameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "value": significant(parameter.value),
        "standard_deviation": plus_minus(parameter.standard_deviation)
        if parameter.determined
        else "not determined",
        "relative": Cell(percent(parameter.relative), mark="bad" if parameter.poor else ""),
        "signal": significant(parameter.signal, 2) if parameter.known else NOT_KNOWN,
        "mixed": mixed_in_words(parameter),
        "unit": unit(parameter.unit),
        "mark": "" if parameter.determined else "unknown",
        "regrouping": folded(parameter.expression),
    }


def _use(prediction: Prediction) -> Markup:
    with svg.style("use"):
        drawing = svg.figure(_WIDTH, 0.9 + 0.28 * len(prediction.joints))
        draw_use(drawing.subplots(), prediction, _COLOURS)
        return svg.markup(drawing, "Share of its limits that each joint uses")


def _standard_deviations(prediction: Prediction) -> Markup:
    with svg.style("standard-deviations"):
        drawing = svg.figure(_WIDTH, _BARS)
        draw_standard_deviations(drawing.subplots(), prediction, _COLOURS)
        return svg.markup(drawing, "Predicted relative standard deviation of each base parameter")


def _motion(prediction: Prediction) -> Markup:
    with svg.style("motion"):
        drawing = svg.figure(_WIDTH, _ROW * len(prediction.joints) + 0.5)
        draw_joints(drawing, prediction, _COLOURS)
        return svg.markup(drawing, "Position, velocity, acceleration and torque of each joint")
