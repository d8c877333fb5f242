"""Predicted uncertainty of the base parameters, and condition numbers of a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.excitation.motion import Motion
from dynid.linalg import ScaledSpectrum
from dynid.robot.robot import Robot

_ASSUMED = 0.01  # of the largest torque


class TorqueNoise(NamedTuple):
    """Standard deviation of the measured torque at each joint, and its source.

    Attributes:
        standard_deviation: (n,) [N m or N], above 0.
        source: a sentence.
    """

    standard_deviation: Array
    source: str


def torque_noise(
    robot: Robot,
    mechanism: Mechanism,
    torque: Array,
    given: Sequence[float] | None = None,
    *,
    stated: Array | None = None,
) -> TorqueNoise:
    """Return the noise of the measured torque.

    Without a given or stated value, 1 % of ``limits.torque_max`` is assumed, or of the largest
    predicted torque.

    Args:
        robot: with its limits and settings.
        mechanism: its joints and couplings.
        torque: (N, n) predicted [N m or N].
        given: standard deviations, one for each joint or one for all; None to use ``stated``.
        stated: (n,) of the robot's drives, 0 where unknown, as
            dynid.simulation.settings.stated_torque_noise has them; None: all unknown.

    Raises:
        ConfigurationError: there are neither 1 nor n values, or one is not above 0.
    """
    if given is not None:
        deviation = per_joint(given, len(mechanism.joints), "torque_noise")
        if not (np.isfinite(deviation) & (deviation > 0)).all():
            message = f"torque_noise: is {list(given)}, expected finite values above 0 [N m or N]."
            raise ConfigurationError(message)
        return TorqueNoise(deviation, "Torque noise is as given.")
    known = np.zeros(len(mechanism.joints)) if stated is None else stated
    if (known > 0).all():
        source = "Torque noise is that of the profile's drives: noise, and steps of the feedback."
        return TorqueNoise(known, source)
    assumed, share = _assumed(robot, torque)
    reason = "the profile does not state it"
    if (known > 0).any():
        missing = [name for name, size in zip(mechanism.joints, known, strict=True) if size == 0]
        reason = f"the profile does not state it for {', '.join(missing)}"
    source = f"Torque noise is assumed to be {share}, because {reason}."
    return TorqueNoise(np.where(known > 0, known, assumed), source)


def _assumed(robot: Robot, torque: Array) -> tuple[Array, str]:
    """Return a share of the largest torque (n,), and its description."""
    joints = torque.shape[1]
    if robot.limits.torque_max is not None:
        return _ASSUMED * per_joint(robot.limits.torque_max, joints, "torque_max"), (
            f"{100 * _ASSUMED:g} % of limits.torque_max"
        )
    peak = np.max(np.abs(torque), axis=0)
    if not peak.any():
        return np.ones(joints), "1 N·m (1 N for prismatic joints)"
    return _ASSUMED * np.where(peak > 0, peak, peak.max()), (
        f"{100 * _ASSUMED:g} % of the largest predicted torque"
    )


POOR = 0.3
"""Relative standard deviation above which a parameter counts as poorly determined."""
_ROUNDING_OF_VALUES = 1e-9
_ROUNDING_OF_EIGENVALUES = 1e-15


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
    return (
        float(np.sqrt(largest / smallest))
        if smallest > _ROUNDING_OF_EIGENVALUES * largest
        else np.inf
    )


@dataclass(frozen=True)
class PredictedParameter:
    """A base parameter and its predicted uncertainty.

    Attributes:
        name, unit, expression: as an identification names it.
        lead: index of the standard parameter that leads it.
        value: from the current parameters.
        standard_deviation: inf if the motion does not determine it.
        signal: root mean square of the torque that it causes over the torque noise, at the joint
            where that is largest.
        mixed_with: name of the parameter with the most strongly correlated error.
        correlation: with that one, from -1 to 1.
    """

    name: str
    unit: str
    expression: str
    lead: int
    value: float
    standard_deviation: float
    signal: float
    mixed_with: str
    correlation: float

    @property
    def known(self) -> bool:
        """Whether its value is known: friction, which a URDF lacks, is 0 before identification."""
        return self.value != 0

    @property
    def relative(self) -> float:
        """Standard deviation relative to the value, NaN if that is not known."""
        return self.standard_deviation / abs(self.value) if self.known else np.nan

    @property
    def determined(self) -> bool:
        """Whether the motion determines it."""
        return bool(np.isfinite(self.standard_deviation))

    @property
    def poor(self) -> bool:
        """Whether its value is known and its predicted error is large."""
        return self.relative > POOR


def predicted_parameters(
    base: BaseParameterization,
    precision: Precision,
    standard: Array,
    noise: Array,
    between: Array | float = 0.0,
) -> tuple[PredictedParameter, ...]:
    """Return the predicted uncertainty of each base parameter.

    Args:
        base: the base parameters.
        precision: of the motion.
        standard: (p,) current standard parameters.
        noise: (n,) standard deviation of torque [N m or N].
        between: (p,) relative standard deviation of standard parameters between two recordings.
    """
    values = base.project(standard)
    # a rounding error of terms that cancel is not a value
    values[np.abs(values) <= _ROUNDING_OF_VALUES * (np.abs(base.regrouping) @ np.abs(standard))] = (
        0.0
    )
    signal = np.abs(values) * np.max(precision.column_rms / noise[:, None], axis=0)
    deviation = np.sqrt(np.maximum(np.diag(precision.covariance), 0))
    differing = np.broadcast_to(between, np.shape(standard))[base.independent] * values
    size = np.where(deviation > 0, deviation, 1.0)
    correlation = precision.covariance / size[:, None] / size
    np.fill_diagonal(correlation, 0.0)
    partner = np.argmax(np.abs(correlation), axis=0)
    return tuple(
        PredictedParameter(
            name=name,
            unit=base.units[k],
            expression=base.expressions[k],
            lead=int(base.independent[k]),
            value=float(values[k]),
            standard_deviation=float(np.hypot(deviation[k], differing[k]))
            if precision.determined[k]
            else np.inf,
            signal=float(signal[k]),
            mixed_with=base.names[partner[k]],
            correlation=float(correlation[k, partner[k]]),
        )
        for k, name in enumerate(base.names)
    )
