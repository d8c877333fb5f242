"""From recordings to a dynamic model: the whole identification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import metadata

import numpy as np
from threadpoolctl import threadpool_limits

from dynid import _core
from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.fitting import Fit, HeldOut, cross_validate, fit, pose
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.causes import diagnose
from dynid.evaluation.diagnosis.finding import Finding, sentences
from dynid.evaluation.errors import compare, relative_errors
from dynid.evaluation.verdict import Judgement, judge
from dynid.identification.quantities import Quantity, check_quantities, find_quantities
from dynid.identification.unsigned.sign_finding import find_signs
from dynid.identification.unsigned.torque_signs import TorqueSigns
from dynid.profile import RobotProfile
from dynid.recording.model import Recording, Source
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

Progress = Callable[[str], None]


@dataclass(frozen=True)
class StandardParameter:
    """One standard parameter of the model that will run; ``determined``: by these data alone."""

    name: str
    value: float
    unit: str
    urdf: float
    determined: bool


@dataclass(frozen=True)
class BaseParameter:
    """One base parameter: a combination of standard parameters that torque depends on.

    ``regrouping`` reads such as ``ZZ2R = ZZ2 + YY3 + 0.0961 M3``; ``essential`` is False where
    stepwise elimination left it out; ``determined`` is False where the data hold no information.
    ``value`` is the estimator's, ``consistent_value`` that of the physically consistent solution.
    """

    name: str
    regrouping: str
    value: float
    consistent_value: float
    unit: str
    standard_deviation: float
    relative_standard_deviation: float
    essential: bool
    determined: bool


@dataclass(frozen=True)
class Identification:
    """Everything one identification found out; reports and files are written from it alone."""

    profile: RobotProfile
    urdf_xml: str
    mechanism: Mechanism  # carries the identified standard parameters
    estimator: str
    sources: tuple[Source, ...]
    created: datetime  # UTC
    versions: dict[str, str]
    signals: tuple[Signals, ...]  # one per recording
    measured_torque: tuple[Array, ...]  # (N, n) per recording, through the parallel filter
    model_torque: tuple[Array, ...]  # (N, n) per recording, through the same
    parameters: tuple[StandardParameter, ...]
    base_parameters: tuple[BaseParameter, ...]
    condition_number: float
    physically_consistent: bool
    unconstrained_relative_error: tuple[float, ...]  # of the estimator before consistency, (n,)
    judgement: Judgement
    held_out: HeldOut
    raw_samples: int
    samples: int
    notes: tuple[str, ...]
    quantities: tuple[Quantity, ...] = ()  # that the profile asks for
    findings: tuple[Finding, ...] = ()  # of the diagnosis, the worst first
    signs: TorqueSigns | None = None  # where torque was recorded without


def identify(
    profile: RobotProfile,
    urdf_xml: str,
    recordings: Sequence[Recording],
    *,
    progress: Progress = lambda _: None,
) -> Identification:
    """Identify a robot's dynamic model from one or more recordings.

    Args:
        profile: the robot, and every step's settings.
        urdf_xml: text of its URDF; kinematics are taken from it, masses only as a last resort.
        recordings: of the profile's joints, in its order.
        progress: told the name of each step as it begins.

    Raises:
        DynidError: a recording, setting or mechanism does not allow it.
    """
    # matrices here are some 80 wide: more threads only get in each other's way
    with threadpool_limits(1, user_api="blas"):
        return _identify(profile, urdf_xml, recordings, progress)


def _identify(
    profile: RobotProfile,
    urdf_xml: str,
    recordings: Sequence[Recording],
    progress: Progress,
) -> Identification:
    progress("building the mechanism")
    mechanism = profile.mechanism(urdf_xml)
    check_quantities(profile.quantities, mechanism)
    base = base_parameterization(mechanism)
    signs = None
    if profile.identification.unsigned_torque:
        progress("finding the signs of torque")
        recordings, signs = find_signs(profile, mechanism, base, recordings)
    progress("preprocessing")
    signals = tuple(preprocess(recording, profile) for recording in recordings)
    if not any(one.moving.any() for one in signals):
        raise EstimationError(
            "no joint moves anywhere in what was recorded; an identification needs motion."
        )
    progress("estimating")
    fitted = fit(pose(mechanism, base, signals, profile.identification), profile.identification)
    progress("judging")
    model = mechanism.with_parameters(fitted.standard)
    comparisons = compare(model, signals, profile.identification)
    held_out = cross_validate(fitted)
    progress("diagnosing")
    recorded = tuple(recordings)
    case = Case(profile, mechanism, recorded, signals, model, comparisons, fitted, held_out)
    findings = diagnose(case)
    unconstrained = mechanism.with_parameters(fitted.unconstrained)
    plain = relative_errors(compare(unconstrained, signals, profile.identification))
    return Identification(
        profile=profile,
        urdf_xml=urdf_xml,
        mechanism=model,
        estimator=profile.identification.estimator,
        sources=tuple(source for recording in recordings for source in recording.sources),
        created=datetime.now(timezone.utc),
        versions=versions(),
        signals=signals,
        measured_torque=tuple(c.measured for c in comparisons),
        model_torque=tuple(c.model for c in comparisons),
        parameters=_standard_table(mechanism, fitted),
        base_parameters=_base_table(base, fitted),
        condition_number=fitted.estimate.condition_number,
        physically_consistent=fitted.consistent,
        unconstrained_relative_error=tuple(float(e) for e in plain),
        judgement=judge(
            comparisons,
            allowed=profile.identification.max_relative_torque_error,
            warnings=[*(signs.warnings() if signs else ()), *sentences(findings)],
        ),
        held_out=held_out,
        raw_samples=sum(len(recording.time) for recording in recordings),
        samples=sum(len(s.time) for s in signals),
        notes=(
            *([signs.note()] if signs else ()),
            *(note for s in signals for note in s.notes),
            *_whiteness(mechanism, fitted),
        ),
        quantities=find_quantities(profile.quantities, mechanism, base, fitted.estimate),
        findings=findings,
        signs=signs,
    )


def versions() -> dict[str, str]:
    """Versions of dynid and of what its figures depend on."""
    found = {"dynid": _core.version, "pinocchio": _core.pinocchio_version}
    for name in ("numpy", "scipy", "clarabel"):
        with suppress(metadata.PackageNotFoundError):  # a distribution may leave it out
            found[name] = metadata.version(name)
    return found


def _whiteness(mechanism: Mechanism, fitted: Fit) -> list[str]:
    """How far torque errors are from white noise, which the textbook's deviations presume."""
    first = fitted.problem.rows[0]
    rate = first.signals.sampling_rate / first.parallel_filter.decimation
    worst = int(np.argmax(fitted.estimate.correlation))
    samples = float(fitted.estimate.correlation[worst])
    if samples < 2.0:
        return []
    return [
        f"Torque errors are not white: they persist for up to {samples / rate:.2g} s "
        f"({mechanism.joints[worst]}); standard deviations account for it."
    ]


