"""Whether one joint's motion or torque shows in another's torque, where the model has no link."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case, without
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.residual import Leftover
from dynid.text import torque_unit

_EXPLAINED = 0.3  # of the squared error that another joint explains at least
_EFFECT = 0.03  # of the torque that this is at least
_KINDS = (
    "friction of a motor that both turn",
    "the rotor of a motor that both turn",
    "a part of the other's torque, of a motor that both turn or by crosstalk",
)
_WHAT = ("its friction", "its acceleration", "its torque")


def unmodelled_coupling(case: Case) -> Iterator[Finding]:
    """Look for each joint's errors in the motion and torque of every other joint."""
    if not case.comparisons:
        return
    left = Leftover(case)
    moving = np.flatnonzero(case.thinned.moves).tolist()
    for joint in moving:
        if not left.may_show(joint, _EFFECT):
            continue
        # whatever friction of its own may explain is not another joint's
        friction = [column for columns in left.friction(joint).values() for column in columns]
        own = np.column_stack([left.plain(joint), left.seen(friction)])
        told = {
            other: left.explained(joint, np.column_stack(_columns(left, joint, other)), own)
            for other in moving
            if other != joint
        }
        best = max(told, key=lambda other: told[other], default=None)
        if best is not None and told[best][0] > _EXPLAINED and told[best][1] > _EFFECT:
            yield _finding(case, joint, best, told[best], left, own)


def _columns(left: Leftover, joint: int, other: int) -> list[Array]:
    """Signals of another joint that a link would bring to this one, in the order of ``_KINDS``."""
    signals = left.signals
    here, there = signals.velocity[:, joint], signals.velocity[:, other]
    friction = [there, np.sign(there), np.sign(here + there), np.sign(here - there)]
    rotor, torque = signals.acceleration[:, other], signals.torque[:, other]
    return [left.seen(friction), left.seen([rotor]), left.seen([torque])]


def _finding(
    case: Case, joint: int, other: int, told: tuple[float, float], left: Leftover, own: Array
) -> Finding:
    name, source, (share, effect) = case.joints[joint], case.joints[other], told
    columns = _columns(left, joint, other)
    parts = [left.explained(joint, values, own)[0] for values in columns]
    # what the joint's own signals have in common with the other's is not counted, nor drawn
    beyond = without(np.column_stack(columns), own)
    by_other = beyond @ np.linalg.lstsq(beyond, left.error[:, joint], rcond=1e-9)[0]
    samples = np.arange(len(by_other), dtype=np.float64)
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Finding(
        cause="unmodelled_coupling",
        joint=None,  # it is about two of them
        severity="warning",
        sentence=(
            f"{name}: {share:.0%} of the squared torque error goes with {source}, {effect:.1%} of "
            f"the torque; it looks like {_KINDS[int(np.argmax(parts))]}."
        ),
        remedy=_remedy(case, joint, other),
        evidence={
            "share of squared error": share,
            "effect over torque": effect,
            **{f"share by {what}": part for what, part in zip(_WHAT, parts, strict=True)},
        },
        plot=Plot(
            x_label="sample",
            y_label=f"torque error of {name} [{unit}]",
            traces=(
                Trace(samples, left.error[:, joint], "error"),
                Trace(samples, by_other, f"explained by {source}"),
            ),
        ),
    )


def _remedy(case: Case, joint: int, other: int) -> str:
    name, source = case.joints[joint], case.joints[other]
    linked = case.mechanism.coupling[[joint, other], [other, joint]].any()
    sides = {term.side for term in case.mechanism.terms if term.joint in (joint, other)}
    if linked and "motor" in sides:
        return (
            f"The profile links {source} and {name}: give the linked motor more terms (side: "
            "motor), such as viscous_root or stribeck, and check the coupling's ratio."
        )
    if linked:
        return (
            f"The profile links {source} and {name}: give the linked motor its friction and rotor "
            "as terms with side: motor."
        )
    return (
        f"If the transmissions of {source} and {name} are linked, give the profile their "
        "'coupling', and the terms of the linked motor with side: motor; else look for crosstalk "
        "or swapped channels."
    )
