"""The joint terms of a robot, chosen by its recordings: ``terms: auto``.

Joint by joint, few friction models are compared by the error on blocks that were not fitted, each
richer than the best before it. Then the model of the whole robot with the chosen terms is compared
with that of plain terms in the same way, and a joint that is not better keeps the plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import fit
from dynid.estimation.work import Work
from dynid.identification.dead_bands import position_steps
from dynid.identification.friction.candidates import Candidate, Shapes, candidate
from dynid.identification.friction.choose import CandidateTrial, choose, errors
from dynid.identification.friction.joint_problem import JointProblem
from dynid.identification.friction.reduced import HeldOutBlocks, held_out_blocks
from dynid.identification.friction.selection import (
    FittedRobot,
    joint_and_motion,
    noise_at_rest,
    with_terms,
)
from dynid.identification.friction.shared_search import SharedProjection, search_shapes
from dynid.identification.friction.term_selection import ChosenTerms, TermSelection, TriedTerms
from dynid.identification.friction.variable_projection import FrictionFit
from dynid.identification.friction.whole_model import WholeModel
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals
from dynid.text import significant, unit

_SMOOTH = ("viscous + tanh", "viscous + root + tanh", "viscous + tanh + Stribeck")
_WITH_MEMORY = ("1 stop", "2 stops")
_REFINED: Mapping[str, Callable[[str], str]] = {
    "viscous by direction": lambda name: name.replace("viscous", "viscous by direction", 1),
    "spring": lambda name: f"{name} + spring",
}
"""What is asked of the residual of the best model, whose shapes it keeps."""
_PLAIN = "plain"
_FEWEST_SAMPLES_OF_A_FOLD = 30  # samples of a fold
_ROUNDS = 3  # in which joints return to plain terms


@dataclass(frozen=True)
class _JointTrials:
    """The trials at one joint, and the fits of each: to all blocks, and without each fold."""

    problem: JointProblem
    trials: tuple[CandidateTrial, ...]
    fits: tuple[tuple[FrictionFit, ...], ...]
    choice: int

    def terms(self, part: int, *, plain: bool) -> tuple[TermSettings, ...]:
        return self.fits[0 if plain else self.choice][part].terms


def choose_terms(
    robot: Robot,
    recordings: Sequence[Recording],
    signals: Sequence[Signals],
    *,
    progress: Callable[[str], None] = lambda _: None,
    work: Work | None = None,
) -> TermSelection:
    """Choose the joint terms of a robot by the error on blocks held out.

    Args:
        robot: its terms are the plain ones.
        recordings: of the robot's joints.
        signals: of each recording.
        progress: called with the name of each step.
        work: takes the share that is done.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    plain = robot.with_explicit_terms()
    within = sum(not piece.piece for piece in signals) == 1
    return _choose(plain, recordings, signals, progress, work or Work(), within=within)


def _choose(
    plain: Robot,
    recordings: Sequence[Recording],
    signals: Sequence[Signals],
    progress: Callable[[str], None],
    work: Work,
    *,
    within: bool,
) -> TermSelection:
    """Choose by the error on recordings held out, or on parts ``within`` each of them."""
    blocks, settings = held_out_blocks(signals, _simplest(plain), within=within)
    if blocks.samples_of_a_fold() < _FEWEST_SAMPLES_OF_A_FOLD:
        return TermSelection(plain, (), blocks.left_out, too_short=True)
    compared, before = _plain_model(plain, blocks, settings)
    if not within and np.any(before >= 1):
        # without one of them, the other recordings do not determine the robot
        return _choose(plain, recordings, signals, progress, work, within=True)
    step, shortest = position_steps(plain, recordings)
    position, velocity = _noise(plain, recordings, signals)
    position = np.maximum(position, shortest / 2)
    whole = FittedRobot(compared.fitted, position, velocity, step / 2)
    tried = []
    for number, name in enumerate(plain.joints):
        progress(f"choosing the friction model of {name}")
        work.done(number / len(plain.joints))
        tried.append(_try_joint(whole, blocks, number))
    progress("comparing the chosen model with the plain one")
    return _selection(compared, before, tried)


