"""Spikes: single samples of torque far from those before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from dynid.arrays import Array, runs
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import joint_units, listed, only, percent, torque_unit

_LONGEST_SPIKE = 3  # samples of a spike: what lasts longer is filtered motion or a plateau
# samples of the running median, most of which are no spike
_WINDOW = 2 * (2 * _LONGEST_SPIKE + 1) + 1
_SPIKE_DEVIATIONS = 8.0  # standard deviations of the noise: none in 10^15 normal values
_AROUND = 25  # samples to either side that show the noise there, such as a drive's ripple
_THIRD_QUARTILE = 1.1503  # of the absolute value of a normal distribution
_LARGE_SPIKE = 0.2  # of the joint's torque (rms about its mean): smaller ones do not matter
_JUMP = 0.6  # of a spike's size, from one sample to the next at either side
# of all spikes together over the torque, both rms: less does not affect a fit
_SMALLEST_EFFECT = 0.01
# of the squared error of the model: with less it remains as it is without the spikes
_SMALLEST_SHARE = 0.1
_COMMON = 0.5  # of the spikes, at the same instant as those of another joint
_DRAWN = 400  # samples about the largest spike


@dataclass(frozen=True)
class _Spikes:
    """Spikes of one joint in all recordings.

    Attributes:
        at: (N,) which samples are spikes.
        size: (N,) distance from the running median [N m or N].
        effect: rms of the spikes over all samples, over rms of the torque about its mean.
        matters: whether they are a part of the model's error that counts, if there is a model.
    """

    at: NDArray[np.bool_]
    size: Array
    effect: float
    matters: bool


def spikes(case: Case) -> Iterator[Finding]:
    """Compare each sample of torque with the median of those around it (Hampel).

    With a model, the error has to be as far from its own median.
    """
    joint_spikes = _spikes(case)
    for group in _at_the_same_instants(joint_spikes):
        yield _finding(case, {j: joint_spikes[j] for j in group}, common=len(group) > 1)


def at_spikes(case: Case) -> list[NDArray[np.bool_]]:
    """Return for each of the signals where torque has spikes, (N, n)."""
    ends = np.cumsum([len(signals.time) for signals in case.signals])
    at = np.zeros((int(ends[-1]), len(case.joints)), dtype=bool)
    for j, detected in _spikes(case).items():
        at[:, j] = detected.at
    return np.split(at, ends[:-1])


def _spikes(case: Case) -> dict[int, _Spikes]:
    """Return the spikes of each joint that has any."""

    def search() -> dict[int, _Spikes]:
        found = ((j, _of_joint(case, j)) for j in range(len(case.joints)))
        return {j: detected for j, detected in found if detected is not None}

    return case.derived("spikes", search)


def _of_joint(case: Case, joint: int) -> _Spikes | None:
    sizes, flags, squared_error = [], [], 0.0
    torque = np.concatenate([s.raw_torque[:, joint] for s in case.signals])
    scale = float(torque.std())
    steps = (np.abs(np.diff(s.raw_torque[:, joint])).max(initial=0.0) for s in case.signals)
    if max(steps) <= _JUMP * _LARGE_SPIKE * scale:  # of each side of a spike that counts
        return None
    for number, signals in enumerate(case.signals):
        far = _from_median(signals.raw_torque[:, joint])
        at = _is_far(far, scale)
        if case.comparisons:
            error = signals.raw_torque[:, joint] - case.comparisons[number].raw_model[:, joint]
            squared_error += float(error @ error)
            if at.any():  # a sudden torque that the model has too is due to the motion
                at &= _is_far(_from_median(error), scale)
        sizes.append(far)
        flags.append(_isolated(at, signals.raw_torque[:, joint], np.abs(far)))
    at, size = np.concatenate(flags), np.concatenate(sizes)
    effect = float(np.sqrt(np.mean(np.where(at, size, 0.0) ** 2)))
    if not at.any() or effect < _SMALLEST_EFFECT * scale:
        return None
    matters = float(np.sum(size[at] ** 2)) >= _SMALLEST_SHARE * squared_error
    return _Spikes(at, size, effect / scale, matters)


def _from_median(values: Array) -> Array:
    """Return the distance of values (N,) from their running median, which follows steps."""
    return np.asarray(values - scipy.ndimage.median_filter(values, size=_WINDOW, mode="nearest"))


def _is_far(distance: Array, scale: float) -> NDArray[np.bool_]:
    size = np.abs(distance)
    far = size > _LARGE_SPIKE * scale
    if far.any():
        far &= size > _SPIKE_DEVIATIONS * 1.4826 * float(np.median(size))
    at = np.flatnonzero(far)
    far[at] = size[at] > _SPIKE_DEVIATIONS * _noise_around(size, at)
    return far


def _noise_around(size: Array, at: NDArray[np.intp]) -> Array:
    """Return the standard deviation of the noise at samples, on the side where it is larger.

    It is found from the third quartile, as a ripple may be large in each third sample only.
    """
    windows = sliding_window_view(np.pad(size, _AROUND, mode="symmetric"), 2 * _AROUND + 1)[at]
    sides = windows[:, :_AROUND], windows[:, -_AROUND:]
    return np.maximum(*(np.quantile(side, 0.75, axis=1) for side in sides)) / _THIRD_QUARTILE


def _isolated(at: NDArray[np.bool_], torque: Array, size: Array) -> NDArray[np.bool_]:
    """Return which flags (N,) belong to a spike: a short run, entered and left by a jump.

    A vibration reaches its peak, and leaves it, over several samples.
    """
    jump = np.abs(np.diff(torque, prepend=torque[0], append=torque[-1]))
    kept = np.zeros_like(at)
    for first, past in runs(at):
        sharp = min(jump[first], jump[past]) > _JUMP * size[first:past].max()
        kept[first:past] = sharp and past - first <= _LONGEST_SPIKE
    return kept


def _at_the_same_instants(joint_spikes: dict[int, _Spikes]) -> list[list[int]]:
    """Group the joints, most of whose spikes are simultaneous."""
    groups: list[list[int]] = []
    for j, detected in joint_spikes.items():
        for group in groups:
            shared = float(np.sum(detected.at & joint_spikes[group[0]].at))
            if shared > _COMMON * min(detected.at.sum(), joint_spikes[group[0]].at.sum()):
                group.append(j)
                break
        else:
            groups.append([j])
    return groups


def _finding(case: Case, joint_spikes: dict[int, _Spikes], *, common: bool) -> Finding:
    names = [case.joints[j] for j in joint_spikes]
    together = np.any([detected.at for detected in joint_spikes.values()], axis=0)
    worst = max(joint_spikes, key=lambda j: joint_spikes[j].effect)
    count, share = int(together.sum()), float(together.mean())
    largest = listed(
        f"{np.abs(detected.size[detected.at]).max():.3g}" for detected in joint_spikes.values()
    )
    units = joint_units(case.mechanism.prismatic, list(joint_spikes), "N m", "N")
    where = "the same instants" if common else "single instants"
    return Finding(
        cause="spikes",
        joint=only(names),
        severity="warning" if any(of.matters for of in joint_spikes.values()) else "note",
        sentence=(
            f"{listed(names)}: torque has spikes of up to {largest} {units} at {where}, in {count} "
            f"samples ({percent(share)}), far from the samples before and after; their rms is up "
            f"to {percent(joint_spikes[worst].effect)} of the torque's."
        ),
        remedy=(
            "Look for lost or damaged messages of the bus"
            + (", which affect all drives at once," if common else "")
            + " and for the range of the measurement; until then remove them "
            "(identification.median) or give them little weight (identification.estimator: irls)."
        ),
        evidence={
            "samples": float(count),
            "share of samples": share,
            **{
                f"rms over torque of {case.joints[j]}": detected.effect
                for j, detected in joint_spikes.items()
            },
        },
        plot=_plot(case, worst, joint_spikes[worst]),
    )


def _plot(case: Case, joint: int, detected: _Spikes) -> Plot:
    at = int(np.argmax(np.where(detected.at, np.abs(detected.size), 0.0)))
    ends = np.cumsum([len(s.time) for s in case.signals])
    number = int(np.searchsorted(ends, at, side="right"))
    signals = case.signals[number]
    begin = max(0, at - (int(ends[number]) - len(signals.time)) - _DRAWN // 2)
    span = slice(begin, begin + _DRAWN)
    traces = [Trace(signals.time[span], signals.raw_torque[span, joint], "measured", "dots")]
    if case.comparisons:
        model = case.comparisons[number].raw_model[span, joint]
        traces.append(Trace(signals.time[span], model, "model"))
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Plot("time [s]", f"{case.joints[joint]} [{unit}]", tuple(traces))
