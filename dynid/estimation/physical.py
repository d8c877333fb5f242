"""Physically consistent standard parameters: a semidefinite program on the normal equations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import clarabel
import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate
from dynid.estimation.settings import PhysicalSettings

# standard deviation over scale above which a direction of parameter space is not identifiable
_UNDETERMINED_STANDARD_DEVIATION = 0.5
# smallest eigenvalue of a body's pseudo-inertia, relative to its scale
_MARGIN = 1e-5
# of the solver, in typical sizes of a parameter
_ROUNDING = 1e-3
_ZERO = 1e-5  # of the typical size of a term
# scales of the change that the constraints cause, in standard deviations, tried in turn
_REACHES = (1.0, 1e3, 1e6)
# the solver's own regularisation, and one for data that differ more: joints that rest, for example
_REGULARISATIONS = (1e-8, 1e-10)


@dataclass(frozen=True)
class ConsistentSolution:
    """Physically consistent standard parameters.

    Attributes:
        parameters: (p,) standard parameters.
        determined: (p,) bool, identifiable from the data alone.
    """

    parameters: Array
    determined: NDArray[np.bool_]


def pseudo_inertia(inertial: Array) -> Array:
    """Return the 4 x 4 pseudo-inertia matrix of (m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz).

    The parameters are physically consistent if and only if it is positive definite (Wensing, Kim,
    Slotine, RA-L 2018, eq. 9).
    """
    return np.asarray(np.tensordot(inertial, _pseudo_inertia_basis(), axes=1))


def is_physically_consistent(mechanism: Mechanism, standard: Array) -> bool:
    """Whether every pseudo-inertia is positive definite and no passive term adds energy."""
    return not mechanism.physical_problem(standard)


def consistent_parameters(
    mechanism: Mechanism, base: BaseParameterization, estimate: Estimate, settings: PhysicalSettings
) -> ConsistentSolution:
    """Find the physically consistent standard parameters nearest to an estimate.

    Minimises the squared, weighted change of the estimate's torque (after least squares, the torque
    error itself), subject to pseudo-inertia >= 0 for every body, friction and rotor inertia >= 0,
    and the bounds in ``settings``. Only directions of parameter space that are not identifiable are
    drawn to the URDF's values (Sousa and Cortesao, IJRR 2014; Wensing et al. 2018).

    Raises:
        EstimationError: the bounds contradict each other, or the solver fails.
    """
    near = reference_parameters(mechanism)
    weight = 1 / np.maximum(estimate.joint_variance, _finest_variance(estimate))
    gram = np.einsum("j,jik->ik", weight, estimate.equations.joint_gram)
    scale = parameter_scale(mechanism) * _torque_ratio(base.regrouping, gram, near)
    # the URDF gives no scale for friction, so torque and estimate do
    term_parameters = base.lift(estimate.base, near)[mechanism.first_term :]
    scale[mechanism.first_term :] = np.maximum(
        _term_scale(mechanism, estimate), np.abs(term_parameters)
    )
    matrix = _standard_normal(base, gram, scale)
    right = (base.regrouping * scale).T @ gram[:-1, :-1] @ estimate.base
    information = _standard_normal(
        base,
        np.einsum("j,jik->ik", weight / estimate.correlation, estimate.equations.joint_gram),
        scale,
    )
    values, vectors = np.linalg.eigh(information)
    is_open = values < max(1 / _UNDETERMINED_STANDARD_DEVIATION**2, 1e-12 * values[-1])
    undetermined = vectors[:, is_open]
    pull = undetermined @ undetermined.T
    # solved for x = pi / scale, so that the smallest information in the data is about one
    cost = matrix + pull
    linear = -(right + pull @ (near / scale))
    scaled = solve_in_cones(cost, linear, *parameter_constraints(mechanism, settings, scale))
    determined = np.sum(undetermined**2, axis=1) < 1e-2
    # of terms without any information in the data the solver returns a rounding error
    silent = (np.diag(matrix) == 0) & (np.arange(len(near)) >= mechanism.first_term)
    scaled = np.where(silent & (np.abs(scaled - near / scale) < _ROUNDING), near / scale, scaled)
    return ConsistentSolution(_with_clean_zeros(mechanism, scaled) * scale, determined)


def _with_clean_zeros(mechanism: Mechanism, scaled: Array) -> Array:
    """Set friction to zero if the solver left it a rounding error above its bound."""
    cleaned = np.array(scaled)
    columns = mechanism.first_term + never_negative_terms(mechanism)
    cleaned[columns] = np.where(scaled[columns] < _ZERO, 0.0, scaled[columns])
    return cleaned


def _term_scale(mechanism: Mechanism, estimate: Estimate) -> Array:
    """Return typical sizes of the terms: 1 in SI units, or the rms torque of the joint if less."""
    equations = estimate.equations
    torque = np.sqrt(equations.squared_torque / np.maximum(equations.joint_rows, 1.0))
    largest = float(torque.max(initial=0.0))
    of_terms = [
        torque[term.joint] if term.side == "joint" and term.joint < len(torque) else largest
        for term in mechanism.terms
    ]
    sizes = np.array(of_terms, dtype=float)
    return np.where(sizes > 0, np.minimum(sizes, 1.0), 1.0)


def _finest_variance(estimate: Estimate) -> Array:
    """Variance (n,) of a torque error of 0.2 %, the smallest assumed even without noise."""
    rows = np.maximum(estimate.equations.joint_rows, 1.0)
    return np.asarray((2e-3) ** 2 * estimate.equations.squared_torque / rows)


def _standard_normal(base: BaseParameterization, gram: Array, scale: Array) -> Array:
    """Return the normal matrix (p, p) of the scaled standard parameters."""
    regrouping = base.regrouping * scale
    return np.asarray(regrouping.T @ gram[:-1, :-1] @ regrouping)


def reference_parameters(mechanism: Mechanism) -> Array:
    """Return the URDF's parameters, with inconsistent bodies replaced by small spheres."""
    reference = np.array(mechanism.urdf_parameters)
    for body in reference[: mechanism.first_term].reshape(-1, 10):
        if np.linalg.eigvalsh(pseudo_inertia(body))[0] <= 0:
            mass = body[0] if body[0] > 0 else 1.0
            centre = body[1:4] / mass if body[0] > 0 else np.zeros(3)
            body[:] = _solid_sphere(mass, centre, radius=0.05)
    return reference


