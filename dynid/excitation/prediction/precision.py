"""Condition numbers and predicted covariance of a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.arrays import Array
from dynid.linalg import ScaledSpectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dynid.dynamics.base_parameters import BaseParameterization
    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.motion import Motion


_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class Precision:
    """Information on k base parameters in all samples of a motion.

    Attributes:
        condition_number: of the base regressor W without scaling, in SI units.
        scaled_condition_number: of W with rows divided by their noise and columns scaled to unit
            norm, as in an identification by weighted least squares.
        rigid_condition_number, rigid_scaled_condition_number: the same without the joint terms;
            NaN if bodies have no parameters.
        log10_det: of Wᵀ Σ⁻¹ W in SI units, which a D-optimal motion maximises; -inf if a parameter
            is not determined.
        covariance: (k, k), (Wᵀ Σ⁻¹ W)⁻¹ on the determined parameters.
        determined: (k,) bool.
        column_rms: (n, k) root mean square of W's columns at each joint.
    """

    condition_number: float
    scaled_condition_number: float
    rigid_condition_number: float
    rigid_scaled_condition_number: float
    log10_det: float
    covariance: Array
    determined: NDArray[np.bool_]
    column_rms: Array


def motion_precision(
    mechanism: Mechanism, base: BaseParameterization, motion: Motion, noise: Array
) -> Precision:
    """Compute the precision that weighted least squares can reach (Gautier 1997).

    Σ is diagonal: noise is white, and independent from joint to joint.

    Args:
        mechanism: with the regressor; load-dependent terms use its current parameters.
        base: which columns of it lead the base parameters.
        motion: arrays (N, n).
        noise: (n,) standard deviation of torque [N m or N].
    """
    unknown = np.zeros_like(motion.position)
    # WᵀW of each joint without W itself, so that memory use does not grow with the motion
    grams = mechanism.gram(*motion, unknown, columns=base.independent)[:, :-1, :-1]
    gram = grams.sum(axis=0)
    weighted = np.einsum("j,jik->ik", 1 / noise**2, grams)
    spectrum = ScaledSpectrum.of(weighted)
    scale, values, determined = spectrum.scale, spectrum.values, spectrum.determined
    scaled = scale[:, None] * weighted * scale
    rigid = int(np.searchsorted(base.independent, mechanism.first_term))  # bodies come first
    sizes = np.concatenate([values, scale[scale > 0] ** -2.0])
    return Precision(
        condition_number=_condition(np.linalg.eigvalsh(gram)),
        scaled_condition_number=_condition(values),
        rigid_condition_number=_condition(np.linalg.eigvalsh(gram[:rigid, :rigid])),
        rigid_scaled_condition_number=_condition(np.linalg.eigvalsh(scaled[:rigid, :rigid])),
        log10_det=float(np.log10(sizes).sum()) if determined.all() else -np.inf,
        covariance=spectrum.inverse,
        determined=determined,
        column_rms=np.sqrt(np.diagonal(grams, axis1=1, axis2=2) / len(unknown)),
    )


def _condition(values: NDArray[np.floating[Any]]) -> float:
    """Return the condition number of W from ascending eigenvalues of WᵀW; inf below rounding."""
    if len(values) == 0:
        return np.nan
    smallest, largest = float(values[0]), float(values[-1])
    return float(np.sqrt(largest / smallest)) if smallest > _ROUNDING * largest else np.inf
