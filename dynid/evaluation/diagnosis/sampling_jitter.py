"""Samples that were taken at other times than their stamps say, by chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.acceleration_noise import (
    acceleration_gain,
    matters,
    share_of_torque,
)
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.recording.model import Recording
from dynid.recording.velocity_agreement import moving_joints, near_missing
from dynid.text import percent

_SHARE_TOGETHER = 0.75  # of the samples, at which joints deviate as by one time: half are by chance
_SURE_DEVIATIONS = 6.0  # standard deviations of that share
# of eleven samples: the fourth difference, of which smooth motion has nearly none, and the speed
_FOURTH_DIFFERENCE = np.pad([1.0, -4.0, 6.0, -4.0, 1.0], 3)
_SPEED_WEIGHTS = np.array([-0.1, *[0.0] * 9, 0.1])
_FEWEST_SAMPLES = 200


def sampling_jitter(case: Case) -> Iterator[Finding]:
    """Look for noise of positions that is the same time at all joints, and rate its effect.

    Noise of encoders is independent, and does not depend on the speed.
    """
    jitter, recording = max(
        ((_jitter(recording), recording) for recording in case.recordings), key=lambda pair: pair[0]
    )
    if jitter == 0:
        return
    effect = share_of_torque(case, jitter * acceleration_gain(case) * case.decimated.velocity)
    harmful = matters(case, effect)
    worst, rate = int(np.argmax(effect + harmful)), recording.sampling_rate
    yield Finding(
        cause="sampling_jitter",
        joints=(),
        severity="warning" if harmful.any() else "note",
        sentence=(
            "samples were taken earlier and later than their stamps: positions of all moving "
            f"joints deviate together, as by times with a standard deviation of "
            f"{1e3 * jitter:.2g} ms ({percent(jitter * rate)} of a step). The torque of filtered "
            f"accelerations has errors of {percent(effect[worst])} of all torque of "
            f"{case.joints[worst]}."
        ),
        advice=(
            "Record the time at which the drives measured, in place of a counted time or that of "
            "the arrival; with these recordings, a lower identification.cutoff_hz or slower "
            "motion leaves less of it."
        ),
        evidence={"standard deviation [s]": jitter, "share of torque": float(effect[worst])},
        plot=Plot(
            x_label=f"speed of {case.joints[worst]}",
            y_label="fourth difference of its position",
            traces=(
                Trace(
                    np.abs(_speeds(recording)[:, worst]),
                    np.abs(_fourth_differences(recording)[:, worst]),
                    "measured",
                    "dots",
                ),
            ),
        ),
    )


def _jitter(recording: Recording) -> float:
    """Return the standard deviation [s] of the times of samples; 0 if it is not seen.

    Fourth differences of positions q + dq δ contain those of the times δ times the speed. Products
    of two joints' are then positive with those of their speeds, in nearly all samples.
    """
    moving = moving_joints(recording)
    if len(moving) < 2 or len(recording.time) < _FEWEST_SAMPLES:
        return 0.0
    deviation = _fourth_differences(recording)[:, moving]
    speed = _speeds(recording)[:, moving]
    noise = np.median(np.abs(deviation), axis=0) ** 2
    deviation, speed, noise = deviation[:, noise > 0], speed[:, noise > 0], noise[noise > 0]
    product, size = deviation * speed / noise, speed**2 / noise
    pairs = np.sum(product, axis=1) ** 2 - np.sum(product**2, axis=1)
    weight = np.sum(size, axis=1) ** 2 - np.sum(size**2, axis=1)
    told = (weight >= np.median(weight)) & (pairs != 0)
    chosen = pairs[told][:: np.count_nonzero(_FOURTH_DIFFERENCE)]  # neighbours share samples
    together = float(np.mean(chosen > 0)) if len(chosen) else 0.0
    if together < _SHARE_TOGETHER or (2 * together - 1) * np.sqrt(len(chosen)) < _SURE_DEVIATIONS:
        return 0.0
    variance = pairs[told].sum() / weight[told].sum() / np.sum(_FOURTH_DIFFERENCE**2)
    return float(np.sqrt(max(variance, 0.0)))


def _fourth_differences(recording: Recording) -> Array:
    """Return the fourth differences (N - 10, n) of positions, times known to be missing as 0."""
    differences = _filtered(recording.position, _FOURTH_DIFFERENCE)
    differences[near_missing(recording, len(differences), len(_FOURTH_DIFFERENCE))] = 0.0
    return differences


def _speeds(recording: Recording) -> Array:
    """Return velocities (N - 10, n) from positions."""
    return _filtered(recording.position, _SPEED_WEIGHTS) * recording.sampling_rate


def _filtered(values: Array, weights: Array) -> Array:
    """Return weighted sums of consecutive values (N, n); (N - 10, n)."""
    windows = np.lib.stride_tricks.sliding_window_view(values, len(weights), axis=0)
    return np.asarray(windows @ weights)
