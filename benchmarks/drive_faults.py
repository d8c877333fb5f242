"""Drives that saturate and feedback that tells something else, in simulated recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from faulty_motions import until_cycles
from faulty_robots import Fault, Robot, Trial, any_joint, changed, thinned


def noisier(robot: Robot, seed: int) -> Trial:
    """Return torque sensors with three times the noise."""
    noise = tuple(3 * s for s in robot.profile.simulation.torque_noise)
    plant = changed(robot.profile, "simulation", torque_noise=noise)
    return robot.trial(robot.recorded(seed, plant))


def clipped(everywhere: bool) -> Fault:
    """Clip measured effort at 60 % of its peak: a current sensor at its end."""

    def fault(robot: Robot, seed: int) -> Trial:
        recording = robot.recorded(seed)
        peak = 0.6 * np.abs(recording.effort).max(axis=0)
        if not everywhere:
            peak = np.where(np.arange(robot.joints) == any_joint(robot, seed), peak, np.inf)
        return robot.trial(replace(recording, effort=np.clip(recording.effort, -peak, peak)))

    return fault


def weak_drive(robot: Robot, seed: int) -> Trial:
    """Leave one drive 75 % of the torque that the motion needs, as its data sheet says."""
    peak = np.abs(robot.recorded(seed).effort).max(axis=0)
    limit = np.where(np.arange(robot.joints) == robot.heavy, 0.75 * peak, 3.0 * peak)
    given = {"torque_max": tuple(limit.tolist())}
    plant = changed(robot.profile, "limits", **given)
    plant = changed(plant, "simulation", following_error=(100.0,))
    return robot.trial(robot.recorded(seed, plant), changed(robot.profile, "limits", **given))


def scaled(factor: float, *, everywhere: bool = True) -> Fault:
    """Tell effort in another unit, or by a wrong torque factor of one drive."""

    def fault(robot: Robot, seed: int) -> Trial:
        recording = robot.recorded(seed)
        factors = np.full(robot.joints, factor)
        if not everywhere:
            factors = np.where(np.arange(robot.joints) == robot.heavy, factor, 1.0)
        return robot.trial(replace(recording, effort=recording.effort * factors))

    return fault


def flipped_torque(robot: Robot, seed: int) -> Trial:
    """Turn the sign of one joint's torque."""
    recording = robot.recorded(seed)
    sign = np.where(np.arange(robot.joints) == any_joint(robot, seed), -1.0, 1.0)
    return robot.trial(replace(recording, effort=recording.effort * sign))


def flipped_position(robot: Robot, seed: int) -> Trial:
    """Turn the sign of one joint's position and velocity."""
    recording = robot.recorded(seed)
    sign = np.where(np.arange(robot.joints) == any_joint(robot, seed), -1.0, 1.0)
    position, velocity = recording.position * sign, recording.velocity * sign
    return robot.trial(replace(recording, position=position, velocity=velocity))


def noisy(robot: Robot, seed: int) -> Trial:
    """Add white noise to one joint's torque, as large as that torque."""
    recording, joint = robot.recorded(seed), any_joint(robot, seed)
    effort = recording.effort.copy()
    noise = np.random.default_rng(seed).standard_normal(len(effort))
    effort[:, joint] += effort[:, joint].std() * noise
    return robot.trial(replace(recording, effort=effort))


def shifted(cycles: int) -> Fault:
    """Tell effort that many milliseconds late, or early if negative."""

    def fault(robot: Robot, seed: int) -> Trial:
        recording = robot.recorded(seed)
        return robot.trial(replace(recording, effort=np.roll(recording.effort, cycles, axis=0)))

    return fault


def coarse_position(robot: Robot, seed: int) -> Trial:
    """Tell positions in steps of 2e-3 rad or, of a sliding joint, 0.2 mm."""
    recording = robot.recorded(seed)
    slides = np.array(robot.profile.mechanism(robot.urdf_xml).prismatic)
    step = np.where(slides, 2e-4, 2e-3)
    return robot.trial(replace(recording, position=np.round(recording.position / step) * step))


def coarse_effort(robot: Robot, seed: int) -> Trial:
    """Tell efforts in steps of a twentieth of their peak."""
    recording = robot.recorded(seed)
    step = 0.05 * np.abs(recording.effort).max(axis=0)
    return robot.trial(replace(recording, effort=np.round(recording.effort / step) * step))


def held(robot: Robot, seed: int) -> Trial:
    """Tell position and effort anew in every eighth cycle only."""
    recording = robot.recorded(seed)
    last = np.arange(len(recording.time)) // 8 * 8
    position, effort = recording.position[last], recording.effort[last]
    return robot.trial(replace(recording, position=position, effort=effort))


def crosstalk(robot: Robot, seed: int) -> Trial:
    """Let one drive tell a part of another's torque in its own."""
    recording, (first, second) = robot.recorded(seed), robot.pair
    effort = recording.effort.copy()
    ratio = effort[:, second].std() / effort[:, first].std()
    effort[:, second] += 0.5 * ratio * effort[:, first]
    return robot.trial(replace(recording, effort=effort))


def few_samples(robot: Robot, seed: int) -> Trial:
    """Identify by few, noisy samples of a motion that is over before it has shown much."""
    whole = robot.recorded(seed)
    thin = thinned(whole.cut(None, until_cycles(whole, 1.5, 1)), 80)
    noise = np.random.default_rng(seed).standard_normal(thin.effort.shape)
    recording = replace(thin, effort=thin.effort + 0.3 * thin.effort.std(axis=0) * noise)
    model = changed(robot.profile, "identification", cutoff_hz=5.0, parallel_filter=None)
    return robot.trial(recording, model)
