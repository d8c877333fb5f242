"""Smooth motions: sums of sines that start and end at rest, and moves from point to point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array

_REACH = {False: (0.5, 1.5), True: (0.08, 0.3)}  # [rad], [m]: to either side of a joint's centre
_PEAK_VELOCITY = {False: (0.8, 2.5), True: (0.15, 0.6)}  # [rad/s], [m/s]
_HARMONICS = 5
_RAMP = 1.0  # [s] to begin, and to end
_HIGHEST_FREQUENCY = 2.0  # [Hz]


@dataclass(frozen=True, eq=False)
class TrueMotion:
    """A motion without error: time (N,) [s], and (N, n) in rad or m and their derivatives."""

    time: Array
    position: Array
    velocity: Array
    acceleration: Array


def draw_motion(
    sliding: tuple[bool, ...], duration: float, rate: float, random: np.random.Generator
) -> TrueMotion:
    """Return a motion of every joint.

    Args:
        sliding: which of the n joints are prismatic.
        duration: of the motion [s].
        rate: of its samples [Hz].
        random: where it is drawn from.
    """
    time = np.arange(round(duration * rate)) / rate
    draw = _moves if random.random() < 0.35 else _sines
    columns = [draw(time, slides, random) for slides in sliding]
    position, velocity, acceleration = (
        np.stack([column[order] for column in columns], axis=1) for order in range(3)
    )
    return TrueMotion(time, position, velocity, acceleration)


def _sines(time: Array, slides: bool, random: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return position, velocity and acceleration (N,) of one joint."""
    span = float(time[-1])
    base = random.uniform(0.06, 0.15)  # [Hz]
    numbers = random.choice(np.arange(1, 13), size=_HARMONICS, replace=False)
    omega = 2 * np.pi * np.minimum(base * numbers, _HIGHEST_FREQUENCY)
    size, phase = random.uniform(0.3, 1.0, _HARMONICS) / omega, random.uniform(0, 7, _HARMONICS)
    angle = time[:, None] * omega + phase
    wave = [size * np.sin(angle), size * omega * np.cos(angle), -size * omega**2 * np.sin(angle)]
    s0, s1, s2 = (part.sum(axis=1) for part in wave)
    w0, w1, w2 = _envelope(time, span)
    position = w0 * s0
    velocity = w1 * s0 + w0 * s1
    acceleration = w2 * s0 + 2 * w1 * s1 + w0 * s2
    reach = random.uniform(*_REACH[slides]) / np.abs(position).max()
    fast = random.uniform(*_PEAK_VELOCITY[slides]) / np.abs(velocity).max()
    scale = min(reach, fast)
    centre = random.uniform(-0.1, 0.1) if slides else random.uniform(-0.6, 0.6)
    # the centre is held from the start: a robot waits there
    return centre + scale * position, scale * velocity, scale * acceleration


def _envelope(time: Array, span: float) -> tuple[Array, Array, Array]:
    """Return a window of quintic flanks, and its two derivatives, (N,) each."""
    up = _quintic(np.clip(time / _RAMP, 0, 1), _RAMP)
    down = _quintic(np.clip((span - time) / _RAMP, 0, 1), _RAMP)
    w0 = up[0] * down[0]
    w1 = up[1] * down[0] - up[0] * down[1]
    w2 = up[2] * down[0] - 2 * up[1] * down[1] + up[0] * down[2]
    return w0, w1, w2


def _quintic(part: Array, duration: Array | float) -> tuple[Array, Array, Array]:
    """Return a move from 0 to 1 with its time derivatives; ``part`` of the duration has passed."""
    position = part**3 * (10 + part * (6 * part - 15))
    velocity = 30 * part**2 * (1 - part) ** 2 / duration
    acceleration = 60 * part * (1 - part) * (1 - 2 * part) / duration**2
    return position, velocity, acceleration


def _moves(time: Array, slides: bool, random: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return moves between random points with short stops, (N,) each."""
    reach = random.uniform(*_REACH[slides])
    fastest = random.uniform(*_PEAK_VELOCITY[slides])
    position, velocity, acceleration = (np.zeros_like(time) for _ in range(3))
    moment, at = float(random.uniform(0.1, 0.5)), float(random.uniform(-reach, reach))
    position[:] = at
    while moment < time[-1] - 1.0:
        target = float(random.uniform(-reach, reach))
        # the peak of a quintic is 15/8 of its mean velocity
        duration = max(1.875 * abs(target - at) / fastest, 0.5)
        during = (time >= moment) & (time < moment + duration)
        if moment + duration > time[-1] - 0.1:
            break
        p, v, a = _quintic((time[during] - moment) / duration, duration)
        step = target - at
        position[during] = at + step * p
        velocity[during], acceleration[during] = step * v, step * a
        moment, at = moment + duration, target
        position[time >= moment] = at
        moment += float(random.uniform(0.02, 0.4))
    return position, velocity, acceleration
