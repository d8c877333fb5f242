"""Coupling of one joint's motion or torque into another's torque that the model lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import basis_of, beyond, without
from dynid.evaluation.diagnosis.residual import TorqueResidual
from dynid.evaluation.diagnosis.sampled_fit import error_weights, sampled
from dynid.signals.signals import Signals
from dynid.text import percent, torque_unit

_EXPLAINED = 0.3  # least share of the squared error that another joint explains
_SMALLEST_EFFECT = 0.03  # least size over the joint's torque
_EXPLAINED_FREE = 0.5  # least share of what friction and bodies do not explain in a fit of both
_KINDS = (
    "friction of a motor that moves both",
    "the rotor of a motor that moves both",
    "a part of the other's torque, by a motor that moves both or by crosstalk",
)
_WHAT = ("its friction", "its acceleration", "its torque")


def unmodelled_coupling(case: Case) -> Iterator[Finding]:
    """Correlate each joint's errors with the motion and torque of every other joint."""
    if not case.comparisons:
        return
    residual = TorqueResidual.of(case)
    moving = np.flatnonzero(case.decimated.moves).tolist()
    for joint in moving:
        if not residual.exceeds(joint, _SMALLEST_EFFECT):
            continue
        # errors that the joint's own friction may explain are not attributed to another joint
        friction = residual.filtered_friction(joint).values()
        joint_columns = np.column_stack([residual.plain(joint), *friction])
        explained = {
            other: residual.explained(
                joint, np.column_stack(_columns(residual, joint, other)), joint_columns
            )
            for other in moving
            if other != joint
        }
        best = max(explained, key=lambda other: explained[other], default=None)
        if (
            best is not None
            and explained[best][0] > _EXPLAINED
            and explained[best][1] > _SMALLEST_EFFECT
            and _share_beyond_friction(case, residual, joint, best) > _EXPLAINED_FREE
        ):
            yield _finding(case, joint, best, explained[best], residual, joint_columns)


def _share_beyond_friction(case: Case, residual: TorqueResidual, joint: int, other: int) -> float:
    """Return the share of a joint's squared error that coupling explains in a free fit.

    Friction that another joint's terms lack changes the bodies' parameters of a fit, and by these
    the errors of this joint. So base parameters and friction of all joints are fitted first.
    """
    samples = sampled(case)
    weight, of_row = error_weights(samples), samples.joint

    def rows(joint: int, columns: Sequence[Array]) -> Array:
        values = np.column_stack(columns)
        values = np.broadcast_to(values, (len(weight), *values.shape))[samples.kept.T]
        return np.asarray(values * np.where(of_row == joint, weight[of_row], 0.0)[:, None])

    friction = [
        rows(number, columns)
        for number in range(len(weight))
        for columns in residual.friction(number, samples.at).values()
    ]
    explained = basis_of(np.column_stack([samples.columns(weight), *friction]))
    error = beyond(explained, samples.rows(samples.torque) * weight[of_row])
    smooth = replace(case.longest, torque=samples.torque)
    signals = [values[samples.at] for kind in _signals(smooth, joint, other) for values in kind]
    coupling = basis_of(beyond(explained, rows(joint, signals)))
    left = float(np.sum(error[of_row == joint] ** 2))
    return float(np.sum((coupling.T @ error) ** 2)) / left if left > 0 else 0.0


def _columns(residual: TorqueResidual, joint: int, other: int) -> list[Array]:
    """Return filtered signals of another joint that a coupling adds, as ``_KINDS`` orders them."""
    return [residual.filtered(values) for values in _signals(residual.signals, joint, other)]


def _signals(signals: Signals, joint: int, other: int) -> tuple[list[Array], ...]:
    """Return signals (N,) of another joint that a coupling adds, as ``_KINDS`` orders them."""
    joint_velocity, other_velocity = signals.velocity[:, joint], signals.velocity[:, other]
    friction = [
        other_velocity,
        np.sign(other_velocity),
        np.sign(joint_velocity + other_velocity),
        np.sign(joint_velocity - other_velocity),
    ]
    return friction, [signals.acceleration[:, other]], [signals.torque[:, other]]


def _finding(
    case: Case,
    joint: int,
    other: int,
    explained: tuple[float, float],
    residual: TorqueResidual,
    joint_columns: Array,
) -> Finding:
    name, source, (share, effect) = case.joints[joint], case.joints[other], explained
    columns = _columns(residual, joint, other)
    parts = [residual.explained(joint, values, joint_columns)[0] for values in columns]
    # the part that is correlated with the joint's own signals is neither counted nor drawn
    error = residual.error[:, joint]
    by_other = error - without(error, without(np.column_stack(columns), joint_columns))
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Finding(
        cause="unmodelled_coupling",
        joint=None,  # two joints are involved
        names=(name, source),
        severity="warning",
        sentence=(
            f"{name}: {100 * share:.0f} % of the squared torque error is explained by {source}, "
            f"{percent(effect)} of the torque; the likely cause is {_KINDS[int(np.argmax(parts))]}."
        ),
        remedy=_remedy(case, joint, other),
        evidence={
            "share of squared error": share,
            "effect over torque": effect,
            **{f"share by {what}": part for what, part in zip(_WHAT, parts, strict=True)},
        },
        plot=Plot(
            x_label="time [s]",
            y_label=f"torque error of {name} [{unit}]",
            traces=(
                Trace(residual.time, error, "error"),
                Trace(residual.time, by_other, f"explained by {source}"),
            ),
        ),
    )


def _remedy(case: Case, joint: int, other: int) -> str:
    name, source = case.joints[joint], case.joints[other]
    linked = case.mechanism.coupling[[joint, other], [other, joint]].any()
    sides = {term.side for term in case.mechanism.terms if term.joint in (joint, other)}
    if linked and "motor" in sides:
        return (
            f"The profile couples {source} and {name}: add terms to the coupled motor (side: "
            "motor), such as viscous_root or stribeck, and check the ratio of the coupling."
        )
    if linked:
        return (
            f"The profile couples {source} and {name}: add friction and rotor of the coupled motor "
            "as terms with side: motor."
        )
    return (
        f"If the transmissions of {source} and {name} are coupled, add 'coupling' to the profile, "
        "and the terms of the coupled motor with side: motor; otherwise check for crosstalk or "
        "swapped channels."
    )
