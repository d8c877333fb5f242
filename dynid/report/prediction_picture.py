"""A prediction as a PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.report.png_style import STYLE, png_figure
from dynid.report.prediction_panels import (
    Palette,
    draw_joints,
    draw_standard_deviations,
    draw_use,
    prediction_scene,
)
from dynid.report.terminal.prediction import facts, tool_in_words
from dynid.report.view.png import draw_scene

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import SubFigure

    from dynid.excitation.prediction.prediction import Prediction

_COLOURS = Palette(ink="#1c2026", line="#0072b2", limit="#cc79a7", bad="#d55e00")
_STYLE = STYLE | {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
}
_WIDTH, _HEAD, _SCENE, _BARS, _ROW = 11.43, 0.95, 4.2, 2.5, 1.25  # [inch]; 1600 px wide


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
        draw_use(right.subplots(), prediction, _COLOURS)
        draw_standard_deviations(bars.subplots(), prediction, _COLOURS)
        draw_joints(joints, prediction, _COLOURS)


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
