"""Friction models tried at one joint, each richer than the best before, and the choice among them.

They are compared by the error on data held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import Fit
from dynid.identification.friction.candidates import (
    Candidate,
    MotionScales,
    Shapes,
    candidate,
    candidates,
    few_candidates,
)
from dynid.identification.friction.joint_problem import JointProblem, joint_problem
from dynid.identification.friction.reduced import HeldOutBlocks
from dynid.identification.friction.variable_projection import FrictionFit, Projection, search_shapes
from dynid.identification.held_out import is_worse
from dynid.robot.limits import Limits

_WITH_MEMORY = ("1 stop", "2 stops")
_REFINED: Mapping[str, Callable[[str], str]] = {
    "viscous by direction": lambda name: name.replace("viscous", "viscous by direction", 1),
    "spring": lambda name: f"{name} + spring",
    "cubic spring": lambda name: name.replace(" + spring", " + cubic spring"),
}
"""What is asked of the residual of the best model, whose shapes it keeps.

A stiffness may be negative: springs that balance a weight, and cables bent at a joint, push away
from their balance. They store energy as other springs do, and add none.
"""
_GIVEN = {True: "as given", False: "plain"}  # name of the terms of a profile, or of ``auto``
_NEGLIGIBLE_ERROR_RATIO = 1.01  # ratio of errors
_SIGNIFICANCE = 1.0  # standard errors
_SIGNIFICANCE_OF_A_SPRING = 2.0  # standard errors: it may stand for bodies, and not in other motion
_POSITIONS = 100  # in reach, over which a spring's variance is averaged
_LOADED = 0.02  # least share of gravity in a joint's torque for load-dependent friction


@dataclass(frozen=True)
class FittedRobot:
    """A robot fitted with given terms, its limits, noise at rest (see noise_at_rest), dead bands.

    The dead bands (n,) of contacts are half a step of the joints' positions [rad or m].
    """

    fit: Fit
    limits: Limits
    position_noise: Array
    velocity_noise: Array
    dead_band: Array


@dataclass(frozen=True)
class CandidateTrial:
    """A candidate at one joint.

    Attributes:
        fit: to all recordings.
        fit_error: root mean square error of this fit [N m or N].
        squares: (folds,) mean squared error on each fold, of a fit to the other folds.
        share: (folds,) of the rows.
        beyond: what its springs vary more within the joint's limits [N² m² or N²].
    """

    fit: FrictionFit
    fit_error: float
    squares: Array
    share: Array
    beyond: float = 0.0

    @property
    def name(self) -> str:
        """Name of the candidate."""
        return self.fit.candidate.name

    @property
    def parameters(self) -> int:
        """Number of parameters of the candidate."""
        return self.fit.candidate.parameters

    @property
    def held_out_error(self) -> float:
        """Root mean square error over all folds, each held out once [N m or N]."""
        return float(np.sqrt(self.share @ self.squares))

    @property
    def expected(self) -> float:
        """Squared error that is expected of other motion within the limits [N² m² or N²]."""
        return float(self.share @ self.squares) + self.beyond


@dataclass(frozen=True)
class JointTrials:
    """The trials at one joint, and the fits of each: to all blocks, and without each fold."""

    problem: JointProblem
    trials: tuple[CandidateTrial, ...]
    fits: tuple[tuple[FrictionFit, ...], ...]
    choice: int

    def terms(self, part: int, *, given: bool) -> tuple[TermSettings, ...]:
        """Return the terms of the choice, or those given, fitted to all or without a fold."""
        return self.fits[0 if given else self.choice][part].terms


class _Trials:
    """Fits of one joint's models to all blocks and without each fold, and their errors."""

    def __init__(
        self, problem: JointProblem, blocks: HeldOutBlocks, reach: tuple[float, float]
    ) -> None:
        self._problem, self._fold, self._reach = problem, blocks.fold, reach
        self._projection = Projection(problem, blocks.fold)
        share = np.array([span.stop - span.start for span in problem.spans], dtype=np.float64)
        self._share = share / share.sum()
        self.trials: list[CandidateTrial] = []
        self.fits: list[tuple[FrictionFit, ...]] = []

    def attempt(self, model: Candidate, shapes: Shapes | None = None) -> None:
        """Fit a model unless it is among the trials; shapes that are not given are sought."""
        if any(trial.name == model.name for trial in self.trials):
            return
        if shapes is None:
            hints = [trial.fit.shapes for trial in self.trials if trial.fit.shapes]
            fits = search_shapes(self._projection, model, hints)
        else:
            fits = self._projection.solve(model, shapes)
        residuals = [errors(self._problem, fit) for fit in fits]
        squares = [
            np.mean(residuals[1 + fold][span] ** 2)
            for fold, span in zip(self._fold, self._problem.spans, strict=True)
        ]
        error = float(np.sqrt(np.mean(residuals[0] ** 2)))
        beyond = variance_of_springs(self._problem, fits, self._reach)
        trial = CandidateTrial(fits[0], error, np.array(squares), self._share, beyond)
        self.trials.append(trial)
        self.fits.append(tuple(fits))

    def best(self) -> CandidateTrial:
        """Return the choice among the models that are not given."""
        return choose(self.trials[1:])

    def refine(self, models: Iterable[Candidate], motion: MotionScales, *, sprung: bool) -> None:
        """Fit models, and then richer ones than the best; springs unless it is ``sprung``."""
        for model in models:
            self.attempt(model)
        best = self.best()
        if not any(term.traits.has_memory for term in best.fit.terms):
            for name in _WITH_MEMORY:
                self.attempt(candidate(f"{best.name} + {name}", motion))
        for name, refined in _REFINED.items():
            best = self.best()
            richer = refined(best.name)
            if richer != best.name and not (sprung and "spring" in name):
                self.attempt(candidate(richer, motion), best.fit.shapes)


