"""All causes in order, and which of them suppress others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from dynid.errors import MechanismError
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.conditioning import ill_conditioned
from dynid.evaluation.diagnosis.contradicting_signals import (
    AGAINST_ANY_MODEL,
    CONTRADICTIONS,
    contradicting_signals,
)
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.friction import friction_terms
from dynid.evaluation.diagnosis.noise import noise
from dynid.evaluation.diagnosis.one_direction import one_direction
from dynid.evaluation.diagnosis.over_fit import over_fit
from dynid.evaluation.diagnosis.overlap import overlapping_frequencies
from dynid.evaluation.diagnosis.sampling_jitter import sampling_jitter
from dynid.evaluation.diagnosis.saturation import saturation
from dynid.evaluation.diagnosis.scale import screw_lead, torque_factor
from dynid.evaluation.diagnosis.small_region import small_region
from dynid.evaluation.diagnosis.spikes import spikes
from dynid.evaluation.diagnosis.steps import quantised_feedback
from dynid.evaluation.diagnosis.tested import TESTED, is_beyond, tested_causes
from dynid.evaluation.diagnosis.too_short import too_short
from dynid.evaluation.diagnosis.too_slow import too_slow
from dynid.evaluation.diagnosis.unexplained_at_rest import unexplained_at_rest
from dynid.evaluation.diagnosis.warming_up import warming_up
from dynid.recording.contradiction import SEVERITIES

Cause = Callable[[Case], Iterable[Finding]]


def _torque_factors(case: Case) -> Iterator[Finding]:
    """Yield factors that a refit shows between joints, and one of all against the URDF's masses."""
    yield from tested_causes(case, "torque_factor")
    yield from torque_factor(case)


def _position_factors(case: Case) -> Iterator[Finding]:
    """Yield ratios that a refit shows between joints; if there is none, those of screws."""
    seen = tuple(tested_causes(case, "position_factor"))
    yield from seen or screw_lead(case)


def _backlash(case: Case) -> Iterator[Finding]:
    """Yield play that shows between position and velocity; if there is none, what a refit shows."""
    seen = tuple(contradicting_signals(case, "backlash"))
    yield from seen or tested_causes(case, "backlash")


def _unexplained(case: Case) -> Iterator[Finding]:
    """Yield what no refit explains in motion, and what the model does not at rest."""
    yield from tested_causes(case, "unexplained")
    yield from unexplained_at_rest(case)


CAUSES: Mapping[str, Cause] = MappingProxyType(
    {
        **{kind: partial(contradicting_signals, kind=kind) for kind in CONTRADICTIONS},
        "sampling_jitter": sampling_jitter,
        "too_slow": too_slow,
        "saturation": partial(saturation, is_beyond=is_beyond),
        "spikes": spikes,
        "too_short": too_short,
        "one_direction": one_direction,
        "small_region": small_region,
        "overlapping_frequencies": overlapping_frequencies,
        **{kind: partial(tested_causes, kind=kind) for kind in TESTED},
        "torque_factor": _torque_factors,
        "position_factor": _position_factors,
        "backlash": _backlash,
        "unexplained": _unexplained,
        "noise": noise,
        "quantised_feedback": quantised_feedback,
        "friction_terms": friction_terms,
        "warming_up": warming_up,
        "ill_conditioned": ill_conditioned,
        "over_fit": over_fit,
    }
)
"""The function that looks for each cause; findings of equal severity keep this order."""

FIT_CAUSES = (
    "too_slow",
    "too_short",
    "one_direction",
    "small_region",
    "overlapping_frequencies",
    "ill_conditioned",
    "over_fit",
)
"""Causes that concern the fit; not checked with a given model."""

_WRONG = 0.2  # relative error above which a given model is doubted, and causes are tried

_SPOILS_TORQUE = (
    "saturation",
    *(cause for cause in TESTED if cause not in ("time_shift", "unmodelled_coupling")),
)
_SPOILS_ERRORS = (*_SPOILS_TORQUE, "spikes", "time_shift", "quantised_feedback")

_AS_PROBLEMS = ("copied_channel", "velocity", "position_jump")
"""Those that suppress others only as problems: a velocity may not be used, and a jump be small."""

_JUMPS = ("lost_samples", "position_jump", "sampling_jitter")
"""Motion that jumps, or was not at the time stated, suppresses causes found in errors."""

_SPOILED_BY_JUMPS = (
    "spikes",
    "noise",
    "time_shift",
    "quantised_feedback",
    "contact",
    "unexplained",
    "unmodelled_coupling",
    "friction_terms",
    "warming_up",
    "over_fit",
)
"""Causes found in errors, to which a jump in all motion adds; torque keeps its size and sign."""

