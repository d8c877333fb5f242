"""Iterative refinement of parameters and the signs of single samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from dynid.arrays import Array
from dynid_plugins.laboratory.unsigned.drive_rows import DriveRows

_ROUNDS = 100
_LARGEST_CHANGE = 1e-3  # change of the model's torque over the torque error at convergence, rms
_SMALLEST_RELATIVE_ERROR = 1e-4  # smallest torque error over torque, because of rounding


@dataclass(frozen=True)
class Refined:
    """Base parameters (k,), and standard deviation of the drives' torque error (n,) [N m or N]."""

    base: Array
    standard_deviation: Array


def expected_torque(size: Array, model: Array, standard_deviation: Array) -> Array:
    """Return the expected torque (N, n), given its absolute value and the model's torque.

    With a normal error the odds of the model's sign are ``exp(2 |τ| |model| / σ²)``, so the
    expectation is ``|τ| tanh(|τ| model / σ²)``: with the model's sign if it is certain, close to
    zero otherwise. With the model's sign everywhere, torque near zero would be biased by its noise.

    Args:
        size: (N, n) absolute torque.
        model: (N, n) torque of the model.
        standard_deviation: (n,) σ of the torque error.
    """
    return np.asarray(size * np.tanh(size * model / standard_deviation**2))


def refine(rows: Sequence[DriveRows], base: Array) -> Refined:
    """Refine parameters by expectation maximisation.

    The expected torque and the fit of the model to it alternate. The fixed point is the most likely
    model of the absolute value of noisy torque (a folded normal distribution). Samples near zero
    are used too.

    Args:
        rows: of all recordings.
        base: (k,) start, whose signs must be right for large torque.
    """
    regressor = np.concatenate([one.regressor for one in rows])
    size = np.concatenate([one.searched for one in rows])
    grams = np.einsum("mnk,mnl->nkl", regressor, regressor, optimize=True)
    there = size.any(axis=0)  # drives with torque
    floor = np.where(there, _SMALLEST_RELATIVE_ERROR * np.sqrt(np.mean(size**2, axis=0)), 1.0)
    model = regressor @ base
    torque = np.where(model < 0, -size, size)
    sigma = np.maximum(np.sqrt(np.mean((torque - model) ** 2, axis=0)), floor)
    for _ in range(_ROUNDS):
        torque = expected_torque(size, model, sigma)
        base = _fitted(regressor, grams, torque, there / sigma**2)
        before, model = model, regressor @ base
        error = np.mean(size**2 - 2 * torque * model + model**2, axis=0)
        sigma = np.maximum(np.sqrt(np.maximum(error, 0.0)), floor)
        if np.all(np.mean((model - before) ** 2, axis=0) <= (_LARGEST_CHANGE * sigma) ** 2):
            break
    return Refined(base, sigma)


def model_errors(rows: Sequence[DriveRows], refined: Refined) -> Iterator[Array]:
    """Yield model minus torque with the model's sign (m, n), for each recording."""
    for one in rows:
        model = one.regressor @ refined.base
        yield model - np.where(model < 0, -1.0, 1.0) * one.searched


def _fitted(regressor: Array, grams: Array, torque: Array, weight: Array) -> Array:
    matrix = np.einsum("n,nkl->kl", weight, grams)
    right = np.einsum("mnk,mn->k", regressor, weight * torque, optimize=True)
    norms = np.sqrt(np.maximum(np.diag(matrix), 1e-24 * np.max(np.diag(matrix))))
    scaled = matrix / np.outer(norms, norms) + 1e-10 * np.eye(len(norms))
    return np.asarray(
        scipy.linalg.cho_solve(scipy.linalg.cho_factor(scaled), right / norms) / norms
    )
