"""Identification of a dynamic model from recordings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.configuration import changed
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.joint_terms import TermSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.block_bootstrap import Bootstrap, bootstrap
from dynid.estimation.cross_validation import cross_validate
from dynid.estimation.estimators import make_estimator
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.estimation.work import Share, Work
from dynid.evaluation.at_rest import largest_static_friction, without_noise_at_rest
from dynid.evaluation.consistency_price import consistency_price
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.causes import diagnose
from dynid.evaluation.diagnosis.contradicting_signals import reasons_against_signals
from dynid.evaluation.diagnosis.finding import sentences
from dynid.evaluation.diagnosis.one_direction import move_one_way
from dynid.evaluation.diagnosis.scale import reasons_against_units
from dynid.evaluation.diagnosis.tested import reasons_of_tested
from dynid.evaluation.errors import compare, urdf_errors
from dynid.evaluation.left_out_recordings import disagreements, held_out_notes
from dynid.evaluation.plain_model import plain_held_out, urdf_terms
from dynid.evaluation.verdict import ErrorReference, evaluate
from dynid.identification.apparent_inertia import find_apparent_inertia
from dynid.identification.dead_bands import with_dead_bands
from dynid.identification.filter_choice import FilterChoice, filtered_pieces, lost_motion
from dynid.identification.friction.search import choose_terms
from dynid.identification.friction.selection import FrictionSelection
from dynid.identification.parameter_tables import base_estimate, base_table, standard_table
from dynid.identification.provenance import model_errors, provenance, stored_quantities
from dynid.identification.quantities import check_quantities, find_quantities
from dynid.identification.result import Identification
from dynid.identification.settings import IdentificationSettings, Quantities
from dynid.identification.torque_signs import TorqueSigns, sign_finder
from dynid.recording.averaging import averaging_note, bounded
from dynid.recording.model import Recording, Source, given_recordings
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

Progress = Callable[[str], None]

# shares of the work, as measured: choosing the terms, with a slow estimator or another one after
# it, and the end of the estimation by a slow one; the rest is evaluation and diagnosis
_OF_TERMS = {True: 0.3, False: 0.8}
_OF_ESTIMATION = 0.95

_BY_ROBOT = (
    "The robot's controller compensates gravity (gravity: by_robot): the torques and this model do "
    "not contain it, and feedforward torque must not add it."
)


def identify(
    robot: Robot,
    recordings: Recording | Sequence[Recording],
    *,
    progress: Progress = lambda _: None,
    share: Share | None = None,
    **settings: object,
) -> Identification:
    """Identify a robot's dynamic model from one or more recordings.

    ``dynid.identify`` takes files as well, and describes the arguments.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    recordings = given_recordings("identify()", recordings)
    if "terms" in settings:
        robot = robot.with_checked_terms(settings.pop("terms"), "identify()")
    if settings:
        group = robot.settings(IdentificationSettings)
        robot = robot.with_settings(changed(group, settings, "identify()", others=["terms"]))
    recordings = bounded(recordings, robot.settings(IdentificationSettings).lowest_rate)
    # more threads are slower for matrices of about 80 columns
    with threadpool_limits(1, user_api="blas"):
        robot, pieces, filters = filtered_pieces(robot, recordings, progress=progress)
        return _identify(robot, pieces, filters, progress, Work(share))


class _Prepared(NamedTuple):
    """What is fitted: the robot with explicit terms, and its signals.

    ``before_choice`` is the robot with plain terms, where others were chosen.
    """

    robot: Robot
    before_choice: Robot | None
    mechanism: Mechanism
    base: BaseParameterization
    recordings: tuple[Recording, ...]
    signals: tuple[Signals, ...]
    signs: TorqueSigns | None
    selection: FrictionSelection | None


