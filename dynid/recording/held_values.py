"""Values that a source updates less often than it is recorded, or not below a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.recording.contradiction import Contradiction
from dynid.recording.model import Recording
from dynid.recording.velocity_agreement import moving_joints
from dynid.text import listed, percent

Flags = NDArray[np.bool_]
"""(N,) samples with a property."""

_SPEED = 0.1  # of the largest one: slower samples may be at rest
_FEWEST_SAMPLES = 50  # in motion
_FEWEST_RUNS = 20  # of equal values
_SHORTEST_RUN = 1.4  # samples in the mean: two rates that are nearly equal are no fault
_REGULAR = 0.5  # of the variance of the length that runs have by chance (geometric)
_JUMP = 2.5  # times the smallest change: a coarse signal changes by one step at a time
_ZEROS = 0.02  # of the samples in motion
_MOSTLY_ZERO = 0.5  # of the samples in motion: no model can be identified from the rest
_TIMES_MORE = 5.0  # zeros over the samples of the next most frequent value
_HOLE = 5.0  # the smallest value beside zero, over the distance of the values next to it
_BESIDE_ZERO = 50  # values that show this distance


def held_signals(recording: Recording) -> Iterator[Contradiction]:
    """Find efforts and positions that do not follow the motion between updates or near zero."""
    changing = np.flatnonzero(np.ptp(recording.position, axis=0) > 0).tolist()
    fast = {j: _in_motion(recording.position[:, j]) for j in changing}
    fast = {joint: flags for joint, flags in fast.items() if flags.sum() >= _FEWEST_SAMPLES}
    moving = [joint for joint in moving_joints(recording).tolist() if joint in fast]
    effort, names = recording.effort, recording.joint_names
    constant = [joint for joint in moving if np.ptp(effort[:, joint]) == 0]
    for joint in moving:
        if joint not in constant and (band := dead_band(effort[fast[joint], joint])) is not None:
            yield _dead_band(names[joint], *band)
    if constant:
        yield _constant([names[joint] for joint in constant], recording)
    # moving_joints takes what is held in fast motion for noise
    held = {j: found for j in fast if (found := held_at(effort[:, j], fast[j])) is not None}
    if held:
        yield _held("effort", names, held, recording)
    held = _held_positions(recording, fast)
    if held:
        yield _held("position", names, held, recording)


def _held_positions(recording: Recording, fast: Mapping[int, Flags]) -> dict[int, float]:
    """Return the positions that are held, unless the velocity is held too."""
    held: dict[int, float] = {}
    for joint, flags in fast.items():
        velocity = None if recording.velocity is None else recording.velocity[:, joint]
        moves = velocity is None or (np.ptp(velocity) > 0 and held_at(velocity, flags) is None)
        if moves and (found := held_at(recording.position[:, joint], flags)) is not None:
            held[joint] = found
    return held


def _in_motion(position: Array) -> Flags:
    """Return which samples (N,) are of a joint that moves, by steps over several samples."""
    window = max(1, min(25, len(position) // _FEWEST_SAMPLES))
    moved = np.abs(position[window:] - position[:-window])
    fast = np.zeros(len(position), dtype=bool)
    fast[window // 2 : window // 2 + len(moved)] = moved > _SPEED * np.quantile(moved, 0.98)
    return fast


def held_at(values: Array, fast: Flags) -> float | None:
    """Return how long values (N,) are held in motion [samples]; None if each sample updates them.

    Runs of a held signal have nearly the same length, and it changes by many of its steps at once.
    Runs by chance have lengths of a geometric distribution, and those of a coarse signal lengths
    that vary with its speed. ``fast`` (N,) are the samples in motion.
    """
    changes = np.flatnonzero(np.diff(values) != 0)
    within = fast[changes[:-1] + 1] & fast[changes[1:]] if len(changes) > 1 else np.zeros(0, bool)
    lengths = np.diff(changes)[within]
    if len(lengths) < _FEWEST_RUNS or lengths.mean() < _SHORTEST_RUN:
        return None
    mean = float(lengths.mean())
    if lengths.var() > _REGULAR * mean * (mean - 1):
        return None
    jumps = np.abs(np.diff(values)[changes])[1:][within]
    if np.median(jumps) < _JUMP * min(_smallest_step(values), jumps.min()):
        return None
    return mean


def _smallest_step(values: Array) -> float:
    levels = np.diff(np.unique(values))
    levels = levels[levels > 1e-9 * np.ptp(values)]
    return float(np.quantile(levels, 0.1)) if len(levels) else 0.0


def dead_band(effort: Array) -> tuple[float, float] | None:
    """Return the share of zeros in efforts (N,), and the smallest other magnitude; None without.

    Either there is a hole around zero, or most values are zero and the rest are mostly not next to
    it, as small ones would be.
    """
    zeros = int(np.sum(effort == 0))
    sizes, counts = np.unique(np.abs(effort[effort != 0]), return_counts=True)
    if zeros < max(_FEWEST_RUNS, _ZEROS * len(effort)) or len(sizes) < _FEWEST_RUNS:
        return None
    beside = sizes[:_BESIDE_ZERO]
    distance = float(np.median(np.diff(beside)))
    apart = zeros > _MOSTLY_ZERO * len(effort) and counts[1:].sum() > counts[0]
    if zeros < _TIMES_MORE * counts.max() or (beside[0] < _HOLE * distance and not apart):
        return None
    return zeros / len(effort), float(beside[0])


def _dead_band(joint: str, share: float, smallest: float) -> Contradiction:
    return Contradiction(
        kind="effort",
        joints=(joint,),
        severity="problem" if share > _MOSTLY_ZERO else "warning",
        sentence=(
            f"{joint}: effort is exactly 0 in {percent(share)} of the samples in motion, and "
            f"otherwise at least {smallest:.3g}: small values, or most, are reported as 0."
        ),
        remedy=(
            "Switch off the threshold in the driver, or record the drive's own value; what is lost "
            "cannot be restored by recording.corrections."
        ),
        evidence={"share of zeros": share, "smallest effort": smallest},
        statement="dead band",
    )


def _constant(joints: list[str], recording: Recording) -> Contradiction:
    value = float(recording.effort[0, recording.joint_names.index(joints[0])])
    return Contradiction(
        kind="effort",
        joints=tuple(joints),
        severity="problem",
        sentence=f"The effort of {listed(joints)} is constant ({value:.4g}) while the joint moves.",
        remedy=(
            "Record the effort of this joint; if it is in another channel, take that one by "
            "'source' of recording.corrections in the profile."
        ),
        evidence={"effort": value},
    )


def _held(
    signal: str, names: Sequence[str], found: Mapping[int, float], recording: Recording
) -> Contradiction:
    rate = recording.sampling_rate
    length = float(np.mean(list(found.values())))
    joints = [names[joint] for joint in found]
    beside = signal == "position" and recording.velocity is not None
    other = ", while the velocity is updated with each sample" if beside else ""
    return Contradiction(
        kind="effort" if signal == "effort" else "held_position",
        joints=tuple(joints),
        severity="warning",
        sentence=(
            f"The {signal} of {listed(joints)} is held for {length:.3g} samples in the mean: it is "
            f"updated at {rate / length:.4g} Hz and recorded at {rate:.4g} Hz{other}."
        ),
        remedy=(
            f"Record it at its full rate, or set recording.sampling_rate to {rate / length:.4g} or "
            f"less; a held signal is {0.5e3 * (length - 1) / rate:.3g} ms late in the mean (delay "
            "of recording.corrections)."
        ),
        evidence={"updates [Hz]": rate / length, "samples held": length},
    )
