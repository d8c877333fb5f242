"""A prediction as one HTML file without external resources, and as a PNG."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.figure import SubFigure

from dynid.excitation.prediction.advice import advice, good, verdict, worst_first
from dynid.excitation.prediction.precision import POOR
from dynid.excitation.prediction.prediction import Prediction
from dynid.files import write_text
from dynid.report.chart import Axis, Chart, Colour, Layer, grid
from dynid.report.decimation import envelope
from dynid.report.motion import EvaluatedMotion
from dynid.report.pages import render
from dynid.report.plots import coverage_plot
from dynid.report.png_style import STYLE, draw_chart, png_figure
from dynid.report.tables import Cell, coverage_row
from dynid.report.terminal.prediction import (
    condition_numbers,
    facts,
    mixed_in_words,
    rest_in_words,
    share,
    tool_in_words,
)
from dynid.report.view.joint_motion import JointMotion
from dynid.report.view.png import draw_scene
from dynid.report.view.scene import Scene
from dynid.report.view.turntable import moving_scene, turntable
from dynid.text import percent, significant

_KINDS: tuple[tuple[str, Colour], ...] = (
    ("range", "model"),
    ("velocity", "limit"),
    ("acceleration", "error"),
    ("torque", "ink"),
)
"""Limits of which a joint uses a share, and their colours."""
QUANTITIES = ("position", "velocity", "acceleration", "torque")
_BUCKETS = 300  # of a curve over time
_FARTHEST_LIMIT = 1.0  # of the motion's range; a more distant limit would compress the data
_LOWEST_DEVIATION = 1e-4  # relative standard deviation at the bottom of the bars


def write_prediction_report(prediction: Prediction, path: Path) -> None:
    """Write a predicted uncertainty: verdict, tables, figures, and the tool's path in 3D.

    Raises:
        WriteError: the file cannot be written.
    """
    precision = prediction.precision
    deviations = deviation_chart(prediction)
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
        "use": limit_use_chart(prediction).markup(),
        "parameters": prediction.parameters,
        "mixed": mixed_in_words,
        "summary": rest_in_words(prediction, shown=len(worst_first(prediction))),
        "standard_deviations": Markup("<p>No value is known.</p>")
        if deviations is None
        else deviations.markup(),
        "motion": grid(motion_charts(prediction)),
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


def limit_use_chart(prediction: Prediction) -> Chart:
    """Return the share of its limits that each joint uses, as a group of bars for each joint."""
    shares = [
        (covered.range_share, covered.velocity_share, covered.acceleration_share, torque.share)
        for covered, torque in zip(prediction.coverage, prediction.torques, strict=True)
    ]
    used = 100 * np.nan_to_num(np.array(shares, dtype=np.float64))  # nothing without a limit
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
    )


def deviation_chart(prediction: Prediction) -> Chart | None:
    """Return the relative standard deviations of the parameters whose value is known, if any is.

    The bar of a parameter that is not determined has the full height.
    """
    parameters = prediction.parameters
    known = np.array([one.known for one in parameters])
    if not known.any():
        return None
    sizes = np.array([one.relative for one in parameters], dtype=np.float64)
    poor = np.array([one.poor for one in parameters])
    top = 3 * max(1.0, float(np.max(sizes, where=np.isfinite(sizes), initial=0.0)))
    heights = 100 * np.where(known, np.clip(sizes, _LOWEST_DEVIATION, top), _LOWEST_DEVIATION)
    edges = np.arange(len(parameters) + 1, dtype=np.float64) + 0.5
    return Chart(
        description="Predicted relative standard deviation of each base parameter",
        title="Predicted standard deviation of base parameters with a known value",
        x_label="row of the table of all base parameters",
        y_label="relative std. deviation [%]",
        layers=(
            Layer(edges, np.where(poor, 100 * _LOWEST_DEVIATION, heights), "model", "bars"),
            Layer(edges, np.where(poor, heights, 100 * _LOWEST_DEVIATION), "error", "bars"),
        ),
        across=(100 * POOR,),
        x_axis=Axis(float(edges[0]), float(edges[-1])),
        y_axis=Axis(100 * _LOWEST_DEVIATION, 100 * top, log=True),
        wide=True,
    )


def motion_charts(prediction: Prediction) -> list[Chart]:
    """Return the four quantities of each joint over time, with their limits if they are near."""
    motion, time = as_motion(prediction), prediction.signals.time
    charts = []
    for joint, name in enumerate(prediction.joints):
        for quantity, unit in zip(QUANTITIES, motion.units(joint), strict=True):
            values = getattr(prediction.signals, quantity)[:, joint]
            near, far = _limits_beside(prediction, quantity, joint)
            charts.append(
                Chart(
                    description=f"{quantity.capitalize()} of {name} over time",
                    title=f"{name}: {quantity}",
                    x_label="time [s]",
                    y_label=f"[{unit}]{f' limits {far}' if far else ''}",
                    layers=(Layer(*envelope(time, values, _BUCKETS), "model"),),
                    across=near,
                    y_axis=Axis.over(np.append(values, near), room=0.04),
                    low=True,
                )
            )
    return charts


def _limits_beside(prediction: Prediction, name: str, joint: int) -> tuple[tuple[float, ...], str]:
    """Return the limits of a joint's quantity that are near its values; if none is, their text."""
    allowed = prediction.limits.range_of("torque_max" if name == "torque" else name, joint)
    if allowed is None:
        return (), ""
    values = getattr(prediction.signals, name)[:, joint]
    low, high = float(values.min()), float(values.max())
    room = _FARTHEST_LIMIT * (high - low)
    near = tuple(limit for limit in allowed if low - room <= limit <= high + room)
    ends = [significant(limit, 3) for limit in allowed]
    text = f"± {ends[1]}" if allowed[0] == -allowed[1] else f"{ends[0]} … {ends[1]}"
    return near, "" if near else text


