"""Flipped signs of a joint's torque or position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case, friction_power, own_terms
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import without
from dynid.evaluation.diagnosis.sampled_fit import free_residual
from dynid.evaluation.diagnosis.scale import are_degrees, similarity
from dynid.text import listed, torque_unit

_DRIVES = -0.02  # friction power over torque times speed: friction with a wrong sign
_TAKES = 0.05  # of the same: friction with the right sign
_DRIVES_MUCH = -0.2  # of the same: a wrong sign even if the correlation with the URDF is good
_FITS = 0.5  # correlation with the URDF's torque with the right sign
_AGAINST = -0.7  # correlation with the URDF's torque with a wrong sign
_BLOCKS = 6  # of the motion
_SIGNS_OF_FRICTION_THAT_DECIDE = 5  # of these with the same sign of friction
_LOST = 0.15  # of the torque that no parameters explain
_ROUNDING = 1e-6  # of a residual
_DECISIVE_RESIDUAL_RATIO = 0.8  # ratio of residuals that decides between torque and position


def flipped_sign(case: Case) -> Iterator[Finding]:
    """Look for friction that adds energy, and for torque opposite to that of the bodies."""
    if are_degrees(case):
        return
    if _lost(case):
        yield _lost_sign(case)
        return
    seen = [_seen(case, joint, power) for joint, power in _powers(case).items()]
    flipped = [sign for sign in seen if sign.is_flipped]
    if 1 < len(flipped) < len(case.joints) and _concerns_all(case, seen):
        yield _finding_of_all(case, flipped)
        return
    for sign in flipped:
        yield _finding(case, sign)


@dataclass(frozen=True)
class _Seen:
    """What is seen of the sign of one joint's torque.

    Attributes:
        joint: its number.
        power: of its friction over torque times speed.
        agreement: correlation with the torque of the URDF's masses.
    """

    joint: int
    power: float
    agreement: float

    @property
    def is_flipped(self) -> bool:
        drives = self.power < (_DRIVES if self.agreement < _FITS else _DRIVES_MUCH)
        return drives or (self.agreement < _AGAINST and self.power < _TAKES)

    @property
    def is_right(self) -> bool:
        return self.power > _TAKES or self.agreement > _FITS


def _seen(case: Case, joint: int, power: float) -> _Seen:
    joint_terms = own_terms(case.decimated, joint)
    agreement = min(
        similarity(case, joint, joint_terms).correlation,
        similarity(case, joint, joint_terms[:, :1]).correlation,
    )
    return _Seen(joint, power, agreement)


def _concerns_all(case: Case, seen: list[_Seen]) -> bool:
    """Whether all joints' signs are wrong, of which those of some joints only can be seen.

    Parameters of the bodies explain torque with all signs flipped as well as with none, but worse
    with some.
    """
    if any(sign.is_right and not sign.is_flipped for sign in seen):
        return False
    signs = np.ones(len(case.joints))
    signs[[sign.joint for sign in seen if sign.is_flipped]] = -1.0
    return free_residual(case) <= _residual(case, torque=signs) * (1 + _ROUNDING)


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
    if abs(whole) > 1:  # more than all torque: the motion does not determine friction
        return 0.0
    if whole >= 0:
        return whole
    joint_terms = own_terms(decimated, joint)
    left = without(torque, np.column_stack([joint_terms[:, [0, 3]], bodies]))
    shown = without(joint_terms[:, 2], np.column_stack([joint_terms[:, [0, 3]], bodies]))
    parts = np.array_split(left * shown, _BLOCKS)
    against = sum(float(part.sum()) < 0 for part in parts)
    return whole if against >= _SIGNS_OF_FRICTION_THAT_DECIDE else 0.0


def _finding(case: Case, of: _Seen) -> Finding:
    joint, power, agreement = of.joint, of.power, of.agreement
    signs = np.where(np.arange(len(case.joints)) == joint, -1.0, 1.0)
    name, quantity = case.joints[joint], _of_torque_or_position(case, signs)
    seen = []
    if power < _DRIVES:
        seen.append(f"its friction adds energy ({100 * power:.0f} % of torque times speed)")
    if agreement < _AGAINST:
        seen.append(
            f"its torque is opposite to that of the URDF's masses (correlation {agreement:.2f})"
        )
    return Finding(
        cause="flipped_sign",
        joint=None,  # all joints are affected, as they share parameters
        severity="problem",
        sentence=f"{name}: {' and '.join(seen)}; the sign of its {quantity} is probably flipped.",
        remedy=(
            f"Change the sign of the {quantity} of {name}: in the column map ('sign'), by a "
            "negative gear_ratio, or in the drive's settings."
        ),
        evidence={
            f"friction power of {name}": power,
            f"correlation of {name} with the URDF": agreement,
        },
        plot=_plot(case, joint),
    )


def _plot(case: Case, joint: int) -> Plot:
    name, unit = case.joints[joint], torque_unit(case.mechanism.prismatic[joint])
    velocity, torque = case.decimated.velocity[:, joint], case.decimated.torque[:, joint]
    return Plot(
        x_label=f"velocity of {name} [{'m/s' if unit == 'N' else 'rad/s'}]",
        y_label=f"torque of {name} [{unit}]",
        traces=(Trace(velocity, torque, "measured", "dots"),),
    )


def _finding_of_all(case: Case, flipped: list[_Seen]) -> Finding:
    quantity = _of_torque_or_position(case, -np.ones(len(case.joints)))
    return Finding(
        cause="flipped_sign",
        joint=None,
        severity="problem",
        sentence=(
            f"{listed([case.joints[sign.joint] for sign in flipped])}: torque is opposite to that "
            "of the URDF's masses, or friction adds energy, and at no other joint the sign is seen "
            f"to be right; the sign of the {quantity} of all joints is probably flipped, as where "
            "a robot reports the torque of its load."
        ),
        remedy=(
            f"Change the sign of the {quantity} of all joints: in the column map ('sign: -1'), by "
            "negative gear_ratio, or in the drives' settings."
        ),
        evidence={
            f"{key} of {case.joints[sign.joint]}": value
            for sign in flipped
            for key, value in (
                ("friction power", sign.power),
                ("correlation with the URDF", sign.agreement),
            )
        },
        plot=_plot(case, min(flipped, key=lambda sign: sign.agreement).joint),
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


def _of_torque_or_position(case: Case, signs: Array) -> str:
    """Return the signal whose change of signs (n,) explains all torque better, or both."""
    by_torque, by_position = _residual(case, torque=signs), _residual(case, position=signs)
    if by_torque < _DECISIVE_RESIDUAL_RATIO * by_position:
        return "torque"
    return (
        "position" if by_position < _DECISIVE_RESIDUAL_RATIO * by_torque else "torque or position"
    )


def _residual(case: Case, *, torque: Array | float = 1.0, position: Array | float = 1.0) -> float:
    """Return the residual of free parameters with other signs (n,) of torque or position."""
    signals = case.longest
    flipped = replace(
        signals,
        raw_torque=signals.raw_torque * torque,
        position=signals.position * position,
        velocity=signals.velocity * position,
        acceleration=signals.acceleration * position,
    )
    return free_residual(replace(case, signals=(flipped,)))
