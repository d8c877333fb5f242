"""Saturation: torque that stays at an extreme value, or reaches the drive's limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, runs
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.noise import torque_noise
from dynid.evaluation.diagnosis.steps import step_of
from dynid.recording.model import Recording
from dynid.text import listed, percent, torque_unit

_SHARE = 0.015  # of the samples: fewer at an extreme are a peak
_TOP = 0.995  # quantile used as the largest value
_FEWEST_SAMPLES_OF_A_PLATEAU = 20  # samples of a plateau
_LEVEL = 0.003  # of the range: width of a plateau without noise
# of the range: with more noise or coarser steps a plateau cannot be detected
_WIDEST_PLATEAU = 0.05
_AT_LIMIT = 0.98  # of the largest torque allowed
_RUN = 3  # consecutive samples of equal value: noise makes even two unlikely
_FEWEST_SAMPLES_AT_AN_EXTREME = 5  # samples at an extreme
_PILED_UP = 3.3  # ratio of samples at the extreme to those beside it; 1.4 for a sine
_SLOW_SHARE = 0.05  # of the peak speed: at rest effort may be constant
_LEAST_CHANGING_SHARE = 0.5  # of the values between the extremes differ from the one before
_VARIES = 0.1  # of the acceleration's standard deviation: less is a trapezoidal velocity profile


@dataclass(frozen=True)
class _Plateau:
    """A torque [N m or N] that is not exceeded on one side (1 or -1).

    Samples (N,) nearer to it than ``width`` are ``held``; if most of them are equal, it is exact.
    """

    side: int
    level: float
    width: float
    held: NDArray[np.bool_]
    exact: bool


def saturation(
    case: Case, is_beyond: Callable[[Case, int, int, float], bool] = lambda *_: True
) -> Iterator[Finding]:
    """Look for plateaus of each joint's torque at its largest and smallest value.

    Args:
        case: the recordings.
        is_beyond: whether torque is beyond a plateau, of a joint, side and level, as refits without
            the plateau have it. A play in the measurement makes plateaus too, and so does the
            torque of a wrong model seem to be beyond one.
    """
    step = _step(case)
    torque, time = np.concatenate([s.raw_torque[::step] for s in case.signals]), case.elapsed(step)
    model, plateaus, found_at = _model(case, step), _plateaus(case), []
    for j in np.flatnonzero(case.decimated.moves).tolist():
        unit = torque_unit(case.mechanism.prismatic[j])
        limit = case.robot.limits.range_of("torque_max", j)
        at_limit = 0.0 if limit is None else np.mean(np.abs(torque[:, j]) > _AT_LIMIT * limit[1])
        measured = (time, torque[:, j])
        if limit is not None and at_limit > _SHARE:
            yield _at_limit(case.joints[j], unit, limit[1], float(at_limit), measured)
        elif j in plateaus:
            sure = [one for one in plateaus[j] if is_beyond(case, j, one.side, one.level)]
            if not sure:
                continue
            modelled = None if model is None else model[:, j]
            longest = max(sure, key=lambda plateau: plateau.held.sum())
            yield _saturated(case.joints[j], unit, longest, measured, modelled)
        else:
            continue
        found_at.append(j)
    yield from brief_saturation(case, found_at)


def at_plateaus(case: Case) -> list[NDArray[np.bool_]]:
    """Return for each of the signals where torque is at a plateau, (N, n)."""
    saturated = [np.zeros(signals.raw_torque.shape, dtype=bool) for signals in case.signals]
    for j, plateaus in _plateaus(case).items():
        for at, signals in zip(saturated, case.signals, strict=True):
            for plateau in plateaus:
                off = plateau.side * signals.raw_torque[:, j] - plateau.level
                at[:, j] |= np.abs(off) < plateau.width
    return saturated


def _step(case: Case) -> int:
    return max(1, case.step // 2)


def _model(case: Case, step: int) -> Array | None:
    if not case.comparisons:
        return None
    return np.concatenate([c.raw_model[::step] for c in case.comparisons])


def _plateaus(case: Case) -> dict[int, list[_Plateau]]:
    """Return the plateaus of each joint that has any."""

    def search() -> dict[int, list[_Plateau]]:
        step, noise = _step(case), torque_noise(case)
        acceleration = np.concatenate([s.acceleration[::step] for s in case.signals])
        moving = np.concatenate([s.moving[::step] for s in case.signals])
        torque = np.concatenate([s.raw_torque[::step] for s in case.signals])
        model, found = _model(case, step), {}
        for j in np.flatnonzero(case.decimated.moves).tolist():
            # a saturated sensor has no noise, a saturated drive has
            clipped = max(2.5 * step_of(torque[:, j]), _LEVEL * np.ptp(torque[:, j]))
            widths = (clipped, max(clipped, 3 * noise[j]))
            plateaus = [
                plateau
                for side in (1, -1)
                for plateau in _of_side(side, torque[:, j], widths)
                if _varies(acceleration[:, j], plateau.held & moving[:, j])
                and (plateau.exact or model is None or _is_exceeded(plateau, model[:, j]))
            ]
            if plateaus:
                found[j] = plateaus
        return found

    return case.derived("plateaus", search)


def _of_side(side: int, torque: Array, widths: Iterable[float]) -> Iterator[_Plateau]:
    """Find where torque (N,) stays within each width of its largest value on a side."""
    torque = side * torque
    level, span = float(np.quantile(torque, _TOP)), float(np.ptp(torque))
    for width in sorted(set(widths)):
        if width > _WIDEST_PLATEAU * span or level <= width:  # at 0 there is no limit to reach
            continue
        held = np.abs(torque - level) < width
        beside = np.abs(torque - level + 2 * width) < width
        if held.sum() >= max(
            _FEWEST_SAMPLES_OF_A_PLATEAU, _SHARE * len(held), _PILED_UP * float(beside.sum())
        ):
            exact = 2 * np.sum(torque == torque.max()) > held.sum()
            yield _Plateau(side, level, width, held, bool(exact))


def _varies(acceleration: Array, held: NDArray[np.bool_]) -> bool:
    """Whether acceleration varies during a plateau; if not, the motion explains the plateau."""
    if held.mean() < _SHARE:
        return False
    return float(acceleration[held].std()) > _VARIES * float(acceleration.std())


def _is_exceeded(plateau: _Plateau, model: Array) -> bool:
    """Whether a model asks for more than the plateau in most of its samples.

    If not, torque is as flat as the motion and its friction make it.
    """
    return float(np.median(plateau.side * model[plateau.held])) > plateau.level


def _saturated(
    name: str,
    unit: str,
    plateau: _Plateau,
    measured: tuple[Array, Array],
    model: Array | None,
) -> Finding:
    side, share = plateau.side, float(plateau.held.mean())
    level = side * plateau.level
    evidence = {f"plateau [{unit}]": level, "share of samples": share}
    model_excess = ""
    if model is not None:
        beyond = float(np.quantile(side * model[plateau.held], 0.9)) - plateau.level
        evidence[f"model beyond it [{unit}]"] = beyond
        if beyond > 0.05 * abs(plateau.level):
            model_excess = f", while the model exceeds it by {beyond:.3g} {unit}"
    return Finding(
        cause="saturation",
        joints=(name,),
        severity="problem",
        sentence=(
            f"{name}: torque stays at {level:.3g} {unit} for {percent(share)} of the samples"
            f"{model_excess}: the drive or its torque measurement is saturated."
        ),
        advice=(
            "Reduce the speed of the excitation until torque stays below that value, or extend the "
            "range of the measurement."
        ),
        evidence=evidence,
        statement="plateau below the model" if model_excess else "plateau",
        plot=_plot(f"{name} [{unit}]", *measured, model),
    )


def _at_limit(
    name: str, unit: str, limit: float, share: float, measured: tuple[Array, Array]
) -> Finding:
    return Finding(
        cause="saturation",
        joints=(name,),
        severity="warning",
        sentence=(
            f"{name}: torque is at or above the profile's torque_max of {limit:.3g} {unit} for "
            f"{percent(share)} of the samples."
        ),
        advice=(
            "Reduce the speed of the excitation, or correct limits.torque_max if the drive allows "
            "more."
        ),
        evidence={f"torque_max [{unit}]": limit, "share of samples": share},
        statement="limit",
        plot=_plot(f"{name} [{unit}]", *measured),
    )


def _plot(label: str, time: Array, torque: Array, model: Array | None = None) -> Plot:
    traces = [Trace(time, torque, "measured")]
    if model is not None:
        traces.append(Trace(time, model, "model"))
    return Plot("time [s]", label, tuple(traces))


def brief_saturation(case: Case, known: Sequence[int]) -> Iterator[Finding]:
    """Look for effort, as recorded, that is cut off at an extreme value, however briefly.

    A measured value has noise, so that it hardly ever repeats its extreme value exactly; a value
    that was cut off does. Joints that rest there, or whose effort is held between updates, do not
    count.

    Args:
        case: the recordings.
        known: joints with a longer plateau, which are left out.
    """
    saturated: dict[int, NDArray[np.bool_]] = {}
    longest = case.longest_recording
    for j in range(longest.effort.shape[1]):
        at = _cut_off(longest, j)
        if j not in known and at is not None:
            saturated[j] = at
    if saturated:
        yield _finding(case, longest, saturated)


def _cut_off(recording: Recording, joint: int) -> NDArray[np.bool_] | None:
    """Return where effort is cut off (N,), None if it is not."""
    effort, position = recording.effort[:, joint], recording.position[:, joint]
    speed = np.abs(np.gradient(position))
    if np.mean(np.diff(effort) != 0) < _LEAST_CHANGING_SHARE:
        return None  # held, or steps so coarse that values repeat anyway
    at = np.zeros(len(effort), dtype=bool)
    for extreme in (effort.max(), effort.min()):
        at_extreme = (effort == extreme) & (extreme != 0)  # at 0 there is no limit to reach
        if at_extreme.sum() >= max(
            _FEWEST_SAMPLES_AT_AN_EXTREME, _PILED_UP * _next(effort, extreme)
        ) and (np.median(speed[at_extreme]) > _SLOW_SHARE * speed.max()):
            at |= at_extreme & _in_run(at_extreme)
    return at if at.sum() >= _FEWEST_SAMPLES_AT_AN_EXTREME else None


def _next(effort: Array, extreme: float) -> int:
    """Return how many samples have the value next to an extreme one."""
    step = max(step_of(effort), 1e-9 * float(np.ptp(effort)))
    return int(np.sum(np.abs(np.abs(effort - extreme) - step) < 0.5 * step))


def _in_run(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which flags (N,) are in a run of at least ``_RUN``."""
    kept = np.zeros_like(flags)
    for first, past in runs(flags):
        kept[first:past] = past - first >= _RUN
    return kept


