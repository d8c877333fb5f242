"""Text of the report: recordings, filters and estimator."""

from __future__ import annotations

from collections.abc import Sequence

from dynid.dynamics.joint_terms import TERM_SHAPES
from dynid.estimation.estimators import estimator_class, is_estimator
from dynid.evaluation.diagnosis.finding import Finding, grouped
from dynid.evaluation.joint_errors import JointErrors
from dynid.evaluation.left_out_recordings import held_out_notes
from dynid.identification.filter_choice import FilterChoice
from dynid.identification.result import Identification
from dynid.identification.settings import IdentificationSettings
from dynid.robot.robot import Robot
from dynid.signals.settings import ParallelFilterSettings
from dynid.signals.signals import Signals
from dynid.text import NOT_KNOWN, count, listed, percent, significant


def rest(joint: JointErrors) -> str:
    """Return the torque error at rest, with static friction in place of a predicted value."""
    if not joint.rest_share > 0:
        return NOT_KNOWN
    band = joint.static_friction
    friction = f" (± {significant(band, 2)})" if band > 0 else ""
    return f"{significant(joint.rest_rmse, 2)}{friction}"


def found(findings: Sequence[Finding]) -> str:
    """Return the causes that the diagnosis found, except notes; empty if there are none."""
    causes = [
        f"{finding.cause.replace('_', ' ')} ({finding.severity})"
        for finding in grouped(findings)
        if finding.severity != "note"
    ]
    return listed(dict.fromkeys(causes)) if causes else ""


def recording_steps(
    robot: Robot, signals: tuple[Signals, ...], samples: int
) -> list[tuple[str, str]]:
    """Return recordings and filters, as (step, description)."""
    rate = min(s.sampling_rate for s in signals)
    settings = robot.settings(IdentificationSettings).explicit(rate)
    length = sum(float(s.time[-1] - s.time[0]) for s in signals)
    rates = " and ".join(sorted({f"{s.sampling_rate:g} Hz" for s in signals}))
    plural = "" if len(signals) == 1 else "s"
    return [
        (
            "Recordings",
            f"{len(signals)} recording{plural}, {significant(length, 3)} s at {rates}, "
            f"{count(samples)} samples used",
        ),
        ("Filters", _filters(settings)),
        ("Velocity", _velocity(settings)),
        ("Velocity threshold", _threshold(settings)),
    ]


def _summary(estimator: str) -> str:
    """Return what an estimator is; its name where its plug-in is not installed."""
    return estimator_class(estimator).summary if is_estimator(estimator) else estimator


def estimation_steps(identification: Identification) -> list[tuple[str, str]]:
    """Return the estimation, as (step, description)."""
    base, made = identification.base_parameters, identification.provenance
    determined = sum(parameter.determined for parameter in base)
    left_out = sum(p.determined and not p.essential for p in base)
    steps = [
        *([("Torque signs", identification.signs.note())] if identification.signs else []),
        *([("Cut-off", _tried(identification.filters))] if identification.filters else []),
        ("Joint terms", _terms(identification.robot)),
        ("Estimator", _summary(made.estimator)),
        (
            "Base parameters",
            f"{len(base)} combinations of {len(identification.parameters)} standard parameters; "
            f"{determined} determined by the recordings, {left_out} of them not essential; "
            f"condition number {significant(made.condition_number, 3)}",
        ),
        ("Physical consistency", _consistency(identification)),
    ]
    what = held_out_notes(identification.held_out, identification.robot.joints)
    steps.append(("Held out", " ".join(what)))
    return steps


def _tried(filters: FilterChoice) -> str:
    """Return the errors of the cut-offs that were tried."""
    tried = listed(f"{one.cutoff_hz:.3g} Hz {percent(one.error)}" for one in filters.tried)
    return (
        f"chosen {filters.cutoff_hz:.3g} Hz by the error of the unfiltered torque on parts left "
        f"out: {tried}"
    )


def _filters(settings: IdentificationSettings) -> str:
    parts = []
    if settings.median is not None:
        parts.append(f"outliers replaced by a running median of {settings.median.order} samples")
    if settings.period is not None:
        parts.append(f"averaged over periods of {settings.period:g} s")
    smoother = settings.derivatives == "kalman"
    if smoother:
        parts.append("positions through a Kalman smoother whose noise and bandwidth were estimated")
    low_passed = [*([] if smoother else ["positions"]), *["torque"] * settings.filter_torque]
    cutoff = settings.motion_cutoff_hz
    if cutoff is not None and low_passed:
        parts.append(
            f"{' and '.join(low_passed)} through a zero-phase Butterworth low-pass of order "
            f"{settings.filter_order}, cut-off {cutoff:g} Hz"
        )
    if isinstance(settings.parallel_filter, ParallelFilterSettings):
        cutoff = settings.parallel_filter.cutoff_hz
        low_pass = f", low-pass at {cutoff:g} Hz" if cutoff else ""
        decimation = settings.parallel_filter.decimation
        kept = f", every {decimation}-th sample kept" if decimation > 1 else ""
        parts.append(f"regressor and torque through the same filter{low_pass}{kept}")
    return "; ".join(parts) or "none"


def _velocity(settings: IdentificationSettings) -> str:
    if settings.derivatives == "kalman":
        return "velocity and acceleration from the Kalman smoother"
    return f"{settings.velocity}; acceleration is its derivative"


def _threshold(settings: IdentificationSettings) -> str:
    threshold = settings.velocity_threshold
    if threshold.absolute is not None:
        lower = f"{threshold.absolute} rad/s or m/s"
    else:
        lower = f"{percent(threshold.fraction)} of the joint's largest speed"
    if threshold.chooses_samples:
        fitted = "only faster samples were fitted"
    elif threshold.fit == "all":
        fitted = "all samples were fitted"
    else:
        fitted = "slower samples were fitted only where dry friction is smoothed"
    return f"{lower}; {fitted}"


def _terms(robot: Robot) -> str:
    parts = []
    for term in robot.explicit_terms:
        where = "all joints" if term.joints == "all" else ", ".join(term.joints)
        details = [where, *(["at the motor"] if term.side == "motor" else [])]
        shapes = [(shape.label, getattr(term, shape.name)) for shape in TERM_SHAPES]
        details += [f"{label} {_short(value)}" for label, value in shapes if value]
        parts.append(f"{term.traits.label} ({', '.join(details)})")
    coupled = "; motors and joints coupled" if robot.coupling is not None else ""
    return ("; ".join(parts) or "none") + coupled


def _short(value: float) -> str:
    text = f"{value:.3g}"
    return significant(value, 3) if "e" in text else text


def _consistency(identification: Identification) -> str:
    if not identification.provenance.physically_consistent:
        return "not required: bodies may have inertias that are not physically consistent"
    price = identification.consistency_price
    cost = "has an unknown effect on unseen motion" if price is None else price.sentence()
    return f"every body is physically consistent; this {cost}"