def _standard_table(mechanism: Mechanism, fitted: Fit) -> tuple[StandardParameter, ...]:
    columns = zip(
        mechanism.parameter_names,
        fitted.standard,
        mechanism.parameter_units,
        mechanism.urdf_parameters,
        fitted.determined,
        strict=True,
    )
    return tuple(StandardParameter(n, float(v), u, float(o), bool(d)) for n, v, u, o, d in columns)


def _base_table(base: BaseParameterization, fitted: Fit) -> tuple[BaseParameter, ...]:
    consistent = base.project(fitted.standard)
    deviations = np.sqrt(np.maximum(np.diag(fitted.estimate.covariance), 0.0))
    return tuple(
        BaseParameter(
            name=base.names[i],
            regrouping=base.expressions[i],
            value=float(fitted.estimate.base[i]),
            consistent_value=float(consistent[i]),
            unit=base.units[i],
            standard_deviation=float(deviations[i]),
            relative_standard_deviation=_relative(deviations[i], fitted.estimate.base[i]),
            essential=bool(fitted.essential[i]),
            determined=bool(fitted.estimate.determined[i]),
        )
        for i in range(len(base.names))
    )


def _relative(deviation: float, value: float) -> float:
    return float(deviation / abs(value)) if value != 0 else float("inf")
