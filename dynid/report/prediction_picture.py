"""A prediction as a PNG: what its page shows, on one sheet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from matplotlib.figure import SubFigure

from dynid.excitation.prediction.prediction import Prediction
from dynid.report.png_style import STYLE, draw_chart, png_figure
from dynid.report.prediction import (
    QUANTITIES,
    deviation_chart,
    limit_use_chart,
    motion_charts,
    prediction_scene,
)
from dynid.report.terminal.prediction import facts, tool_in_words
from dynid.report.view.png import draw_scene

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
