"""The report's figures: torque over time, friction over speed, and coverage of the motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.report import svg
from dynid.report.svg import envelope, evenly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup
    from matplotlib.axes import Axes

    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.limits import Limits
    from dynid.signals.signals import Signals


_WIDTH = 11.4
_BUCKETS = 900
_DOTS = 900
_BINS = 40


@dataclass(frozen=True)
class Motion:
    """All recordings with measured and model torque, and the units of each joint."""

    signals: tuple[Signals, ...]
    measured_torque: tuple[Array, ...]  # (N, n) through the model's filter
    model_torque: tuple[Array, ...]
    prismatic: tuple[bool, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.signals[0].joint_names

    def units(self, joint: int) -> tuple[str, str, str, str]:
        """Return the units of position, velocity, acceleration and torque."""
        length = "m" if self.prismatic[joint] else "rad"
        return length, f"{length}/s", f"{length}/s²", "N" if self.prismatic[joint] else "N·m"

    def torque_label(self, joint: int) -> str:
        """Return the label of an axis with the joint's torque."""
        return "force [N]" if self.prismatic[joint] else "torque [N·m]"

    @property
    def lengths(self) -> list[float]:
        """Duration of each recording [s]."""
        return [float(signals.time[-1] - signals.time[0]) for signals in self.signals]

    @property
    def gap(self) -> float:
        """Gap between two recordings on a common time axis [s]."""
        return 0.02 * sum(self.lengths)

    def starts(self) -> list[float]:
        """Start of each recording on a common time axis [s]."""
        return [sum(self.lengths[:i]) + i * self.gap for i in range(len(self.lengths))]

    def joined(self, name: str, joint: int) -> Array:
        """Return a signal of a joint over all recordings, (N,)."""
        return np.concatenate([getattr(signals, name)[:, joint] for signals in self.signals])


def torque_plot(motion: Motion, joint: int) -> Markup:
    """Draw measured and model torque of a joint over time, and below it their difference."""
    name = motion.names[joint]
    with svg.style(f"torque-{joint}"):
        drawing = svg.figure(_WIDTH, 3.1)
        above, below = drawing.subplots(2, 1, sharex=True, height_ratios=(2.3, 1))
        recordings = zip(
            motion.starts(),
            motion.signals,
            motion.measured_torque,
            motion.model_torque,
            strict=True,
        )
        for start, signals, torque, model in recordings:
            time = start + signals.time - signals.time[0]
            measured = torque[:, joint]
            for axes, values, colour, width, label in (
                (above, measured, svg.MEASURED, 1.5, "measured"),
                (above, model[:, joint], svg.MODEL, 0.9, "model"),
                (below, model[:, joint] - measured, svg.ERROR, 0.8, "model minus measured"),
            ):
                line = axes.plot(*envelope(time, values, _BUCKETS), color=colour, lw=width)[0]
                if start == 0:  # once in the legend
                    line.set_label(label)
            if start > 0:
                for axes in (above, below):
                    axes.axvline(start - 0.5 * motion.gap, color=svg.INK, lw=0.8, ls=":")
        above.set_ylabel(motion.torque_label(joint))
        below.set_ylabel(f"error [{motion.units(joint)[3]}]")
        below.set_xlabel("time [s]")
        below.axhline(0, color=svg.INK, lw=0.5)
        for axes in (above, below):
            axes.margins(x=0.005)
        above.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)
        return svg.markup(drawing, f"Measured and model torque of {name} over time")


