"""Motions with little information for an identification, in simulated recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from faulty_motions import motion, of_motion, region, sine_motion, until_cycles
from faulty_robots import Fault, Subject, Trial, any_joint, decimated

from dynid.arrays import Array
from dynid.excitation.fourier import FourierExcitation


def clean_sine(subject: Subject, seed: int) -> Trial:
    """Return the robot on sines whose frequencies have nothing in common."""
    excitation = sine_motion(subject.robot, _ratios(subject, seed))
    return subject.trial(subject.recorded(seed, excitation=excitation))


def slow(pace: float) -> Fault:
    """Slow the whole motion down, and keep a quarter of the samples."""

    def fault(subject: Subject, seed: int) -> Trial:
        slowed = of_motion(motion(subject.robot, seed), pace=pace)
        return subject.trial(decimated(subject.recorded(seed, excitation=slowed), 4))

    return fault


def short(joints: int) -> Fault:
    """End the recording when the slowest joints, that many, have made one cycle."""

    def fault(subject: Subject, seed: int) -> Trial:
        whole = subject.recorded(seed)
        return subject.trial(whole.cut(None, until_cycles(whole, 1.0, joints)))

    return fault


def one_stroke(subject: Subject, seed: int) -> Trial:
    """Record only while one joint moves in one direction."""
    excitation = motion(subject.robot, seed)
    time = np.linspace(0, excitation.duration, 2000)
    spans = [span for one in excitation.evaluate(time).velocity.T for span in _of_one_sign(one)]
    first, last = max(spans, key=lambda span: span[1] - span[0])
    brake = (time[last] - time[first]) / 10  # where it is slow, noise has both signs
    whole = subject.recorded(seed, excitation=excitation)
    return subject.trial(whole.cut(time[first] + brake, time[last] - brake))


def _of_one_sign(values: Array) -> list[tuple[int, int]]:
    """Return the first and the last number of each part with values of one sign."""
    borders = np.flatnonzero(np.diff(np.sign(values))) + 1
    return list(zip([0, *borders], [*borders - 1, len(values) - 1], strict=True))


def small_everywhere(subject: Subject, seed: int) -> Trial:
    """Move all joints in a tenth of the region, but faster to and fro."""
    excitation = motion(subject.robot, seed)
    small = of_motion(excitation, pace=3.0, size=_to_a_tenth(subject, excitation))
    return subject.trial(subject.recorded(seed, excitation=small))


def small_at_one(subject: Subject, seed: int) -> Trial:
    """Move one joint in a tenth of its region."""
    excitation = motion(subject.robot, seed)
    here = np.arange(subject.joints) == any_joint(subject, seed)
    small = of_motion(excitation, size=np.where(here, _to_a_tenth(subject, excitation), 1.0))
    return subject.trial(subject.recorded(seed, excitation=small))


def in_step(subject: Subject, seed: int) -> Trial:
    """Give two joints the same Fourier series, except for its size."""
    excitation = motion(subject.robot, seed)
    first, second = np.random.default_rng(seed).choice(subject.joints, 2, replace=False)
    sine, cosine = excitation.sine.copy(), excitation.cosine.copy()
    size = np.linalg.norm([sine[second], cosine[second]]) / np.linalg.norm(
        [sine[first], cosine[first]]
    )
    # no larger than it was in velocity, and in position: the first's harmonics may be lower
    sine[second], cosine[second] = 0.7 * size * sine[first], 0.7 * size * cosine[first]
    together = replace(excitation, sine=sine, cosine=cosine)
    return subject.trial(subject.recorded(seed, excitation=together))


def same_sine(subject: Subject, seed: int) -> Trial:
    """Give two joints sines of the same frequency."""
    ratios = _ratios(subject, seed)
    copy = np.random.default_rng(seed).integers(1, subject.joints)
    ratios[copy] = ratios[copy - 1]
    return subject.trial(subject.recorded(seed, excitation=sine_motion(subject.robot, ratios)))


def repeating(subject: Subject, seed: int) -> Trial:
    """Use sines that all begin again after two cycles of the slowest joint."""
    ratios = [1.0, 1.5, 2.0, 2.5, 3.0, 3.5][: subject.joints]
    return subject.trial(subject.recorded(seed, excitation=sine_motion(subject.robot, ratios)))


def nearly_at_rest(subject: Subject, seed: int) -> Trial:
    """Let one joint move very little."""
    size = np.where(np.arange(subject.joints) == any_joint(subject, seed), 0.01, 1.0)
    excitation = of_motion(motion(subject.robot, seed), size=size)
    return subject.trial(subject.recorded(seed, excitation=excitation))


def _ratios(subject: Subject, seed: int) -> list[float]:
    """Return ratios of frequencies that have no small whole numbers between them."""
    off = np.random.default_rng(seed).uniform(-0.03, 0.03, subject.joints)
    ratios = np.array([1.1, 1.3, 1.5, 1.7, 1.9, 2.3])[: subject.joints] + off
    return [float(ratio) for ratio in ratios]


def _to_a_tenth(subject: Subject, excitation: FourierExcitation) -> Array:
    """Return what makes a motion span a tenth of the joints' region, (n,)."""
    along = excitation.evaluate(np.linspace(0, excitation.duration, 2000))
    return np.asarray(0.1 * region(subject.robot) / np.ptp(along.position, axis=0))
