"""Whether torque is as large, and of the sign, that the URDF's bodies need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case, own_terms, without
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import torque_unit

_LIKE = 0.8  # correlation from which on the shapes of two torques are the same
_ROTORS_COUNT = 0.7  # of the whole torque, where only what is too small is looked for
_OFF = 1.8  # times as large or as small: masses in a URDF may be off by a third
_FAR_OFF = 5.0  # times: no mass is so wrong
_TOGETHER = 1.5  # ratio of two joints' ratios that one wrong unit brings about
_ROUNDING = 1e-6
_SHOWN = 0.05  # of a joint's torque that its bodies are at least, beyond friction and rotor
_UNITS = {
    1000.0: "N mm or mA",
    np.pi / 180: "degrees somewhere",
    180 / np.pi: "degrees somewhere",
}
_NEAR = 0.7  # logarithm of a ratio's distance from one of these


@dataclass(frozen=True)
class Likeness:
    """Measured torque of a joint against the URDF's, beyond what its own motion explains.

    Attributes:
        correlation: of the two.
        ratio: of measured to expected.
    """

    correlation: float
    ratio: float


def torque_factor(case: Case) -> Iterator[Finding]:
    """Compare the size of measured torque with what the URDF's masses would need."""
    if are_degrees(case):
        yield _degrees(case)
        return
    ratios = {}
    for joint in range(len(case.joints)):
        ratio = _ratio(case, joint)
        if ratio is not None:
            ratios[joint] = ratio
    off = {j: r for j, r in ratios.items() if max(r, 1 / r) > _OFF}
    if not off:
        return
    middle = float(np.exp(np.median(np.log(list(off.values())))))
    alike = all(max(r / middle, middle / r) < _TOGETHER for r in ratios.values())
    if alike and len(off) > 1:
        yield _finding(case, None, middle, off)
        return
    for joint, ratio in off.items():
        yield _finding(case, joint, ratio, {joint: ratio})


def likeness(case: Case, joint: int, own: Array) -> Likeness:
    """Compare what is left of both torques without multiples of the columns of ``own`` (N, k)."""
    expected, measured = case.urdf_torque[:, joint], case.thinned.torque[:, joint]
    left = without(expected, own), without(measured, own)
    sizes = [float(np.linalg.norm(v)) for v in left]
    if any(
        size <= _ROUNDING * float(np.linalg.norm(whole))
        for size, whole in zip(sizes, (expected, measured), strict=True)
    ):
        return Likeness(0.0, 1.0)
    product = float(left[0] @ left[1])
    return Likeness(product / (sizes[0] * sizes[1]), abs(product) / sizes[0] ** 2)


def _ratio(case: Case, joint: int) -> float | None:
    """Measured over expected torque of one joint; None where its bodies do not show."""
    own = own_terms(case.thinned, joint)
    bodies = likeness(case, joint, own)
    if bodies.correlation > _LIKE:
        return bodies.ratio
    # friction and a rotor can only add to what the bodies need
    whole = likeness(case, joint, own[:, :1])
    if whole.correlation > _ROTORS_COUNT and whole.ratio < 1 / _OFF:
        return whole.ratio
    return None


def are_degrees(case: Case) -> bool:
    """Whether positions read as degrees explain the torque much better."""
    measured = case.thinned.torque
    turns = ~np.array(case.mechanism.prismatic)
    q, dq, ddq = (v * np.where(turns, np.pi / 180, 1.0) for v in case.thinned.motion)
    converted = case.mechanism.torque(q, dq, ddq, case.mechanism.urdf_parameters)
    before = np.linalg.norm(measured - case.urdf_torque)
    return bool(np.linalg.norm(measured - converted) < 0.1 * before)


def _degrees(case: Case) -> Finding:
    return Finding(
        cause="torque_factor",
        joint=None,
        severity="problem",
        sentence="the torque fits positions in degrees much better than in radians.",
        remedy="Check the unit of position (a column map's 'factor' converts it).",
        evidence={"largest position [rad]": float(np.abs(case.thinned.position).max())},
    )


def _finding(case: Case, joint: int | None, ratio: float, ratios: dict[int, float]) -> Finding:
    where = "all joints that show their bodies" if joint is None else case.joints[joint]
    worst = max(ratios, key=lambda j: abs(np.log(ratios[j]))) if joint is None else joint
    near = min(_UNITS, key=lambda f: abs(np.log(ratio / f)))
    hint = f" (as {_UNITS[near]} would)" if abs(np.log(ratio / near)) < _NEAR else ""
    return Finding(
        cause="torque_factor",
        joint=None,  # joints share parameters: the fit of all of them suffers
        severity="problem" if max(ratio, 1 / ratio) > _FAR_OFF else "warning",
        sentence=f"{where}: torque is {ratio:.3g} times what the URDF's masses need{hint}.",
        remedy=(
            "Check the drives' torque constant, rated current and gear ratio, and the unit of "
            "effort; or the URDF's masses, if something was mounted or left out."
        ),
        evidence={f"ratio of {case.joints[j]}": r for j, r in ratios.items()},
        plot=_plot(case, worst),
    )


def _plot(case: Case, joint: int) -> Plot:
    own = own_terms(case.thinned, joint)
    samples = np.arange(len(own), dtype=np.float64)
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Plot(
        x_label="sample",
        y_label=f"{case.joints[joint]}, beyond friction and rotor [{unit}]",
        traces=(
            Trace(samples, without(case.thinned.torque[:, joint], own), "measured"),
            Trace(samples, without(case.urdf_torque[:, joint], own), "URDF's masses"),
        ),
    )
