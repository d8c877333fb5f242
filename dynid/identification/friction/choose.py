"""Choice among friction models by the error on held-out data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.identification.friction.joint_problem import JointProblem
from dynid.identification.friction.variable_projection import FrictionFit
from dynid.identification.held_out import is_worse

_NEGLIGIBLE_ERROR_RATIO = 1.01  # ratio of errors
_SIGNIFICANCE = 1.0  # standard errors


@dataclass(frozen=True)
class CandidateTrial:
    """A candidate at one joint.

    Attributes:
        fit: to all recordings.
        fit_error: root mean square error of this fit [N m or N].
        squares: (folds,) mean squared error on each fold, of a fit to the other folds.
        share: (folds,) of the rows.
    """

    fit: FrictionFit
    fit_error: float
    squares: Array
    share: Array

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


def choose(trials: Sequence[CandidateTrial]) -> CandidateTrial:
    """Return the simplest candidate that is not worse than the best by one standard error.

    The standard error is that of the differences between folds (Breiman, Friedman, Olshen and
    Stone, *Classification and Regression Trees*, 1984, 3.4.3, applied to differences), because
    errors vary more between recordings than between models. An error less than 1 % above the best
    counts as equal.
    """
    best = min(trials, key=lambda trial: trial.held_out_error)

    def within(trial: CandidateTrial) -> bool:
        if trial.held_out_error < _NEGLIGIBLE_ERROR_RATIO * best.held_out_error:
            return True
        return not is_worse(trial.squares - best.squares, _SIGNIFICANCE, trial.share)

    good = [trial for trial in trials if within(trial)]
    return min(good, key=lambda trial: (trial.parameters, trial.held_out_error))


def errors(problem: JointProblem, fit: FrictionFit) -> Array:
    """Return the residual of a fit at every row, (m,) [N m or N]."""
    return friction_torque(problem, fit) - problem.columns(fit.terms) @ fit.friction


def friction_torque(problem: JointProblem, fit: FrictionFit) -> Array:
    """Return measured torque minus that of all parameters but the friction, (m,) [N m or N]."""
    return np.asarray(problem.torque - problem.others @ fit.others)