def prediction_scene(prediction: Prediction) -> Scene:
    """Return the robot along the motion of a prediction."""
    signals = prediction.signals
    motion = JointMotion("excitation", signals.time, signals.position)
    return moving_scene(prediction.robot, motion, tool=prediction.tool)


def as_motion(prediction: Prediction) -> EvaluatedMotion:
    """Return the predicted motion in the form of the report on a recording."""
    signals = prediction.signals
    return EvaluatedMotion((signals,), (signals.torque,), (signals.torque,), prediction.prismatic)


_STYLE = STYLE | {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
}
_WIDTH, _HEAD, _SCENE, _BARS, _ROW = 11.43, 0.95, 4.2, 2.5, 1.35  # [inch]; 1600 px wide


def write_picture(prediction: Prediction, path: Path) -> None:
    """Draw the tool's path, limits used, predicted standard deviations, and each joint over time.

    Raises:
        WriteError: the file cannot be written.
    """
    count = len(prediction.joints)
    heights = (_HEAD, _SCENE, _BARS, _ROW * count + 0.5)
    with png_figure(path, (_WIDTH, sum(heights)), _STYLE) as drawing:
        parts = drawing.subfigures(4, 1, height_ratios=heights, squeeze=False)
        head, top, bars, joints = parts[:, 0]
        _draw_head(head, prediction)
        left, right = top.subfigures(1, 2)
        _draw_scene(left, prediction)
        draw_chart(limit_use_chart(prediction), right.subplots())
        _draw_deviations(bars, prediction)
        cells = joints.subplots(count, len(QUANTITIES), sharex="col", squeeze=False)
        for number, (chart, axes) in enumerate(
            zip(motion_charts(prediction), cells.flat, strict=True)
        ):
            last = number >= cells.size - len(QUANTITIES)
            draw_chart(chart if last else replace(chart, x_label=""), axes)


def _draw_head(part: SubFigure, prediction: Prediction) -> None:
    title = f"{prediction.robot.name}: predicted parameter uncertainty"
    part.text(0.01, 0.76, title, fontsize=14, weight="bold", parse_math=False)
    part.text(0.01, 0.32, facts(prediction), linespacing=1.5, parse_math=False)
    part.text(0.01, 0.08, tool_in_words(prediction), parse_math=False)


def _draw_scene(part: SubFigure, prediction: Prediction) -> None:
    axes = part.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    draw_scene(prediction_scene(prediction), axes, round(part.bbox.width), round(part.bbox.height))
    axes.set_title("Start position, and path of the tool", y=0.96, x=0.02)


def _draw_deviations(part: SubFigure, prediction: Prediction) -> None:
    """Draw the bars with names, as there is no table beside them."""
    chart, axes = deviation_chart(prediction), part.subplots()
    if chart is None:
        axes.text(0.5, 0.5, "no value is known", transform=axes.transAxes, ha="center")
        axes.set_axis_off()
        return
    names = tuple(one.name for one in prediction.parameters)
    draw_chart(replace(chart, x_label="", x_names=names), axes)
    axes.yaxis.set_major_formatter("{x:g}")
