"""A prediction as one HTML file without external resources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from dynid.excitation.prediction.advice import advice, good, verdict, worst_first
from dynid.excitation.prediction.precision import POOR, PredictedParameter
from dynid.excitation.prediction.prediction import Prediction
from dynid.files import write_text
from dynid.report.chart import Chart, Colour, Layer, grid
from dynid.report.decimation import envelope
from dynid.report.pages import render
from dynid.report.plots import coverage_plot
from dynid.report.prediction_picture import (
    BUCKETS,
    LOWEST_DEVIATION,
    QUANTITIES,
    as_motion,
    bar_heights,
    limit_shares,
    limits_beside,
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
from dynid.report.ticks import Axis
from dynid.report.view.turntable import turntable
from dynid.text import NOT_KNOWN, percent, significant, unit

_KINDS: tuple[tuple[str, Colour], ...] = (
    ("range", "model"),
    ("velocity", "limit"),
    ("acceleration", "error"),
    ("torque", "ink"),
)
"""Limits of which a joint uses a share, and their colours."""


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
    """Draw the share of its limits that each joint uses, as a group of bars for each joint."""
    used = 100 * np.nan_to_num(limit_shares(prediction))
    joints, places = len(used), len(_KINDS) + 1  # an empty one between joints
    edges = 0.6 + np.arange(joints * places) / places
    layers = []
    for place, (kind, colour) in enumerate(_KINDS):
        heights = np.zeros(joints * places - 1)
        heights[place::places] = used[:, place]
        layers.append(Layer(edges, heights, colour, "bars", kind))
    return Chart(
        description="Share of its limits that each joint uses",
        x_label="",
        y_label="share of the limit [%]",
        layers=tuple(layers),
        across=(100.0,),
        x_axis=Axis(0.5, joints + 0.5),
        y_axis=Axis(0.0, 1.05 * max(100.0, float(used.max()))),
        x_names=prediction.joints,
        wide=True,
    ).markup()


def _standard_deviations(prediction: Prediction) -> Markup:
    """Draw the relative standard deviations of the parameters whose value is known."""
    rows = [(n, one) for n, one in enumerate(prediction.parameters) if one.known]
    if not rows:
        return Markup("<p>No value is known.</p>")
    heights, top = bar_heights([one for _, one in rows])
    columns = np.full((2, len(prediction.parameters)), 100 * LOWEST_DEVIATION)
    for (number, parameter), height in zip(rows, heights, strict=True):
        columns[int(parameter.poor), number] = height
    edges = np.arange(len(prediction.parameters) + 1, dtype=np.float64) + 0.5
    return Chart(
        description="Predicted relative standard deviation of each base parameter",
        title="Predicted standard deviation of base parameters with a known value",
        x_label="row of the table of all base parameters",
        y_label="relative std. deviation [%]",
        layers=(
            Layer(edges, columns[0], "model", "bars"),
            Layer(edges, columns[1], "error", "bars"),
        ),
        across=(100 * POOR,),
        x_axis=Axis(float(edges[0]), float(edges[-1])),
        y_axis=Axis(100 * LOWEST_DEVIATION, top, log=True),
        wide=True,
    ).markup()


def _motion(prediction: Prediction) -> Markup:
    """Draw the quantities of each joint over time, with their limits if they are near."""
    motion, time = as_motion(prediction), prediction.signals.time
    charts = []
    for joint, name in enumerate(prediction.joints):
        for quantity, unit_of_it in zip(QUANTITIES, motion.units(joint), strict=True):
            values = getattr(prediction.signals, quantity)[:, joint]
            near, far = limits_beside(prediction, quantity, joint)
            charts.append(
                Chart(
                    description=f"{quantity.capitalize()} of {name} over time",
                    title=f"{name}: {quantity}",
                    x_label="time [s]",
                    y_label=f"[{unit_of_it}]{f' limits {far}' if far else ''}",
                    layers=(Layer(*envelope(time, values, BUCKETS), "model"),),
                    across=near,
                    y_axis=Axis.over(np.append(values, near), room=0.04),
                    low=True,
                )
            )
    return grid(charts)
