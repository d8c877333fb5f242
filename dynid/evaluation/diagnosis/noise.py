"""Torque noise that is large compared with the torque."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import percent, torque_unit

_NOISY = 0.33  # of the torque: above, noise is the main part of the error
_LARGEST_ERROR_OF_A_GOOD_MODEL = 0.1  # of the torque without noise: largest error of a good model
_DRAWN = 2_000  # samples


def noise(case: Case) -> Iterator[Finding]:
    """Compare the noise of each joint's unfiltered torque with the torque."""
    raw = np.concatenate([s.raw_torque for s in case.signals])
    level = torque_noise(case)
    size = raw.std(axis=0)
    for j in np.flatnonzero(case.decimated.moves & (level > _NOISY * size)):
        yield _finding(case, int(j), float(level[j]), float(size[j]))


def torque_noise(case: Case) -> Array:
    """Estimate the standard deviation (n,) of white noise on the unfiltered torque [N m or N].

    Noise that the drive has filtered is not detected. With a low sampling rate torque is not
    smooth, so the error of a model is an upper bound.
    """
    level = case.longest.white_noise
    if not case.comparisons:
        return level
    return case.derived("torque noise", lambda: np.minimum(level, _model_error(case)))


def _model_error(case: Case) -> Array:
    """Return the root mean square error (n,) of the model's torque, unfiltered [N m or N]."""
    errors = [c.raw_model - c.signals.raw_torque for c in case.comparisons]
    squares = sum(np.einsum("mj,mj->j", error, error) for error in errors)
    return np.asarray(np.sqrt(squares / sum(len(error) for error in errors)))


def _finding(case: Case, joint: int, level: float, size: float) -> Finding:
    name, unit = case.joints[joint], torque_unit(case.mechanism.prismatic[joint])
    sentence = (
        f"{name}: noise of {level:.3g} {unit} is {100 * level / size:.0f} % of the measured torque "
        f"({size:.3g} {unit}, both rms)"
    )
    evidence = {"noise over torque": level / size, f"noise [{unit}]": level}
    statement = "noise"
    advice = "Excite the joint more, average periods, filter the torque, or record more samples."
    if case.comparisons:
        error = np.concatenate(
            [(c.raw_model - c.signals.raw_torque)[:, joint] for c in case.comparisons]
        )
        unseen = 1.0 if case.held_out is None else _times_worse(case, case.held_out, joint)
        beyond = float(np.sqrt(max(np.mean(error**2) * unseen**2 - level**2, 0.0)))
        true_size = float(np.sqrt(max(size**2 - level**2, 1e-300)))
        evidence["error beyond noise over torque without it"] = beyond / true_size
        if beyond < _LARGEST_ERROR_OF_A_GOOD_MODEL * true_size:
            sentence += (
                f"; without noise the error of the model is {percent(beyond / true_size)}, "
                "although its torque errors are large"
            )
            statement += " of a good model"
    return Finding(
        cause="noise",
        joints=(name,),
        severity="warning",
        sentence=sentence + ".",
        advice=advice,
        evidence=evidence,
        statement=statement,
        plot=_plot(case, joint),
    )


def _times_worse(case: Case, held_out: HeldOut, joint: int) -> float:
    """Return the ratio of the held-out error to the error of the fit, at least 1."""
    fitted = max(float(case.relative_errors[joint]), 1e-300)
    return max(1.0, held_out.of_blocks[joint] / fitted)


def _plot(case: Case, joint: int) -> Plot:
    longest = case.longest
    traces = [Trace(longest.time[:_DRAWN], longest.raw_torque[:_DRAWN, joint], "measured", "dots")]
    for compared in case.comparisons:
        if compared.signals is longest:
            model = compared.raw_model[:_DRAWN, joint]
            traces.append(Trace(longest.time[:_DRAWN], model, "model"))
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Plot("time [s]", f"{case.joints[joint]} [{unit}]", tuple(traces))