def _plain_model(
    robot: Robot, blocks: HeldOutBlocks, settings: IdentificationSettings
) -> tuple[WholeModel, Array]:
    """Fit a robot with plain terms, and return its relative errors (n,) on blocks held out."""
    mechanism = robot.mechanism()
    problem = blocks.problem(mechanism, base_parameterization(mechanism), settings)
    compared = WholeModel(robot, settings, blocks, fit(problem, settings))
    terms = [_plain_terms(mechanism, joint) for joint in range(len(robot.joints))]
    return compared, compared.relative_errors([terms] * (blocks.fold.max() + 2))


def _plain_terms(mechanism: Mechanism, joint: int) -> tuple[TermSettings, ...]:
    return tuple(
        TermSettings(kind=term.kind, smoothing=term.smoothing)
        for term in mechanism.terms
        if term.joint == joint and term.traits.dissipative
    )


def _simplest(robot: Robot) -> IdentificationSettings:
    """Return the robot's settings for weighted least squares alone."""
    settings = robot.settings(IdentificationSettings)
    physical = settings.physical.model_copy(update={"enabled": False})
    changes = {"estimator": "wls", "essential": False, "physical": physical}
    return settings.model_copy(update=changes)


def _noise(
    robot: Robot, recordings: Sequence[Recording], signals: Sequence[Signals]
) -> tuple[Array, Array]:
    """Return the noise of positions and velocities at rest, or else in motion; (n,) each."""
    # the robot's settings may remove rest
    settings = robot.settings(IdentificationSettings).model_copy(
        update={"trim_rest": False, "period": None}
    )
    whole = robot.with_settings(settings)
    position, velocity = noise_at_rest([preprocess(recording, whole) for recording in recordings])
    cutoff, rate = settings.motion_cutoff_hz, signals[0].sampling_rate
    if cutoff is None:
        return position, velocity
    # the low-pass removed the part of white noise above its cut-off
    removed = np.median([_spread(piece.raw_position - piece.position) for piece in signals], axis=0)
    share = cutoff / (0.5 * rate)
    passed = removed * np.sqrt(share / max(1.0 - share, share))
    speed = passed * 2 * np.pi * cutoff / np.sqrt(3)
    return (
        np.where(position > 0, position, 2 * passed),
        np.where(velocity > 0, velocity, speed),
    )


def _spread(values: Array) -> Array:
    """Return a robust standard deviation of each column."""
    return np.asarray(1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0))


def _try_joint(whole: FittedRobot, blocks: HeldOutBlocks, joint: int) -> _JointTrials:
    """Try models of growing complexity at one joint."""
    problem, motion = joint_and_motion(whole, joint)
    mechanism = whole.fit.problem.mechanism
    plain = _plain_terms(mechanism, joint)
    projection = SharedProjection(problem, blocks.fold)
    trials: list[CandidateTrial] = []
    fits: list[tuple[FrictionFit, ...]] = []

    def attempt(model: Candidate, shapes: Shapes | None = None) -> None:
        hints = [trial.fit.shapes for trial in trials if trial.fit.shapes]
        if shapes is None:
            part_fits = search_shapes(projection, model, hints)
        else:
            part_fits = projection.solve(model, shapes)
        share = np.array([span.stop - span.start for span in problem.spans], dtype=np.float64)
        residuals = [errors(problem, fit) for fit in part_fits]
        squares = [
            np.mean(residuals[1 + fold][span] ** 2)
            for fold, span in zip(blocks.fold, problem.spans, strict=True)
        ]
        error = float(np.sqrt(np.mean(residuals[0] ** 2)))
        trials.append(CandidateTrial(part_fits[0], error, np.array(squares), share / share.sum()))
        fits.append(tuple(part_fits))

    attempt(Candidate(_PLAIN, (), lambda _: plain))
    if motion.speed > 0:
        loads = ("", " + load") if motion.loaded else ("",)
        for name in [name + load for load in loads for name in _SMOOTH]:
            attempt(candidate(name, motion))
        best = choose(trials[1:])
        for name in _WITH_MEMORY:
            attempt(candidate(f"{best.name} + {name}", motion))
        sprung = any(t.joint == joint and t.kind.startswith("spring") for t in mechanism.terms)
        for name, refined in _REFINED.items():
            if name == "spring" and sprung:
                continue
            best = choose(trials[1:])
            attempt(candidate(refined(best.name), motion), best.fit.shapes)
            if not _is_passive(trials[-1].fit):
                del trials[-1], fits[-1]
    chosen = choose(trials)
    choice = [trial is chosen for trial in trials].index(True)
    return _JointTrials(problem, tuple(trials), tuple(fits), choice)


