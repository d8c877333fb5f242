"""Positions that are wrapped into one turn: where they jump, by how much, and without jumps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.recording.model import Recording

_SMEARED_STEPS = 3  # a jump between resampled samples takes up to so many steps
_JUMP = 0.6  # of the range of a wrapped position, which is nearly as long as the jump
_MOTION_QUANTILE = 0.9  # of the steps: the motion; a turn takes ten samples at least
_TIMES_USUAL = 3.0  # a longer step beside a jump is a part of it
_MOTION = 0.3  # of the range: such fast motion cannot be told from a jump
_BESIDE = 4  # steps before and after a jump that show the motion
_SPREAD = 0.05  # of the period, between jumps; noise and motion are removed before
_BEYOND = 1.05  # of the period: a wrapped position stays in a range as long as that
_AGAINST_MOTION = 0.8  # of the jumps: a position jumps back when it has passed the end of the range
_FEWEST_JUMPS = 2  # by which a period that is no turn is known
TURNS = (2 * math.pi, 360.0)
"""Periods [rad, degrees] that a single jump shows."""


class Wrapping(NamedTuple):
    """Jumps of a wrapped position.

    Attributes:
        period: that the position is wrapped to [unit of the position].
        jumps: (last sample before, first sample after, direction) of each jump.
    """

    period: float
    jumps: tuple[tuple[int, int, int], ...]


def find_wrapping(position: Array) -> Wrapping | None:
    """Find the jumps of the wrapped position (N,) of one joint; None if it is not wrapped.

    A wrapped position jumps by its period against the motion, and stays within one period.
    """
    span = float(np.ptp(position)) if len(position) else 0.0
    if len(position) < 4 * _SMEARED_STEPS or span == 0.0:
        return None
    far = position[_SMEARED_STEPS:] - position[:-_SMEARED_STEPS]
    if np.quantile(np.abs(far), _MOTION_QUANTILE) > _MOTION * span:
        return None
    jumping = np.abs(far) > _JUMP * span
    steps = np.abs(np.diff(position))
    usual = float(np.quantile(steps, _MOTION_QUANTILE))
    places = [_place(steps, first, past, usual) for first, past in runs(jumping)]
    if not places:
        return None
    measured = [_measured(position, *place) for place in places]
    sizes = np.array([abs(size) for size, _ in measured])
    against = np.array([size * motion < 0 for size, motion in measured])
    period = _period(sizes)
    if period is None or span > _BEYOND * period or against.mean() < _AGAINST_MOTION:
        return None
    directions = (int(np.sign(size)) for size, _ in measured)
    jumps = ((*place, sign) for place, sign in zip(places, directions, strict=True))
    return Wrapping(period, tuple(jumps))


def wrapped_to_a_turn(recording: Recording, joints: Sequence[str]) -> list[str]:
    """Return which of the joints have positions that are wrapped to a turn of 2 pi."""
    found = {
        joint: find_wrapping(recording.position[:, recording.joint_names.index(joint)])
        for joint in joints
        if joint in recording.joint_names
    }
    return [joint for joint, one in found.items() if one is not None and one.period == TURNS[0]]


def unwrapped(position: Array, wrapping: Wrapping) -> Array:
    """Return a position (N,) without the jumps; samples within a smeared jump are interpolated."""
    turns = np.zeros(len(position))
    within = np.zeros(len(position), dtype=bool)
    for before, after, sign in wrapping.jumps:
        turns[after:] -= sign
        within[before + 1 : after] = True
    values = position + turns * wrapping.period
    at = np.arange(len(position))
    values[within] = np.interp(at[within], at[~within], values[~within])
    return values


def _place(steps: Array, first: int, past: int, usual: float) -> tuple[int, int]:
    """Return the samples beside a jump, which is in one step unless it was resampled.

    Magnitudes between samples are (N - 1,); several steps from ``first`` to ``past`` jump, and
    ``usual`` is the step of the motion.
    """
    before = first + int(np.argmax(steps[first : past + _SMEARED_STEPS - 1]))
    after = before + 1
    while before > first and steps[before - 1] > _TIMES_USUAL * usual:
        before -= 1
    while after < past + _SMEARED_STEPS - 1 and steps[after] > _TIMES_USUAL * usual:
        after += 1
    return before, after


def _measured(position: Array, before: int, after: int) -> tuple[float, float]:
    """Return the size of a jump without the motion, and the motion in a step beside it."""
    left = np.diff(position[max(0, before - _BESIDE) : before + 1])
    right = np.diff(position[after : after + _BESIDE + 1])
    beside = np.concatenate([left, right])
    motion = float(np.median(beside)) if len(beside) else 0.0
    return float(position[after] - position[before]) - motion * (after - before), motion


def _period(sizes: Array) -> float | None:
    middle = float(np.median(sizes))
    if np.abs(sizes - middle).max() > _SPREAD * middle:
        return None
    for turn in TURNS:
        if abs(middle - turn) < _SPREAD * turn:
            return turn
    return middle if len(sizes) >= _FEWEST_JUMPS else None
