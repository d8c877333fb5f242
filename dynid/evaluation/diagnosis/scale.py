"""Size and sign of the torque compared with that of the URDF's bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case, own_terms
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import without
from dynid.evaluation.hypotheses.samples import FOLDS
from dynid.text import torque_unit

_SIMILAR = 0.8  # correlation of two torques of the same shape
_SIMILAR_WITH_ROTOR = 0.7  # correlation of the whole torques, used for too small ones only
_OFF = 1.8  # ratio, either way: masses in a URDF may be wrong by a third
_FAR_OFF = 5.0  # ratio, either way, beyond wrong masses
_SURELY_LESS = 3.0  # standard errors
_GEAR = 10.0  # least ratio of a gear before which torque is too small by it
_LARGEST_GEAR_SPREAD = 5.0  # largest gear ratio over the smallest one
_LARGEST_RATIO_SPREAD = 1.5  # largest ratio between the ratios of joints with the same wrong unit
_ROUNDING = 1e-6
_UNITS = {
    1000.0: "N mm or mA",
    np.pi / 180: "degrees somewhere",
    180 / np.pi: "degrees somewhere",
}
_LARGEST_ERROR_RATIO = 0.1  # error with positions in degrees, over that in radians
_EXPLAINED = 0.5  # the same over the torque, beyond which it says nothing
_DEGREES = "the torque fits positions in degrees much better than in radians."
_CONVERT = "'factor: 0.0174533' of position in the column map (recording.columns) converts them."
_LARGEST_LOG_DISTANCE = 0.7  # logarithm of a ratio's distance from one of these


@dataclass(frozen=True)
class Similarity:
    """Similarity of a joint's measured torque to the URDF's, after removing given columns.

    Attributes:
        correlation: of the two torques.
        ratio: measured over expected torque.
    """

    correlation: float
    ratio: float


def torque_factor(case: Case) -> Iterator[Finding]:
    """Compare the measured torque with that of the URDF's masses."""
    if are_degrees(case):
        yield _degrees(case)
        return
    ratios, slides = {}, _before_screws(case)
    for joint in range(len(case.joints)):
        if joint in slides:
            continue
        ratio = _ratio(case, joint)
        if ratio is not None:
            ratios[joint] = ratio
    off = {j: r for j, r in ratios.items() if max(r, 1 / r) > _OFF}
    middle = float(np.exp(np.median(np.log(list(off.values()) or [1.0]))))
    similar = all(max(r / middle, middle / r) < _LARGEST_RATIO_SPREAD for r in ratios.values())
    similar |= _are_gears(ratios)
    # a refit shows whether one joint differs from the others
    if off and similar and (len(off) > 1 or len(case.joints) == 1):
        yield _finding(case, middle, off)


def screw_lead(case: Case) -> Iterator[Finding]:
    """Yield slides that move beyond their limits, and whose inertia is that before a screw."""
    for joint, (ratio, error) in _before_screws(case).items():
        name, factor = case.joints[joint], 1 / np.sqrt(ratio)
        yield Finding(
            cause="position_factor",
            joints=(name,),
            severity="problem" if factor > _FAR_OFF else "warning",
            sentence=(
                f"{name}: it moves further than it can, and its inertia is {ratio:.2g} ± "
                f"{error:.1g} times that of the URDF's masses: positions are at least {factor:.3g} "
                "times those of the slide, and torque is smaller by as much, as of a motor before "
                "a screw, or with another lead of it."
            ),
            advice=(
                "Check 'screw_lead' of {joints} in the profile's drives, and 'recording.side': "
                "positions and torques of a motor need 'side: motor'."
            ),
            evidence={"ratio of inertia": ratio, "standard error": error, "ratio": factor},
            statement="screw lead",
        )


def _before_screws(case: Case) -> dict[int, tuple[float, float]]:
    """Return the inertia of slides over that of the URDF, and its error, where it is too small.

    A rotor can only add to the inertia of the bodies.
    """

    def compare() -> dict[int, tuple[float, float]]:
        decimated, mechanism, found = case.decimated, case.mechanism, {}
        position, velocity, acceleration = decimated.motion
        still = mechanism.torque(
            position, velocity, np.zeros_like(acceleration), mechanism.urdf_parameters
        )
        of_inertia = case.urdf_torque - still
        for joint in np.flatnonzero(np.array(mechanism.prismatic) & decimated.moves).tolist():
            columns = np.column_stack([of_inertia[:, joint], own_terms(decimated, joint)[:, :3]])
            torque = decimated.torque[:, joint]
            parts = np.array_split(columns, FOLDS), np.array_split(torque, FOLDS)
            ratios = [np.linalg.lstsq(*part, rcond=None)[0][0] for part in zip(*parts, strict=True)]
            ratio, error = float(np.mean(ratios)), float(np.std(ratios, ddof=1) / np.sqrt(FOLDS))
            limits = case.robot.limits.range_of("position", joint)
            largest = 1 / _GEAR**2 if limits is None else 1 / _OFF
            far = limits is None or np.ptp(position[:, joint]) > limits[1] - limits[0]
            if far and _SURELY_LESS * error < ratio < largest - _SURELY_LESS * error:
                found[joint] = ratio, error
        return found

    return case.derived("before screws", compare)


def _are_gears(ratios: dict[int, float]) -> bool:
    """Whether the torque of every joint is smaller than the URDF's, each by another gear."""
    if not ratios or max(ratios.values()) > 1 / _GEAR:
        return False
    return max(ratios.values()) < _LARGEST_GEAR_SPREAD * min(ratios.values())