def friction_plot(motion: Motion, mechanism: Mechanism) -> Markup:
    """Draw the measured torque without that of the rigid bodies, over velocity."""
    count = len(motion.names)
    columns = min(3, count)
    rows = -(-count // columns)
    friction = _own_terms(motion, mechanism)
    with svg.style("friction"):
        drawing = svg.figure(_WIDTH, 2.5 * rows + 0.3)
        for joint, axes in enumerate(svg.all_axes(drawing, rows, columns, count)):
            model = friction[:, joint]
            error = np.concatenate(
                [
                    (measured - modelled)[:, joint]
                    for measured, modelled in zip(
                        motion.measured_torque, motion.model_torque, strict=True
                    )
                ]
            )
            velocity = motion.joined("velocity", joint)
            rows_shown = evenly(len(velocity), _DOTS)
            axes.plot(
                velocity[rows_shown],
                (model + error)[rows_shown],
                ".",
                ms=3,
                color=svg.MEASURED,
                alpha=0.7,
                mew=0,
            )
            axes.plot(*_medians(velocity, model), color=svg.MODEL, lw=1.8)
            axes.set_title(motion.names[joint], parse_math=False)
            axes.set_xlabel(f"velocity [{motion.units(joint)[1]}]")
            axes.set_ylabel(motion.torque_label(joint))
        return svg.markup(drawing, "Friction torque over velocity, each joint")


def coverage_plot(motion: Motion, limits: Limits) -> Markup:
    """Draw how often each position, velocity and acceleration occurs, against its limits."""
    count = len(motion.names)
    with svg.style("coverage"):
        drawing = svg.figure(_WIDTH, 1.25 * count + 0.5)
        all_axes = drawing.subplots(count, 3, squeeze=False)
        for joint in range(count):
            for column, name in enumerate(("position", "velocity", "acceleration")):
                axes: Axes = all_axes[joint, column]
                values = motion.joined(name, joint)
                axes.stairs(*np.histogram(values, _BINS), fill=True, color=svg.MODEL, alpha=0.75)
                axes.set_ylim(bottom=0)
                _mark_limits(axes, values, limits.range_of(name, joint))
                axes.set_yticks([])
                axes.grid(visible=False, axis="y")
                axes.spines["left"].set_visible(False)
                if joint == 0:
                    axes.set_title(name)
                axes.set_xlabel(f"[{motion.units(joint)[column]}]", labelpad=0, loc="right")
            all_axes[joint, 0].set_ylabel(
                motion.names[joint], rotation=0, ha="right", va="center", parse_math=False
            )
        return svg.markup(drawing, "Histograms of position, velocity and acceleration")


def _own_terms(motion: Motion, mechanism: Mechanism) -> Array:
    """Return the torque of each joint's terms if it moves alone at constant velocity.

    With a coupling, friction of other joints' motors is not a function of its speed.
    """
    position = np.concatenate([signals.position for signals in motion.signals])
    velocity = np.concatenate([signals.velocity for signals in motion.signals])
    still = np.zeros_like(velocity)
    if (mechanism.coupling == np.eye(velocity.shape[1])).all():
        return mechanism.term_torque(position, velocity, still)
    terms = np.empty_like(velocity)
    for joint in range(velocity.shape[1]):
        alone = still.copy()
        alone[:, joint] = velocity[:, joint]
        terms[:, joint] = mechanism.term_torque(position, alone, still)[:, joint]
    return terms


def _mark_limits(axes: Axes, values: Array, limits: tuple[float, float] | None) -> None:
    if limits is None:
        return
    spread = float(np.ptp(values)) or 1.0
    for limit in limits:
        # a distant limit would compress the data
        if values.min() - 2 * spread <= limit <= values.max() + 2 * spread:
            axes.axvline(limit, color=svg.LIMIT, lw=1.2, ls=(0, (4, 2)))


def _medians(velocity: Array, values: Array) -> tuple[Sequence[float], Sequence[float]]:
    """Return medians in bins of velocity, with an edge at zero, where friction is discontinuous."""
    half = np.linspace(0, float(np.abs(velocity).max()) or 1.0, _BINS + 1)
    edges = np.concatenate([-half[:0:-1], half])
    bins = np.digitize(velocity, edges[1:-1])
    at, height = [], []
    for number in np.unique(bins):
        inside = bins == number
        if inside.sum() >= 3:
            at.append(float(np.median(velocity[inside])))
            height.append(float(np.median(values[inside])))
    return at, height
