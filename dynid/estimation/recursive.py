"""Recursive least squares over a recording: what the online estimator comes to at its end."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import estimate_at
from dynid.estimation.regression import Problem
from dynid.estimation.square_root import Forgetting, SquareRootLeastSquares

_VAGUE = 1e6  # deviation beforehand that leaves the word to data: in those of data at their best


class RecursiveLeastSquares:
    """RLS in vector form: all joints' rows, one block after the other, for shared parameters.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (14), as square-root form. Without forgetting it
    comes to weighted least squares.

    Args:
        forgetting: of samples, at the rate that the parallel filter leaves.
    """

    scalar = False

    def __init__(self, forgetting: Forgetting | None = None) -> None:
        self._forgetting = forgetting or Forgetting()

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`.

        Raises:
            EstimationError: no motion.
        """
        recursive = self._run(problem, problem.base.project(start))
        estimate = estimate_at(problem, recursive.solve().parameters)
        if self._forgetting.initial == 1 and not self.scalar:
            return estimate
        # the deviations of weighted least squares on all rows are not those of this
        recursive.correlation = estimate.correlation
        solution = recursive.solve()
        return estimate_at(problem, solution.parameters, solution.covariance)

    def _run(self, problem: Problem, start: Array) -> SquareRootLeastSquares:
        recursive = SquareRootLeastSquares(
            len(problem.mechanism.joints),
            start,
            _VAGUE / _column_sizes(problem),
            forgetting=self._forgetting,
            scalar=self.scalar,
        )
        for number, rows in enumerate(problem.rows):
            for block in problem.blocks(number):
                recursive.update(block.stacked, rows.fitted[block.span])
        return recursive


class RecursiveLeastSquaresPerJoint(RecursiveLeastSquares):
    """RLS in scalar sub-models: each joint's row for its own parameters, from the last joint on.

    The same paper's (11) and (15). What a joint's row says of the parameters of those behind it is
    not used, so that it is less certain than the vector form; but a joint whose torque is measured
    badly spoils none behind it.
    """

    scalar = True


def _column_sizes(problem: Problem) -> Array:
    """Norm of each column of the regressor in units of torque error, (k,); 1 where it is 0."""
    equations = problem.normal_equations()
    if not np.any(equations.joint_rows):
        raise EstimationError("the recording holds no motion that a parameter could be read from.")
    squares = np.einsum("jii->ji", equations.joint_gram)
    torque = np.where(squares[:, -1:] > 0, squares[:, -1:], 1.0)
    norms = np.sqrt(np.sum(squares[:, :-1] / torque * equations.joint_rows[:, None], axis=0))
    return np.where(norms > 0, norms, 1.0)
