"""Motions for trials of the diagnosis: clean ones, and modified ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.excitation.build import build_excitation
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.ramp import Ramp
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.excitation.sine import SineExcitation
from dynid.recording.model import Recording
from dynid.robot.robot import Robot

_PERIODS = 2
_CANDIDATES = 500  # random motions to find one among that moves every joint well
_REACH = 0.33  # of a joint's range, or of half a turn, that it spans at least
_CYCLES = 4  # that every joint makes at least
_STROKE = 0.1  # of the peak speed that a stroke reaches at least


def motion(robot: Robot, seed: int) -> FourierExcitation:
    """Return a random Fourier series that moves every joint widely and often enough."""
    settings = find_excitation(robot)
    if not isinstance(settings, FourierSettings):
        raise TypeError(f"{robot.name}: the profile's excitation must be of type fourier")
    wide = _REACH * region(robot)
    for candidate in range(_CANDIDATES):
        update = {"periods": _PERIODS, "seed": _CANDIDATES * seed + candidate}
        tried = settings.model_copy(update=update)
        excitation = build_excitation(tried, robot.limits, robot.joints)
        along = excitation.evaluate(np.linspace(0, excitation.duration, 1000))
        wide_enough = np.all(np.ptp(along.position, axis=0) >= wide)
        if wide_enough and np.all(strokes(along.velocity) >= 2 * _CYCLES):
            return cast("FourierExcitation", excitation)
    raise RuntimeError(f"{robot.name}: none of {_CANDIDATES} random motions is wide enough")


def of_motion(
    excitation: FourierExcitation, *, pace: float = 1.0, size: Array | float = 1.0
) -> FourierExcitation:
    """Return the motion at another pace and, joint by joint, size about the same centre."""
    changed = excitation.scaled(pace * size * np.ones(excitation.joint_count))
    # as long as before where it is faster
    slower, ramp = min(pace, 1.0), excitation.ramp
    return replace(
        changed,
        base_frequency=pace * excitation.base_frequency,
        ramp=Ramp(ramp.rise / slower, ramp.duration / slower),
    )


def sine_motion(robot: Robot, ratios: Sequence[float]) -> SineExcitation:
    """Return sines, as fast as limits allow, whose frequencies have these ratios (n,).

    The lowest frequency goes to the joint that can only be slow, and so on.
    """
    joints = len(robot.joints)
    lower, upper = np.array(robot.limits.position).T * np.ones(joints)
    centre = (lower + upper) / 2
    settings = find_excitation(robot)
    if isinstance(settings, FourierSettings) and settings.centre is not None:
        centre = per_joint(settings.centre, joints, "centre")
    half = 0.4 * region(robot)
    highest = per_joint(robot.limits.velocity or (np.inf,), joints, "velocity") / half
    acceleration = per_joint(robot.limits.acceleration or (np.inf,), joints, "acceleration")
    highest = 0.8 * np.minimum(highest, np.sqrt(acceleration / half)) / (2 * np.pi)
    of_joint = np.empty(joints)
    of_joint[np.argsort(highest)] = np.sort(ratios)
    frequency = of_joint * np.min(highest / of_joint)
    ramp = Ramp(2.0, 6 / frequency.min() + 4.0)
    return SineExcitation(centre - half, centre + half, frequency, ramp)


def until_cycles(recording: Recording, cycles: float, joints: int) -> float:
    """Return the time [s] at which the slowest joints, that many, have made so many cycles."""
    velocity = np.gradient(recording.position, axis=0)
    begins = [_stroke_begins(column) for column in velocity.T]
    ends = sorted(int(of_joint[round(2 * cycles)]) for of_joint in begins)
    return float(recording.time[ends[-joints]])


def strokes(velocity: Array) -> Array:
    """Return how often each joint moved one way, (n,)."""
    return np.array([len(_stroke_begins(column)) for column in velocity.T])


def _stroke_begins(velocity: Array) -> NDArray[np.intp]:
    """Return the samples at which a joint has begun to move the other way."""
    fast = np.flatnonzero(np.abs(velocity) > _STROKE * np.abs(velocity).max())
    turned = np.diff(np.sign(velocity[fast]), prepend=0.0) != 0
    return np.asarray(fast[turned])


def region(robot: Robot) -> Array:
    """Return how far each joint can go, at most half a turn, (n,)."""
    lower, upper = np.array(robot.limits.position).T
    return np.asarray(np.minimum(upper - lower, np.pi))
