"""Text of the report: verdict, recordings, filters and estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.dynamics.joint_terms import TERM_SHAPES
from dynid.identification.settings import IdentificationSettings
from dynid.text import count, percent, significant

if TYPE_CHECKING:
    from dynid.evaluation.verdict import Verdict
    from dynid.identification.result import Identification
    from dynid.robot.robot import Robot
    from dynid.signals.signals import Signals

_ESTIMATORS = {
    "ols": "ordinary least squares",
    "wls": "weighted least squares: each joint is weighted by its own noise",
    "irls": "iteratively reweighted least squares (Huber): outliers have little weight",
    "tls": "total least squares: measured positions are noisy too",
    "ml": "maximum likelihood: torque errors may be correlated over time and between joints",
    "ekf": "extended Kalman filter of motion and parameters",
    "srukf": "square-root unscented Kalman filter of motion and parameters",
    "iv": "instrumental variables: the regressor along a simulated motion is free of noise",
    "didim": "DIDIM: torque along a simulated motion, without noise, against the measured torque",
    "cloe": "closed-loop output error: the simulated robot's position against the measured one",
    "clie": "closed-loop input error: the simulated drives' torque against the measured one",
    "rls": "recursive least squares: one block of samples after the other, as online",
    "rls_joint": "recursive least squares joint by joint: each row for its own parameters",
}


def verdict(verdict: Verdict, allowed: float, *, held_out: bool) -> str:
    """Return the outcome in one sentence."""
    worst = max(verdict.joints, key=lambda joint: joint.max_relative_torque_error)
    error = percent(worst.max_relative_torque_error)
    what = "unseen recordings" if held_out else "the recordings"
    if verdict.success:
        return (
            f"The model explains {what} at every joint: the largest torque error in motion "
            f"is {error} of the largest measured torque ({worst.joint}); {100 * allowed:g} % is "
            "allowed."
        )
    return (
        f"The model does not explain {what} well enough to be used: the largest torque error "
        f"in motion is {error} of the largest measured torque ({worst.joint}); {100 * allowed:g} % "
        "is allowed."
    )


def recording_steps(
    robot: Robot, signals: tuple[Signals, ...], samples: int
) -> list[tuple[str, str]]:
    """Return recordings and filters, as (step, description)."""
    settings = robot.settings(IdentificationSettings)
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


def estimation_steps(identification: Identification) -> list[tuple[str, str]]:
    """Return the estimation, as (step, description)."""
    base, made = identification.base_parameters, identification.provenance
    determined = sum(parameter.determined for parameter in base)
    left_out = sum(p.determined and not p.essential for p in base)
    steps = [
        *([("Torque signs", identification.signs.note())] if identification.signs else []),
        ("Joint terms", _terms(identification.robot)),
        ("Estimator", _ESTIMATORS.get(made.estimator, made.estimator)),
        (
            "Base parameters",
            f"{len(base)} combinations of {len(identification.parameters)} standard parameters; "
            f"{determined} determined by the recordings, {left_out} of them not essential; "
            f"condition number {significant(made.condition_number, 3)}",
        ),
        ("Physical consistency", _consistency(identification)),
    ]
    if identification.held_out.folds:
        steps.append(
            (
                "Held out",
                f"{identification.held_out.folds} times, a part of the recordings was excluded "
                "from the fit and predicted with its result",
            )
        )
    return steps


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
    if settings.cutoff_hz is not None and low_passed:
        parts.append(
            f"{' and '.join(low_passed)} through a zero-phase Butterworth low-pass of order "
            f"{settings.filter_order}, cut-off {settings.cutoff_hz:g} Hz"
        )
    if settings.parallel_filter is not None:
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
        details += [f"{label} {value:g}" for label, value in shapes if value]
        parts.append(f"{term.traits.label} ({', '.join(details)})")
    coupled = "; motors and joints coupled" if robot.coupling is not None else ""
    return ("; ".join(parts) or "none") + coupled


def _consistency(identification: Identification) -> str:
    if not identification.provenance.physically_consistent:
        return "not required: bodies may have inertias that are not physically consistent"
    changes = [
        joint.relative_error - plain
        for joint, plain in zip(
            identification.verdict.joints,
            identification.unconstrained_relative_error,
            strict=True,
        )
    ]
    return (
        "every body is physically consistent; this increases the relative error by at most "
        f"{100 * max(changes, default=0.0):.2f} percentage points"
    )
