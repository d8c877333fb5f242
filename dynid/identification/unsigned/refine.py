"""Signs of single samples and parameters together, until neither changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from dynid.arrays import Array
from dynid.identification.unsigned.drive_rows import DriveRows

_ROUNDS = 100
_SETTLED = 1e-3  # change of the model's torque, in deviations of the torque error, rms
_FINEST = 1e-4  # torque error over torque, below which noise is that of rounding


@dataclass(frozen=True)
class Refined:
    """Base parameters (k,), and the deviation of each drive's torque error (n,) [N m or N]."""

    base: Array
    deviation: Array


def expected_torque(size: Array, model: Array, deviation: Array) -> Array:
    """Torque to be expected where its size and the model's torque are known, (N, n).

    With an error of normal distribution the odds of the model's sign are
    ``exp(2 |τ| |model| / σ²)``, so that the mean of both signs is ``|τ| tanh(|τ| model / σ²)``:
    the model's sign where noise cannot have turned it, little where it can. Taking the model's
    sign there too would make every torque near zero as large as its noise.
    """
    return np.asarray(size * np.tanh(size * model / deviation**2))


def refine(rows: Sequence[DriveRows], base: Array) -> Refined:
    """Expectation maximisation: torque expected from the model, model fitted to that torque.

    Its fixed point is the most likely model of torque whose sign was lost after noise joined it
    (a folded normal distribution). Samples near zero count as well.

    Args:
        rows: all of them.
        base: (k,) to begin with; its signs must be right where torque is large.
    """
    regressor = np.concatenate([one.regressor for one in rows])
    size = np.concatenate([one.searched for one in rows])
    grams = np.einsum("mnk,mnl->nkl", regressor, regressor, optimize=True)
    there = size.any(axis=0)  # a drive without torque says nothing
    floor = np.where(there, _FINEST * np.sqrt(np.mean(size**2, axis=0)), 1.0)
    model = regressor @ base
    torque = np.where(model < 0, -size, size)
    deviation = np.maximum(np.sqrt(np.mean((torque - model) ** 2, axis=0)), floor)
    for _ in range(_ROUNDS):
        torque = expected_torque(size, model, deviation)
        base = _fitted(regressor, grams, torque, there / deviation**2)
        before, model = model, regressor @ base
        error = np.mean(size**2 - 2 * torque * model + model**2, axis=0)
        deviation = np.maximum(np.sqrt(np.maximum(error, 0.0)), floor)
        if np.all(np.mean((model - before) ** 2, axis=0) <= (_SETTLED * deviation) ** 2):
            break
    return Refined(base, deviation)


def model_errors(rows: Sequence[DriveRows], refined: Refined) -> Iterator[Array]:
    """Model minus torque with the model's sign (m, n), for each recording."""
    for one in rows:
        model = one.regressor @ refined.base
        yield model - np.where(model < 0, -1.0, 1.0) * one.searched


def _fitted(regressor: Array, grams: Array, torque: Array, weight: Array) -> Array:
    matrix = np.einsum("n,nkl->kl", weight, grams)
    right = np.einsum("mnk,mn->k", regressor, weight * torque, optimize=True)
    norms = np.sqrt(np.maximum(np.diag(matrix), 1e-24 * np.max(np.diag(matrix))))
    scaled = matrix / np.outer(norms, norms) + 1e-10 * np.eye(len(norms))
    return np.asarray(cho_solve(cho_factor(scaled), right / norms) / norms)
