"""Motions that hide what an identification looks for, brought into simulated recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from faulty_motions import Array, motion, of_motion, region, sine_motion, until_cycles
from faulty_robots import Fault, Robot, Trial, any_joint, thinned

from dynid.excitation.fourier import FourierExcitation


def clean_sine(robot: Robot, seed: int) -> Trial:
    """Return the robot on sines whose frequencies have nothing in common."""
    excitation = sine_motion(robot.profile, _ratios(robot, seed))
    return robot.trial(robot.recorded(seed, excitation=excitation))


def slow(pace: float) -> Fault:
    """Slow the whole motion down; a quarter of its samples are plenty then."""

    def fault(robot: Robot, seed: int) -> Trial:
        slowed = of_motion(motion(robot.profile, seed), pace=pace)
        return robot.trial(thinned(robot.recorded(seed, excitation=slowed), 4))

    return fault


def short(joints: int) -> Fault:
    """End the recording when the slowest joints, that many, have made a cycle and a half."""

    def fault(robot: Robot, seed: int) -> Trial:
        whole = robot.recorded(seed)
        return robot.trial(whole.cut(None, until_cycles(whole, 1.5, joints)))

    return fault


def small_everywhere(robot: Robot, seed: int) -> Trial:
    """Move all joints in a tenth of the region, but faster to and fro."""
    excitation = motion(robot.profile, seed)
    small = of_motion(excitation, pace=3.0, size=_to_a_tenth(robot, excitation))
    return robot.trial(robot.recorded(seed, excitation=small))


def small_at_one(robot: Robot, seed: int) -> Trial:
    """Move one joint in a tenth of its region."""
    excitation = motion(robot.profile, seed)
    here = np.arange(robot.joints) == any_joint(robot, seed)
    small = of_motion(excitation, size=np.where(here, _to_a_tenth(robot, excitation), 1.0))
    return robot.trial(robot.recorded(seed, excitation=small))


def in_step(robot: Robot, seed: int) -> Trial:
    """Give two joints the same Fourier series, but for its size."""
    excitation = motion(robot.profile, seed)
    first, second = np.random.default_rng(seed).choice(robot.joints, 2, replace=False)
    sine, cosine = excitation.sine.copy(), excitation.cosine.copy()
    size = np.linalg.norm([sine[second], cosine[second]]) / np.linalg.norm(
        [sine[first], cosine[first]]
    )
    # no larger than it was in velocity, and in position: the first's harmonics may be lower
    sine[second], cosine[second] = 0.7 * size * sine[first], 0.7 * size * cosine[first]
    together = replace(excitation, sine=sine, cosine=cosine)
    return robot.trial(robot.recorded(seed, excitation=together))


def same_sine(robot: Robot, seed: int) -> Trial:
    """Give two joints sines of the same frequency."""
    ratios = _ratios(robot, seed)
    twin = np.random.default_rng(seed).integers(1, robot.joints)
    ratios[twin] = ratios[twin - 1]
    return robot.trial(robot.recorded(seed, excitation=sine_motion(robot.profile, ratios)))


def repeating(robot: Robot, seed: int) -> Trial:
    """Use sines that all begin again after two cycles of the slowest joint."""
    ratios = [1.0, 1.5, 2.0, 2.5, 3.0, 3.5][: robot.joints]
    return robot.trial(robot.recorded(seed, excitation=sine_motion(robot.profile, ratios)))


def nearly_at_rest(robot: Robot, seed: int) -> Trial:
    """Have one joint hardly move."""
    size = np.where(np.arange(robot.joints) == any_joint(robot, seed), 0.01, 1.0)
    excitation = of_motion(motion(robot.profile, seed), size=size)
    return robot.trial(robot.recorded(seed, excitation=excitation))


def _ratios(robot: Robot, seed: int) -> list[float]:
    """Return ratios of frequencies that have no small whole numbers between them."""
    off = np.random.default_rng(seed).uniform(-0.03, 0.03, robot.joints)
    return (np.array([1.1, 1.3, 1.5, 1.7, 1.9, 2.3])[: robot.joints] + off).tolist()


def _to_a_tenth(robot: Robot, excitation: FourierExcitation) -> Array:
    """Return what makes a motion span a tenth of the joints' region, (n,)."""
    along = excitation.evaluate(np.linspace(0, excitation.duration, 2000))
    return np.asarray(0.1 * region(robot.profile) / np.ptp(along.position, axis=0))
