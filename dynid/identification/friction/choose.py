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
_POSITIONS = 100  # in reach, over which a spring's variance is averaged


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


def choose(trials: Sequence[CandidateTrial]) -> CandidateTrial:
    """Return the simplest candidate that is not worse than the best by one standard error.

    The standard error is that of the differences between folds (Breiman, Friedman, Olshen and
    Stone, *Classification and Regression Trees*, 1984, 3.4.3, applied to differences), because
    errors vary more between recordings than between models. An error less than 1 % above the best
    counts as equal. A candidate whose springs make the error worse within the limits is left out.
    """
    trials = [
        trial
        for trial in trials
        if not any(o.beyond < trial.beyond and o.expected <= trial.expected for o in trials)
    ]
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
    springs = [n for n, term in enumerate(fits[0].terms) if not term.traits.dissipative]
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
