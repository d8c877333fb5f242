"""What physical consistency costs in torque error, on blocks that were not fitted.

On the fitted motion any constraint costs something. Whether it costs anything elsewhere is shown
by blocks left out: where bodies take up noise, the constraint makes predictions better; where they
stand for something that the model lacks, such as a spring, it makes them worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.fitting import Fit
from dynid.estimation.least_squares import weighted_solution
from dynid.estimation.physical import consistent_parameters
from dynid.estimation.settings import PhysicalSettings
from dynid.text import listed, percent, significant, unit

_NEGLIGIBLE_RATIO = 1.01  # of errors
_COSTLY = 1.05
_SIGNIFICANT = 2.0  # standard errors


@dataclass(frozen=True)
class ConsistencyPrice:
    """Errors on blocks left out once, with and without physical consistency.

    Attributes:
        consistent, unconstrained: (n,) norm of the torque error over norm of the torque.
        excess: (n,) squared error with consistency less that without it, over the latter.
        standard_error: (n,) of ``excess``, by its scatter between blocks.
        total, total_standard_error: the same of all joints, each relative to its own error.
        negative: parameters that cannot be negative, but are without the constraint, by more than
            two standard deviations: name, value, standard deviation and unit as text.
    """

    consistent: tuple[float, ...]
    unconstrained: tuple[float, ...]
    excess: tuple[float, ...]
    standard_error: tuple[float, ...]
    total: float
    total_standard_error: float
    negative: tuple[str, ...] = ()

    @property
    def costly(self) -> NDArray[np.bool_]:
        """Joints (n,) with an error 5 % larger than without it, beyond the scatter of blocks."""
        ratio = np.divide(self.consistent, np.maximum(self.unconstrained, 1e-300))
        known = np.array(self.excess) > _SIGNIFICANT * np.array(self.standard_error)
        return np.asarray((ratio > _COSTLY) & known)

    def sentence(self) -> str:
        """Return what it costs all joints together."""
        if self.total == 0.0:
            return "costs no torque error that matters (1 %) at any joint"
        change, scatter = 100 * self.total, 100 * self.total_standard_error
        return (
            f"changes the squared torque error on blocks left out by {change:+.1f} % ± "
            f"{scatter:.1f} % (mean over joints, standard error)"
        )

    def warnings(self, joints: tuple[str, ...]) -> Iterator[str]:
        """Yield a sentence on joints at which it costs more than scatter explains."""
        worse = np.flatnonzero(self.costly)
        if not len(worse):
            return
        errors = listed(
            f"{joints[j]} ({percent(self.consistent[j])} instead of "
            f"{percent(self.unconstrained[j])})"
            for j in worse.tolist()
        )
        without = f" Without it {listed(self.negative)}." if self.negative else ""
        yield (
            f"Physical consistency raises the torque error on blocks left out at {errors}: the "
            "torque contains something that no bodies explain, such as friction, a spring or "
            f"wrong kinematics.{without} Other motion may need the consistent parameters all the "
            "more; base_parameters in model.yaml has both."
        )


def consistency_price(fitted: Fit, settings: PhysicalSettings) -> ConsistencyPrice | None:
    """Leave out each block once, and estimate it with and without physical consistency.

    Where consistency hardly changes the error of the fit, nothing is estimated again.

    Args:
        fitted: the fit.
        settings: of physical consistency.

    Returns:
        None where consistency is not required, or blocks are too short for it.
    """
    if not settings.enabled:
        return None
    equations, base = fitted.estimate.plain_equations, fitted.problem.base
    with_it, without = (
        equations.squared_error(base.project(standard))
        for standard in (fitted.standard, fitted.unconstrained)
    )
    if np.all(with_it <= _NEGLIGIBLE_RATIO**2 * without + 1e-12 * equations.squared_torque):
        error = _relative(with_it, equations.squared_torque)
        none = (0.0,) * len(error)
        return ConsistencyPrice(error, error, none, none, 0.0, 0.0)
    try:
        consistent, free = errors_left_out(fitted, settings)
    except EstimationError:
        return None
    floor = np.maximum(free.sum(axis=0), 1e-12 * equations.squared_torque + 1e-300)
    of_blocks = (consistent - free) / floor
    total = of_blocks.mean(axis=1)
    return ConsistencyPrice(
        consistent=_relative(consistent.sum(axis=0), equations.squared_torque),
        unconstrained=_relative(free.sum(axis=0), equations.squared_torque),
        excess=tuple(of_blocks.sum(axis=0).tolist()),
        standard_error=tuple(_of_a_sum(of_blocks).tolist()),
        total=float(total.sum()),
        total_standard_error=float(_of_a_sum(total)),
        negative=tuple(_negative(fitted)),
    )


def errors_left_out(fitted: Fit, settings: PhysicalSettings) -> tuple[Array, Array]:
    """Return the squared errors (F, n) of every block, consistent and not."""
    problem, estimate = fitted.problem, fitted.estimate
    start = problem.base.project(problem.mechanism.urdf_parameters)
    consistent, free = [], []
    for fold in range(len(estimate.equations.gram)):
        others = estimate.equations.without(fold)
        base = weighted_solution(others, start)
        of_others = replace(estimate, base=base, equations=others)
        solution = consistent_parameters(problem.mechanism, problem.base, of_others, settings)
        block = estimate.plain_equations.only(fold)
        consistent.append(block.squared_error(problem.base.project(solution.parameters)))
        free.append(block.squared_error(base))
    return np.stack(consistent), np.stack(free)


def _of_a_sum(parts: Array) -> Array:
    """Return the standard error of the sum over blocks (F, …)."""
    return np.asarray(np.std(parts, axis=0, ddof=1) * np.sqrt(len(parts)))


def _negative(fitted: Fit) -> Iterator[str]:
    """Yield the estimates that are significantly negative, of terms that cannot be."""
    mechanism, base = fitted.problem.mechanism, fitted.problem.base
    deviations = np.sqrt(np.maximum(np.diag(fitted.estimate.covariance), 0.0))
    for number, column in enumerate(np.asarray(base.independent).tolist()):
        term = column - mechanism.first_term
        if term < 0 or not mechanism.terms[term].traits.never_negative:
            continue
        value, deviation = float(fitted.estimate.base[number]), float(deviations[number])
        if value < -_SIGNIFICANT * deviation < 0.0:
            size = f"{significant(value, 2)} ± {significant(deviation, 1)}"
            yield f"{base.names[number]} would be {size} {unit(base.units[number])}"


def _relative(squares: Array, torque: Array) -> tuple[float, ...]:
    errors = np.sqrt(np.divide(squares, torque, out=np.zeros_like(squares), where=torque > 0))
    return tuple(errors.tolist())