def _is_passive(fit: FrictionFit) -> bool:
    """Whether no spring has a negative stiffness, which stands for a wrong gravity torque."""
    return not any(
        value < 0 and term.kind == "spring_stiffness"
        for term, value in zip(fit.terms, fit.friction, strict=True)
    )


def _selection(compared: WholeModel, before: Array, tried: Sequence[_JointTrials]) -> TermSelection:
    """Compare whole models; joints at which the chosen terms are not better return to plain.

    Args:
        compared: the robot with plain terms.
        before: (n,) its relative errors on blocks held out.
        tried: the trials at each joint.
    """

    def parts(plain: NDArray[np.bool_]) -> list[list[tuple[TermSettings, ...]]]:
        """Terms of every joint, fitted to all blocks and without each fold."""
        return [
            [
                joint.terms(part, plain=bool(is_plain))
                for joint, is_plain in zip(tried, plain, strict=True)
            ]
            for part in range(len(tried[0].fits[0]))
        ]

    def held_out(plain: NDArray[np.bool_]) -> Array:
        """Return the larger error: with the shapes of each fold, or of the model delivered.

        A part of a recording may decide alone on a shape or, with a given shape, on its factor.
        """
        models = parts(plain)
        delivered = [models[0]] * len(models)
        return np.maximum(compared.relative_errors(models), compared.relative_errors(delivered))

    plain = np.array([joint.choice == 0 for joint in tried])
    after, worse = before, ~plain
    for _ in range(_ROUNDS):
        after = before if plain.all() else held_out(plain)
        worse = ~plain & (after >= before)
        plain |= worse
        if not worse.any():
            break
    if worse.any() or np.mean(after) > np.mean(before):  # no choice that is better everywhere
        plain, after = np.ones(len(tried), dtype=bool), before
    terms = parts(plain)[0]
    signals = compared.blocks.signals[0]
    joints = [
        _chosen(joint, signals, number, is_plain=bool(plain[number]))
        for number, joint in enumerate(tried)
    ]
    return TermSelection(
        robot=compared.robot if plain.all() else with_terms(compared.robot, terms),
        joints=tuple(
            replace(terms, plain_error=float(given), chosen_error=float(error))
            for terms, given, error in zip(joints, before, after, strict=True)
        ),
        left_out=compared.blocks.left_out,
    )


def _chosen(joint: _JointTrials, signals: Signals, number: int, *, is_plain: bool) -> ChosenTerms:
    scale = abs(float(signals.torque_per_effort[number]))
    tried = tuple(
        TriedTerms(trial.name, trial.parameters, trial.held_out_error / scale)
        for trial in joint.trials
    )
    chosen = tried[0 if is_plain else joint.choice]
    if len(tried) == 1:
        reason = "the joint does not move"
    elif joint.choice == 0:
        reason = "no other model is better by more than one standard error"
    elif is_plain:
        reason = f"in the model of the whole robot {tried[joint.choice].name} is not better"
    else:
        errors_ = (significant(error.held_out_error, 3) for error in (chosen, tried[0]))
        reason = f"held-out error {' instead of '.join(errors_)} {unit(signals.effort_unit)}"
    return ChosenTerms(
        joint=signals.joint_names[number],
        unit=signals.effort_unit,
        tried=tried,
        chosen=chosen.name,
        plain_error=np.nan,
        chosen_error=np.nan,
        reason=reason,
    )
