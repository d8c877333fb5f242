"""Faults of measured motions: each function returns a motion with one fault.

Those of ``BEFORE_NOISE`` act on what there is to measure, the others on what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dynid.arrays import Array

from .faults import InjectedFault
from .plant import MeasuredMotion
from .tree import PinocchioTree
from .unlisted_injections import UNLISTED_INJECTIONS

_PREISACH = 0.5  # place below which a hysteresis has plays of several widths

Injection = Callable[[InjectedFault, MeasuredMotion, PinocchioTree], MeasuredMotion]


def _rms(values: Array) -> Array:
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))


def _with_torque(fault: InjectedFault, motion: MeasuredMotion, change: object) -> MeasuredMotion:
    """Return a motion with the torque of the fault's joints replaced by a function of it."""
    torque = motion.torque.copy()
    for joint in fault.joints:
        torque[:, joint] = change(torque[:, joint])  # type: ignore[operator]
    return replace(motion, torque=torque)


def _velocity_factor(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    if motion.velocity is None:
        return motion
    velocity = motion.velocity.copy()
    velocity[:, list(fault.joints)] *= fault.size
    return replace(motion, velocity=velocity)


def _time_scale(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return replace(motion, rate=motion.rate / fault.size)


def _wrapped_position(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Wrap to a turn whose end is in the middle of the motion."""
    position = motion.position.copy()
    for joint in fault.joints:
        low, high = position[:, joint].min(), position[:, joint].max()
        end = low + (0.3 + 0.4 * fault.place) * (high - low)
        position[:, joint] = end + (position[:, joint] - end) % (2 * np.pi)
    return replace(motion, position=position)


def _lost_samples(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Lose bursts of samples; the next ones get the stamps of those that are lost."""
    random = np.random.default_rng(round(1e6 * fault.place))
    count = len(motion.position)
    kept = np.ones(count, dtype=bool)
    for _burst in range(round(fault.size)):
        first = int(random.integers(count // 10, 9 * count // 10))
        kept[first : first + max(2, round(random.uniform(0.05, 0.3) * motion.rate))] = False
    velocity = None if motion.velocity is None else motion.velocity[kept]
    return replace(
        motion, position=motion.position[kept], velocity=velocity, torque=motion.torque[kept]
    )


def _dead_zone(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Read nothing of a torque below a threshold."""

    def change(torque: Array) -> Array:
        return np.where(np.abs(torque) < fault.size * _rms(torque), 0.0, torque)

    return _with_torque(fault, motion, change)


def _copied(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Record the second joint's torque in the first joint's column too."""
    torque = motion.torque.copy()
    torque[:, fault.joints[0]] = torque[:, fault.joints[1]]
    return replace(motion, torque=torque)


def _torque_factor(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _with_torque(fault, motion, lambda torque: fault.size * torque)


def _flipped(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _with_torque(fault, motion, lambda torque: -torque)


def _scaled_motion(fault: InjectedFault, motion: MeasuredMotion, factor: float) -> MeasuredMotion:
    """Multiply positions and velocities of the fault's joints."""
    scale = np.ones(motion.torque.shape[1])
    scale[list(fault.joints)] = factor
    velocity = None if motion.velocity is None else motion.velocity * scale
    return replace(motion, position=motion.position * scale, velocity=velocity)


def _reversed(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Turn a joint's axis around: all that is recorded of it changes sign."""
    return _flipped(fault, _scaled_motion(fault, motion, -1.0), None)


def _swapped(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    order = _order(fault, motion)
    velocity = None if motion.velocity is None else motion.velocity[:, order]
    return replace(
        motion,
        position=motion.position[:, order],
        velocity=velocity,
        torque=motion.torque[:, order],
    )


def _swapped_torque(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return replace(motion, torque=motion.torque[:, _order(fault, motion)])


def _swapped_positions(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return replace(_swapped(fault, motion, None), torque=motion.torque)


def _order(fault: InjectedFault, motion: MeasuredMotion) -> list[int]:
    order = list(range(motion.torque.shape[1]))
    first, second = fault.joints
    order[first], order[second] = second, first
    return order


def _flipped_position(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _scaled_motion(fault, motion, -1.0)


def _position_factor(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _scaled_motion(fault, motion, fault.size)


def _gear_ratio(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    moved = _scaled_motion(fault, motion, fault.size)
    return _with_torque(fault, moved, lambda torque: torque / fault.size)


def _zero(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    position = motion.position.copy()
    position[:, list(fault.joints)] += fault.size
    return replace(motion, position=position)


def _delay(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    time = motion.time
    return _with_torque(fault, motion, lambda torque: np.interp(time - fault.size, time, torque))


def _low_pass(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Filter torque by a first-order low-pass with a cut-off of ``size`` [Hz]."""
    share = 1 - np.exp(-2 * np.pi * fault.size / motion.rate)

    def change(torque: Array) -> Array:
        filtered, state = np.empty_like(torque), float(torque[0])
        for row, value in enumerate(torque):
            state += share * (float(value) - state)
            filtered[row] = state
        return filtered

    return _with_torque(fault, motion, change)


def _low_pass_of_second_order(
    fault: InjectedFault, motion: MeasuredMotion, tree: PinocchioTree
) -> MeasuredMotion:
    """Filter torque by two low-passes of first order, each with a cut-off of ``size`` [Hz]."""
    return _low_pass(fault, _low_pass(fault, motion, tree), tree)


def _hysteresis(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Measure torque behind one play or, at an early place, the mean of four of other widths."""
    shares = (1.0,) if fault.place > _PREISACH else (0.25, 0.5, 1.0, 2.0)

    def change(torque: Array) -> Array:
        widths = [fault.size * share * float(_rms(torque)) for share in shares]
        return np.asarray(np.mean([_behind_play(torque, width) for width in widths], axis=0))

    return _with_torque(fault, motion, change)


def _behind_play(values: Array, half: float) -> Array:
    """Return what follows values (N,) only when they are more than ``half`` away."""
    followed, state = np.empty_like(values), float(values[0])
    for row, value in enumerate(values):
        state = min(max(state, float(value) - half), float(value) + half)
        followed[row] = state
    return followed


def _contact(fault: InjectedFault, motion: MeasuredMotion, tree: PinocchioTree) -> MeasuredMotion:
    """Push the last body for a while by a force that doubles some joint's torque or so."""
    start = (0.1 + 0.7 * fault.place) * motion.time[-1]
    during = (motion.time >= start) & (motion.time < start + 0.5 + 1.5 * fault.place)
    body, force = motion.torque.shape[1] - 1, np.array(fault.direction)
    push = tree.torque_of_push(motion.position[during], body, force)
    largest = np.max(np.abs(push).max(axis=0) / np.maximum(_rms(motion.torque), 1e-9))
    rise = np.sin(np.linspace(0, np.pi, int(during.sum()))) ** 0.5
    torque = motion.torque.copy()
    torque[during] += fault.size / max(largest, 1e-9) * push * rise[:, None]
    return replace(motion, torque=torque)


def _saturation(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Read no torque beyond a share of its peak."""

    def change(torque: Array) -> Array:
        limit = fault.size * np.abs(torque).max()
        return np.clip(torque, -limit, limit)

    return _with_torque(fault, motion, change)


def _backlash(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Measure the motor, which is ahead of the joint on the side where it pushes."""
    position = motion.position.copy()
    for joint in fault.joints:
        torque = motion.torque[:, joint]
        side = np.tanh(torque / (0.05 * _rms(torque)))
        position[:, joint] += fault.size / 2 * side
    return replace(motion, position=position)


BEFORE_NOISE: dict[str, Injection] = {
    "torque_delay": _delay,
    "torque_delay_of_one_joint": _delay,
    "torque_low_pass": _low_pass,
    "torque_low_pass_of_second_order": _low_pass_of_second_order,
    "torque_hysteresis": _hysteresis,
    "contact": _contact,
    "backlash": _backlash,
    **UNLISTED_INJECTIONS,
}
AFTER_NOISE: dict[str, Injection] = {
    "velocity_sign": _velocity_factor,
    "velocity_factor": _velocity_factor,
    "wrapped_position": _wrapped_position,
    "lost_samples": _lost_samples,
    "torque_dead_zone": _dead_zone,
    "copied_channel": _copied,
    "torque_factor": _torque_factor,
    "torque_factor_of_one_recording": _torque_factor,
    "flipped_torque": _flipped,
    "flipped_torques": _flipped,
    "flipped_position": _flipped_position,
    "position_factor": _position_factor,
    "gear_ratio": _gear_ratio,
    "all_torques_flipped": _flipped,
    "reversed_joint": _reversed,
    "swapped_channels": _swapped,
    "swapped_torque": _swapped_torque,
    "encoder_zero": _zero,
    "zero_of_one_recording": _zero,
    "saturation": _saturation,
    "swapped_torque_of_one_recording": _swapped_torque,
    "swapped_positions_of_one_recording": _swapped_positions,
    "clock_of_one_recording": _time_scale,
    "time_scale": _time_scale,
}


def with_faults(
    stage: dict[str, Injection],
    faults: tuple[InjectedFault, ...],
    motion: MeasuredMotion,
    tree: PinocchioTree,
    number: int,
) -> MeasuredMotion:
    """Return a recording, by its number from 0, with those of the faults that belong to a stage."""
    for fault in faults:
        if fault.kind in stage and fault.recording in (None, number):
            motion = stage[fault.kind](fault, motion, tree)
    return motion
