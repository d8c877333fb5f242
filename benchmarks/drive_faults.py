"""Saturated drives and wrong feedback, in simulated recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from faulty_motions import until_cycles
from faulty_robots import Fault, Subject, Trial, any_joint, changed, decimated

from dynid.identification.settings import IdentificationSettings
from dynid.simulation.settings import SimulationSettings


def noisier(subject: Subject, seed: int) -> Trial:
    """Return torque sensors with three times the noise."""
    noise = tuple(3 * s for s in subject.robot.settings(SimulationSettings).torque_noise)
    plant = changed(subject.robot, SimulationSettings, torque_noise=noise)
    return subject.trial(subject.recorded(seed, plant))


def clipped(everywhere: bool) -> Fault:
    """Clip measured effort at 60 % of its peak: a saturated current sensor."""

    def fault(subject: Subject, seed: int) -> Trial:
        recording = subject.recorded(seed)
        peak = 0.6 * np.abs(recording.effort).max(axis=0)
        if not everywhere:
            peak = np.where(np.arange(subject.joints) == any_joint(subject, seed), peak, np.inf)
        return subject.trial(replace(recording, effort=np.clip(recording.effort, -peak, peak)))

    return fault


def weak_drive(subject: Subject, seed: int) -> Trial:
    """Limit one drive to 75 % of the torque that the motion needs, in its data sheet too."""
    peak = np.abs(subject.recorded(seed).effort).max(axis=0)
    limit = np.where(np.arange(subject.joints) == subject.heavy, 0.75 * peak, 3.0 * peak)
    limits = subject.robot.limits.model_copy(update={"torque_max": tuple(limit.tolist())})
    limited = subject.robot.model_copy(update={"limits": limits})
    plant = changed(limited, SimulationSettings, following_error=(100.0,))
    return subject.trial(subject.recorded(seed, plant), limited)


def scaled(factor: float, *, everywhere: bool = True) -> Fault:
    """Report effort in another unit, or with a wrong torque factor of one drive."""

    def fault(subject: Subject, seed: int) -> Trial:
        recording = subject.recorded(seed)
        factors = np.full(subject.joints, factor)
        if not everywhere:
            factors = np.where(np.arange(subject.joints) == subject.heavy, factor, 1.0)
        return subject.trial(replace(recording, effort=recording.effort * factors))

    return fault


def flipped_torque(subject: Subject, seed: int) -> Trial:
    """Invert the sign of one joint's torque."""
    return _with_flipped_torque(subject, seed, [any_joint(subject, seed)])


def flipped_torques(subject: Subject, seed: int) -> Trial:
    """Invert the sign of the torque of two joints, as with negative gear ratios left out."""
    pair = np.random.default_rng(seed).choice(subject.joints, 2, replace=False)
    return _with_flipped_torque(subject, seed, pair.tolist())


def _with_flipped_torque(subject: Subject, seed: int, joints: list[int]) -> Trial:
    recording = subject.recorded(seed)
    sign = np.where(np.isin(np.arange(subject.joints), joints), -1.0, 1.0)
    return subject.trial(replace(recording, effort=recording.effort * sign))


def flipped_position(subject: Subject, seed: int) -> Trial:
    """Invert the sign of one joint's position and velocity."""
    recording = subject.recorded(seed)
    sign = np.where(np.arange(subject.joints) == any_joint(subject, seed), -1.0, 1.0)
    position, velocity = recording.position * sign, recording.velocity * sign
    return subject.trial(replace(recording, position=position, velocity=velocity))


def noisy(subject: Subject, seed: int) -> Trial:
    """Add white noise to one joint's torque, as large as that torque."""
    recording, joint = subject.recorded(seed), any_joint(subject, seed)
    effort = recording.effort.copy()
    noise = np.random.default_rng(seed).standard_normal(len(effort))
    effort[:, joint] += effort[:, joint].std() * noise
    return subject.trial(replace(recording, effort=effort))


def shifted(cycles: int) -> Fault:
    """Report effort that many milliseconds late, or early if negative."""

    def fault(subject: Subject, seed: int) -> Trial:
        recording = subject.recorded(seed)
        return subject.trial(replace(recording, effort=np.roll(recording.effort, cycles, axis=0)))

    return fault