def similarity(case: Case, joint: int, joint_terms: Array) -> Similarity:
    """Compare both torques after projecting out the columns of ``joint_terms`` (N, k)."""
    expected, measured = case.urdf_torque[:, joint], case.decimated.torque[:, joint]
    left = without(expected, joint_terms), without(measured, joint_terms)
    sizes = [float(np.linalg.norm(v)) for v in left]
    if any(
        size <= _ROUNDING * float(np.linalg.norm(whole))
        for size, whole in zip(sizes, (expected, measured), strict=True)
    ):
        return Similarity(0.0, 1.0)
    product = float(left[0] @ left[1])
    return Similarity(product / (sizes[0] * sizes[1]), abs(product) / sizes[0] ** 2)


def _ratio(case: Case, joint: int) -> float | None:
    """Return measured over expected torque of one joint; None if they are not similar."""
    joint_terms = own_terms(case.decimated, joint)
    bodies = similarity(case, joint, joint_terms)
    if bodies.correlation > _SIMILAR:
        return bodies.ratio
    # friction and a rotor can only add to the torque of the bodies
    whole = similarity(case, joint, joint_terms[:, :1])
    if whole.correlation > _SIMILAR_WITH_ROTOR and whole.ratio < 1 / _OFF:
        return whole.ratio
    return None


def are_degrees(case: Case) -> bool:
    """Whether positions in degrees explain the torque, and radians do not.

    A torque that is almost 0 is explained by any robot at a pose without weight, and shows nothing.
    """
    before = float(np.linalg.norm(case.decimated.torque - case.urdf_torque))
    measured = float(np.linalg.norm(case.decimated.torque))
    return _error_in_degrees(case) < min(_LARGEST_ERROR_RATIO * before, _EXPLAINED * measured)


def reasons_against_units(case: Case) -> list[str]:
    """Return why no model can be true, where the torque shows that positions are in degrees."""
    return [f"{_DEGREES[:-1]}; {_CONVERT}"] if are_degrees(case) else []


def _error_in_degrees(case: Case) -> float:
    """Return the norm of the URDF's torque error with positions that are taken as degrees."""

    def norm() -> float:
        turns = ~np.array(case.mechanism.prismatic)
        q, dq, ddq = (v * np.where(turns, np.pi / 180, 1.0) for v in case.decimated.motion)
        converted = case.mechanism.torque(q, dq, ddq, case.mechanism.urdf_parameters)
        return float(np.linalg.norm(case.decimated.torque - converted))

    return case.derived("error in degrees", norm)


def _degrees(case: Case) -> Finding:
    return Finding(
        cause="torque_factor",
        joints=(),
        severity="problem",
        sentence=_DEGREES,
        advice=f"Check the unit of position: {_CONVERT}",
        evidence={"largest position [rad]": float(np.abs(case.decimated.position).max())},
    )


def _finding(case: Case, ratio: float, ratios: dict[int, float]) -> Finding:
    where = "all joints with measurable inertia or weight"
    if len(case.joints) == 1:
        where = case.joints[0]
    worst = max(ratios, key=lambda j: abs(np.log(ratios[j])))
    smallest, largest = min(ratios.values()), max(ratios.values())
    alike = largest < _LARGEST_RATIO_SPREAD**2 * smallest
    near = min(_UNITS, key=lambda f: abs(np.log(ratio / f)))
    is_unit = alike and abs(np.log(ratio / near)) < _LARGEST_LOG_DISTANCE
    hints = [_UNITS[near]] if is_unit else []
    if largest < 1 / _GEAR:
        hints.append("the motors' side of the gears")
    hint = f" (maybe {' or '.join(hints)})" if hints else ""
    size = f"{ratio:.3g}" if alike else f"{smallest:.3g} to {largest:.3g}"
    # without weight that depends on the position, inertia is all that a slide shows
    slides = tuple(case.joints[j] for j in ratios if case.mechanism.prismatic[j])
    slides = slides if len(slides) == len(ratios) else ()
    lead = (
        f", or positions are {1 / np.sqrt(ratio):.3g} times those of the slide and torques "
        f"{np.sqrt(ratio):.3g} times, as with another screw lead"
    )
    return Finding(
        cause="torque_factor",
        joints=(),  # all joints are affected, as they share parameters
        severity="problem" if max(ratio, 1 / ratio) > _FAR_OFF else "warning",
        sentence=(
            f"{where}: torque is {size} times that of the URDF's masses{hint}"
            f"{lead if slides else ''}; the recordings alone cannot show which is right."
        ),
        advice=(
            "Check the drives' torque constant, rated current and gear ratio, the unit of effort, "
            "and whether the URDF's masses include everything that is mounted."
        ),
        evidence={f"ratio of {case.joints[j]}": r for j, r in ratios.items()},
        plot=_plot(case, worst),
        alternatives=(("position_factor", slides),) if slides else (),
    )


def _plot(case: Case, joint: int) -> Plot:
    joint_terms = own_terms(case.decimated, joint)
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Plot(
        x_label="time [s]",
        y_label=f"{case.joints[joint]}, beyond friction and rotor [{unit}]",
        traces=(
            Trace(case.time, without(case.decimated.torque[:, joint], joint_terms), "measured"),
            Trace(case.time, without(case.urdf_torque[:, joint], joint_terms), "URDF's masses"),
        ),
    )
