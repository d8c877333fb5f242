"""A prediction as one HTML file without external resources."""

from __future__ import annotations

import re
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from dynid.excitation.prediction.advice import advice, good, verdict, worst_first
from dynid.files import write_text
from dynid.report.pages import render
from dynid.report.plots import coverage_plot
from dynid.report.prediction_picture import (
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
    from collections.abc import Iterator
    from pathlib import Path

    from dynid.excitation.prediction.parameters import PredictedParameter
    from dynid.excitation.prediction.prediction import Prediction

# each represents a colour of style.css, which replaces it, and is never visible
_INK = "#010101"
_GRID = "#020202"
_MODEL = "#040404"
_ERROR = "#050505"
_LIMIT = "#060606"
_VARIABLES = {
    _INK: "currentColor",
    _GRID: "var(--grid)",
    _MODEL: "var(--model)",
    _ERROR: "var(--error)",
    _LIMIT: "var(--limit)",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.edgecolor": _GRID,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": _GRID,
    "grid.linewidth": 0.6,
    "text.color": _INK,
    "xtick.color": _GRID,
    "ytick.color": _GRID,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "lines.linewidth": 1.1,
    "legend.frameon": False,
    "path.simplify_threshold": 0.2,
}
_COLOURS = Palette(ink=_INK, line=_MODEL, limit=_LIMIT, bad=_ERROR)
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
    height = 0.9 + 0.28 * len(prediction.joints)
    with _drawing("use", height) as drawing:
        draw_use(drawing.subplots(), prediction, _COLOURS)
        return _markup(drawing, "Share of its limits that each joint uses")


def _standard_deviations(prediction: Prediction) -> Markup:
    with _drawing("standard-deviations", _BARS) as drawing:
        draw_standard_deviations(drawing.subplots(), prediction, _COLOURS)
        return _markup(drawing, "Predicted relative standard deviation of each base parameter")


def _motion(prediction: Prediction) -> Markup:
    with _drawing("motion", _ROW * len(prediction.joints) + 0.5) as drawing:
        draw_joints(drawing, prediction, _COLOURS)
        return _markup(drawing, "Position, velocity, acceleration and torque of each joint")


@contextmanager
def _drawing(salt: str, height: float) -> Iterator[Figure]:
    """Give an empty figure [inch] in the page's colours; ``salt`` makes its ids unique."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": salt}):
        drawing = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(drawing)
        yield drawing


def _markup(drawing: Figure, description: str) -> Markup:
    """Return ``<svg>`` for use in a page, without its own colours, addresses and ids."""
    buffer = StringIO()
    drawing.savefig(
        buffer,
        format="svg",
        transparent=True,
        metadata={"Creator": None, "Date": None, "Format": None, "Type": None},
    )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)
    # the width of the page applies
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    text = re.sub(r"\n\s*", "\n", text)
    # matplotlib has escaped the text; Markup escapes the description
    opened, rest = text.split(">", 1)
    start = Markup(opened + ' role="img" aria-label="{}">').format(description)  # noqa: S704
    return start + Markup(rest)  # noqa: S704
