"""Contradictions in a recording, found without any model: what is recorded twice must agree.

Velocity is the derivative of position, positions are continuous, and no two channels are equal. All
limits are those of the data: noise, steps of the position, and the spread between parts of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, in_runs, runs
from dynid.recording.contradiction import SEVERITIES, Contradiction
from dynid.recording.corrections import Correction, corrected, correction_yaml
from dynid.recording.held_values import held_signals
from dynid.recording.model import Recording
from dynid.recording.position_jumps import lost_samples, position_jumps
from dynid.recording.velocity_agreement import moving_joints
from dynid.recording.velocity_contradictions import velocity_contradictions
from dynid.recording.wrapping import TURNS, find_wrapping
from dynid.text import listed

__all__ = ["Contradiction", "contradictions"]
_ROUNDING = 1e-6  # of the largest effort: no two measurements agree so well
_FEWEST_VALUES = 10  # of a channel: fewer different values are equal by chance
_FEWEST_EQUAL_SAMPLES = 20
_FALSE_ALARM = 1e-6  # probability of a run as long by chance, in a whole recording
_REPEATED = 0.2  # of the samples in motion: a coarser signal may be constant for long
_BESIDE = 5  # steps beside a run, which show how fast the joint is there
_ALONE = 3.0  # times the largest of these: a joint that starts makes small steps
_MOVED = 0.05  # of the range of a joint: a shorter way may need one torque
_SLOW_SHARE = 0.1  # of the largest speed: slower joints may rest

# of efforts without their sign
_LEAST_JOINTS = 2  # the load may keep the sign of one
_MOVING_SPEED = 0.02  # of the peak speed
_WAY_BACK = 0.1  # of the peak speed, in either direction
_LEAST_SHARE = 0.02  # of the samples, in either direction
_LOW_QUANTILE = 0.005  # of efforts in motion
_NEAR_ZERO = 0.03  # of the peak effort; a load that keeps its sign stays away from zero
_PEAK_QUANTILE = 0.98


def contradictions(recording: Recording) -> tuple[Contradiction, ...]:
    """Return what contradicts itself in a recording, the worst first.

    Wrapped positions are unwrapped for all other checks. A recording with gaps is checked in its
    longest piece.
    """
    piece = max(recording.pieces, key=lambda part: len(part.time), default=None)
    if piece is None:
        return ()
    return tuple(sorted(_all(piece), key=lambda c: SEVERITIES.index(c.severity)))


def _all(recording: Recording) -> Iterator[Contradiction]:
    wrapped = list(_wrapped_positions(recording))
    yield from wrapped
    fixes = [correction for contradiction in wrapped for correction in contradiction.corrections]
    recording = replace(corrected(recording, fixes), repairs=recording.repairs)
    yield from lost_samples(recording)
    yield from unsigned_effort(recording)
    yield from copied_channels(recording)
    copied = [
        second.joint for _, second, _ in equal_channels(recording) if second.signal == "velocity"
    ]
    yield from velocity_contradictions(recording, copied)
    stuck = [*held_signals(recording), *stuck_channels(recording)]
    yield from stuck
    held = {joint for one in stuck if one.kind == "held_position" for joint in one.joints}
    yield from position_jumps(recording, {*copied, *held})


def _wrapped_positions(recording: Recording) -> Iterator[Contradiction]:
    periods: dict[float, dict[str, int]] = {}
    for joint, column in zip(recording.joint_names, recording.position.T, strict=True):
        wrapping = find_wrapping(column)
        if wrapping is not None:
            periods.setdefault(wrapping.period, {})[joint] = len(wrapping.jumps)
    for period, jumps in periods.items():
        joints = tuple(jumps)
        unwrap = tuple(Correction(signal="position", joint=joint, unwrap=True) for joint in joints)
        size = {TURNS[0]: "2 π", TURNS[1]: "360"}.get(period, f"{period:.5g}")
        count = sum(jumps.values())
        yield Contradiction(
            kind="wrapped_position",
            joints=joints,
            severity="problem",
            sentence=(
                f"The position of {listed(joints)} jumps by {size} against the motion, "
                f"{'once' if count == 1 else f'{count} times'}: it is wrapped to this range."
            ),
            remedy=f"Add {correction_yaml(unwrap)} to the profile.",
            corrections=unwrap,
            evidence={f"jumps of {joint}": float(number) for joint, number in jumps.items()},
        )


class Channel(NamedTuple):
    """One column of a recording."""

    joint: str
    signal: str


def copied_channels(recording: Recording) -> Iterator[Contradiction]:
    """Find channels that change and are equal in every sample, but for a factor or the sign."""
    for first, second, factor in equal_channels(recording):
        words = {1.0: "equal", -1.0: "equal but for the sign"}.get(
            factor, f"equal but for a factor of {factor:.6g}"
        )
        same = "of one joint" if first.joint == second.joint else "of two joints"
        yield Contradiction(
            kind="copied_channel",
            joints=tuple(dict.fromkeys((first.joint, second.joint))),
            severity="problem",
            sentence=(
                f"The {first.signal} of {first.joint} and the {second.signal} of {second.joint} "
                f"are {words} in all {len(recording.time)} samples: one is a copy of the other."
            ),
            remedy=(
                "Check which channel is recorded for which joint, in the driver and in "
                "recording.columns of the profile, and record again; recording.corrections: "
                f"[{{signal: {second.signal}, joint: {second.joint}, source: …}}] takes another "
                "channel."
            ),
            evidence={"equal samples": float(len(recording.time))},
            signals=tuple(dict.fromkeys((first.signal, second.signal))),
            statement=f"{first.signal} {second.signal} {same} {words if abs(factor) == 1 else ''}",
        )


def equal_channels(recording: Recording) -> list[tuple[Channel, Channel, float]]:
    """Return pairs of equal channels, and the first over the second: 1, -1 or, of efforts, any.

    A channel that stands for two joints may have been divided by the torque constant of each.
    """
    columns = {}
    for signal, values in recording.measured().items():
        for number, joint in enumerate(recording.joint_names):
            column = values[:, number]
            # effort in few steps, such as that of a brake, may be equal for a reason
            if len(np.unique(column[: 100 * _FEWEST_VALUES])) >= _FEWEST_VALUES:
                columns[Channel(joint, signal)] = column
    pairs = []
    for (first, a), (second, b) in combinations(columns.items(), 2):
        if a[-1] == b[-1] and np.array_equal(a, b):
            pairs.append((first, second, 1.0))
        elif a[-1] == -b[-1] and np.array_equal(a, -b):
            pairs.append((first, second, -1.0))
        elif first.signal == second.signal == "effort":
            factor = float(a @ b) / float(b @ b)
            if np.abs(a - factor * b).max() <= _ROUNDING * np.abs(a).max():
                pairs.append((first, second, factor))
    return pairs


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
        held = _long_runs(position)
        if recording.velocity is None:
            spans = [span for span in held if _jumps_behind(position, *span)]
        else:
            speed = np.abs(recording.velocity[:, joint])
            moves = speed > _SLOW_SHARE * np.quantile(speed, 0.98)
            spans = [(first, past) for first, past in held if moves[first:past].mean() > 0.5]
        if spans:
            yield _stuck("position", recording, joint, spans)


def _jumps_behind(position: Array, first: int, past: int) -> bool:
    """Whether a position (N,) that is held from a sample on goes all the way at once afterwards."""
    if first < _BESIDE or past + _BESIDE >= len(position):
        return False
    before = np.diff(position[first - _BESIDE : first + 1])
    after = np.diff(position[past : past + _BESIDE + 1])
    jump = float(position[past] - position[past - 1])
    expected = 0.5 * float(before.mean() + after.mean()) * (past - first)
    alone = abs(jump) > _ALONE * float(np.abs([before, after]).max())
    return alone and jump * expected > 0 and 1 / 3 < jump / expected < 3


def _long_runs(values: Array) -> list[tuple[int, int]]:
    """Return the runs of equal values (N,) that are longer than chance makes them.

    Those at an extreme are of a value that is limited.
    """
    same: NDArray[np.bool_] = np.diff(values) == 0
    candidates = [run for run in runs(same) if run[1] - run[0] >= _FEWEST_EQUAL_SAMPLES]
    if not candidates:
        return []
    outside = ~in_runs(candidates, len(same))
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


def unsigned_effort(recording: Recording) -> Iterator[Contradiction]:
    """Find efforts of which all moving joints have only one sign, as of magnitudes.

    All joints that move in both directions are at least two; at least two of them, and half, have
    efforts that reach zero in motion and turn back there. A load that keeps its sign does not.
    """
    velocity = np.gradient(recording.position, axis=0)  # in steps: only its ratios count
    joints = [j for j in moving_joints(recording).tolist() if _both_ways(velocity[:, j])]
    efforts = recording.effort[:, joints]
    if (
        len(joints) < _LEAST_JOINTS
        or not (
            ((efforts >= 0).all(axis=0) | (efforts <= 0).all(axis=0))
            & (np.ptp(efforts, axis=0) > 0)
        ).all()
    ):
        return
    folded = sum(_reaches_zero(velocity[:, j], recording.effort[:, j]) for j in joints)
    if folded < max(_LEAST_JOINTS, len(joints) / 2):
        return
    names = tuple(recording.joint_names[joint] for joint in joints)
    yield Contradiction(
        kind="unsigned_effort",
        joints=names,
        severity="problem",
        sentence=(
            f"The efforts of {listed(names)} never change their sign although the joints move in "
            f"both directions, and {folded} of {len(names)} reach zero in motion and turn back: "
            "they were recorded without sign, as magnitudes."
        ),
        remedy=(
            "Record torque or current with its sign; where the drive has none, set "
            "identification.unsigned_torque: true in the profile, with which signs are found."
        ),
        evidence={"joints without change of sign": float(len(names))},
        signals=("effort",),
    )


def _both_ways(velocity: Array) -> bool:
    """Return whether a joint of this velocity (N,) moves in both directions."""
    least = _WAY_BACK * float(np.quantile(np.abs(velocity), _PEAK_QUANTILE))
    forth, back = float(np.mean(velocity > least)), float(np.mean(velocity < -least))
    return least > 0 and min(forth, back) >= _LEAST_SHARE


def _reaches_zero(velocity: Array, effort: Array) -> bool:
    """Return whether the effort of a joint (N,) reaches zero while the joint moves."""
    speed = np.abs(velocity)
    moves = speed > _MOVING_SPEED * float(np.quantile(speed, _PEAK_QUANTILE))
    low, peak = np.quantile(np.abs(effort[moves]), [_LOW_QUANTILE, _PEAK_QUANTILE]).tolist()
    return bool(low <= _NEAR_ZERO * peak)
