"""Words for what acts besides the model, and for what the torque's measurement does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.hypotheses.refit import Refit
from dynid.evaluation.hypotheses.relations import HATS
from dynid.text import listed, significant

_SEEN = 2.0  # standard deviations of a number that is stated
_UNFILTERED = "Record the effort of {joints} unfiltered, or move more slowly than its filter."
_DIFFERENCES: Mapping[str, str] = {
    "offset": "an offset that differs by",
    "growth": "an offset that grows by",
    "dry friction": "dry friction that differs by",
}


def relation_meaning(
    kind: str,
    names: tuple[str, ...],
    recording: str,
    unit: str,
    refit: Refit,
    delay: float,
    recordings: int,
) -> Finding:
    """Return the meaning of a relation.

    Args:
        kind: of the relation.
        names: of the joints concerned.
        recording: its name, where one is concerned.
        unit: of the torque of the last joint.
        refit: with the relation's factors at the end.
        delay: of the last joint's torque [s].
        recordings: how many there are.
    """
    meanings: Mapping[str, Callable[[], Finding]] = {
        "payload": lambda: _payload(recording, refit),
        "friction": lambda: _friction(names, recording, unit, refit),
        "drift": lambda: _drift(names[0], unit, refit.factors[-recordings:]),
        "coupling": lambda: _coupling(*names),
        "uneven": lambda: _uneven(names[0], unit, refit),
        "shape": lambda: _shape(names[0]),
        "hysteresis": lambda: _hysteresis(names[0]),
        "filter": lambda: _filter(names, refit),
        "second": lambda: _second(names, delay),
        "crosstalk": lambda: _crosstalk(names, refit),
        "robot": lambda: _robot(recording),
    }
    return meanings[kind]()


def _payload(recording: str, refit: Refit) -> Finding:
    mass, deviation = float(refit.factors[-10]), float(refit.deviations[-10])
    more = "more" if mass > 0 else "less"
    size = f", {significant(abs(mass), 3)} ± {significant(deviation, 1)} kg {more}"
    return Finding(
        "recordings_differ",
        (),
        "problem",
        f"{recording}: the robot carries another load than in the rest"
        f"{size if abs(mass) > _SEEN * deviation else ''}.",
        "Do not fit these recordings together; `dynid payload identify` weighs the load.",
        evidence={"mass [kg]": mass, "standard deviation [kg]": deviation},
    )


def _friction(names: tuple[str, ...], recording: str, unit: str, refit: Refit) -> Finding:
    sizes: dict[str, float] = {}
    if len(names) == 1:  # numbers of several would be a table
        sizes = dict(zip(_DIFFERENCES, refit.factors[-4:-1].tolist(), strict=True))
    known = [
        f"{_DIFFERENCES[what]} {significant(size, 3)} {unit}"
        for (what, size), deviation in zip(sizes.items(), refit.deviations[-4:-1], strict=False)
        if abs(size) > _SEEN * deviation
    ]
    differs = f": {listed(known)}" if known else ""
    own = "has friction or an offset of its own"
    if len(names) > 1:
        own = "have friction or offsets of their own"
    return Finding(
        "recordings_differ",
        names,
        "warning",
        f"{recording}: {listed(names)} {own}{differs}.",
        "Check what changes at {joints}, such as its temperature, a brake, a cable or the zero "
        "of its torque, and fit recordings together that are alike.",
        evidence={f"{what} [{unit}]": size for what, size in sizes.items()},
        statement="" if known else f"friction of {recording}",
    )


def _drift(name: str, unit: str, growth: Array) -> Finding:
    sizes = growth.tolist()
    growths = listed(significant(size, 3) for size in sizes)
    each = ", one in each recording" if len(sizes) > 1 else ""
    return Finding(
        "recordings_differ",
        (name,),
        "warning",
        f"{name}: an offset of its torque grows while it is recorded, by {growths} {unit}{each}.",
        "Check what drifts at {joints}, such as the zero of its torque, its temperature or a "
        "brake.",
        evidence={
            f"growth{f' {number}' if each else ''} [{unit}]": size
            for number, size in enumerate(sizes, start=1)
        },
        statement="drift",
    )


def _coupling(driven: str, driving: str) -> Finding:
    return Finding(
        "unmodelled_coupling",
        (driven, driving),
        "warning",
        f"{driven}: friction or a rotor that moves with {driving} acts on it, as of a motor "
        "that moves both joints.",
        f"If the transmissions of {driving} and {driven} are coupled, add 'coupling' to the "
        "profile, and the terms of the coupled motor with side: motor.",
    )


def _uneven(name: str, unit: str, refit: Refit) -> Finding:
    span = float(np.ptp(refit.factors[-HATS:]))
    return Finding(
        "uneven_friction",
        (name,),
        "warning",
        f"{name}: dry friction changes with the position of the joint, by {significant(span, 2)} "
        f"{unit} over its range, which no term describes.",
        "Check gear, bearings, seals and cables of {joints}: an eccentric part rubs once per turn.",
        evidence={f"range of dry friction [{unit}]": span},
        statement="uneven",
    )


def _hysteresis(name: str) -> Finding:
    return Finding(
        "torque_hysteresis",
        (name,),
        "warning",
        f"{name}: the recorded torque depends on where it comes from: it follows that of the model "
        "in a loop, as of a sensor or an elastic part with hysteresis.",
        "Check the torque measurement of {joints} under a load that rises and falls slowly.",
        statement="hysteresis",
    )


def _robot(recording: str) -> Finding:
    return Finding(
        "recordings_differ",
        (),
        "problem",
        f"{recording}: all parameters together differ from those of the rest, and no one factor, "
        "load or friction, no exchanged channels and no other clock explain it as well.",
        "Check whether the recordings are of the same robot with the same tool; identify each "
        "alone.",
    )


def _shape(name: str) -> Finding:
    return Finding(
        "nonlinear_torque",
        (name,),
        "problem",
        f"{name}: the recorded torque is not proportional to what the torques of the other joints "
        "imply, as of a sensor that saturates, has a dead zone or another factor for each "
        "direction; no factor corrects it.",
        "Check the torque measurement of {joints} against known loads of several sizes and both "
        "directions.",
    )


def _filter(names: tuple[str, ...], refit: Refit) -> Finding:
    constant, deviation = -float(refit.factors[-1]), float(refit.deviations[-1])
    cutoff = 1 / (2 * np.pi * constant) if constant > 0 else np.inf
    return Finding(
        "time_shift",
        names,
        "warning",
        f"{listed(names)}: torque is recorded behind a low-pass of {significant(cutoff, 2)} Hz "
        f"(time constant {1e3 * constant:.3g} ms, standard deviation {1e3 * deviation:.2g} ms).",
        _UNFILTERED,
        evidence={
            "time constant [s]": constant,
            "standard deviation [s]": deviation,
            "cut-off [Hz]": cutoff,
        },
        statement="low-pass",
    )


def _second(names: tuple[str, ...], delay: float) -> Finding:
    return Finding(
        "time_shift",
        names,
        "warning",
        f"{listed(names)}: torque is recorded behind a low-pass of second order, which delays slow "
        f"changes by {1e3 * delay:.3g} ms; a delay alone explains less.",
        _UNFILTERED,
        evidence={"delay [s]": delay},
        statement="low-pass of second order",
    )


def _crosstalk(names: tuple[str, ...], refit: Refit) -> Finding:
    shares = dict(zip(names, refit.factors[-2:].tolist(), strict=True))
    seen = np.abs(refit.factors[-2:]) > _SEEN * refit.deviations[-2:]
    parts = [
        f"that of {name} contains {significant(share, 2)} times that of {other}"
        for (name, share), other, known in zip(shares.items(), reversed(names), seen, strict=True)
        if known
    ]
    return Finding(
        "torque_crosstalk",
        names,
        "warning",
        f"{' and '.join(names)}: of the recorded torques {' and '.join(parts)}, as of "
        "sensors that measure a part of another joint or of a motor that moves both.",
        "Check wiring, calibration and decoupling of the torque measurement of {joints}; if their "
        "transmissions are coupled, add 'coupling' to the profile.",
        evidence={f"share in {name}": share for name, share in shares.items()},
    )