def _solid_sphere(mass: float, centre: Array, radius: float) -> Array:
    inertia = 0.4 * mass * radius**2 * np.eye(3)
    inertia += mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    upper = inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return np.concatenate([[mass], mass * centre, upper])


def _torque_ratio(regrouping: Array, gram: Array, near: Array) -> float:
    """Ratio of the measured torque to that of the URDF's bodies; at least 1.

    Corrects the scale if the URDF's masses are far too small.
    """
    base = regrouping @ near
    needed = float(base @ gram[:-1, :-1] @ base)
    return max(1.0, float(base @ gram[:-1, -1]) / needed) if needed > 0 else 1.0


def parameter_scale(mechanism: Mechanism) -> Array:
    """Return typical sizes (p,): a body's mass times powers of its radius of gyration."""
    scale = np.ones(len(mechanism.parameter_names))
    bodies = reference_parameters(mechanism)[: mechanism.first_term].reshape(-1, 10)
    for number, body in enumerate(bodies):
        length = max(np.sqrt(np.trace(pseudo_inertia(body)[:3, :3]) / body[0]), 0.02)
        scale[10 * number] = body[0]
        scale[10 * number + 1 : 10 * number + 4] = body[0] * length
        scale[10 * number + 4 : 10 * number + 10] = body[0] * length**2
    return scale


def never_negative_terms(mechanism: Mechanism) -> NDArray[np.intp]:
    """Return the numbers of the terms, from 0, whose parameter is never negative."""
    kinds = [term.traits.never_negative for term in mechanism.terms]
    return np.flatnonzero(kinds)


def parameter_constraints(
    mechanism: Mechanism, settings: PhysicalSettings, scale: Array
) -> tuple[scipy.sparse.csc_matrix, Array, list[object]]:
    """Return A, b and the cones of ``A x + s = b`` for Clarabel, x the scaled parameters.

    Raises:
        EstimationError: the settings bound an unknown parameter.
    """
    blocks: list[Array] = []
    bounds: list[Array] = []
    bodies, p = len(mechanism.body_joints), len(mechanism.parameter_names)
    linear = [(10 * bodies + int(i), 1.0, 0.0) for i in never_negative_terms(mechanism)]
    linear += _bound_rows(mechanism, settings)
    for column, sign, low in linear:
        row = np.zeros((1, p))
        row[0, column] = -sign
        blocks.append(row)
        bounds.append(np.array([-low / scale[column] if low else 0.0]))
    if settings.total_mass is not None:
        masses = np.zeros(p)
        masses[0 : 10 * bodies : 10] = scale[0 : 10 * bodies : 10]
        blocks.append(np.stack([-masses, masses]))
        bounds.append(np.array([-settings.total_mass[0], settings.total_mass[1]]))
    rows = sum(len(b) for b in bounds)
    cones: list[object] = [clarabel.NonnegativeConeT(rows)] if rows else []
    for body in range(bodies):
        span = slice(10 * body, 10 * body + 10)
        block = np.zeros((10, p))
        block[:, span], bound, cone = body_cone(scale[span])
        blocks.append(block)
        bounds.append(bound)
        cones.append(cone)
    return scipy.sparse.csc_matrix(np.vstack(blocks)), np.concatenate(bounds), cones


