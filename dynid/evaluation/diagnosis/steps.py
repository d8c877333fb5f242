"""Position or effort that is coarsely quantised, held between updates, absent or clipped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, runs
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.settings import EvaluationSettings
from dynid.recording.model import Recording
from dynid.text import joint_units, listed, only, percent, these_joints

_FEWEST_LEVELS = 42  # of effort over its range: a step is 2.4 % of the range
_ACCELERATION_SHARE = 0.01  # largest noise from position steps over acceleration (rms)
_FAST_SHARE = 0.3  # of the peak speed: the position must change with each sample
_HELD = 0.6  # of the samples in motion without a change: 2.5 samples between updates
_ZERO = 0.5  # of the samples in motion with an effort of exactly 0
_CLIPPED = 5  # samples at exactly the same extreme position
_STOPPED = 0.2  # of the peak speed: a drive cannot stop from it within a sample
_EXAMINED = 20_000  # samples, from the middle
_EXAMINED_SAMPLES = 5_000  # samples in which levels are found
_DRAWN = 300  # samples


def quantised_feedback(case: Case) -> Iterator[Finding]:
    """Look for steps, held values, missing effort and clipping in the longest recording."""
    whole = case.longest_recording
    yield from _position_steps(case, whole)
    yield from _effort_steps(case, whole)
    recording = _middle(whole)
    fast = _fast(recording)
    yield from _held("position", recording, recording.position, fast)
    absent = zero_effort(case)
    if absent:
        yield _zero_effort(whole, absent)
    effort = np.delete(np.arange(recording.effort.shape[1]), list(absent))
    yield from _held("effort", recording, recording.effort, fast, effort)
    yield from _clipped(whole)


def _position_steps(case: Case, recording: Recording) -> Iterator[Finding]:
    """Compare the noise that position steps cause in acceleration with the acceleration."""
    steps = np.array([step_of(column) for column in recording.position.T])
    signals, settings = case.longest, case.robot.settings(EvaluationSettings)
    rate = signals.sampling_rate
    cutoff = settings.motion_cutoff_hz or rate
    # white noise of σ² = step² / 12, differentiated twice: with a cut-off, and without one
    filtered = (2 * np.pi) ** 2 * np.sqrt(2 / rate * cutoff**5 / 5)
    noise = steps / np.sqrt(12) * min(filtered, np.sqrt(6) / 4 * rate**2)
    share = noise / np.maximum(signals.acceleration.std(axis=0), 1e-300)
    moves = signals.moving.any(axis=0)
    coarse = np.flatnonzero(moves & (share > _ACCELERATION_SHARE))
    if len(coarse) == 0:
        return
    names = [recording.joint_names[j] for j in coarse]
    lower = ", or reduce identification.cutoff_hz" if case.filters_given else ""
    sizes = listed(f"{steps[j]:.3g}" for j in coarse)
    worst = int(max(coarse, key=lambda j: share[j]))
    yield Finding(
        cause="quantised_feedback",
        joint=only(names),
        names=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: position has steps of {sizes} "
            f"{joint_units(case.mechanism.prismatic, coarse, 'rad', 'm')}, which cause noise of up "
            f"to {percent(share[worst])} of the acceleration (rms)."
        ),
        remedy=f"Record positions at the drive's resolution{lower}.",
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
        joint=only(names),
        names=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: effort has steps of {sizes} {case.robot.drives.effort_unit}, so its "
            f"range has {counts} steps only."
        ),
        remedy="Record effort with a finer resolution, or excite the joints more.",
        evidence={f"levels of {recording.joint_names[j]}": float(levels[j]) for j in coarse},
        plot=_plot(
            recording, recording.effort[:, worst], f"effort of {recording.joint_names[worst]}"
        ),
    )


def zero_effort(case: Case) -> dict[int, float]:
    """Return the share of samples in motion whose effort is exactly 0, by joint, where it is most.

    Of the longest recording. Such a drive reports effort above a threshold only, or not at all in
    most of its messages. A joint whose effort never changes is not among them.
    """
    return case.derived("zero effort", lambda: _shares_of_zero(case.longest_recording))


def _shares_of_zero(recording: Recording) -> dict[int, float]:
    fast = _fast(recording)
    shares = {}
    for j, effort in enumerate(recording.effort.T):
        if np.count_nonzero(fast[:, j]) >= _DRAWN and np.any(effort != 0):
            shares[j] = float(np.mean(effort[fast[:, j]] == 0))
    return {j: share for j, share in shares.items() if share > _ZERO}


def _zero_effort(recording: Recording, shares: dict[int, float]) -> Finding:
    names = [recording.joint_names[j] for j in shares]
    worst = max(shares, key=lambda j: shares[j])
    return Finding(
        cause="quantised_feedback",
        joint=only(names),
        names=tuple(names),
        severity="problem",
        sentence=(
            f"{listed(names)}: effort is exactly 0 in {listed(map(percent, shares.values()))}"
            " of the samples in motion, as of a drive that reports it only above a threshold."
        ),
        remedy=(
            f"Record another effort of {these_joints(names)}, such as the drive's current before "
            "its dead band; no model can be identified from this one."
        ),
        evidence={
            f"samples without effort of {recording.joint_names[j]}": share
            for j, share in shares.items()
        },
        plot=_plot(
            recording, recording.effort[:, worst], f"effort of {recording.joint_names[worst]}"
        ),
    )


def _held(
    what: str,
    recording: Recording,
    values: Array,
    fast: NDArray[np.bool_],
    joints: NDArray[np.intp] | None = None,
) -> Iterator[Finding]:
    """Look for values that stay constant for samples and then change by more than a step."""
    change = np.abs(np.diff(values, axis=0))
    held = {}
    for j in range(values.shape[1]) if joints is None else joints.tolist():
        changes = change[fast[1:, j], j]
        if len(changes) < _DRAWN:
            continue
        unchanged = float(np.mean(changes == 0))
        if not _HELD < unchanged < 1:
            continue
        jumps = changes[changes > 0]
        if np.median(jumps) > 1.5 * jumps.min():  # else slow motion within one step
            held[j] = 1 / (1 - unchanged)
    if not held:
        return
    names = [recording.joint_names[j] for j in held]
    worst = max(held, key=lambda j: held[j])
    samples = listed([f"{count:.3g}" for count in held.values()])
    yield Finding(
        cause="quantised_feedback",
        joint=only(names),
        names=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: {what} stays constant for {samples} samples on average in motion; "
            f"it is updated at about {recording.sampling_rate / held[worst]:.3g} Hz, but recorded "
            f"at {recording.sampling_rate:.4g} Hz."
        ),
        remedy="Record at the update rate of the drive, or increase the update rate.",
        evidence={f"samples held by {recording.joint_names[j]}": held[j] for j in held},
        plot=_plot(recording, values[:, worst], f"{what} of {recording.joint_names[worst]}"),
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
        joint=name,
        severity="problem",
        sentence=(
            f"{name}: position is clipped at {extreme:.4g}; it stops there from full speed "
            f"{len(runs)} times and stays for {samples / recording.sampling_rate:.3g} s in total."
        ),
        remedy="Find out what limits the recorded position; a model from this recording is wrong.",
        evidence={"clipped at": extreme, "samples": float(samples)},
        plot=Plot(
            x_label="time [s]",
            y_label=f"position of {name}",
            traces=(Trace(recording.time, recording.position[:, joint], "recorded"),),
        ),
    )


def _middle(recording: Recording) -> Recording:
    left_out = max(0, len(recording.time) - _EXAMINED) // 2
    if left_out == 0:
        return recording
    return recording.cut(recording.time[left_out], recording.time[-left_out])


def _fast(recording: Recording) -> NDArray[np.bool_]:
    """Return where each joint moves fast (N, n), over spans longer than steps and holds."""
    reach = max(2, round(0.05 * recording.sampling_rate))
    position = recording.position
    moved = np.zeros_like(position)
    moved[reach:-reach] = np.abs(position[2 * reach :] - position[: -2 * reach])
    return np.asarray(moved > _FAST_SHARE * moved.max(axis=0))


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
