"""The report's figures: torque over time, friction over speed, and coverage of the motion."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.report.chart import Axis, Chart, Colour, Layer, bar_edges, grid
from dynid.report.decimation import envelope, evenly, extremes, interval
from dynid.report.motion import EvaluatedMotion
from dynid.robot.limits import Limits

_POINTS = 1200  # of a curve over time
_DOTS = 700
_SAMPLES_OF_MEDIANS = 50_000  # samples for medians
_BINS = 40
_FEWEST_SAMPLES_OF_A_MEDIAN = 3  # samples of a median


def torque_plot(motion: EvaluatedMotion, joint: int) -> Markup:
    """Draw measured and model torque of a joint over time, and below it their difference.

    Where its temperature was recorded, it is drawn below these.
    """
    name, unit = motion.names[joint], motion.units(joint)[3]
    between = tuple(start - 0.5 * motion.gap for start in motion.starts()[1:])
    whole = Axis(0.0, motion.starts()[-1] + motion.lengths[-1] or 1.0)
    curves = _over_time(motion, joint)

    def layer(curve: Colour, label: str, *, wide: bool = False) -> Layer:
        return Layer(*curves[curve], curve, label=label, wide=wide)

    above = Chart(
        description=f"Measured and model torque of {name} over time",
        x_label="",
        y_label=motion.torque_label(joint),
        layers=(layer("measured", "measured", wide=True), layer("model", "model")),
        upright=between,
        x_axis=whole,
        wide=True,
        marks={"joint": str(joint), "curves": "measured model"},
    )
    below = Chart(
        description=f"Torque error of {name} over time",
        x_label="time [s]",
        y_label=f"error [{unit}]",
        layers=(layer("error", "model minus measured"),),
        across=(0.0,),
        upright=between,
        x_axis=whole,
        wide=True,
        low=True,
        marks={"joint": str(joint), "curves": "error"},
    )
    heat = _temperature(motion, joint)
    if heat is None:
        return above.markup() + below.markup()
    warm = replace(
        below,
        description=f"Temperature of {name} over time",
        y_label="temperature [°C]",
        layers=(Layer(*heat, "temperature"),),
        across=(),
        marks={"joint": str(joint), "curves": "temperature"},
    )
    return above.markup() + replace(below, x_label="").markup() + warm.markup()


def _temperature(motion: EvaluatedMotion, joint: int) -> tuple[Array, Array] | None:
    """Return times and temperatures of a joint, interrupted by NaN; None if not measured."""
    parts = motion.temperature(joint)
    buckets = _POINTS // (2 * len(parts)) + 1
    curves = [envelope(time, values, buckets) for time, values in parts if len(time)]
    if not curves:
        return None
    times = [np.append(time, time[-1]) for time, _ in curves]
    return np.concatenate(times), np.concatenate([np.append(v, np.nan) for _, v in curves])


def friction_plot(motion: EvaluatedMotion, mechanism: Mechanism) -> Markup:
    """Draw the measured torque without that of the rigid bodies, over velocity."""
    friction = _own_terms(motion, mechanism)
    charts = []
    for joint, name in enumerate(motion.names):
        model, velocity = friction[:, joint], motion.joined("velocity", joint)
        rows, samples = evenly(len(velocity), _DOTS), evenly(len(velocity), _SAMPLES_OF_MEDIANS)
        charts.append(
            Chart(
                description=f"Friction torque of {name} over velocity",
                title=name,
                x_label=f"velocity [{motion.units(joint)[1]}]",
                y_label=motion.torque_label(joint),
                layers=(
                    Layer(velocity[rows], (model - motion.errors(joint))[rows], "measured", "dots"),
                    Layer(*_medians(velocity[samples], model[samples]), "model"),
                ),
            )
        )
    return grid(charts)


def coverage_plot(motion: EvaluatedMotion, limits: Limits) -> Markup:
    """Draw how often each position, velocity and acceleration occurs, against its limits."""
    charts = []
    for joint, of in enumerate(motion.names):
        for column, name in enumerate(("position", "velocity", "acceleration")):
            values = motion.joined(name, joint)
            heights, edges = np.histogram(
                values, bar_edges(float(values.min()), float(values.max()), _BINS)
            )
            near = _near(values, limits.range_of(name, joint))
            charts.append(
                Chart(
                    description=f"Histogram of the {name} of {of}",
                    title=f"{of}: {name}",
                    x_label=f"[{motion.units(joint)[column]}]",
                    y_label="",
                    layers=(Layer(edges, heights.astype(np.float64), "model", "bars"),),
                    upright=near,
                    x_axis=Axis.over(np.concatenate([edges, near]), room=0.02),
                    y_axis=Axis(0.0, 1.05 * float(heights.max())),
                    low=True,
                    y_ticks=False,
                )
            )
    return grid(charts)


def _over_time(motion: EvaluatedMotion, joint: int) -> dict[Colour, tuple[Array, Array]]:
    """Return a joint's measured and model torque, and its error, each with its times.

    The curves are decimated, and interrupted by NaN between recordings.
    """
    size = interval(sum(len(recording.time) for recording in motion.signals), _POINTS)
    times, curves = [], []
    for start, signals, measured, model in zip(
        motion.starts(), motion.signals, motion.measured_torque, motion.model_torque, strict=True
    ):
        torque, other = measured[:, joint], model[:, joint]
        kept = extremes(np.column_stack([torque, other, other - torque]), size)
        steps = np.arange(len(kept)) * max(size / 2, 1.0) / signals.sampling_rate
        times.append(np.append(start + np.minimum(steps, signals.time[-1] - signals.time[0]), 0))
        curves.append(np.vstack([kept, np.full((1, 3), np.nan)]))
    time, (measured, model, error) = np.concatenate(times), np.concatenate(curves).T
    return {"measured": (time, measured), "model": (time, model), "error": (time, error)}


def _own_terms(motion: EvaluatedMotion, mechanism: Mechanism) -> Array:
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


def _near(values: Array, limits: tuple[float, float] | None) -> tuple[float, ...]:
    """Return the limits that are near; a distant one would compress the data."""
    spread = float(np.ptp(values)) or 1.0
    low, high = float(values.min()) - 2 * spread, float(values.max()) + 2 * spread
    return tuple(limit for limit in limits or () if low <= limit <= high)


def _medians(velocity: Array, values: Array) -> tuple[Array, Array]:
    """Return medians in bins of velocity, with an edge at zero, where friction is discontinuous."""
    half = np.linspace(0, float(np.abs(velocity).max()) or 1.0, _BINS + 1)
    edges = np.concatenate([-half[:0:-1], half])
    bins = np.digitize(velocity, edges[1:-1])
    order = np.argsort(bins, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(bins[order])) + 1)
    filled = [part for part in parts if len(part) >= _FEWEST_SAMPLES_OF_A_MEDIAN]
    at, height = (
        np.array([float(np.median(over[part])) for part in filled]) for over in (velocity, values)
    )
    return at, height


_VALUES = 400_000  # of all joints and curves in a page: 1.1 MB as text
_LEVELS = 65_534  # of a value between the smallest and the largest; the next number is NaN
_CURVES = ("measured", "model", "error")


def series_json(motion: EvaluatedMotion) -> str:
    """Return all torques as JSON, with the values in base64 of 16 bits, to be put in a page.

    The page's script decimates further for each view, by the same rule as :func:`extremes`.
    """
    joints, samples = len(motion.names), sum(len(recording.time) for recording in motion.signals)
    warm = any(recording.temperature is not None for recording in motion.signals)
    size = interval(samples, _VALUES // ((len(_CURVES) + warm) * joints))
    parts = [
        [extremes(values, size) for values in (measured, model, model - measured)]
        for measured, model in zip(motion.measured_torque, motion.model_torque, strict=True)
    ]
    content = {
        "every": size,
        "recordings": [
            {
                "start": start,
                "step": max(size / 2, 1) / recording.sampling_rate,
                "end": start + length,
            }
            for start, recording, length in zip(
                motion.starts(), motion.signals, motion.lengths, strict=True
            )
        ],
        "joints": [
            {
                "name": name,
                "unit": motion.units(joint)[3],
                **{
                    curve: packed([part[number][:, joint] for part in parts])
                    for number, curve in enumerate(_CURVES)
                },
                **_temperature_series(motion, joint, [len(part[0]) for part in parts], size),
            }
            for joint, name in enumerate(motion.names)
        ],
    }
    # a name must not end the element that it is in
    return json.dumps(content).replace("<", "\\u003c")


def _temperature_series(
    motion: EvaluatedMotion, joint: int, lengths: list[int], size: int
) -> dict[str, Any]:
    """Return the temperature at the times of the other curves; empty where not measured."""
    curves = motion.temperature(joint)
    if not any(len(time) for time, _ in curves):
        return {}
    temperatures = []
    for (time, values), start, recording, length in zip(
        curves, motion.starts(), motion.signals, lengths, strict=True
    ):
        at = start + np.arange(length) * max(size / 2, 1) / recording.sampling_rate
        temperatures.append(np.interp(at, time, values) if len(time) else np.full(length, np.nan))
    return {"temperature": packed(temperatures)}


def packed(parts: Sequence[Array]) -> dict[str, Any]:
    """Return one curve: its range, and for each recording its values (M,) in base64.

    A value is ``low + number * step``, and the number 65535 stands for NaN.
    """
    finite = np.concatenate([part[np.isfinite(part)] for part in parts])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    step = (high - low) / _LEVELS or 1.0
    return {"low": low, "step": step, "values": [_numbers(part, low, step) for part in parts]}


def _numbers(values: Array, low: float, step: float) -> str:
    known = np.isfinite(values)
    numbers = np.full(len(values), _LEVELS + 1, dtype="<u2")
    numbers[known] = np.round((values[known] - low) / step)
    return base64.b64encode(numbers.tobytes()).decode("ascii")
