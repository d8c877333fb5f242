"""Covariance of least squares by a delete-block jackknife.

The formula of :class:`~dynid.estimation.estimate.Estimate` assumes errors of equal size at all
samples of a joint. Errors of a friction model are largest at reversals, the very samples that
separate Coulomb friction from presliding, and repeat with the motion. Leaving out one block of
consecutive samples after the other shows their effect on the estimate without such assumptions
(Quenouille 1956; Kuensch 1989 for dependent data):

    V = (G - 1) / G * sum_g d_g d_g^T,   d_g = b - b_g = (A - A_g)^-1 (r_g - A_g b),

with the normal equations A b = r of all samples, and A_g, r_g of block g.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import information_directions
from dynid.estimation.regression import Problem

BLOCKS = 20
"""Blocks of one recording: enough to estimate a variance (19 degrees of freedom), and each as long
as possible, since errors that repeat with the motion are correlated over seconds."""

_FORMULA_SHARE = 0.25  # of the formula's covariance in the result, which gives it full rank
_LARGEST_LEVERAGE = 0.9  # of a block; directions that it determines almost alone keep the formula


class BlockEquations(NamedTuple):
    """Weighted normal equations of each block (G, k+1, k+1) of one recording."""

    extended: Array

    @property
    def total(self) -> Array:
        """Of the whole recording, (k+1, k+1)."""
        return np.asarray(self.extended.sum(axis=0))


def block_equations(problem: Problem, estimate: Estimate) -> list[BlockEquations]:
    """Build the normal equations of the blocks of each recording, with the estimate's weights."""
    result = []
    for number, rows in enumerate(problem.rows):
        blocks = np.minimum(np.arange(len(rows.torque)) * BLOCKS // len(rows.torque), BLOCKS - 1)
        divided = replace(problem, rows=(replace(rows, fold=blocks),), folds=BLOCKS, _kept={})
        weights = None if estimate.row_weights is None else [estimate.row_weights[number]]
        equations = divided.normal_equations(weights)
        extended = np.einsum("j,gjik->gik", estimate.joint_weight, equations.gram)
        result.append(BlockEquations(extended[equations.rows.any(axis=1)]))
    return result


def jackknife_covariance(recordings: Sequence[BlockEquations], formula: Array) -> Array:
    """Return the covariance (k, k) of base parameters.

    A quarter of it is the formula's: with fewer blocks than parameters, that of the jackknife alone
    is singular.

    Args:
        recordings: the blocks of each recording that was fitted.
        formula: (k, k) the covariance by the formula for errors of equal size.
    """
    blocks = np.concatenate([one.extended for one in recordings])
    if len(blocks) < 2:
        return formula
    everything = blocks.sum(axis=0)
    directions = information_directions(everything[:-1, :-1])
    base = directions @ (directions.T @ everything[:-1, -1])
    total = np.zeros((directions.shape[1], directions.shape[1]))
    lacking = np.zeros_like(total)
    for block in blocks:
        score = directions.T @ (block[:-1, -1] - block[:-1, :-1] @ base)
        leverage, axes = np.linalg.eigh(directions.T @ block[:-1, :-1] @ directions)
        usual = leverage < _LARGEST_LEVERAGE
        change = axes[:, usual] @ ((axes[:, usual].T @ score) / (1 - leverage[usual]))
        total += np.outer(change, change)
        lacking += (axes[:, ~usual] * leverage[~usual]) @ axes[:, ~usual].T
    jackknife = directions @ total @ directions.T * (len(blocks) - 1) / len(blocks)
    # the leverages of all blocks sum up to 1 in every direction
    missed = directions @ lacking @ directions.T @ everything[:-1, :-1]
    jackknife += missed @ formula @ missed.T
    return np.asarray((1 - _FORMULA_SHARE) * jackknife + _FORMULA_SHARE * formula)


def with_jackknife_covariance(problem: Problem, estimate: Estimate) -> Estimate:
    """Return the estimate with this covariance, if it is one of weighted least squares."""
    if estimate.joint_weight is None:
        return estimate
    recordings = block_equations(problem, estimate)
    covariance = jackknife_covariance(recordings, estimate.covariance)
    return replace(estimate, covariance=covariance)