def coarse_position(subject: Subject, seed: int) -> Trial:
    """Report positions in steps of 2e-3 rad or, for a prismatic joint, 0.2 mm."""
    recording = subject.recorded(seed)
    slides = np.array(subject.robot.mechanism().prismatic)
    step = np.where(slides, 2e-4, 2e-3)
    return subject.trial(replace(recording, position=np.round(recording.position / step) * step))


def coarse_effort(subject: Subject, seed: int) -> Trial:
    """Report efforts in steps of a twentieth of their peak."""
    recording = subject.recorded(seed)
    step = 0.05 * np.abs(recording.effort).max(axis=0)
    return subject.trial(replace(recording, effort=np.round(recording.effort / step) * step))


def held(subject: Subject, seed: int) -> Trial:
    """Update position and effort in every eighth cycle only."""
    recording = subject.recorded(seed)
    last = np.arange(len(recording.time)) // 8 * 8
    position, effort = recording.position[last], recording.effort[last]
    return subject.trial(replace(recording, position=position, effort=effort))


def crosstalk(subject: Subject, seed: int) -> Trial:
    """Add a part of another drive's torque to that reported by one drive."""
    recording, (first, second) = subject.recorded(seed), subject.pair
    effort = recording.effort.copy()
    ratio = effort[:, second].std() / effort[:, first].std()
    effort[:, second] += 0.5 * ratio * effort[:, first]
    return subject.trial(replace(recording, effort=effort))


def saturating_sensor(subject: Subject, seed: int) -> Trial:
    """Measure the more of a torque of one drive too small the larger it is, by half at its peak."""
    recording, joint = subject.recorded(seed), subject.pair[1]
    effort = recording.effort.copy()
    share = np.abs(effort[:, joint]) / np.abs(effort[:, joint]).max()
    effort[:, joint] *= 1 - 0.5 * share
    return subject.trial(replace(recording, effort=effort))


def few_samples(subject: Subject, seed: int) -> Trial:
    """Identify with few, noisy samples of a short motion."""
    whole = subject.recorded(seed)
    thin = decimated(whole.cut(None, until_cycles(whole, 1.5, 1)), 80)
    noise = np.random.default_rng(seed).standard_normal(thin.effort.shape)
    recording = replace(thin, effort=thin.effort + 0.3 * thin.effort.std(axis=0) * noise)
    model = changed(subject.robot, IdentificationSettings, cutoff_hz=5.0, parallel_filter=None)
    return subject.trial(recording, model)


_SPIKY = 0.003  # of the samples


def briefly_clipped(everywhere: bool) -> Fault:
    """Clip measured effort where its size is largest, in 0.3 % of the samples."""

    def fault(subject: Subject, seed: int) -> Trial:
        recording = subject.recorded(seed)
        peak = np.quantile(np.abs(recording.effort), 1 - _SPIKY, axis=0)
        if not everywhere:
            peak = np.where(np.arange(subject.joints) == any_joint(subject, seed), peak, np.inf)
        return subject.trial(replace(recording, effort=np.clip(recording.effort, -peak, peak)))

    return fault


def spiky(*, everywhere: bool, clipped_at: float | None = None) -> Fault:
    """Replace effort in 0.3 % of the samples, at one joint or at the same instants at all.

    Args:
        everywhere: at all joints.
        clipped_at: value over the peak, of either sign; None: two to five standard deviations are
            added.
    """

    def fault(subject: Subject, seed: int) -> Trial:
        recording, random = subject.recorded(seed), np.random.default_rng(seed)
        effort = recording.effort.copy()
        at = random.choice(len(effort), round(_SPIKY * len(effort)), replace=False)
        joints = range(subject.joints) if everywhere else [any_joint(subject, seed)]
        for joint in joints:
            side = random.choice([-1.0, 1.0], len(at))
            if clipped_at is None:
                effort[at, joint] += side * random.uniform(2, 5, len(at)) * effort[:, joint].std()
            else:
                effort[at, joint] = side * clipped_at * np.abs(recording.effort[:, joint]).max()
        return subject.trial(replace(recording, effort=effort))

    return fault