def _prepare(
    robot: Robot, recordings: Sequence[Recording], progress: Progress, work: Work
) -> _Prepared:
    """Preprocess the recordings, with the signs of torque found and the joint terms chosen."""
    auto = robot.terms == "auto"
    robot = with_dead_bands(_explicit(robot), recordings)
    progress("building the mechanism")
    mechanism = robot.mechanism()
    check_quantities(robot.settings(Quantities).by_name, mechanism)
    base = base_parameterization(mechanism)
    signs = None
    if robot.settings(IdentificationSettings).unsigned_torque:
        progress("finding the signs of torque")
        recordings, signs = sign_finder()(robot, mechanism, base, recordings)
    progress("preprocessing")
    signals = tuple(without_noise_at_rest(preprocess(recording, robot)) for recording in recordings)
    if not any(piece.moving.any() for piece in signals):
        raise EstimationError("no joint moves in the recordings; an identification needs motion.")
    selection = before_choice = None
    if auto:
        before_choice = robot = _with_separable_offsets(robot, signals)
        selection = choose_terms(robot, recordings, signals, progress=progress, work=work)
        robot = with_dead_bands(selection.robot, recordings)
        mechanism = robot.mechanism()
        base = base_parameterization(mechanism)
    return _Prepared(
        robot, before_choice, mechanism, base, tuple(recordings), signals, signs, selection
    )


def _identify(
    robot: Robot,
    recordings: Sequence[Recording],
    filters: FilterChoice | None,
    progress: Progress,
    work: Work,
) -> Identification:
    slow = _is_slow(robot.settings(IdentificationSettings))
    of_terms = 0.0 if robot.terms != "auto" else _OF_TERMS[slow]
    prepared = _prepare(robot, recordings, progress, work.part(0.0, of_terms))
    robot, before_choice, mechanism, base, recorded, signals, signs, selection = prepared
    settings = robot.settings(IdentificationSettings)
    progress("estimating")
    part = work.part(of_terms, _OF_ESTIMATION) if _is_slow(settings) else Work()
    part.done(0.0)
    fitted = fit(build_problem(mechanism, base, signals, settings), settings, part)
    part.done(1.0)
    apparent = None
    if selection is not None:
        apparent = find_apparent_inertia(robot, fitted, settings)
    if apparent is not None:
        robot, fitted = apparent.robot, apparent.fitted
        mechanism, base = fitted.problem.mechanism, fitted.problem.base
    replicated = _replicated(fitted, settings, progress)
    progress("evaluating")
    identified = mechanism.with_parameters(fitted.standard)
    comparisons = compare(identified, signals, settings)
    held_out = cross_validate(fitted)
    progress("diagnosing")
    case = Case(
        robot,
        mechanism,
        recorded,
        signals,
        identified,
        comparisons,
        fitted,
        held_out,
        filters_given=filters is None,
        before_choice=before_choice,
    )
    findings = diagnose(case)
    if selection is not None:
        findings = tuple(selection.remedy(finding) for finding in findings)
    with_urdf = urdf_terms(fitted)
    price = consistency_price(fitted, settings.physical)
    verdict = evaluate(
        comparisons,
        settings,
        reference=ErrorReference.of(
            robot,
            held_out.relative_error,
            plain_held_out(fitted, held_out),
            largest_static_friction(identified, signals),
            urdf_errors(identified, with_urdf, signals, settings),
        ),
        reasons=(
            reasons_against_signals(case)
            or reasons_against_units(case)
            or reasons_of_tested(findings)
        ),
        warnings=[
            *(() if filters else lost_motion(robot, recorded, signals, identified)),
            *disagreements(held_out, mechanism.joints),
            *(price.warnings(mechanism.joints) if price else ()),
            *(signs.warnings() if signs else ()),
            *sentences(findings),
        ],
    )
    parameters = standard_table(mechanism, fitted)
    base_parameters = base_table(base, fitted, replicated)
    wanted = robot.settings(Quantities).by_name
    quantities = find_quantities(wanted, mechanism, base, fitted.estimate)
    model = Model(
        robot=robot,
        mechanism=identified,
        base=base_estimate(base_parameters, fitted),
        provenance=provenance(settings, verdict, fitted, recorded, signals),
        errors=model_errors(verdict, held_out),
        determined=tuple(parameter.determined for parameter in parameters),
        urdf_terms=with_urdf,
        quantities=stored_quantities(quantities),
        source=Source(name=robot.name, sha256="", kind="model"),
    )
    return Identification(
        model=model,
        signals=signals,
        measured_torque=tuple(c.measured for c in comparisons),
        model_torque=tuple(c.model for c in comparisons),
        parameters=parameters,
        base_parameters=base_parameters,
        consistency_price=price,
        verdict=verdict,
        held_out=held_out,
        notes=(
            *([filters.note()] if filters else []),
            *([signs.note()] if signs else ()),
            *([selection.note()] if selection else ()),
            *([apparent.note()] if apparent else ()),
            *([_BY_ROBOT] if robot.gravity == "by_robot" else ()),
            *averaging_note(recorded),
            *(note for s in signals for note in s.notes),
            *held_out_notes(held_out, mechanism.joints),
            *_whiteness(mechanism, fitted),
            fitted.repeatability.note,
            *_bootstrap_note(replicated, fitted),
        ),
        quantities=quantities,
        findings=findings,
        signs=signs,
        filters=filters,
        term_selection=selection,
    )


