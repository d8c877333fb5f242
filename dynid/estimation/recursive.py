"""Recursive least squares over a recording, as in the online estimator."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.least_squares import estimate_at
from dynid.estimation.regression import Problem
from dynid.estimation.square_root import Forgetting, SquareRootLeastSquares

_UNINFORMATIVE = 1e6  # prior standard deviation over the smallest one the data can give


class RecursiveLeastSquares(Estimator):
    """RLS in vector form: all joints' rows, one block after the other, for shared parameters.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (14), in square-root form. Without forgetting the
    result is that of weighted least squares.

    Args:
        forgetting: of samples at the decimated rate of the parallel filter; None: no forgetting.
    """

    name = "rls"
    summary = "recursive least squares: one block of samples after the other, as online"

    scalar = False

    def __init__(self, forgetting: Forgetting | None = None) -> None:
        self._forgetting = forgetting or Forgetting()

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`.

        Raises:
            EstimationError: there is no motion.
        """
        recursive = self._run(problem, problem.base.project(start))
        estimate = estimate_at(problem, recursive.solve().parameters)
        if self._forgetting.initial == 1 and not self.scalar:
            return estimate
        # its covariance differs from that of weighted least squares on all rows
        recursive.correlation = estimate.correlation
        solution = recursive.solve()
        return estimate_at(problem, solution.parameters, solution.covariance)

    def _run(self, problem: Problem, start: Array) -> SquareRootLeastSquares:
        recursive = SquareRootLeastSquares(
            len(problem.mechanism.joints),
            start,
            _UNINFORMATIVE / _column_norms(problem),
            forgetting=self._forgetting,
            scalar=self.scalar,
        )
        for number, rows in enumerate(problem.rows):
            for block in problem.blocks(number):
                recursive.update(block.stacked, rows.fitted[block.span])
        return recursive


def _column_norms(problem: Problem) -> Array:
    """Norm of each column of the regressor in units of torque error, (k,); 1 where it is 0."""
    equations = problem.normal_equations()
    if not np.any(equations.joint_rows):
        raise EstimationError("the recording contains no motion from which to estimate parameters.")
    squares = np.einsum("jii->ji", equations.joint_gram)
    torque = np.where(squares[:, -1:] > 0, squares[:, -1:], 1.0)
    norms = np.sqrt(np.sum(squares[:, :-1] / torque * equations.joint_rows[:, None], axis=0))
    return np.where(norms > 0, norms, 1.0)
