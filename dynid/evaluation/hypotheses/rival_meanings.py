"""Words for what the torque's measurement does, and for a recording of another robot."""

from __future__ import annotations

import numpy as np

from dynid.evaluation.hypotheses.meaning import Meaning
from dynid.evaluation.hypotheses.refit import Refit
from dynid.text import significant

_SEEN = 2.0  # standard deviations of a share of crosstalk that is stated


def rival_meaning(kind: str, names: tuple[str, ...], recording: str, refit: Refit) -> Meaning:
    """Return the meaning of a relation between measured and true torque.

    Args:
        kind: of the relation.
        names: of the joints concerned.
        recording: its name, where one is concerned.
        refit: with the relation's factors at the end.
    """
    if kind == "shape":
        return _shape(names[0])
    if kind == "filter":
        return _filter(names[0], -float(refit.factors[-1]), float(refit.deviations[-1]))
    if kind == "crosstalk":
        return _crosstalk(names, refit)
    return Meaning(
        "recordings_differ",
        (),
        f"{recording}: all parameters together differ from those of the rest, and no one factor, "
        "load or friction explains it as well.",
        "Check whether the recordings are of the same robot with the same tool, and have the same "
        "clock and order of channels; identify each alone.",
    )


def _shape(name: str) -> Meaning:
    return Meaning(
        "nonlinear_torque",
        (name,),
        f"{name}: the recorded torque is not proportional to what the torques of the other joints "
        "imply, as of a sensor that saturates, has a dead zone or another factor for each "
        "direction; no factor corrects it.",
        "Check the torque measurement of {joints} against known loads of several sizes and both "
        "directions.",
    )


def _filter(name: str, constant: float, deviation: float) -> Meaning:
    cutoff = 1 / (2 * np.pi * constant) if constant > 0 else np.inf
    return Meaning(
        "time_shift",
        (name,),
        f"{name}: torque is recorded behind a low-pass of {significant(cutoff, 2)} Hz (time "
        f"constant {1e3 * constant:.3g} ms, standard deviation {1e3 * deviation:.2g} ms).",
        "Record the effort of {joints} unfiltered, or move more slowly than its filter.",
        evidence=(
            ("time constant [s]", constant),
            ("standard deviation [s]", deviation),
            ("cut-off [Hz]", float(cutoff)),
        ),
        statement="low-pass",
    )


def _crosstalk(names: tuple[str, ...], refit: Refit) -> Meaning:
    shares = dict(zip(names, refit.factors[-2:].tolist(), strict=True))
    seen = np.abs(refit.factors[-2:]) > _SEEN * refit.deviations[-2:]
    parts = [
        f"that of {name} contains {significant(share, 2)} times that of {other}"
        for (name, share), other, known in zip(shares.items(), reversed(names), seen, strict=True)
        if known
    ]
    return Meaning(
        "torque_crosstalk",
        names,
        f"{' and '.join(names)}: of the recorded torques {' and '.join(parts)}, as of "
        "sensors that measure a part of another joint or of a motor that moves both.",
        "Check wiring, calibration and decoupling of the torque measurement of {joints}; if their "
        "transmissions are coupled, add 'coupling' to the profile.",
        evidence=tuple((f"share in {name}", share) for name, share in shares.items()),
    )
