"""Spikes: single samples of torque far from those before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.signals.torque_spikes import from_median, has_jump, is_far, isolated
from dynid.text import joint_units, listed, percent, torque_unit

_LONGEST_SPIKE = 3  # samples of a spike: what lasts longer is filtered motion or a plateau
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
    sizes, flags, fitted, squared_error = [], [], [], 0.0
    torque = np.concatenate([s.raw_torque[:, joint] for s in case.signals])
    scale = float(torque.std())
    if not any(has_jump(s.raw_torque[:, joint], scale) for s in case.signals):
        return None
    for number, signals in enumerate(case.signals):
        recorded = signals.raw_torque[:, joint]
        fitted.append(np.full(len(recorded), True) if signals.missing is None else ~signals.missing)
        far = from_median(recorded, _LONGEST_SPIKE)
        at = is_far(far, scale, _LONGEST_SPIKE)
        if case.comparisons:
            error = recorded - case.comparisons[number].raw_model[:, joint]
            squared_error += float(np.sum(error[fitted[-1]] ** 2))
            if at.any():  # a sudden torque that the model has too is due to the motion
                at &= is_far(from_median(error, _LONGEST_SPIKE), scale, _LONGEST_SPIKE)
        sizes.append(far)
        flags.append(isolated(at, recorded, np.abs(far), _LONGEST_SPIKE))
    at, size = np.concatenate(flags), np.concatenate(sizes)
    effect = float(np.sqrt(np.mean(np.where(at, size, 0.0) ** 2)))
    if not at.any() or effect < _SMALLEST_EFFECT * scale:
        return None
    of_fit = float(np.sum(size[at & np.concatenate(fitted)] ** 2))
    return _Spikes(at, size, effect / scale, 0 < of_fit >= _SMALLEST_SHARE * squared_error)


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
    matters = any(of.matters for of in joint_spikes.values())
    units = joint_units(case.mechanism.prismatic, list(joint_spikes), "N m", "N")
    where = "the same instants" if common else "single instants"
    return Finding(
        cause="spikes",
        joints=tuple(names),
        severity="warning" if matters else "note",
        sentence=(
            f"{listed(names)}: torque has spikes of up to {largest} {units} at {where}, in {count} "
            f"samples ({percent(share)}), far from the samples before and after; their rms is up "
            f"to {percent(joint_spikes[worst].effect)} of the torque's."
        ),
        advice=(
            "Look for lost or damaged messages of the bus"
            + (", which affect all drives at once," if common else "")
            + " and for the range of the measurement; "
            + (
                "until then remove them (identification.median) or give them little weight "
                "(identification.estimator: irls)."
                if matters
                else "the fit is hardly affected, or was made without them."
            )
        ),
        evidence={
            "samples": float(count),
            "share of samples": share,
            **{
                f"rms over torque of {case.joints[j]}": detected.effect
                for j, detected in joint_spikes.items()
            },
        },
        statement="spikes" if len(names) == 1 else "",
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
