"""Flipped signs of a joint's torque or position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case, friction_power, own_terms
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import without
from dynid.evaluation.diagnosis.sampled_fit import free_residual
from dynid.evaluation.diagnosis.scale import are_degrees, similarity
from dynid.text import torque_unit

_DRIVES = -0.02  # friction power over torque times speed: friction with a wrong sign
_TAKES = 0.05  # of the same: friction with the right sign
_DRIVES_MUCH = -0.2  # of the same: a wrong sign even if the correlation with the URDF is good
_FITS = 0.5  # correlation with the URDF's torque with the right sign
_AGAINST = -0.7  # correlation with the URDF's torque with a wrong sign
_BLOCKS = 6  # of the motion
_MOST = 5  # of these with the same sign of friction
_LOST = 0.15  # of the torque that no parameters explain
_BETTER = 0.8  # ratio of residuals that decides between torque and position


def flipped_sign(case: Case) -> Iterator[Finding]:
    """Look for friction that adds energy, and for torque opposite to that of the bodies."""
    if are_degrees(case):
        return
    if _lost(case):
        yield _lost_sign(case)
        return
    for joint, power in _powers(case).items():
        own = own_terms(case.decimated, joint)
        agreement = min(
            similarity(case, joint, own).correlation,
            similarity(case, joint, own[:, :1]).correlation,
        )
        drives = power < (_DRIVES if agreement < _FITS else _DRIVES_MUCH)
        if drives or (agreement < _AGAINST and power < _TAKES):
            yield _finding(case, joint, power, agreement)


def any_friction_drives(case: Case) -> bool:
    """Whether friction of a joint adds energy, which a wrong sign explains, but not gravity."""
    return any(power < _DRIVES_MUCH for power in _powers(case).values())


def _powers(case: Case) -> dict[int, float]:
    """Return the friction power of every joint that moves."""
    regressor = case.mechanism.regressor(*case.decimated.motion)
    bodies = case.base.independent[case.base.independent < case.mechanism.first_term]
    powers = {}
    for joint in np.flatnonzero(case.decimated.moves).tolist():
        columns = regressor[:, joint, bodies]
        powers[joint] = _power_of_friction(case, joint, columns[:, columns.any(axis=0)])
    return powers


def _power_of_friction(case: Case, joint: int, bodies: Array) -> float:
    """Return friction power over torque times speed; 0 if parts of the motion disagree.

    The columns of ``bodies`` (N, k) may explain the joint's torque too, with parameters for this
    joint only, so that errors of other joints have no influence.
    """
    decimated, torque = case.decimated, case.decimated.torque[:, joint]
    whole = friction_power(torque, decimated, joint, bodies)
    if whole >= 0:
        return whole
    own = own_terms(decimated, joint)
    left = without(torque, np.column_stack([own[:, [0, 3]], bodies]))
    shown = without(own[:, 2], np.column_stack([own[:, [0, 3]], bodies]))
    parts = np.array_split(left * shown, _BLOCKS)
    against = sum(float(part.sum()) < 0 for part in parts)
    return whole if against >= _MOST else 0.0


def _finding(case: Case, joint: int, power: float, agreement: float) -> Finding:
    name, which = case.joints[joint], _of_torque_or_position(case, joint)
    seen = []
    if power < _DRIVES:
        seen.append(f"its friction adds energy ({power:.0%} of torque times speed)")
    if agreement < _AGAINST:
        seen.append(
            f"its torque is opposite to that of the URDF's masses (correlation {agreement:.2f})"
        )
    velocity = case.decimated.velocity[:, joint]
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Finding(
        cause="flipped_sign",
        joint=None,  # all joints are affected, as they share parameters
        severity="problem",
        sentence=f"{name}: {' and '.join(seen)}; the sign of its {which} is probably flipped.",
        remedy=(
            f"Change the sign of the {which} of {name}: in the column map ('sign'), by a negative "
            "gear_ratio, or in the drive's settings."
        ),
        evidence={
            f"friction power of {name}": power,
            f"correlation of {name} with the URDF": agreement,
        },
        plot=Plot(
            x_label=f"velocity of {name} [{'m/s' if unit == 'N' else 'rad/s'}]",
            y_label=f"torque of {name} [{unit}]",
            traces=(Trace(velocity, case.decimated.torque[:, joint], "measured", "dots"),),
        ),
    )


def _lost(case: Case) -> bool:
    """Whether effort is never negative and no parameters explain it."""
    if any(recording.effort.min() < 0 for recording in case.recordings):
        return False
    return bool(free_residual(case) > _LOST * np.sqrt(len(case.joints)))


def _lost_sign(case: Case) -> Finding:
    torque, velocity = case.decimated.torque[:, 0], case.decimated.velocity[:, 0]
    return Finding(
        cause="flipped_sign",
        joint=None,
        severity="problem",
        sentence=(
            "the recorded effort is never negative, and no parameters explain it: it was probably "
            "recorded without its sign."
        ),
        remedy=(
            "Identify with --unsigned-torque, which finds the signs, or record torque or current "
            "with its sign."
        ),
        evidence={"least effort": float(min(r.effort.min() for r in case.recordings))},
        plot=Plot(
            x_label=f"velocity of {case.joints[0]}",
            y_label=f"torque of {case.joints[0]}",
            traces=(Trace(velocity, torque, "measured", "dots"),),
        ),
    )


def _of_torque_or_position(case: Case, joint: int) -> str:
    """Return the signal whose change of sign explains all joints' torque better, or both."""
    sign = np.where(np.arange(len(case.joints)) == joint, -1.0, 1.0)
    signals = case.longest
    torque = replace(signals, raw_torque=signals.raw_torque * sign)
    position = replace(
        signals,
        position=signals.position * sign,
        velocity=signals.velocity * sign,
        acceleration=signals.acceleration * sign,
    )
    by_torque, by_position = (
        free_residual(replace(case, signals=(flipped,))) for flipped in (torque, position)
    )
    if by_torque < _BETTER * by_position:
        return "torque"
    return "position" if by_position < _BETTER * by_torque else "torque or position"
