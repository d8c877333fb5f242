"""Whether the noise of a joint's torque is as large as what it measures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.estimation.fitting import HeldOut
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import torque_unit

_NOISY = 0.33  # of the torque: most of what lets an identification fail is then the sensor's
_GOOD = 0.1  # of the torque without noise: a model that is off by less explains it
_LOOKED_AT = 20_000  # samples
_DRAWN = 2_000  # samples


def noise(case: Case) -> Iterator[Finding]:
    """Compare the noise of each joint's unfiltered torque with that torque."""
    raw = np.concatenate([s.raw_torque for s in case.signals])
    level = white_noise(case)
    size = raw.std(axis=0)
    for j in np.flatnonzero(case.thinned.moves & (level > _NOISY * size)):
        yield _finding(case, int(j), float(level[j]), float(size[j]))


def white_noise(case: Case) -> Array:
    """Standard deviation of the white noise on each joint's unfiltered torque, (n,).

    From second differences, which a smooth torque hardly has (σ² = var / 6), by their median, as
    friction that reverses makes a few large ones. Noise that a drive has filtered is not seen. At
    a low sampling rate torque is not smooth, but a model tells what of it is noise at most.
    """
    differences = np.diff(case.longest.raw_torque[:_LOOKED_AT], 2, axis=0)
    level = np.asarray(1.4826 * np.median(np.abs(differences), axis=0) / np.sqrt(6))
    if not case.comparisons:
        return level
    errors = np.concatenate([c.raw_model - c.signals.raw_torque for c in case.comparisons])
    return np.asarray(np.minimum(level, np.sqrt(np.mean(errors**2, axis=0))))


def _finding(case: Case, joint: int, level: float, size: float) -> Finding:
    name, unit = case.joints[joint], torque_unit(case.mechanism.prismatic[joint])
    sentence = (
        f"{name}: noise of {level:.3g} {unit} is {level / size:.0%} of the measured torque "
        f"({size:.3g} {unit}, both rms)"
    )
    evidence = {"noise over torque": level / size, f"noise [{unit}]": level}
    remedy = "Excite it harder, average periods, or filter the torque; more samples help, too."
    if case.comparisons:
        error = np.concatenate(
            [(c.raw_model - c.signals.raw_torque)[:, joint] for c in case.comparisons]
        )
        unseen = 1.0 if case.held_out is None else _times_worse(case, case.held_out, joint)
        beyond = float(np.sqrt(max(np.mean(error**2) * unseen**2 - level**2, 0.0)))
        true_size = float(np.sqrt(max(size**2 - level**2, 1e-300)))
        evidence["error beyond noise over torque without it"] = beyond / true_size
        if beyond < _GOOD * true_size:
            sentence += (
                f"; beyond it the model is off by {beyond / true_size:.1%} only, so that it can be "
                "used whatever its errors say"
            )
    return Finding(
        cause="noise",
        joint=name,
        severity="warning",
        sentence=sentence + ".",
        remedy=remedy,
        evidence=evidence,
        plot=_plot(case, joint),
    )


def _times_worse(case: Case, held_out: HeldOut, joint: int) -> float:
    """How many times larger the error is on motion that was not fitted."""
    fitted = max(float(case.relative_errors[joint]), 1e-300)
    return max(1.0, held_out.relative_error[joint] / fitted)


def _plot(case: Case, joint: int) -> Plot:
    longest = case.longest
    traces = [Trace(longest.time[:_DRAWN], longest.raw_torque[:_DRAWN, joint], "measured", "dots")]
    for compared in case.comparisons:
        if compared.signals is longest:
            model = compared.raw_model[:_DRAWN, joint]
            traces.append(Trace(longest.time[:_DRAWN], model, "model"))
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Plot("time [s]", f"{case.joints[joint]} [{unit}]", tuple(traces))
