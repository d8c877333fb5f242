"""Efforts and positions that keep one value for a while, in which the joint moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, runs
from dynid.recording.contradiction import Contradiction
from dynid.recording.model import Recording
from dynid.recording.velocity_agreement import moving_joints

_FEWEST_SAMPLES = 20
_FALSE_ALARM = 1e-6  # probability of a run as long by chance, in a whole recording
_REPEATED = 0.2  # of the samples in motion: a coarser signal may be constant for long
_MOVED = 0.05  # of the range of a joint: a shorter way may need one torque
_SPEED = 0.1  # of the largest one


def stuck_channels(recording: Recording) -> Iterator[Contradiction]:
    """Find spans in which an effort or a position is exactly constant although the joint moves.

    Such as of a drive that no longer answers while its last value is sent again.
    """
    for joint in moving_joints(recording).tolist():
        position, effort = recording.position[:, joint], recording.effort[:, joint]
        moved = _MOVED * float(np.ptp(position))
        spans = [
            (first, past)
            for first, past in _long_runs(effort)
            if np.ptp(position[first:past]) > moved and effort[first] != 0  # below a threshold
        ]
        if spans:
            yield _stuck("effort", recording, joint, spans)
        if recording.velocity is None:
            continue
        speed = np.abs(recording.velocity[:, joint])
        moves = speed > _SPEED * np.quantile(speed, 0.98)
        spans = [
            (first, past) for first, past in _long_runs(position) if moves[first:past].mean() > 0.5
        ]
        if spans:
            yield _stuck("position", recording, joint, spans)


def _long_runs(values: Array) -> list[tuple[int, int]]:
    """Return the runs of equal values (N,) that are longer than chance makes them.

    Those at an extreme are of a value that is limited.
    """
    same: NDArray[np.bool_] = np.diff(values) == 0
    candidates = [run for run in runs(same) if run[1] - run[0] >= _FEWEST_SAMPLES]
    if not candidates:
        return []
    outside = np.ones(len(same), dtype=bool)
    for first, past in candidates:
        outside[first:past] = False
    repeated = float(same[outside].mean()) if outside.any() else 1.0
    if repeated > _REPEATED:
        return []
    longest = np.log(_FALSE_ALARM / len(values)) / np.log(max(repeated, 1 / len(values)))
    extremes = values.min(), values.max()
    return [
        (first, past + 1)
        for first, past in candidates
        if past - first > longest and values[first] not in extremes
    ]


def _stuck(
    signal: str, recording: Recording, joint: int, spans: list[tuple[int, int]]
) -> Contradiction:
    name, start = recording.joint_names[joint], recording.time[0]
    first, past = max(spans, key=lambda span: span[1] - span[0])
    begin, end = (float(recording.time[at] - start) for at in (first, past - 1))
    total = sum(past - first for first, past in spans) / recording.sampling_rate
    others = f" and {len(spans) - 1} times more" if len(spans) > 1 else ""
    return Contradiction(
        kind="effort" if signal == "effort" else "held_position",
        joints=(name,),
        severity="warning",
        sentence=(
            f"The {signal} of {name} keeps exactly one value from {begin:.4g} to {end:.4g} s"
            f"{others} while the joint moves."
        ),
        remedy=(
            "Find out why the source sends an old value; leave these times out (--start and "
            "--stop), or record again."
        ),
        evidence={"stuck [s]": total},
        statement=f"stuck {signal}",
    )
