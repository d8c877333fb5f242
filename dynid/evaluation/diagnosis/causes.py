"""All causes in order, and which of them gives way to which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from dynid.errors import MechanismError
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.conditioning import ill_conditioned
from dynid.evaluation.diagnosis.coupling import unmodelled_coupling
from dynid.evaluation.diagnosis.finding import SEVERITIES, Finding
from dynid.evaluation.diagnosis.friction import friction_terms
from dynid.evaluation.diagnosis.gravity import wrong_gravity
from dynid.evaluation.diagnosis.noise import noise
from dynid.evaluation.diagnosis.over_fit import over_fit
from dynid.evaluation.diagnosis.overlap import overlapping_frequencies
from dynid.evaluation.diagnosis.saturation import saturation
from dynid.evaluation.diagnosis.scale import torque_factor
from dynid.evaluation.diagnosis.sign import flipped_sign
from dynid.evaluation.diagnosis.small_region import small_region
from dynid.evaluation.diagnosis.steps import quantised_feedback
from dynid.evaluation.diagnosis.time_shift import time_shift
from dynid.evaluation.diagnosis.too_short import too_short
from dynid.evaluation.diagnosis.too_slow import too_slow

Cause = Callable[[Case], Iterable[Finding]]

CAUSES: Mapping[str, Cause] = MappingProxyType(
    {
        "too_slow": too_slow,
        "saturation": saturation,
        "too_short": too_short,
        "small_region": small_region,
        "overlapping_frequencies": overlapping_frequencies,
        "torque_factor": torque_factor,
        "flipped_sign": flipped_sign,
        "wrong_gravity": wrong_gravity,
        "noise": noise,
        "time_shift": time_shift,
        "quantised_feedback": quantised_feedback,
        "unmodelled_coupling": unmodelled_coupling,
        "friction_terms": friction_terms,
        "ill_conditioned": ill_conditioned,
        "over_fit": over_fit,
    }
)
"""What looks for each cause, in the order in which findings of one severity are told."""

OF_THE_FIT = (
    "too_slow",
    "too_short",
    "small_region",
    "overlapping_frequencies",
    "ill_conditioned",
    "over_fit",
)
"""What keeps a motion from telling parameters; a given model can be held against any motion."""

AGAINST_URDF = ("torque_factor", "flipped_sign", "wrong_gravity")
"""What is told by the URDF's masses; asked of a given model only where it is far off."""
_WRONG = 0.5  # relative error from which on signs and units are doubted

_SPOILS_TORQUE = ("saturation", "torque_factor", "flipped_sign", "wrong_gravity")
_SPOILS_ERRORS = (*_SPOILS_TORQUE, "time_shift", "quantised_feedback")

GIVES_WAY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # friction is read from what bodies leave over: torque and motion must be right first; a few
        # strokes have no shape, and coupling is told beyond all friction of the joint's own
        "friction_terms": (*_SPOILS_ERRORS, "too_short", "noise", "unmodelled_coupling"),
        # so is what one joint passes on to another
        "unmodelled_coupling": _SPOILS_ERRORS,
        # under a wrong gravity every weight looks too light, too heavy or upside down
        "flipped_sign": ("wrong_gravity",),
        "torque_factor": ("wrong_gravity", "flipped_sign"),
        # where bodies do not fit, or tops are cut, moving torque about makes up for some of it
        "time_shift": ("flipped_sign", "wrong_gravity", "saturation"),
        # inertia's share is read from the fit, which a wrong sign, size or time spoils
        "too_slow": ("flipped_sign", "torque_factor", "time_shift"),
        # rows are weighted by torque, which must be right first
        "ill_conditioned": ("torque_factor",),
        # torque in a wrong unit is beyond the drive's limits
        "saturation": ("torque_factor",),
        # clipped torque has lost the range its steps are compared with, slow motion waits for steps
        "quantised_feedback": ("too_slow", "saturation"),
        # what contradicts the model, or hardly moves, is learnt by heart for want of anything else
        "over_fit": ("too_slow", *_SPOILS_ERRORS, "friction_terms", "unmodelled_coupling"),
    }
)
"""A cause that is a consequence of others is not told where one of them is; without circles."""


def diagnose(case: Case) -> tuple[Finding, ...]:
    """Look for every cause; the worst first, and causes of one severity in their order."""
    left_out = _left_out(case)
    asked = [look for cause, look in CAUSES.items() if cause not in left_out]
    found = [finding for look in asked for finding in _look(look, case)]
    kept = [finding for finding in found if not _is_consequence(finding, found)]
    return tuple(sorted(kept, key=lambda finding: SEVERITIES.index(finding.severity)))


def _left_out(case: Case) -> tuple[str, ...]:
    if case.model is None or case.fit is not None:
        return ()
    # on good data the URDF has nothing to add, and at rest friction can be of either sign
    doubted = case.thinned.moving.any() and case.relative_errors.max() > _WRONG
    return OF_THE_FIT if doubted else (*OF_THE_FIT, *AGAINST_URDF)


def _look(look: Cause, case: Case) -> list[Finding]:
    try:
        return list(look(case))
    except MechanismError:  # no pose of a closed chain, say: the cause has nothing to tell
        return []


def _is_consequence(finding: Finding, found: Sequence[Finding]) -> bool:
    causes = GIVES_WAY.get(finding.cause, ())
    return any(
        other.cause in causes
        and other.severity != "note"
        and not _is_consequence(other, found)
        and (
            other.cause in AGAINST_URDF  # which spoil every joint's fit, as parameters are shared
            or other.joint is None
            or finding.joint is None
            or other.joint == finding.joint
        )
        for other in found
    )