def body_cone(scale: Array) -> tuple[Array, Array, object]:
    """Return A, b and the cone of s in ``A x + s = b`` for one body's pseudo-inertia.

    Args:
        scale: (10,) typical sizes of the body's parameters; x is the parameters over their scale.
    """
    length = scale[1] / scale[0]
    unit = np.array([length, length, length, 1.0]) * np.sqrt(scale[0])
    packing = _packed_basis() / _packed(np.outer(unit, unit))[:, None]
    return -packing * scale, -_MARGIN * _packed(np.eye(4)), clarabel.PSDTriangleConeT(4)


def _bound_rows(mechanism: Mechanism, settings: PhysicalSettings) -> list[tuple[int, float, float]]:
    """(column, sign, bound) so that sign * parameter >= bound."""
    rows = []
    for name, (low, high) in settings.bounds.items():
        if name not in mechanism.parameter_names:
            raise EstimationError(
                f"physical.bounds contains '{name}', which is not a parameter of this robot; its "
                f"parameters are {', '.join(mechanism.parameter_names[:12])}, …"
            )
        column = mechanism.parameter_names.index(name)
        rows += [(column, 1.0, low), (column, -1.0, -high)]
    return rows


def solve_in_cones(
    cost: Array, linear: Array, matrix: scipy.sparse.csc_matrix, bounds: Array, cones: list[object]
) -> Array:
    """Minimise ``x^T cost x / 2 + linear^T x`` with ``bounds - matrix x`` in the cones.

    Raises:
        EstimationError: no such x was found.
    """
    # With cost = L L^T, solved for y = L^T (x - free): the information in different directions
    # differs by many decades; y is only the change that the constraints cause.
    values, vectors = np.linalg.eigh(cost)
    to_scaled = vectors / np.sqrt(np.maximum(values, 1e-14 * values[-1]))
    free = -to_scaled @ (to_scaled.T @ linear)
    # the solver reports a problem as infeasible if y is about 1e5, so y is scaled
    limits = bounds - matrix @ free
    for regularisation, reach in product(_REGULARISATIONS, _REACHES):
        push = _smallest(reach * matrix @ to_scaled, limits, cones, regularisation)
        if push is not None:
            return np.asarray(free + reach * to_scaled @ push)
    raise EstimationError(
        "no physically consistent parameters were found: total mass and bounds in "
        "identification.physical contradict each other, or the recordings determine some "
        "parameters too much better than others; then let all joints move, or set "
        "physical.enabled: false."
    )


def _smallest(
    matrix: Array, bounds: Array, cones: list[object], regularisation: float
) -> Array | None:
    """Find the smallest y with ``bounds - matrix y`` in the cones; None if there is none."""
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.max_threads = 1  # threads only wait for each other in problems of this size
    options.static_regularization_constant = regularisation
    count = matrix.shape[1]
    solver = clarabel.DefaultSolver(
        scipy.sparse.identity(count, format="csc"),
        np.zeros(count),
        scipy.sparse.csc_matrix(matrix),
        bounds,
        cones,
        options,
    )
    solution = solver.solve()
    solved = str(solution.status) in {"Solved", "AlmostSolved"}
    return np.asarray(solution.x) if solved else None


def _pseudo_inertia_basis() -> Array:
    """Return the pseudo-inertia matrix as a linear map of the ten parameters, (10, 4, 4)."""
    basis = np.zeros((10, 4, 4))
    basis[0, 3, 3] = 1.0
    for axis in range(3):
        basis[1 + axis, axis, 3] = basis[1 + axis, 3, axis] = 1.0
    # the upper left block is half the trace of the inertia, less the inertia
    for parameter, (row, column) in zip((4, 6, 9), ((0, 0), (1, 1), (2, 2)), strict=True):
        basis[parameter, range(3), range(3)] = 0.5
        basis[parameter, row, column] = -0.5
    for parameter, (row, column) in zip((5, 7, 8), ((0, 1), (0, 2), (1, 2)), strict=True):
        basis[parameter, row, column] = basis[parameter, column, row] = -1.0
    return basis


def _packed(matrix: Array, off_diagonal: float = 1.0) -> Array:
    """Upper triangle column by column, Clarabel's format."""
    columns, rows = np.tril_indices(4)
    return matrix[rows, columns] * np.where(rows == columns, 1.0, off_diagonal)


def _packed_basis() -> Array:
    """Linear map of ten parameters to the packed triangle of the pseudo-inertia, (10, 10)."""
    return np.stack([_packed(b, np.sqrt(2)) for b in _pseudo_inertia_basis()], axis=1)