def try_joint(
    whole: FittedRobot, blocks: HeldOutBlocks, joint: int, *, every: bool = False
) -> JointTrials:
    """Try few models at one joint and refinements of the best, or after these ``every`` one.

    The best of the few may be refined to a better model than the best of all.
    """
    problem, motion = _joint_and_motion(whole, joint)
    mechanism = whole.fit.problem.mechanism
    given = given_terms(mechanism, joint)
    position = problem.position
    recorded = float(position.min()), float(position.max())
    reach = whole.limits.reach(joint, recorded, prismatic=problem.prismatic)
    tried = _Trials(problem, blocks, reach)
    tried.attempt(Candidate(_GIVEN[every], (), lambda _: given))
    if motion.speed > 0:
        sprung = any(t.joint == joint and t.kind.startswith("spring") for t in mechanism.terms)
        for models in (few_candidates, candidates) if every else (few_candidates,):
            tried.refine(models(motion), motion, sprung=sprung)
    trials = tuple(tried.trials)
    return JointTrials(problem, trials, tuple(tried.fits), trials.index(choose(trials)))


def given_terms(mechanism: Mechanism, joint: int) -> tuple[TermSettings, ...]:
    """Return the friction terms that a mechanism has at a joint."""
    return tuple(
        TermSettings.model_validate(
            {"kind": term.kind, **term.shapes(), "dead_band": term.dead_band or None}
        )
        for term in mechanism.terms
        if term.joint == joint and term.side == "joint" and term.traits.dissipative
    )


def _joint_and_motion(fitted: FittedRobot, joint: int) -> tuple[JointProblem, MotionScales]:
    """Return the problem of one joint, and the scales of its motion."""
    problem, chain = joint_problem(fitted.fit, joint), fitted.fit.problem.mechanism.chain.passive
    velocity = np.concatenate([track.velocity for track in problem.tracks])
    load = np.concatenate([track.load for track in problem.tracks])
    motion = MotionScales(
        speed=float(np.abs(velocity).max()),
        travel=float(np.ptp(problem.position)),
        # in closed chains the load is that of the cut tree, not the gravity torque here
        loaded=not chain and bool(np.std(load) > _LOADED * np.std(problem.torque)),
        position_noise=float(fitted.position_noise[joint]),
        velocity_noise=float(fitted.velocity_noise[joint]),
        dead_band=float(fitted.dead_band[joint]),
    )
    return problem, motion


