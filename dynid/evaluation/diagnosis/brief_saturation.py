"""Brief saturation: effort that stays at exactly its extreme value for a few samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, runs
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.steps import step_of
from dynid.recording.model import Recording
from dynid.text import listed, percent

_RUN = 3  # consecutive samples of equal value: noise makes even two unlikely
_FEWEST_SAMPLES_AT_AN_EXTREME = 5  # samples at an extreme
_PILED_UP = 3.3  # times the samples at the next value, as of a long plateau
_SLOW_SHARE = 0.05  # of the peak speed: at rest effort may be constant
_VARIES = 0.5  # of the values between the extremes differ from the one before


def brief_saturation(case: Case, known: Sequence[int]) -> Iterator[Finding]:
    """Look for effort, as recorded, that is cut off at an extreme value, however briefly.

    A measured value has noise, so that it hardly ever repeats its extreme value exactly; a value
    that was cut off does. Joints that rest there, or whose effort is held between updates, do not
    count.

    Args:
        case: the recordings.
        known: joints with a longer plateau, which are left out.
    """
    saturated: dict[int, NDArray[np.bool_]] = {}
    longest = case.longest_recording
    for j in range(longest.effort.shape[1]):
        at = _cut_off(longest, j)
        if j not in known and at is not None:
            saturated[j] = at
    if saturated:
        yield _finding(case, longest, saturated)


def _cut_off(recording: Recording, joint: int) -> NDArray[np.bool_] | None:
    """Return where effort is cut off (N,), None if it is not."""
    effort, position = recording.effort[:, joint], recording.position[:, joint]
    speed = np.abs(np.gradient(position))
    if np.mean(np.diff(effort) != 0) < _VARIES:
        return None  # held, or steps so coarse that values repeat anyway
    at = np.zeros(len(effort), dtype=bool)
    for extreme in (effort.max(), effort.min()):
        at_extreme = (effort == extreme) & (extreme != 0)  # at 0 there is no limit to reach
        if at_extreme.sum() >= max(
            _FEWEST_SAMPLES_AT_AN_EXTREME, _PILED_UP * _next(effort, extreme)
        ) and (np.median(speed[at_extreme]) > _SLOW_SHARE * speed.max()):
            at |= at_extreme & _in_run(at_extreme)
    return at if at.sum() >= _FEWEST_SAMPLES_AT_AN_EXTREME else None


def _next(effort: Array, extreme: float) -> int:
    """Return how many samples have the value next to an extreme one."""
    step = max(step_of(effort), 1e-9 * float(np.ptp(effort)))
    return int(np.sum(np.abs(np.abs(effort - extreme) - step) < 0.5 * step))


def _in_run(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which flags (N,) are in a run of at least ``_RUN``."""
    kept = np.zeros_like(flags)
    for first, past in runs(flags):
        kept[first:past] = past - first >= _RUN
    return kept


def _finding(case: Case, recording: Recording, saturated: dict[int, NDArray[np.bool_]]) -> Finding:
    names, unit = [recording.joint_names[j] for j in saturated], case.robot.drives.effort_unit
    shares = {j: float(at.mean()) for j, at in saturated.items()}
    levels = {j: float(np.abs(recording.effort[at, j]).max()) for j, at in saturated.items()}
    worst = max(shares, key=lambda j: shares[j])
    return Finding(
        cause="saturation",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: effort is cut off at {listed(f'{v:.4g}' for v in levels.values())} "
            f"{unit} for {listed(map(percent, shares.values()))} of the samples: it repeats "
            "exactly this value several times in a row, which a measured value does not."
        ),
        advice=(
            "Reduce the speed of the excitation until effort stays below that value, or extend the "
            "range of the drive or of its measurement; the model is too weak at high torque."
        ),
        evidence={
            **{f"share of samples of {recording.joint_names[j]}": v for j, v in shares.items()},
            **{f"cut off at, {recording.joint_names[j]} [{unit}]": v for j, v in levels.items()},
        },
        plot=Plot(
            x_label="time [s]",
            y_label=f"effort of {recording.joint_names[worst]} [{unit}]",
            traces=(
                Trace(recording.time, recording.effort[:, worst], "recorded"),
                Trace(
                    recording.time[saturated[worst]],
                    recording.effort[saturated[worst], worst],
                    "cut off",
                    "dots",
                ),
            ),
        ),
    )
