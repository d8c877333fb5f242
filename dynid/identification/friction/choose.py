"""The choice among friction models: by the error on what a fit has not seen, never by fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.identification.friction.candidates import Candidate
from dynid.identification.friction.joint_problem import JointProblem
from dynid.identification.friction.variable_projection import (
    FrictionFit,
    Projection,
    fit_again,
    fit_shapes,
)

_WORTH = 1.01
_FEWEST = 50  # rows of a fold, below which its error says nothing


@dataclass(frozen=True)
class Trial:
    """A candidate at one joint, its errors root mean squares [N m or N].

    Attributes:
        fit: to all recordings.
        fit_error: that this leaves.
        squares: (folds,) mean squared error on each fold of a fit to the others.
        share: (folds,) of the rows.
    """

    fit: FrictionFit
    fit_error: float
    squares: Array
    share: Array

    @property
    def name(self) -> str:
        """The candidate's."""
        return self.fit.candidate.name

    @property
    def parameters(self) -> int:
        """How many numbers describe the candidate."""
        return self.fit.candidate.parameters

    @property
    def held_out_error(self) -> float:
        """Over all folds, each of them left out once."""
        return float(np.sqrt(self.share @ self.squares))


def try_candidates(problem: JointProblem, candidates: Sequence[Candidate]) -> tuple[Trial, ...]:
    """Fit every candidate to all folds, and to all but each; shapes are sought anew every time."""
    folds = range(len(problem.spans))
    if min(span.stop - span.start for span in problem.spans) < _FEWEST:
        raise EstimationError(
            f"joint {problem.joint + 1}: a part that is left out in turn holds fewer than "
            f"{_FEWEST} samples in which the joint moves; friction needs a longer recording."
        )
    everything = Projection(problem, folds)
    parts = [Projection(problem, [other for other in folds if other != one]) for one in folds]
    share = np.array([span.stop - span.start for span in problem.spans], dtype=np.float64)
    trials: list[Trial] = []
    for candidate in candidates:
        best = min((trial.fit for trial in trials), key=lambda fit: fit.squared_error, default=None)
        fit = fit_shapes(everything, candidate, best.shapes if best else {})
        left_out = [fit_again(part, fit) for part in parts]
        squares = [
            np.mean(errors(problem, one)[span] ** 2)
            for one, span in zip(left_out, problem.spans, strict=True)
        ]
        fit_error = float(np.sqrt(np.mean(errors(problem, fit) ** 2)))
        trials.append(Trial(fit, fit_error, np.array(squares), share / share.sum()))
    return tuple(trials)


def choose(trials: Sequence[Trial]) -> Trial:
    """Return the simplest that is worse than the best by no more than one standard error.

    That of their difference from fold to fold (Breiman, Friedman, Olshen and Stone, *Classification
    and Regression Trees*, 1984, 3.4.3, on differences): how hard recordings are differs much more
    between them than what models make of one. A gain of less than a hundredth is none.
    """
    best = min(trials, key=lambda trial: trial.held_out_error)

    def within(trial: Trial) -> bool:
        worse = trial.squares - best.squares
        mean = trial.share @ worse
        spread = np.sqrt(trial.share @ (worse - mean) ** 2 / max(len(worse) - 1, 1))
        return bool(mean <= spread) or trial.held_out_error < _WORTH * best.held_out_error

    good = [trial for trial in trials if within(trial)]
    return min(good, key=lambda trial: (trial.parameters, trial.held_out_error))


def errors(problem: JointProblem, fit: FrictionFit) -> Array:
    """Torque that a fit leaves over at every row, (m,) [N m or N]."""
    return friction_torque(problem, fit) - problem.columns(fit.terms) @ fit.friction


def friction_torque(problem: JointProblem, fit: FrictionFit) -> Array:
    """Measured torque less that of everything but the joint's friction, (m,) [N m or N]."""
    return np.asarray(problem.torque - problem.others @ fit.others)