def _finding(case: Case, recording: Recording, saturated: dict[int, NDArray[np.bool_]]) -> Finding:
    names, unit = [recording.joint_names[j] for j in saturated], case.robot.drives.effort_unit
    shares = {j: float(at.mean()) for j, at in saturated.items()}
    levels = {j: float(np.abs(recording.effort[at, j]).max()) for j, at in saturated.items()}
    worst = max(shares, key=lambda j: shares[j])
    return Finding(
        cause="saturation",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: effort is cut off at {listed(f'{v:.4g}' for v in levels.values())} "
            f"{unit} for {listed(map(percent, shares.values()))} of the samples: it repeats "
            "exactly this value several times in a row, which a measured value does not."
        ),
        advice=(
            "Reduce the speed of the excitation until effort stays below that value, or extend the "
            "range of the drive or of its measurement; the model is too weak at high torque."
        ),
        evidence={
            **{f"share of samples of {recording.joint_names[j]}": v for j, v in shares.items()},
            **{f"cut off at, {recording.joint_names[j]} [{unit}]": v for j, v in levels.items()},
        },
        plot=Plot(
            x_label="time [s]",
            y_label=f"effort of {recording.joint_names[worst]} [{unit}]",
            traces=(
                Trace(recording.time, recording.effort[:, worst], "recorded"),
                Trace(
                    recording.time[saturated[worst]],
                    recording.effort[saturated[worst], worst],
                    "cut off",
                    "dots",
                ),
            ),
        ),
    )
