"""A prediction as a PNG, and the panels of which its page has the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from dynid.arrays import Array
from dynid.excitation.prediction.precision import POOR, PredictedParameter
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

_INK, _LINE, _LIMIT, _BAD = "#1c2026", "#0072b2", "#cc79a7", "#d55e00"
_STYLE = STYLE | {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
}
_WIDTH, _HEAD, _SCENE, _BARS, _ROW = 11.43, 0.95, 4.2, 2.5, 1.25  # [inch]; 1600 px wide
QUANTITIES = ("position", "velocity", "acceleration", "torque")
BUCKETS = 300  # of a curve over time
_FARTHEST_LIMIT = 1.0  # of the motion's range; a more distant limit would compress the data
_FEWEST_BARS = 12  # width of the axes in bars, at least
_SHORT_NAME = 14  # characters of a joint's name; a longer one would overlap the next
LOWEST_DEVIATION = 1e-4  # relative standard deviation at the bottom of the bars


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
        draw_use(right.subplots(), prediction)
        draw_standard_deviations(bars.subplots(), prediction)
        draw_joints(joints, prediction)


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


def draw_joints(part: Figure | SubFigure, prediction: Prediction) -> None:
    """Draw each joint's quantities over time, a row for each joint."""
    joints = prediction.joints
    grid = part.subplots(len(joints), len(QUANTITIES), sharex=True, squeeze=False)
    for joint, row in enumerate(grid):
        for column, axes in enumerate(row):
            _draw_quantity(axes, prediction, joint, column)
        size = "medium" if len(joints[joint]) <= _SHORT_NAME else "small"
        label = f"{joints[joint]}\n{row[0].get_ylabel()}"
        row[0].set_ylabel(label, fontsize=size, parse_math=False)
    for axes in grid[-1]:
        axes.set_xlabel("time [s]")


def draw_standard_deviations(axes: Axes, prediction: Prediction) -> None:
    """Draw the relative standard deviations of the parameters whose value is known, as bars."""
    known = [parameter for parameter in prediction.parameters if parameter.known]
    axes.set_ylabel("relative std. deviation [%]")
    axes.set_title("Predicted standard deviation of base parameters with a known value")
    if not known:
        axes.text(0.5, 0.5, "no value is known", transform=axes.transAxes, ha="center")
        axes.set_axis_off()
        return
    heights, top = bar_heights(known)
    colours = [_BAD if parameter.poor else _LINE for parameter in known]
    axes.bar(range(len(known)), heights, bottom=0, color=colours, width=0.75)
    axes.set_yscale("log")
    axes.set_ylim(100 * LOWEST_DEVIATION, top)
    axes.axhline(100 * POOR, color=_LIMIT, lw=1.1, ls=(0, (4, 2)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlim(-0.6, max(len(known), _FEWEST_BARS) - 0.4)
    names = [parameter.name for parameter in known]
    size = 8 if len(names) <= 60 else 5.5
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=size)
    axes.grid(visible=False, axis="x")


def draw_use(axes: Axes, prediction: Prediction) -> None:
    """Draw the share of its limits that each joint uses."""
    kinds = ("range", "velocity", "acceleration", "torque")
    markers, count = ("s", "o", "^", "D"), len(prediction.joints)
    used = 100 * limit_shares(prediction)
    for column, (kind, marker) in enumerate(zip(kinds, markers, strict=True)):
        colour = (_LINE, _LIMIT, _BAD, _INK)[column]
        axes.plot(used[:, column], range(count), marker, color=colour, ms=6, alpha=0.85, label=kind)
    axes.axvline(100, color=_LIMIT, lw=1.1, ls=(0, (4, 2)))
    axes.set_xlim(left=0)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_yticks(range(count), prediction.joints, parse_math=False)
    axes.set_xlabel("share of the limit [%]")
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4, handletextpad=0.1)


def _draw_quantity(axes: Axes, prediction: Prediction, joint: int, column: int) -> None:
    """Draw one of the quantities of a joint over time, with its limits if they are near."""
    name = QUANTITIES[column]
    signals = prediction.signals
    values = getattr(signals, name)[:, joint]
    axes.plot(*envelope(signals.time, values, BUCKETS), color=_LINE, lw=1.0)
    axes.set_ylabel(f"[{as_motion(prediction).units(joint)[column]}]")
    axes.margins(x=0.0)
    if joint == 0:
        axes.set_title(name)
    near, far = limits_beside(prediction, name, joint)
    for limit in near:
        axes.axhline(limit, color=_LIMIT, lw=1.1, ls=(0, (4, 2)))
    if far:
        axes.annotate(
            f"limits {far}",
            (1.0, 1.02),
            xycoords="axes fraction",
            ha="right",
            fontsize=7,
            color=_LIMIT,
        )


def limit_shares(prediction: Prediction) -> Array:
    """Return the shares of range, velocity, acceleration and torque (n, 4); NaN without a limit."""
    shares = [
        (covered.range_share, covered.velocity_share, covered.acceleration_share, torque.share)
        for covered, torque in zip(prediction.coverage, prediction.torques, strict=True)
    ]
    return np.array(shares, dtype=np.float64)


def bar_heights(parameters: Sequence[PredictedParameter]) -> tuple[Array, float]:
    """Return relative standard deviations [%], and the top of their axis.

    The bar of a parameter that is not determined has the full height.
    """
    sizes = np.array([parameter.relative for parameter in parameters], dtype=np.float64)
    top = 3 * max(1.0, float(np.max(sizes, where=np.isfinite(sizes), initial=0.0)))
    return 100 * np.clip(sizes, LOWEST_DEVIATION, top), 100 * top


def limits_beside(prediction: Prediction, name: str, joint: int) -> tuple[tuple[float, ...], str]:
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
