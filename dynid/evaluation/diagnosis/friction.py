"""Whether friction is described by the terms of the model, and which term is missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import term_kind, term_kinds
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.residual import Leftover
from dynid.text import listed, torque_unit

_EXPLAINED = 0.25  # of the squared error that a term explains at least
_EFFECT = 0.03  # of the torque that this is at least


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
        plain = [kind for kind in told if term_kind(kind).plain and told[kind][0] > _EXPLAINED]
        yield _finding(case, joint, plain or [best], told, left)


def _untried(left: Leftover, joint: int) -> dict[str, list[Array]]:
    """Signals (N,) of the kinds of friction that no fit has tried at a joint."""
    used = {kind.name for kind in left.fitted(joint)}
    for kind in left.fitted(joint):
        if kind.has_memory:  # which is dry friction once it slides
            used |= {dry.name for dry in term_kinds() if dry.dry and dry.loaded <= kind.loaded}
        if kind.mirror:
            used.add(kind.mirror)
    return {kind: columns for kind, columns in left.friction(joint).items() if kind not in used}


def _finding(
    case: Case, joint: int, kinds: list[str], told: dict[str, tuple[float, float]], left: Leftover
) -> Finding:
    name = case.joints[joint]
    friction = left.friction(joint)
    missing = left.seen([column for kind in kinds for column in friction[kind]])
    share, effect = left.explained(joint, missing, left.plain(joint))
    traits = [term_kind(kind) for kind in kinds]
    terms = [f"{k.name} and {k.mirror}" if k.mirror else k.name for k in traits]
    also = f" (or {traits[0].alternative})" if len(kinds) == 1 and traits[0].alternative else ""
    remedy = f"Add {listed(terms)}{also} of {name} to 'terms' in the profile."
    if set(kinds) <= {kind.name for kind in left.kinds(joint)}:
        remedy = f"Identify again: friction of {name} is not what this model was fitted to."
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Finding(
        cause="friction_terms",
        joint=name,
        severity="warning",
        sentence=(
            f"{name}: friction is not described by the model's terms; "
            f"{listed(kind.missing for kind in traits)} would explain {share:.0%} of the squared "
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
