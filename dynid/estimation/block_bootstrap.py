"""Intervals of base parameters by a bootstrap over blocks of the recordings.

The estimate is repeated with random weights of blocks of consecutive samples (Künsch 1989, for
dependent errors), distributed as the gaps of uniform random numbers (the Bayesian bootstrap; Rubin
1981). Unlike blocks drawn with replacement, such weights never leave a motion out altogether that
only one block has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.block_jackknife import block_equations
from dynid.estimation.estimate import Estimate
from dynid.estimation.regression import Problem
from dynid.linalg import ScaledSpectrum

_LEVEL = (0.025, 0.975)
_ALONE = 0.9  # share of a block in the information on a direction, above which it has it alone
_SHARE = 0.1  # of a parameter's variance, in directions that one block has alone


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Repeated estimates of base parameters.

    They vary with the errors of torque within the recordings, not with friction that differs
    between recordings.

    Attributes:
        replicates: (B, k) estimates; NaN for parameters that one block determines almost alone, of
            whose errors the blocks show nothing.
    """

    replicates: Array

    @cached_property
    def intervals(self) -> Array:
        """Between which the central 95 % of the replicates are, (k, 2)."""
        return np.asarray(np.quantile(self.replicates, _LEVEL, axis=0).T)

    @property
    def standard_deviations(self) -> Array:
        """Standard deviations of the replicates (k,)."""
        return np.asarray(np.std(self.replicates, axis=0, ddof=1))


def bootstrap(problem: Problem, estimate: Estimate, count: int) -> Bootstrap:
    """Repeat an estimate with other weights of the recordings' blocks.

    Args:
        problem: that was solved.
        estimate: of weighted least squares; its weights of joints and samples are kept.
        count: number of replicates.

    Raises:
        EstimationError: the estimator is not least squares.
    """
    if estimate.joint_weight is None:
        raise EstimationError(
            "identification.bootstrap repeats least squares; use one of the estimators ols, wls "
            "and irls with it, or set it to 0."
        )
    blocks = np.concatenate(block_equations(problem, estimate))
    return Bootstrap(estimate.base + bootstrap_changes(blocks, count))


def bootstrap_changes(blocks: Array, count: int) -> Array:
    """Return changes (B, k) of the least-squares estimate with random weights of blocks.

    Args:
        blocks: (G, k+1, k+1) normal equations, as from :func:`block_equations`.
        count: number B of replicates.
    """
    everything = blocks.sum(axis=0)
    directions = ScaledSpectrum.of(everything[:-1, :-1]).directions
    base = directions @ (directions.T @ everything[:-1, -1])
    information = directions.T @ blocks[:, :-1, :-1] @ directions
    score = (blocks[:, :-1, -1] - blocks[:, :-1, :-1] @ base) @ directions
    weights = len(blocks) * np.random.default_rng(0).dirichlet(np.ones(len(blocks)), count)
    matrices = np.einsum("bg,gij->bij", weights, information)
    steps = np.linalg.solve(matrices, (weights @ score)[:, :, None])[:, :, 0]
    changes = steps @ directions.T
    changes[:, _determined_by_one(directions, information)] = np.nan
    return np.asarray(changes)


def _determined_by_one(directions: Array, information: Array) -> Array:
    """Return which parameters (k,) one block determines almost alone.

    Args:
        directions: (k, r) of unit information in all blocks together.
        information: (G, r, r) of each block on them.
    """
    variance = np.maximum(np.sum(directions**2, axis=1), 1e-300)
    alone = np.zeros(len(directions))
    for block in information:
        leverage, axes = np.linalg.eigh(block)
        seen = directions @ axes[:, leverage > _ALONE]
        alone = np.maximum(alone, np.sum(seen**2, axis=1))
    return np.asarray(alone > _SHARE * variance)
