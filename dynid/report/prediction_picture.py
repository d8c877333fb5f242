"""A prediction as a PNG, and the panels of which its page has the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.excitation.prediction.parameters import POOR
from dynid.excitation.prediction.prediction import Prediction
from dynid.report.decimation import envelope
from dynid.report.motion import EvaluatedMotion
from dynid.report.png_style import STYLE, png_figure
from dynid.report.terminal.prediction import facts, tool_in_words
from dynid.report.view.joint_motion import JointMotion
from dynid.report.view.png import draw_scene
from dynid.report.view.scene import Scene
from dynid.report.view.turntable import moving_scene
from dynid.text import significant

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Palette(NamedTuple):
    """Colours: of text, curves, limits, and poor values."""

    ink: str
    line: str
    limit: str
    bad: str


_COLOURS = Palette(ink="#1c2026", line="#0072b2", limit="#cc79a7", bad="#d55e00")
_STYLE = STYLE | {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
}
_WIDTH, _HEAD, _SCENE, _BARS, _ROW = 11.43, 0.95, 4.2, 2.5, 1.25  # [inch]; 1600 px wide
_QUANTITIES = ("position", "velocity", "acceleration", "torque")
_BUCKETS = 300
_FARTHEST_LIMIT = 1.0  # of the motion's range; a more distant limit would compress the data
_FEWEST_BARS = 12  # width of the axes in bars, at least
_SHORT_NAME = 14  # characters of a joint's name; a longer one would overlap the next
_LOWEST_DEVIATION = 1e-4  # relative standard deviation at the bottom of the bars


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


def prediction_scene(prediction: Prediction) -> Scene:
    """Return the robot along the motion of a prediction."""
    signals = prediction.signals
    motion = JointMotion("excitation", signals.time, signals.position)
    return moving_scene(prediction.robot, motion, tool=prediction.tool)


def as_motion(prediction: Prediction) -> EvaluatedMotion:
    """Return the predicted motion in the form of the report on a recording."""
    signals = prediction.signals
    return EvaluatedMotion((signals,), (signals.torque,), (signals.torque,), prediction.prismatic)


def draw_joints(part: Figure | SubFigure, prediction: Prediction, palette: Palette) -> None:
    """Draw each joint's quantities over time, a row for each joint."""
    joints = prediction.joints
    grid = part.subplots(len(joints), len(_QUANTITIES), sharex=True, squeeze=False)
    for joint, row in enumerate(grid):
        for column, axes in enumerate(row):
            _draw_quantity(axes, prediction, joint, column, palette)
        size = "medium" if len(joints[joint]) <= _SHORT_NAME else "small"
        label = f"{joints[joint]}\n{row[0].get_ylabel()}"
        row[0].set_ylabel(label, fontsize=size, parse_math=False)
    for axes in grid[-1]:
        axes.set_xlabel("time [s]")


def draw_standard_deviations(axes: Axes, prediction: Prediction, palette: Palette) -> None:
    """Draw the relative standard deviations of the parameters whose value is known, as bars."""
    known = [parameter for parameter in prediction.parameters if parameter.known]
    axes.set_ylabel("relative std. deviation [%]")
    axes.set_title("Predicted standard deviation of base parameters with a known value")
    if not known:
        axes.text(0.5, 0.5, "no value is known", transform=axes.transAxes, ha="center")
        axes.set_axis_off()
        return
    sizes = np.array([parameter.relative for parameter in known], dtype=np.float64)
    top = max(1.0, float(np.max(sizes, where=np.isfinite(sizes), initial=0.0)))
    heights = 100 * np.clip(sizes, _LOWEST_DEVIATION, 3 * top)  # if not determined: the full height
    colours = [palette.bad if parameter.poor else palette.line for parameter in known]
    axes.bar(range(len(known)), heights, bottom=0, color=colours, width=0.75)
    axes.set_yscale("log")
    axes.set_ylim(100 * _LOWEST_DEVIATION, 300 * top)
    axes.axhline(100 * POOR, color=palette.limit, lw=1.1, ls=(0, (4, 2)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlim(-0.6, max(len(known), _FEWEST_BARS) - 0.4)
    names = [parameter.name for parameter in known]
    size = 8 if len(names) <= 60 else 5.5
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=size)
    axes.grid(visible=False, axis="x")


def draw_use(axes: Axes, prediction: Prediction, palette: Palette) -> None:
    """Draw the share of its limits that each joint uses."""
    kinds = ("range", "velocity", "acceleration", "torque")
    markers, count = ("s", "o", "^", "D"), len(prediction.joints)
    shares = [
        (covered.range_share, covered.velocity_share, covered.acceleration_share, torque.share)
        for covered, torque in zip(prediction.coverage, prediction.torques, strict=True)
    ]
    used = 100 * np.array(shares, dtype=np.float64)  # NaN without a limit: not drawn
    for column, (kind, marker) in enumerate(zip(kinds, markers, strict=True)):
        colour = (palette.line, palette.limit, palette.bad, palette.ink)[column]
        axes.plot(used[:, column], range(count), marker, color=colour, ms=6, alpha=0.85, label=kind)
    axes.axvline(100, color=palette.limit, lw=1.1, ls=(0, (4, 2)))
    axes.set_xlim(left=0)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_yticks(range(count), prediction.joints, parse_math=False)
    axes.set_xlabel("share of the limit [%]")
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4, handletextpad=0.1)


def _draw_quantity(
    axes: Axes, prediction: Prediction, joint: int, column: int, palette: Palette
) -> None:
    """Draw one of the quantities of a joint over time, with its limits if they are near."""
    name = _QUANTITIES[column]
    signals = prediction.signals
    values = getattr(signals, name)[:, joint]
    axes.plot(*envelope(signals.time, values, _BUCKETS), color=palette.line, lw=1.0)
    axes.set_ylabel(f"[{as_motion(prediction).units(joint)[column]}]")
    axes.margins(x=0.0)
    if joint == 0:
        axes.set_title(name)
    allowed = prediction.limits.range_of("torque_max" if column == 3 else name, joint)
    if allowed is None:
        return
    low, high = float(values.min()), float(values.max())
    room = _FARTHEST_LIMIT * (high - low)
    near = [limit for limit in allowed if low - room <= limit <= high + room]
    for limit in near:
        axes.axhline(limit, color=palette.limit, lw=1.1, ls=(0, (4, 2)))
    if not near:
        ends = [significant(limit, 3) for limit in allowed]
        text = f"± {ends[1]}" if allowed[0] == -allowed[1] else f"{ends[0]} … {ends[1]}"
        axes.annotate(
            f"limits {text}",
            (1.0, 1.02),
            xycoords="axes fraction",
            ha="right",
            fontsize=7,
            color=palette.limit,
        )
