"""An estimate with a loss by which outliers do not decide: its loss and standard deviations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array

_SINGULAR = 1e-12
_FITTED = 1e-6  # share of a combination of errors that a fit leaves: it says nothing of the error


def robust_loss(errors: Array) -> Array:
    """Return the loss (F,) of errors (2 F,), with which outliers do not decide."""
    return np.asarray((np.sqrt(1 + errors.reshape(2, -1) ** 2) - 1).sum(axis=0))


def deviations_of(slopes: Array, errors: Array, group: NDArray[np.intp]) -> Array:
    """Return standard deviations (p,) of an M-estimate by errors that may be alike in a group.

    The larger one of two: by the scatter that remains, for independent errors (Huber and Ronchetti,
    Robust Statistics, 2nd ed., equation 7.81), and by what each group adds to the gradient (Bell
    and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples,
    Survey Methodology 28, 2002, the estimator that they call bias-reduced linearization).

    Args:
        slopes: (N, p) of the errors by the parameters.
        errors: (N,) in standard deviations.
        group: (N,) number of each error's group.
    """
    root = np.sqrt(1 + errors**2)
    left = errors / root / np.mean(root**-3.0)  # least squares of these give the same deviations
    sizes = np.linalg.norm(slopes, axis=0)
    scaled = slopes / sizes
    inverse = np.linalg.pinv(scaled.T @ scaled, rcond=_SINGULAR)
    by_groups = np.zeros(len(sizes))
    for number in np.unique(group):
        rows = scaled[group == number]
        shares, axes = np.linalg.eigh(np.eye(len(rows)) - rows @ inverse @ rows.T)
        fitted = shares < _FITTED
        scale = np.where(fitted, 0.0, 1 / np.sqrt(np.where(fitted, 1.0, shares)))
        by_groups += (inverse @ (rows.T @ (axes @ (scale * (axes.T @ left[group == number]))))) ** 2
    freedom = max(len(errors) - slopes.shape[1], 1)
    independent = np.diag(inverse) * max(float(np.sum(left**2)) / freedom, 1.0)
    return np.asarray(np.sqrt(np.maximum(independent, by_groups)) / sizes)
