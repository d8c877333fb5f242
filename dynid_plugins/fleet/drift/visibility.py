"""What the recordings of a robot can show of each cause of drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from dynid.arrays import Array
from dynid_plugins.fleet.drift.between_days import BetweenDays
from dynid_plugins.fleet.drift.causes import Cause
from dynid_plugins.fleet.drift.freedom import as_estimated
from dynid_plugins.fleet.drift.persistence import share_of_mean
from dynid_plugins.fleet.drift.scan import precision

SOON = 5
"""Recordings within which a change shall be detected, for the smallest visible one; the length of a
window."""


@dataclass(frozen=True, eq=False)
class Visibility:
    """What the recordings can show of a cause.

    Attributes:
        cause: the cause; of a payload its mass.
        standard_deviation: of its size in one recording, with the variation between days.
        smallest: size that is detected within five recordings, with a chance of one half.
    """

    cause: Cause
    standard_deviation: float
    smallest: float


def find_visibility(
    causes: Sequence[Cause],
    within: Array,
    between: BetweenDays,
    reference: int,
    threshold: float,
    freedom: Array,
) -> tuple[Visibility, ...]:
    """Return how well each cause can be seen in one recording, and within a few.

    Args:
        causes: with signatures (k, m).
        within: (R, k, k) covariances within the recordings.
        between: component between days.
        reference: number of recordings of the reference.
        threshold: of the surprise.
        freedom: (causes,) degrees of freedom of the variances over so few recordings.
    """
    days = between.days(within)
    information = precision(within + days).mean(axis=0)
    one, typical = precision(information), days.mean(axis=0)
    difference = np.zeros_like(one)
    for count in (SOON, reference):
        share = share_of_mean(np.arange(float(count)), between.persistence.mean)
        difference += one / count + typical * (share - 1 / count)
    few = precision(difference)
    # two-sided: the chance of the surprise
    known = np.full(len(causes), scipy.stats.norm.isf(np.exp(-min(threshold, 700.0)) / 2) ** 2)
    scores = np.sqrt(as_estimated(known, np.ones(1, dtype=np.intp), freedom))
    found = []
    for cause, score in zip(causes, scores, strict=True):
        column = cause.signature[:, 0]
        once, soon = float(column @ information @ column), float(column @ few @ column)
        deviation = 1 / np.sqrt(once) if once > 0 else np.inf
        smallest = score / np.sqrt(soon) if soon > 0 else np.inf
        found.append(Visibility(cause, float(deviation), float(smallest)))
    return tuple(found)
