"""Variances of least squares by a delete-block jackknife.

The formula of :class:`~dynid.estimation.estimate.Estimate` assumes errors of equal size at all
samples of a joint. Errors of a friction model are largest at reversals, the very samples that
separate Coulomb friction from presliding, and repeat with the motion. Leaving out one block of
consecutive samples after the other shows their effect on the estimate without such assumptions
(Quenouille 1956; Künsch 1989 for dependent data):

    var b_i = (G - 1) / G * sum_g d_gi²,   d_g = b - b_g = (A - A_g)^-1 (r_g - A_g b),

with the normal equations A b = r of all samples, and A_g, r_g of block g.
"""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.regression import BLOCKS, Problem, block_bounds, recording_numbers
from dynid.linalg import ScaledSpectrum

_LARGEST_LEVERAGE = 0.9  # of a block; what it determines almost alone is left to the formula


def block_equations(problem: Problem, estimate: Estimate) -> list[Array]:
    """Build the weighted normal equations of the blocks of each recording.

    Args:
        problem: of all recordings.
        estimate: of weighted least squares; gives the weights.

    Returns:
        (G, k+1, k+1) for each recording, of blocks with samples; those of pieces of a recording are
        joined to as many.
    """
    numbers = recording_numbers(problem.rows)
    result: list[list[Array]] = [[] for _ in range(int(numbers[-1]) + 1)]
    for number, rows in enumerate(problem.rows):
        weights = estimate.weights_of(number)
        weight = rows.fitted if weights is None else rows.fitted * weights
        grams = problem.block_grams(number, weights)
        sums = np.einsum("j,gjik->gik", estimate.used_joint_weight, grams)
        bounds = block_bounds(len(weight))
        filled = np.maximum.reduceat(weight.any(axis=1), bounds[:-1]) & (np.diff(bounds) > 0)
        result[numbers[number]].append(sums[filled])
    return [pieces[0] if len(pieces) == 1 else _joined(pieces) for pieces in result]


def _joined(pieces: list[Array]) -> Array:
    """Join the blocks (G, k+1, k+1) of pieces of one recording to ``BLOCKS`` at most."""
    blocks = np.concatenate(pieces)
    begins = np.unique(np.arange(BLOCKS) * len(blocks) // BLOCKS)
    return np.asarray(np.add.reduceat(blocks, begins, axis=0)) if len(blocks) else blocks


def jackknife_variance(blocks: Array) -> Array:
    """Return the variances of the base parameters (k,); 0 where a block determines one alone.

    Args:
        blocks: (G, k+1, k+1) normal equations, as from :func:`block_equations`.
    """
    count = len(blocks)
    if count < 2:
        return np.zeros(blocks.shape[1] - 1)
    everything = blocks.sum(axis=0)
    directions = ScaledSpectrum.of(everything[:-1, :-1]).directions
    base = directions @ (directions.T @ everything[:-1, -1])
    squares = np.zeros(len(base))
    for block in blocks:
        score = directions.T @ (block[:-1, -1] - block[:-1, :-1] @ base)
        leverage, axes = np.linalg.eigh(directions.T @ block[:-1, :-1] @ directions)
        usual = leverage < _LARGEST_LEVERAGE
        change = axes[:, usual] @ ((axes[:, usual].T @ score) / (1 - leverage[usual]))
        squares += (directions @ change) ** 2
    return np.asarray(squares * (count - 1) / count)


def raised(covariance: Array, variances: Array) -> Array:
    """Return a covariance (k, k) with variances raised to these (k,), and its own correlations."""
    formula_variances = np.diag(covariance)
    ratio = np.divide(
        variances,
        formula_variances,
        out=np.ones_like(formula_variances),
        where=formula_variances > 0,
    )
    scale = np.sqrt(np.maximum(ratio, 1.0))
    return np.asarray(scale[:, None] * covariance * scale)
