"""A detected change: when it happened, how large it is, and which causes explain it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.linalg import ScaledSpectrum
from dynid_plugins.fleet.drift.causes import Cause
from dynid_plugins.fleet.drift.scan import precision

_CONFIDENCE = 3.84  # 95 % of chi² with one degree of freedom
_SURE_OF_SHAPE = 4.0  # difference of chi² between a step and a ramp


@dataclass(frozen=True, eq=False)
class Explanation:
    """One cause of a change.

    Attributes:
        cause: the cause.
        probability: among all causes, by the Bayesian information criterion.
        size: in the unit of the cause; of a payload its mass, NaN where that cannot be seen.
        standard_deviation: of the size.
    """

    cause: Cause
    probability: float
    size: float
    standard_deviation: float


@dataclass(frozen=True, eq=False)
class Change:
    """A change of the robot.

    Attributes:
        alarm: index of the recording at which it was detected.
        start: index of the first recording after the change, most likely.
        earliest, latest: of ``start``, in a confidence set of 95 %.
        surprise: minus the natural logarithm of the chance, at the alarm.
        explanations: most probable first.
        unexplained: probability that no cause of the list alone explains it.
        gradual: True for a ramp, False for a step, None where they cannot be told apart.
        temperature_known: whether the effect of temperature was taken out.
    """

    alarm: int
    start: int
    earliest: int
    latest: int
    surprise: float
    explanations: tuple[Explanation, ...]
    unexplained: float
    gradual: bool | None
    temperature_known: bool

    @property
    def best(self) -> Explanation:
        """The most probable cause."""
        return self.explanations[0]


def locate(departures: Array, variances: Array) -> tuple[int, int, int]:
    """Return the most likely start of a step in rows (T, m), and its confidence set of 95 %.

    Args:
        departures: from the mean before; the change lasts until the last row.
        variances: of them (T, m).
    """
    weight = 1 / variances
    total = np.cumsum((departures * weight)[::-1], axis=0)[::-1]
    information = np.cumsum(weight[::-1], axis=0)[::-1]
    gain = (total**2 / information).sum(axis=1)
    likely = np.flatnonzero(gain >= gain.max() - _CONFIDENCE)
    return int(np.argmax(gain)), int(likely[0]), int(likely[-1])


def is_gradual(departures: Array, variances: Array) -> bool | None:
    """Return whether a ramp fits departures (T,), T > 2, better than a step; None if unclear."""
    count = len(departures)
    weight = 1 / variances
    gains = []
    since = np.arange(count) - np.arange(count - 2)[:, None]  # rows since each possible start
    for curves in ((since >= 0).astype(float), np.maximum(since, 0.0)):  # steps and ramps
        products = curves @ (weight * departures)
        gains.append(float(np.max(products**2 / (curves**2 @ weight))))
    difference = gains[1] - gains[0]
    return None if abs(difference) < _SURE_OF_SHAPE else difference > 0


def explain(
    difference: Array, covariance: Array, causes: tuple[Cause, ...]
) -> tuple[tuple[Explanation, ...], float]:
    """Return the causes of a difference of parameters, and the probability that it is none.

    The probabilities are those of the Bayesian information criterion (Schwarz, Ann. Stat. 6, 1978)
    with equal ones before; "none" is the difference without any structure.

    Args:
        difference: (k,) of the parameters.
        covariance: (k, k) of it.
        causes: with signatures (k, m).
    """
    information = precision(covariance)
    penalty = np.log(len(difference)) / 2
    fits = [_fit(difference, information, one) for one in causes]
    scores = np.array([gain / 2 - rank * penalty for gain, rank, _, _ in fits])
    whole = float(difference @ information @ difference) / 2 - len(difference) * penalty
    every = np.append(scores, whole)
    chances = np.exp(every - every.max())
    chances /= chances.sum()
    found = [
        Explanation(cause, float(chance), size, deviation)
        for cause, chance, (_, _, size, deviation) in zip(causes, chances[:-1], fits, strict=True)
    ]
    found.sort(key=lambda one: -one.probability)
    return tuple(found), float(chances[-1])


def size_weights(cause: Cause, information: Array) -> Array:
    """Return weights (k,) whose sum with a difference of parameters is the size of a cause.

    The generalised least-squares estimate as if the cause were the only one; NaN for a mass that
    the parameters cannot show.

    Args:
        cause: with its signature (k, m).
        information: (k, k) inverse covariance of the difference.
    """
    weighted = cause.signature.T @ information
    spectrum = ScaledSpectrum.of(weighted @ cause.signature)
    if not spectrum.determined[0]:
        return np.full(len(information), np.nan)
    return np.asarray(spectrum.inverse[0] @ weighted)


def _fit(difference: Array, information: Array, cause: Cause) -> tuple[float, int, float, float]:
    """Return chi² that a cause explains, its rank, and the size with its standard deviation."""
    weighted = cause.signature.T @ information
    spectrum = ScaledSpectrum.of(weighted @ cause.signature)
    right, inverse = weighted @ difference, spectrum.inverse
    sizes = inverse @ right
    size = float(sizes[0]) if spectrum.determined[0] else np.nan
    rank = int(spectrum.known.sum())
    return float(right @ sizes), rank, size, float(np.sqrt(max(inverse[0, 0], 0.0)))


def weighted_mean(
    values: Array, covariances: Array, days: Array | None = None, together: Array | None = None
) -> tuple[Array, Array]:
    """Return the mean (k,) of rows (n, k), weighted by their precision, and its covariance.

    Args:
        values: (n, k).
        covariances: (n, k, k).
        days: (n, k, k) the part of them that is correlated between rows; None for independent rows.
        together: (n, n) its correlations.
    """
    information = precision(covariances)
    covariance = precision(information.sum(axis=0))
    mean = covariance @ np.einsum("rkl,rl->k", information, values)
    if days is None or together is None:
        return mean, covariance
    gains = covariance @ information
    others = np.einsum("rs,skl->rkl", together - np.eye(len(values)), gains)
    added = np.einsum("rij,rjk,rlk->il", gains, days, others, optimize=True)
    return mean, covariance + (added + added.T) / 2
