"""Friction that the model's terms do not describe, and the missing term."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import term_kind, term_kinds
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.residual import TorqueResidual
from dynid.evaluation.diagnosis.tested import friction_is_doubted
from dynid.evaluation.hypotheses.trial import POOR
from dynid.text import listed, percent, torque_unit

_NOTED = 0.25  # least share of the squared error that a term explains
_CAUSE_SHARE = 0.5  # share from which it is the cause
_SMALLEST_EFFECT = 0.03  # least size over the joint's torque


def friction_terms(case: Case) -> Iterator[Finding]:
    """Look for a missing friction term in the residual of the model."""
    if not case.comparisons:
        return
    residual = TorqueResidual.of(case)
    for joint in np.flatnonzero(case.decimated.moves).tolist():
        if not residual.exceeds(joint, _SMALLEST_EFFECT):
            continue
        if case.fit is not None and not friction_is_doubted(case, joint):
            continue  # a given model may have another friction than the recordings
        plain_columns = residual.plain(joint)
        explained = {
            kind: max(
                residual.explained(joint, column[:, None], plain_columns) for column in columns.T
            )
            for kind, columns in _untried(residual, joint).items()
        }
        best = max(explained, key=lambda kind: explained[kind], default=None)
        if best is None or explained[best][0] < _NOTED or explained[best][1] < _SMALLEST_EFFECT:
            continue
        # of several similar shapes the plain ones are preferred
        plain = [
            kind
            for kind, (share, _) in explained.items()
            if term_kind(kind).plain and share > _NOTED
        ]
        yield _finding(case, joint, plain or [best], explained, residual)


def _untried(residual: TorqueResidual, joint: int) -> dict[str, Array]:
    """Return filtered signals (m, c) of the kinds of friction that were not fitted at a joint."""
    used = {kind.name for kind in residual.fitted(joint)}
    for kind in residual.fitted(joint):
        if kind.has_memory:  # equals dry friction while sliding
            used |= {dry.name for dry in term_kinds() if dry.dry and dry.loaded <= kind.loaded}
        if kind.mirror:
            used.add(kind.mirror)
    friction = residual.filtered_friction(joint)
    return {kind: columns for kind, columns in friction.items() if kind not in used}


def _finding(
    case: Case,
    joint: int,
    kinds: list[str],
    explained: dict[str, tuple[float, float]],
    residual: TorqueResidual,
) -> Finding:
    name = case.joints[joint]
    friction = residual.filtered_friction(joint)
    columns = np.column_stack([friction[kind] for kind in kinds])
    share, effect = residual.explained(joint, columns, residual.plain(joint))
    meaning = _meaning(case, joint, kinds, share, effect)
    missing = listed(term_kind(kind).missing for kind in kinds)
    unit = torque_unit(case.mechanism.prismatic[joint])
    return Finding(
        cause="friction_terms",
        joints=(name,),
        severity="warning",
        sentence=(
            f"{name}: {meaning.cause}{missing} would explain {100 * share:.0f} % of the squared "
            f"torque error, {percent(effect)} of the torque."
        ),
        advice=meaning.advice,
        evidence={f"share explained by {kind}": share for kind, share in _largest_first(explained)}
        | {"effect over torque": effect},
        statement=f"{meaning.statement} {listed(kinds)}",
        plot=Plot(
            x_label=f"velocity of {name} [{'m/s' if unit == 'N' else 'rad/s'}]",
            y_label=f"torque error of {name} [{unit}]",
            traces=(Trace(residual.velocity[:, joint], residual.error[:, joint], "error", "dots"),),
        ),
    )


class _Meaning(NamedTuple):
    """What friction that explains an error stands for: a cause, or "" for an observation."""

    cause: str
    advice: str
    statement: str


def _meaning(case: Case, joint: int, kinds: list[str], share: float, effect: float) -> _Meaning:
    """Return what it means that friction of some kinds explains a share of a joint's error.

    A given model whose friction alone has changed was good before, and is good with that friction.
    """
    given = case.fit is None
    if share < _CAUSE_SHARE or (given and effect * np.sqrt(1 / share - 1) > POOR):
        return _Meaning(
            "",
            "Look for other causes first: friction of {joints} explains only a part of the error.",
            "observed",
        )
    before = case.identified_errors[joint] if case.identified_errors else np.inf
    if given and not before <= min(POOR, effect):  # also where it is not known
        return _Meaning(
            "",
            "Identify again with a motion of {joints}: friction there was not identified reliably.",
            "not identified",
        )
    of_model = {term.kind for term in case.mechanism.terms if term.joint == joint}
    if given and set(kinds) <= of_model:
        return _Meaning(
            "friction differs from that of the model; ",
            "Identify again: friction of {joints} has changed since this model was identified.",
            "changed",
        )
    traits = [term_kind(kind) for kind in kinds]
    terms = [f"{k.name} and {k.mirror}" if k.mirror else k.name for k in traits]
    also = f" (or {traits[0].alternative})" if len(kinds) == 1 and traits[0].alternative else ""
    return _Meaning(
        "friction is not described by the model's terms; ",
        f"Add {listed(terms)}{also} of {{joints}} to 'terms' in the profile.",
        "missing",
    )


def _largest_first(explained: dict[str, tuple[float, float]]) -> list[tuple[str, float]]:
    """Return kinds and their share, so that the one that is proposed stands for all."""
    return sorted(
        ((kind, share) for kind, (share, _) in explained.items()),
        key=lambda kind_and_share: -kind_and_share[1],
    )
