"""Whether a model is worse than another on data that both did not use, by more than chance."""

from __future__ import annotations

import numpy as np
import scipy

from dynid.arrays import Array


def is_worse(differences: Array, significance: float, share: Array | None = None) -> bool:
    """Whether differences of errors are larger than the scatter between parts explains.

    Or in more parts than chance explains (sign test): by its size a difference is not significant
    where a part or two have most of it.

    Args:
        differences: (F,) error of the one minus that of the other, on each part left out.
        significance: in standard errors.
        share: (F,) of each part, with sum 1; None: all alike.
    """
    count = len(differences)
    mean, error = mean_and_error(differences, share)
    by_chance = scipy.special.bdtrc((differences > 0).sum() - 1, count, 0.5)
    rare = bool(by_chance < scipy.special.ndtr(-significance))
    return mean > 0 and (rare or mean > significance * error)


def mean_and_error(differences: Array, share: Array | None = None) -> tuple[float, float]:
    """Return the mean of differences of parts (F,), all alike or of ``share``, and its error."""
    weight = np.full(len(differences), 1 / len(differences)) if share is None else share
    mean = float(weight @ differences)
    variance = weight @ (differences - mean) ** 2 / max(len(differences) - 1, 1)
    return mean, float(np.sqrt(variance))