_OF_MODELS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # joints that hold their positions do so together too
        "sampling_jitter": ("held_position",),
        # friction is identified from the residual: errors of torque appear there too; a few
        # strokes do not determine its shape, and coupling is found beyond all own friction
        "friction_terms": (
            *_SPOILS_TORQUE,
            "spikes",
            "time_shift",
            "too_short",
            "noise",
            "unmodelled_coupling",
        ),
        # a fall of friction is found in the residual too
        "warming_up": (*_SPOILS_ERRORS, "too_slow"),
        # clipped torque is explained in part by what is tried, and so is a motion that jumps
        "contact": ("saturation", "backlash"),
        "time_shift": ("saturation", "spikes"),
        "unmodelled_coupling": ("saturation",),
        "nonlinear_torque": ("saturation",),
        "torque_crosstalk": ("saturation",),
        "uneven_friction": ("saturation",),
        "unexplained": ("saturation",),
        # inertia's share is taken from the fit, which a wrong sign, size or delay corrupts
        "too_slow": ("flipped_sign", "torque_factor", "time_shift"),
        # rows are weighted by torque
        "ill_conditioned": ("torque_factor",),
        # torque in a wrong unit exceeds the drive's limits; behind a play it is held
        "saturation": ("torque_factor", "torque_hysteresis", "effort"),
        # steps of feedback last for a sample, and so does the top of a torque that is cut off
        "spikes": ("flipped_sign", "wrong_gravity", "contact", "quantised_feedback", "saturation"),
        # the range of clipped torque is too small, and slow motion stays within one step
        "quantised_feedback": ("too_slow", "saturation", "held_position"),
        # parameters overfit errors of other causes; friction of the parts held out is another one
        "over_fit": (
            "too_slow",
            *_SPOILS_ERRORS,
            "friction_terms",
            "unmodelled_coupling",
            "warming_up",
        ),
    }
)

SUPPRESSED_BY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        cause: (
            *_OF_MODELS.get(cause, ()),
            *AGAINST_ANY_MODEL,
            *(_JUMPS if cause in _SPOILED_BY_JUMPS else ()),
        )
        for cause in CAUSES
        if cause not in CONTRADICTIONS
    }
    # single large jumps of jitter look like losses, which are too few to look like jitter
    | {"beyond_limits": ("wrapped_position",), "lost_samples": ("sampling_jitter",)}
)
"""A cause that may be a consequence of others is suppressed by them; without cycles."""


def diagnose(case: Case) -> tuple[Finding, ...]:
    """Look for every cause; return the worst findings first, in the order of causes."""
    left_out = _left_out(case)
    checked = [look for cause, look in CAUSES.items() if cause not in left_out]
    findings = [finding for look in checked for finding in _look(look, case)]
    kept = [finding for finding in findings if not _is_consequence(finding, findings)]
    return tuple(sorted(kept, key=_rank))


def _rank(finding: Finding) -> tuple[int, int]:
    """Return severity, and how little a finding says: undecided ones more than unexplained ones."""
    vague = 2 if finding.cause == "unexplained" else int(bool(finding.alternatives))
    return SEVERITIES.index(finding.severity), vague


def _left_out(case: Case) -> tuple[str, ...]:
    if case.model is None or case.fit is not None:
        return ()
    # a model with small errors is better than the URDF, and at rest friction can have either sign
    doubted = case.decimated.moving.any() and case.relative_errors.max() > _WRONG
    return FIT_CAUSES if doubted else (*FIT_CAUSES, *TESTED)


def _look(look: Cause, case: Case) -> list[Finding]:
    try:
        return list(look(case))
    except MechanismError:  # such as a pose that a closed chain cannot take
        return []


def _is_consequence(finding: Finding, findings: Sequence[Finding]) -> bool:
    if finding.cause == "saturation" and finding.severity == "problem":
        return False  # refits know that torque is beyond it; a limit needs the right factor
    if _is_undecided_change(finding):  # parts of a recording differ also where friction falls
        return any(other.cause == "warming_up" for other in findings)
    causes = SUPPRESSED_BY.get(finding.cause, ())
    explained: set[str] = set()
    for other in findings:
        if other.cause not in causes or other.severity == "note":
            continue
        if finding.cause == "warming_up" and _is_undecided_change(other):
            continue
        of_errors = other.cause in _JUMPS and finding.cause in _SPOILED_BY_JUMPS
        if other.cause in _AS_PROBLEMS and other.severity != "problem" and not of_errors:
            continue
        if _is_consequence(other, findings):
            continue
        # what was tried on all joints, and wrong motion, affect all, which share parameters
        trials = finding.cause in TESTED or other.cause in TESTED
        affects_all = trials or other.cause in AGAINST_ANY_MODEL
        if affects_all or not other.joints or not finding.joints:
            return True
        explained |= set(other.joints)
    # what explains most of its joints is near at the others as well
    concerned = set(finding.joints)
    return bool(explained) and 2 * len(concerned & explained) > len(concerned)


def _is_undecided_change(finding: Finding) -> bool:
    return finding.cause == "recordings_differ" and bool(finding.alternatives)