def choose(trials: Sequence[CandidateTrial]) -> CandidateTrial:
    """Return the simplest candidate that is not worse than the best by one standard error.

    The standard error is that of the differences between folds (Breiman, Friedman, Olshen and
    Stone, *Classification and Regression Trees*, 1984, 3.4.3, applied to differences), because
    errors vary more between recordings than between models. An error less than 1 % above the best
    counts as equal. A candidate whose springs make the error worse within the limits is left out,
    and one that is not better than the best without springs by two standard errors.
    """
    unsprung = min(
        (trial for trial in trials if not _springs(trial.fit)),
        key=lambda trial: trial.held_out_error,
    )
    trials = [
        trial
        for trial in trials
        if not any(o.beyond < trial.beyond and o.expected <= trial.expected for o in trials)
        and (
            not _springs(trial.fit)
            or is_worse(unsprung.squares - trial.squares, _SIGNIFICANCE_OF_A_SPRING, trial.share)
        )
    ]
    best = min(trials, key=lambda trial: trial.held_out_error)

    def within(trial: CandidateTrial) -> bool:
        if trial.held_out_error < _NEGLIGIBLE_ERROR_RATIO * best.held_out_error:
            return True
        return not is_worse(trial.squares - best.squares, _SIGNIFICANCE, trial.share)

    good = [trial for trial in trials if within(trial)]
    return min(good, key=lambda trial: (trial.parameters, trial.held_out_error))


def _springs(fit: FrictionFit) -> list[int]:
    """Return the numbers of its terms that are springs."""
    return [n for n, term in enumerate(fit.terms) if not term.traits.dissipative]


def errors(problem: JointProblem, fit: FrictionFit) -> Array:
    """Return the residual of a fit at every row, (m,) [N m or N]."""
    return friction_torque(problem, fit) - problem.columns(fit.terms) @ fit.friction


def friction_torque(problem: JointProblem, fit: FrictionFit) -> Array:
    """Return measured torque minus that of all parameters but the friction, (m,) [N m or N]."""
    return np.asarray(problem.torque - problem.others @ fit.others)


def variance_of_springs(
    problem: JointProblem, fits: Sequence[FrictionFit], reach: tuple[float, float]
) -> float:
    """Return by how much a model's springs vary more in reach than where recorded [N² m² or N²].

    A spring that a part of the reach supports is extrapolated in other motion, and no data held out
    show its error there. It is the variance of the torque, mean over positions, less that at the
    positions recorded; the offset takes the mean over these. The variance is that of the jackknife
    (B. Efron, C. Stein, *The jackknife estimate of variance*, Annals of Statistics 9(3), 1981,
    Eq. 1.2).

    Args:
        problem: of the joint.
        fits: of the model to all blocks, and without each fold.
        reach: least and largest position [rad or m].
    """
    springs = _springs(fits[0])
    if not springs:
        return 0.0
    factors = np.array([fit.friction[springs] for fit in fits[1:]]).T

    def columns(position: Array) -> Array:
        still = np.zeros_like(position)
        terms = [fits[0].terms[n].at(problem.joint) for n in springs]
        return np.column_stack(
            [term.column(position=position, velocity=still, load=still) for term in terms]
        )

    recorded = columns(problem.position)
    within, beyond = (
        (factors.shape[1] - 1) * np.var((at - recorded.mean(axis=0)) @ factors, axis=1).mean()
        for at in (recorded, columns(np.linspace(*reach, _POSITIONS)))
    )
    return max(0.0, float(beyond - within))
