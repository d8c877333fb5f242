"""Whether torque stays at an extreme while the model goes on, or reaches the drive's limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.noise import white_noise
from dynid.evaluation.diagnosis.steps import step_of
from dynid.text import torque_unit

_SHARE = 0.015  # of the samples: fewer at an extreme are a peak
_TOP = 0.995  # quantile that stands for the largest value
_FEWEST = 20  # samples: so many are no chance
_LEVEL = 0.003  # of the range: what still is the same level where there is no noise
_WIDEST = 0.05  # of the range: in more noise or coarser steps no plateau can be told
_PILED_UP = 3.3  # times as many samples at the extreme as beside it; a sine has 1.4 times as many
_VARIES = 0.1  # of the acceleration's deviation: less is what a trapezoidal speed asks for
_AT_LIMIT = 0.98  # of the largest torque allowed


@dataclass(frozen=True)
class _Plateau:
    """A level [N m or N] of torque that is not exceeded, and where (N,) it is held."""

    level: float
    held: NDArray[np.bool_]


def saturation(case: Case) -> Iterator[Finding]:
    """Look for plateaus of each joint's torque at its largest and smallest value."""
    step = max(1, case.step // 2)
    acceleration = np.concatenate([s.acceleration[::step] for s in case.signals])
    moving = np.concatenate([s.moving[::step] for s in case.signals])
    torque = np.concatenate([s.raw_torque[::step] for s in case.signals])
    model = None
    if case.comparisons:
        model = np.concatenate([c.raw_model[::step] for c in case.comparisons])
    noise = white_noise(case)
    for j in np.flatnonzero(case.thinned.moves):
        unit = torque_unit(case.mechanism.prismatic[j])
        limit = case.robot.limits.range_of("torque_max", int(j))
        if limit is not None:
            at_limit = float(np.mean(np.abs(torque[:, j]) > _AT_LIMIT * limit[1]))
            if at_limit > _SHARE:
                yield _at_limit(case.joints[j], unit, limit[1], at_limit, torque[:, j])
                continue
        # a sensor at its end shows no noise, a drive at its limit does
        clipped = max(2.5 * step_of(torque[:, j]), _LEVEL * np.ptp(torque[:, j]))
        plateaus = [
            (side, _plateau(side * torque[:, j], width))
            for side in (1, -1)
            for width in (clipped, max(clipped, 3 * noise[j]))
        ]
        found = [
            (side, plateau)
            for side, plateau in plateaus
            if plateau is not None and _varies(acceleration[:, j], plateau.held & moving[:, j])
        ]
        if found:
            side, plateau = max(found, key=lambda pair: pair[1].held.sum())
            modelled = None if model is None else model[:, j]
            yield _saturated(case.joints[j], unit, side, plateau, torque[:, j], modelled)


def _plateau(torque: Array, width: float) -> _Plateau | None:
    """Where torque (N,) stays at its largest value, give or take ``width``."""
    if width > _WIDEST * float(np.ptp(torque)):
        return None
    level = float(np.quantile(torque, _TOP))
    held = np.abs(torque - level) < width
    beside = np.abs(torque - level + 2 * width) < width
    fewest = max(_FEWEST, _SHARE * len(held), _PILED_UP * float(beside.sum()))
    if held.sum() < fewest:
        return None
    return _Plateau(level, held)


def _varies(acceleration: Array, held: NDArray[np.bool_]) -> bool:
    """Whether a plateau is none that the motion asks for: at rest, or at constant acceleration."""
    if held.mean() < _SHARE:
        return False
    return float(acceleration[held].std()) > _VARIES * float(acceleration.std())


def _saturated(
    name: str, unit: str, side: int, plateau: _Plateau, torque: Array, model: Array | None
) -> Finding:
    level, share = side * plateau.level, float(plateau.held.mean())
    evidence = {f"plateau [{unit}]": level, "share of samples": share}
    goes_on = ""
    if model is not None:
        beyond = float(np.quantile(side * model[plateau.held], 0.9)) - plateau.level
        evidence[f"model beyond it [{unit}]"] = beyond
        if beyond > 0.05 * abs(plateau.level):
            goes_on = f", while the model goes on by {beyond:.3g} {unit}"
    return Finding(
        cause="saturation",
        joint=name,
        severity="problem",
        sentence=(
            f"{name}: torque stays at {level:.3g} {unit} for {share:.1%} of the samples{goes_on}: "
            "the drive or its torque measurement is saturated."
        ),
        remedy="Slow the excitation down until torque stays below that, or widen its range.",
        evidence=evidence,
        plot=_plot(f"{name} [{unit}]", torque, model),
    )


def _at_limit(name: str, unit: str, limit: float, share: float, torque: Array) -> Finding:
    return Finding(
        cause="saturation",
        joint=name,
        severity="warning",
        sentence=(
            f"{name}: torque is at or above the profile's torque_max of {limit:.3g} {unit} for "
            f"{share:.1%} of the samples."
        ),
        remedy="Slow the excitation down, or correct limits.torque_max if the drive bears more.",
        evidence={f"torque_max [{unit}]": limit, "share of samples": share},
        plot=_plot(f"{name} [{unit}]", torque),
    )


def _plot(label: str, torque: Array, model: Array | None = None) -> Plot:
    samples = np.arange(len(torque), dtype=np.float64)
    traces = [Trace(samples, torque, "measured")]
    if model is not None:
        traces.append(Trace(samples, model, "model"))
    return Plot("sample", label, tuple(traces))
