"""Position or effort that is coarsely quantised, and positions that are clipped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array, runs
from dynid.evaluation.diagnosis.acceleration_noise import (
    acceleration_gain,
    matters,
    share_of_torque,
)
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.recording.model import Recording
from dynid.text import joint_units, listed, percent

_FEWEST_LEVELS = 42  # of effort over its range: a step is 2.4 % of the range
_ACCELERATION_SHARE = 0.01  # largest noise from position steps over acceleration (rms)
_CLIPPED = 5  # samples at exactly the same extreme position
_STOPPED = 0.2  # of the peak speed: a drive cannot stop from it within a sample
_EXAMINED_SAMPLES = 5_000  # samples in which levels are found
_DRAWN = 300  # samples


def quantised_feedback(case: Case) -> Iterator[Finding]:
    """Look for steps and clipping in the longest recording."""
    recording = case.longest_recording
    yield from _position_steps(case, recording)
    yield from _effort_steps(case, recording)
    yield from _clipped(recording)


def _position_steps(case: Case, recording: Recording) -> Iterator[Finding]:
    """Compare the noise that position steps cause in acceleration with the acceleration."""
    steps = np.array([step_of(column) for column in recording.position.T])
    signals = case.longest
    noise = steps / np.sqrt(12) * acceleration_gain(case)  # white, of σ² = step² / 12
    share = noise / np.maximum(signals.acceleration.std(axis=0), 1e-300)
    moves = signals.moving.any(axis=0)
    coarse = np.flatnonzero(moves & (share > _ACCELERATION_SHARE))
    if len(coarse) == 0:
        return
    names = [recording.joint_names[j] for j in coarse]
    lower = ", or reduce identification.cutoff_hz" if case.filters_given else ""
    sizes = listed(f"{steps[j]:.3g}" for j in coarse)
    worst = int(max(coarse, key=lambda j: share[j]))
    samples = np.random.default_rng(0).standard_normal(case.decimated.acceleration.shape)
    effect = share_of_torque(case, noise * samples)
    yield Finding(
        cause="quantised_feedback",
        joints=tuple(names),
        severity="warning" if np.any(matters(case, effect)) else "note",
        sentence=(
            f"{listed(names)}: position has steps of {sizes} "
            f"{joint_units(case.mechanism.prismatic, coarse, 'rad', 'm')}, which cause noise of up "
            f"to {percent(share[worst])} of the acceleration (rms) and {percent(effect.max())} of "
            "a torque."
        ),
        advice=f"Record positions at the drive's resolution{lower}.",
        evidence={f"step of {recording.joint_names[j]}": float(steps[j]) for j in coarse},
        plot=_plot(recording, recording.position[:, worst], f"position of {names[-1]}"),
    )


def _effort_steps(case: Case, recording: Recording) -> Iterator[Finding]:
    steps = np.array([step_of(column) for column in recording.effort.T])
    span = np.ptp(recording.effort, axis=0)
    levels = span / np.where(steps > 0, steps, np.nan)
    coarse = np.flatnonzero(levels < _FEWEST_LEVELS)
    if len(coarse) == 0:
        return
    names = [recording.joint_names[j] for j in coarse]
    sizes = listed(f"{steps[j]:.3g}" for j in coarse)
    counts = listed(f"{levels[j]:.0f}" for j in coarse)
    worst = int(min(coarse, key=lambda j: levels[j]))
    yield Finding(
        cause="quantised_feedback",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: effort has steps of {sizes} {case.robot.drives.effort_unit}, so its "
            f"range has {counts} steps only."
        ),
        advice="Record effort with a finer resolution, or excite the joints more.",
        evidence={f"levels of {recording.joint_names[j]}": float(levels[j]) for j in coarse},
        plot=_plot(
            recording, recording.effort[:, worst], f"effort of {recording.joint_names[worst]}"
        ),
    )


def _clipped(recording: Recording) -> Iterator[Finding]:
    """Look for joints that stop from full speed at exactly the same extreme position."""
    for j, name in enumerate(recording.joint_names):
        column = recording.position[:, j]
        speed = np.abs(np.diff(column, prepend=column[0]))
        peak = float(np.quantile(speed, 0.99))
        for extreme in (column.min(), column.max()):
            abrupt = [
                (first, past)
                for first, past in runs(column == extreme)
                if past - first >= _CLIPPED
                and first >= 3
                and speed[first - 2 : first].min() > _STOPPED * peak > 0
            ]
            if abrupt:
                yield _clip_finding(recording, name, j, float(extreme), abrupt)


def _clip_finding(
    recording: Recording, name: str, joint: int, extreme: float, runs: list[tuple[int, int]]
) -> Finding:
    samples = sum(past - first for first, past in runs)
    return Finding(
        cause="quantised_feedback",
        joints=(name,),
        severity="problem",
        sentence=(
            f"{name}: position is clipped at {extreme:.4g}; it stops there from full speed "
            f"{len(runs)} times and stays for {samples / recording.sampling_rate:.3g} s in total."
        ),
        advice="Find out what limits the recorded position; a model from this recording is wrong.",
        evidence={"clipped at": extreme, "samples": float(samples)},
        statement="clipped position",
        plot=Plot(
            x_label="time [s]",
            y_label=f"position of {name}",
            traces=(Trace(recording.time, recording.position[:, joint], "recorded"),),
        ),
    )


def step_of(values: Array) -> float:
    """Return the common divisor of all differences of values; 0 if there is none."""
    levels = np.unique(values[:: max(1, len(values) // _EXAMINED_SAMPLES)])
    if len(levels) < 3:
        return 0.0
    gaps = np.diff(levels)
    gaps = gaps[gaps > 1e-9 * (levels[-1] - levels[0])]  # rounding is not a level
    step = float(gaps.min())
    whole = np.abs(gaps / step - np.round(gaps / step)) < 0.05
    return step if whole.mean() > 0.95 else 0.0


def _plot(recording: Recording, values: Array, label: str) -> Plot:
    """Plot a short piece from the middle, in which steps are visible."""
    begin = max(0, (len(values) - _DRAWN) // 2)
    piece = slice(begin, begin + _DRAWN)
    return Plot(
        "time [s]", label, (Trace(recording.time[piece], values[piece], "recorded", "dots"),)
    )
