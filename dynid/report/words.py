"""Text of the report: verdict, recordings, filters and estimator."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Literal, NamedTuple

from dynid.dynamics.joint_terms import TERM_SHAPES
from dynid.estimation.estimators import estimator_class, is_estimator
from dynid.evaluation.diagnosis.finding import grouped
from dynid.evaluation.left_out_recordings import held_out_notes
from dynid.evaluation.uses import PLAIN_BETTER
from dynid.identification.settings import IdentificationSettings
from dynid.signals.settings import ParallelFilterSettings
from dynid.text import NOT_KNOWN, count, listed, percent, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.evaluation.diagnosis.finding import Finding
    from dynid.evaluation.joint_errors import JointErrors, JointState, UseName
    from dynid.evaluation.verdict import Verdict
    from dynid.identification.filter_choice import FilterChoice
    from dynid.identification.result import Identification
    from dynid.robot.robot import Robot
    from dynid.signals.signals import Signals


def verdict(verdict: Verdict, settings: IdentificationSettings, *, held_out: bool) -> str:
    """Return the outcome in one sentence."""
    what = "unseen recordings" if held_out else "the recordings"
    good = (
        "explains {} at every joint that moves"
        if verdict.success
        else "does not explain {} well enough"
    )
    return f"The model {good.format(what)}: {_largest(verdict, settings, held_out)}"


class ErrorBar(NamedTuple):
    """A mean torque error of the joints, or a range of them, over the torque.

    Attributes:
        name: what has this error.
        low: where its bar starts; 0 except for a range.
        high: where its bar ends.
        kind: class in the report's style.
    """

    name: str
    low: float
    high: float
    kind: Literal["measured", "model", "usual"]

    @property
    def number(self) -> str:
        """The error in percent."""
        end = percent(self.high)
        return end if self.low == 0 else f"{100 * self.low:g} to {100 * self.high:g} %"


def error_bars(verdict: Verdict) -> tuple[ErrorBar, ...]:
    """Return the picture of the verdict: the model against the URDF, or else against no model."""
    usual = ErrorBar("typical of real robots", *_USUAL_ERRORS, "usual")
    if verdict.compared:
        before = ErrorBar("masses of the URDF", 0.0, verdict.mean_urdf_error, "measured")
        return (before, ErrorBar("this model", 0.0, verdict.mean_error, "model"), usual)
    known = [joint.held_out_error for joint in verdict.joints if isfinite(joint.held_out_error)]
    if not known:
        return ()
    model = ErrorBar("this model", 0.0, sum(known) / len(known), "model")
    return (ErrorBar("no model", 0.0, 1.0, "measured"), model, usual)


def against_urdf(verdict: Verdict) -> list[str]:
    """Return how much better the model is than the URDF, and where it is not, with the reason."""
    if not verdict.compared:
        return []
    sentences = [
        f"Mean torque error of the joints: {percent(verdict.mean_error)} with the model, "
        f"{percent(verdict.mean_urdf_error)} with the masses of the URDF and the same friction."
    ]
    alike: dict[str, list[str]] = {}
    for joint in verdict.compared:
        if joint.urdf_error <= PLAIN_BETTER * joint.held_out_error:
            reason = _NO_BETTER.get(joint.state, "the masses of the URDF explain it as well")
            errors = f"{percent(joint.held_out_error)} instead of {percent(joint.urdf_error)}"
            alike.setdefault(reason, []).append(f"{joint.joint} ({errors})")
    for reason, joints in alike.items():
        sentences.append(f"Not clearly better than the URDF: {listed(joints)}; {reason}.")
    return sentences


def next_command(verdict: Verdict, *, validated: bool) -> str:
    """Return the command that comes next, with capital letters for what the user names."""
    if not verdict.success:
        return "dynid diagnose ROBOT RECORDING"
    if not validated:
        return "dynid validate ANOTHER_RECORDING --model model.yaml"
    return "ros2 launch dynid control.launch.py robot:=ROBOT model:=model.yaml"


_USUAL_ERRORS = (0.02, 0.1)  # relative torque errors of models of real robots

_NO_BETTER: dict[JointState, str] = {
    "noise": "its torque is hardly more than noise",
    "at_rest": "it did not move",
    "not_moved": "it did not move",
}


def rest(joint: JointErrors) -> str:
    """Return the torque error at rest, with static friction in place of a predicted value."""
    if not joint.rest_share > 0:
        return NOT_KNOWN
    band = joint.static_friction
    friction = f" (± {significant(band, 2)})" if band > 0 else ""
    return f"{significant(joint.rest_rmse, 2)}{friction}"


_USE_NAMES: dict[UseName, str] = {
    "feedforward": "Feedforward",
    "gravity": "Gravity compensation",
    "collision": "Collision detection with tuned thresholds",
    "simulation": "Simulation",
    "payload": "Payload identification",
}


def uses(verdict: Verdict) -> list[str]:
    """Return which joints the model serves for each use, and why not the others."""
    alike: dict[str, list[str]] = {}  # names of the uses by what is said of them
    for key, name in _USE_NAMES.items():
        rated = [
            (joint, use)
            for joint in verdict.joints
            for use in joint.uses
            if use.use == key and use.serves is not None
        ]
        if not rated:
            continue
        serving = [joint.joint for joint, use in rated if use.serves]
        others = [
            f"{joint.joint} ({'fails' if joint.state == 'poor' else use.reason})"
            for joint, use in rated
            if not use.serves
        ]
        unrated = [j.joint for j in verdict.joints if all(j is not joint for joint, _ in rated)]
        joints = "no joint" if not serving else listed(serving)
        if len(serving) == len(verdict.joints):
            joints = "every joint"
        rest = f"; not {listed(others)}" if others else ""
        unknown = f"; not rated: {listed(unrated)}" if unrated else ""
        alike.setdefault(f"serves {joints}{rest}{unknown}", []).append(name)
    listings = (
        (listed([first, *map(str.lower, others)]), said) for said, (first, *others) in alike.items()
    )
    return [f"{names}: {said}." for names, said in listings]


def found(findings: Sequence[Finding]) -> str:
    """Return the causes that the diagnosis found, except notes; empty if there are none."""
    causes = [
        f"{finding.cause.replace('_', ' ')} ({finding.severity})"
        for finding in grouped(findings)
        if finding.severity != "note"
    ]
    return listed(dict.fromkeys(causes)) if causes else ""


def _largest(verdict: Verdict, settings: IdentificationSettings, held_out: bool) -> str:
    """Return the largest error of those that the criterion rates, and what it allows."""
    allowed = f"{100 * settings.allowed_error:.3g} % is allowed."
    if settings.criterion == "max_error":
        worst = max(verdict.joints, key=lambda joint: joint.max_relative_torque_error)
        return (
            f"the largest torque error in motion is {percent(worst.max_relative_torque_error)} of "
            f"the largest measured torque ({worst.joint}); {allowed}"
        )
    rated = [joint for joint in verdict.joints if isfinite(joint.unexplained_error)]
    if not rated:
        return f"no joint's error could be rated; {allowed}"
    worst = max(rated, key=lambda joint: joint.unexplained_error)
    where = "on them" if held_out else "on data not used in the fit"
    return (
        f"the largest relative torque error {where}, without noise, is "
        f"{percent(worst.unexplained_error)} ({worst.joint}); {allowed}"
    )


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
