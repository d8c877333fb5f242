"""A robot beside the others of its type: which of its parameters no other has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.text import listed, significant
from dynid.text import unit as unit_sign
from dynid_plugins.fleet.drift.change import weighted_mean
from dynid_plugins.fleet.drift.history import History

FEWEST = 5
"""Robots of a type below which their variation is not known well enough."""
_NAMED = 3  # parameters in a sentence


@dataclass(frozen=True)
class Unusual:
    """A parameter that is unlike that of the other robots of the type.

    Attributes:
        parameter: the base parameter.
        unit: of it.
        value: of this robot.
        others: mean of the other robots.
        deviations: the difference in standard deviations of one more robot.
        chance: of a difference as large in any parameter of any robot of the type.
    """

    parameter: str
    unit: str
    value: float
    others: float
    deviations: float
    chance: float


def find_unusual(
    histories: Mapping[str, History], units: Mapping[str, str], *, level: float = 0.01
) -> dict[str, tuple[Unusual, ...]]:
    """Compare the latest parameters of each robot of a type with those of all others.

    The other robots' mean and variance give a prediction interval of Student's distribution for
    one more robot (externally studentized residual; Cook and Weisberg 1982). Their variance holds
    the uncertainty of identification too; what that of this robot has beyond it is added. Several
    unusual robots hide each other.

    Args:
        histories: of the robots of one type.
        units: of parameters.
        level: accepted chance of one false finding in the whole type (Bonferroni).

    Returns:
        the findings of each robot, the least likely first; none with fewer robots than ``FEWEST``.
    """
    found: dict[str, tuple[Unusual, ...]] = dict.fromkeys(histories, ())
    names = [one.names for one in histories.values()]
    common = [name for name in names[0] if all(name in other for other in names)] if names else []
    if len(histories) < FEWEST or not common:
        return found
    latest = [_latest(one, common) for one in histories.values()]
    values, variances = (np.array(one) for one in zip(*latest, strict=True))
    count = len(values)
    for place, robot in enumerate(histories):
        others = np.delete(values, place, axis=0)
        mean = others.mean(axis=0)
        beyond = variances[place] - np.delete(variances, place, axis=0).mean(axis=0)
        variance = others.var(axis=0, ddof=1) * (1 + 1 / (count - 1)) + np.maximum(beyond, 0.0)
        scores = (values[place] - mean) / np.sqrt(variance)
        chances = np.minimum(2 * scipy.stats.t.sf(np.abs(scores), count - 2) * values.size, 1.0)
        found[robot] = tuple(
            Unusual(
                common[i],
                units[common[i]],
                float(values[place, i]),
                float(mean[i]),
                float(scores[i]),
                float(chances[i]),
            )
            for i in np.argsort(chances)
            if chances[i] < level
        )
    return found


def _latest(history: History, names: list[str]) -> tuple[Array, Array]:
    """Return mean and variance (k,) of the last recordings, up to five."""
    mean, covariance = weighted_mean(history.values[-5:], history.covariances[-5:])
    chosen = [history.names.index(name) for name in names]
    return mean[chosen], np.diag(covariance)[chosen]


def unusual_sentence(found: Sequence[Unusual]) -> str:
    """Return how a robot differs from the others of its type, at most by three parameters."""
    words = [
        f"{one.parameter} {significant(one.value, 3)} {unit_sign(one.unit)} (others "
        f"{significant(one.others, 3)}, {one.deviations:+.1f} standard deviations)"
        for one in found[:_NAMED]
    ]
    more = len(found) - len(words)
    if more:
        words.append(f"{more} more {'parameters' if more > 1 else 'parameter'}")
    return f"Unlike the other robots of its type: {listed(words)}."
