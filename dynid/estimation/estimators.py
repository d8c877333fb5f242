"""The estimators by name: how profiles, the command line and reports choose one."""

from __future__ import annotations

from dynid.estimation.estimate import Estimator
from dynid.estimation.least_squares import (
    IterativelyReweightedLeastSquares,
    OrdinaryLeastSquares,
    WeightedLeastSquares,
)

ESTIMATORS: dict[str, type[Estimator]] = {
    "ols": OrdinaryLeastSquares,
    "wls": WeightedLeastSquares,
    "irls": IterativelyReweightedLeastSquares,
}