def _is_slow(settings: IdentificationSettings) -> bool:
    return make_estimator(settings.estimator).round_share is not None


def _explicit(robot: Robot) -> Robot:
    """Return the robot with plain terms where they are ``auto``, and a robust estimator with them.

    Of a robot whose friction is not known, some motion is not described by any of the models tried,
    such as sticking at reversals.
    """
    settings = robot.settings(IdentificationSettings)
    if robot.terms == "auto" and "estimator" not in settings.model_fields_set:
        robot = robot.with_settings(settings.model_copy(update={"estimator": "irls"}))
    return robot.with_explicit_terms()


def _whiteness(mechanism: Mechanism, fitted: Fit) -> list[str]:
    """Note the correlation time of torque errors if they are not white noise."""
    first = fitted.problem.rows[0]
    rate = first.signals.sampling_rate / first.parallel_filter.decimation
    worst = int(np.argmax(fitted.estimate.correlation))
    samples = float(fitted.estimate.correlation[worst])
    if samples < 2.0:
        return []
    return [
        f"Torque errors are not white noise: their correlation time is up to {samples / rate:.2g} "
        f"s ({mechanism.joints[worst]}); standard deviations account for it."
    ]


def _replicated(
    fitted: Fit, settings: IdentificationSettings, progress: Progress
) -> Bootstrap | None:
    if settings.bootstrap == 0:
        return None
    progress("bootstrapping")
    return bootstrap(fitted.problem, fitted.estimate, settings.bootstrap)


def _bootstrap_note(replicated: Bootstrap | None, fitted: Fit) -> list[str]:
    """Compare the scatter of the replicates with the standard deviations."""
    if replicated is None:
        return []
    stated = np.sqrt(np.diag(fitted.estimate.covariance))
    known = fitted.estimate.determined & np.isfinite(replicated.standard_deviations) & (stated > 0)
    if not known.any():
        return ["A bootstrap finds no intervals: one block determines each parameter almost alone."]
    ratio = np.median(replicated.standard_deviations[known] / stated[known])
    return [
        f"95 % intervals are from {len(replicated.replicates)} replicates of a bootstrap over "
        f"blocks of the recordings; they scatter by {ratio:.2g} of the standard deviations in the "
        "median, which also include what differs between recordings."
    ]


def _with_separable_offsets(robot: Robot, signals: Sequence[Signals]) -> Robot:
    """Return the robot without offsets of joints that move in one direction only.

    There, dry friction and offset are one constant, which what is not modelled at the start of the
    motion would divide into two of opposite signs, each many times as large: a torque that jumps by
    their sum when the joint turns back.
    """
    one_way = move_one_way([piece.velocity for piece in signals])
    left = tuple(name for name, no in zip(robot.joints, one_way, strict=True) if not no)
    terms: list[TermSettings] = []
    for term in robot.explicit_terms:
        if term.kind == "offset" and term.side == "joint":
            members = robot.joints if term.joints == "all" else term.joints
            kept = tuple(name for name in members if name in left or name not in robot.joints)
            if kept != members:
                terms += [term.model_copy(update={"joints": kept})] if kept else []
                continue
        terms.append(term)
    return robot.with_terms(tuple(terms))
