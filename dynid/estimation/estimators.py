"""The estimators by the names that profiles, the command line and reports use."""

from __future__ import annotations

from dynid.estimation.closed_loop.clie import ClosedLoopInputError
from dynid.estimation.closed_loop.cloe import ClosedLoopOutputError
from dynid.estimation.closed_loop.didim import DirectAndInverseModel
from dynid.estimation.closed_loop.iv import InstrumentalVariables
from dynid.estimation.estimate import Estimator
from dynid.estimation.kalman.ekf import ExtendedKalmanFilter
from dynid.estimation.kalman.srukf import SquareRootUnscentedKalmanFilter
from dynid.estimation.least_squares import (
    IterativelyReweightedLeastSquares,
    OrdinaryLeastSquares,
    WeightedLeastSquares,
)
from dynid.estimation.maximum_likelihood import MaximumLikelihood
from dynid.estimation.recursive import RecursiveLeastSquares, RecursiveLeastSquaresPerJoint
from dynid.estimation.total_least_squares import TotalLeastSquares

ESTIMATORS: dict[str, type[Estimator]] = {
    "ols": OrdinaryLeastSquares,
    "wls": WeightedLeastSquares,
    "irls": IterativelyReweightedLeastSquares,
    "tls": TotalLeastSquares,
    "ml": MaximumLikelihood,
    "ekf": ExtendedKalmanFilter,
    "srukf": SquareRootUnscentedKalmanFilter,
    "iv": InstrumentalVariables,
    "didim": DirectAndInverseModel,
    "cloe": ClosedLoopOutputError,
    "clie": ClosedLoopInputError,
    "rls": RecursiveLeastSquares,
    "rls_joint": RecursiveLeastSquaresPerJoint,
}

SLOW = {"ekf": 0.5, "srukf": 0.5, "iv": 0.7, "didim": 0.7, "cloe": 0.85, "clie": 0.85}
"""Estimators that simulate or filter the motion and report the share that is done, with the share
that a round of load-dependent friction takes of the work that is left: iterations begin where those
of the last round ended."""
