"""Whether friction is described by the terms of the model, and which term is missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import MEMORY_KINDS
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.residual import Leftover
from dynid.text import listed, torque_unit

_EXPLAINED = 0.25  # of the squared error that a term explains at least
_EFFECT = 0.03  # of the torque that this is at least
_PLAIN = ("viscous", "coulomb")
_NAMES = {
    "coulomb": "Coulomb friction",
    "viscous": "viscous friction",
    "viscous_root": "friction that bends over with speed",
    "viscous_cubic": "friction that grows faster than speed",
    "stribeck": "Stribeck friction, which falls off with speed",
    "viscous_positive": "friction that differs between directions",
    "coulomb_load": "friction that grows with load",
}


def friction_terms(case: Case) -> Iterator[Finding]:
    """Look for a friction term that the model lacks in the errors that it leaves."""
    if not case.comparisons:
        return
    left = Leftover(case)
    for joint in np.flatnonzero(case.thinned.moves).tolist():
        if not left.may_show(joint, _EFFECT):
            continue
        own = left.plain(joint)
        told = {
            kind: max(left.explained(joint, left.seen([column]), own) for column in columns)
            for kind, columns in _untried(left, joint).items()
        }
        best = max(told, key=lambda kind: told[kind], default=None)
        if best is None or told[best][0] < _EXPLAINED or told[best][1] < _EFFECT:
            continue
        # of many shapes that are alike, the plain ones first
        plain = [kind for kind in _PLAIN if kind in told and told[kind][0] > _EXPLAINED]
        yield _finding(case, joint, plain or [best], told, left)


def _untried(left: Leftover, joint: int) -> dict[str, list[Array]]:
    """Signals (N,) of the kinds of friction that no fit has tried at a joint."""
    used = left.fitted(joint)
    if used & set(MEMORY_KINDS):  # which is Coulomb friction once it slides
        used |= {"coulomb", "stribeck"}
    if "presliding_load" in used:
        used.add("coulomb_load")
    if "viscous_negative" in used:
        used.add("viscous_positive")
    return {kind: columns for kind, columns in left.friction(joint).items() if kind not in used}


def _finding(
    case: Case, joint: int, kinds: list[str], told: dict[str, tuple[float, float]], left: Leftover
) -> Finding:
    name = case.joints[joint]
    friction = left.friction(joint)
    missing = left.seen([column for kind in kinds for column in friction[kind]])
    share, effect = left.explained(joint, missing, left.plain(joint))
    terms = [
        "viscous_positive and viscous_negative" if k == "viscous_positive" else k for k in kinds
    ]
    also = " (or presliding)" if kinds == ["stribeck"] else ""
    remedy = f"Add {listed(terms)}{also} of {name} to 'terms' in the profile."
    if set(kinds) <= left.kinds(joint):
        remedy = f"Identify again: friction of {name} is not what this model was fitted to."
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Finding(
        cause="friction_terms",
        joint=name,
        severity="warning",
        sentence=(
            f"{name}: friction is not described by the model's terms; "
            f"{listed(_NAMES[kind] for kind in kinds)} would explain {share:.0%} of the squared "
            f"torque error, {effect:.1%} of the torque."
        ),
        remedy=remedy,
        evidence={f"share explained by {kind}": share for kind, (share, _) in told.items()}
        | {"effect over torque": effect},
        plot=Plot(
            x_label=f"velocity of {name} [{'m/s' if unit == 'N' else 'rad/s'}]",
            y_label=f"torque error of {name} [{unit}]",
            traces=(Trace(left.velocity[:, joint], left.error[:, joint], "error", "dots"),),
        ),
    )
