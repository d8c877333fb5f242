"""Physically consistent parameters by penalties and several starts, as a reference for the cones.

Retrieval of parameters after C. Gaz, F. Flacco, A. De Luca, "Extracting feasible robot parameters
from dynamic coefficients using nonlinear optimization methods", ICRA 2016, as in M. Pennese and
V. Vulcano, "Robotics II, final project", algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate
from dynid.estimation.physical import is_physically_consistent
from dynid.estimation.settings import PhysicalSettings

_STARTS = 3  # as in the report: the URDF's bodies and random ones
_LAST_POWER = 16  # of ten, in the largest weight of a penalty
_MARGIN = 1e-4  # of the inequalities, relative to the scale of a body's parameters
_ALLOWED = 5e-5  # violation of the margin that still leaves bodies consistent
_SMALLEST_RELATIVE_ERROR = 2e-3  # smallest torque error over torque assumed of a model
_EVALUATIONS = 100  # of the cost function, for each penalty weight
# mass bounds: times the URDF's mass, divided by it
_LARGEST_MASS_RATIO, _SMALLEST_MASS_RATIO = 10.0, 100.0
_FARTHEST = 5.0  # centre of mass from the joint, in the URDF's radii of gyration about the joint
_EMPTY = (1.0, 0.1)  # [kg], [m] of a body without mass in the URDF
# XX, XY, YY, XZ, YZ, ZZ as elements of the matrix
_ROWS, _COLUMNS = (0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)
_DIAGONAL = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
_TWICE = np.array([1.0, 2.0, 1.0, 2.0, 2.0, 1.0])  # elements off the diagonal count twice


def penalised_parameters(
    mechanism: Mechanism, base: BaseParameterization, estimate: Estimate, settings: PhysicalSettings
) -> Array:
    """Find the physically consistent standard parameters (p,) nearest to an estimate.

    Minimises ``φ(p) + ξ_k γ(p)`` with the weighted squared change φ of the estimate's torque, over
    masses, centres of mass and inertias about them, between bounds taken from the URDF's bodies.
    The penalties γ are the squared violations of the triangle inequalities
    ``tr(I) / 2 - λ(I) > 0``, of the total mass and of the settings' bounds; ξ_k = 0, 10, 100, …,
    each started at the previous solution. The best result of several starts is returned: the URDF's
    bodies and random ones. Directions that φ does not determine stay near the URDF's values.

    Raises:
        EstimationError: no start leads to physically consistent bodies.
    """
    task = _task(mechanism, base, estimate, settings)
    random = np.random.default_rng(0)
    solutions: list[tuple[float, Array]] = []
    for start in range(_STARTS):
        point = _minimise(task, task.reference if start == 0 else task.random_point(random))
        standard = task.standard(point)
        if task.violation(point).max() <= _ALLOWED and is_physically_consistent(
            mechanism, standard
        ):
            solutions.append((float(np.sum(task.residual(standard) ** 2)), standard))
    if not solutions:
        raise EstimationError(
            f"the penalty method found no physically consistent parameters from {_STARTS} starts; "
            "check that the total mass and the bounds in identification.physical do not "
            "contradict each other, or set physical.method to semidefinite."
        )
    return min(solutions, key=lambda solution: solution[0])[1]


@dataclass(frozen=True)
class _Task:
    """Cost function; a point is mass, centre of mass and inertia of each body, then joint terms.

    Attributes:
        bodies: number of bodies.
        root, target: (k + p, p) and (k + p,), φ = |root π - target|² of standard parameters π.
        reference, low, high: (p,) the URDF's bodies as a point, and the bounds of points.
        scale: (p,) typical size of each standard parameter, and of the point's coordinates.
        limits: matrix (rows, p) and bounds (rows,), with matrix π - bounds > 0.
    """

    bodies: int
    root: Array
    target: Array
    reference: Array
    low: Array
    high: Array
    scale: Array
    limits: tuple[Array, Array]

    def random_point(self, random: np.random.Generator) -> Array:
        """Draw a point between the bounds; joint terms, which have none, as in the reference."""
        bounded = np.isfinite(self.high)
        low, high = self.low[bounded], self.high[bounded]
        point = np.array(self.reference)
        point[bounded] = low + (high - low) * random.uniform(0.0, 1.0, len(low))
        return point

    def standard(self, point: Array) -> Array:
        """Return the standard parameters (p,) of a point, by the parallel axis theorem."""
        values = np.array(point)
        for body in self._spans():
            mass, centre = point[body][0], point[body][1:4]
            values[body][1:4] = mass * centre
            values[body][4:] += mass * _spread(centre)
        return values

    def by_point(self, point: Array) -> Array:
        """Return the derivative of the standard parameters by the point, (p, p)."""
        derivative = np.eye(len(point))
        for body in self._spans():
            mass, centre = point[body][0], point[body][1:4]
            block = derivative[body, body]
            block[1:4, 0], block[1:4, 1:4] = centre, mass * np.eye(3)
            block[4:, 0] = _spread(centre)
            for axis in range(3):
                way = np.eye(3)[axis]
                block[4:, 1 + axis] = mass * (_spread(centre + way) - _spread(centre - way)) / 2
        return derivative

    def residual(self, standard: Array) -> Array:
        """Return the vector whose squared norm is φ, (k + p,)."""
        return np.asarray(self.root @ standard - self.target)

    def violation(self, point: Array) -> Array:
        """Return the scaled violation of each inequality, 0 if satisfied; (3 bodies + rows,)."""
        rows, bounds = self.limits
        triangles = [self._triangles(point, body)[0] for body in self._spans()]
        limits = bounds - rows @ self.standard(point)
        return np.asarray(np.maximum(0.0, np.concatenate([*triangles, limits])))

    def violation_by_point(self, point: Array) -> Array:
        """Return the derivative of :meth:`violation`, (3 bodies + rows, p)."""
        rows, _ = self.limits
        derivative = np.zeros((3 * self.bodies, len(point)))
        for number, body in enumerate(self._spans()):
            block = derivative[3 * number : 3 * number + 3, body]
            block[:, 4:] = self._triangles(point, body)[1]
        both = np.vstack([derivative, -rows @ self.by_point(point)])
        return np.asarray(both * (self.violation(point) > 0)[:, None])

    def _triangles(self, point: Array, body: slice) -> tuple[Array, Array]:
        """Return the violation of ``tr(I) / 2 > λ`` (3,) and its derivative by inertia (3, 6).

        Of all three principal inertias, as the two largest may be equal; negative if satisfied.
        """
        inertia = np.zeros((3, 3))
        inertia[_ROWS, _COLUMNS] = inertia[_COLUMNS, _ROWS] = point[body][4:]
        values, axes = np.linalg.eigh(inertia)
        scale = self.scale[body][4]
        violation = _MARGIN + (values - values.sum() / 2) / scale
        gradient = np.einsum("ia,ja->aij", axes, axes) - np.eye(3) / 2
        return violation, gradient[:, _ROWS, _COLUMNS] * _TWICE / scale

    def _spans(self) -> list[slice]:
        return [slice(10 * body, 10 * body + 10) for body in range(self.bodies)]


def _minimise(task: _Task, point: Array) -> Array:
    """Minimise with growing penalty weights until no inequality is violated."""
    scale = np.where(np.isfinite(task.high), task.high - task.low, 1.0)
    for power in range(_LAST_POWER + 1):
        root = 0.0 if power == 0 else 10.0 ** (power / 2)

        def residuals(at: Array, root: float = root) -> Array:
            return np.append(task.residual(task.standard(at)), root * task.violation(at))

        def derivative(at: Array, root: float = root) -> Array:
            by_point = task.root @ task.by_point(at)
            return np.vstack([by_point, root * task.violation_by_point(at)])

        solution = scipy.optimize.least_squares(
            residuals,
            np.clip(point, task.low, task.high),
            derivative,
            bounds=(task.low, task.high),
            x_scale=scale,
            max_nfev=_EVALUATIONS,
        )
        point = np.asarray(solution.x)
        if task.violation(point).max() <= _ALLOWED:
            break
    return point


def _task(
    mechanism: Mechanism, base: BaseParameterization, estimate: Estimate, settings: PhysicalSettings
) -> _Task:
    urdf, first = mechanism.urdf_parameters, mechanism.first_term
    frames = [_body(body) for body in urdf[:first].reshape(-1, 10)]
    points, lows, highs, scales = (np.concatenate(part) for part in zip(*frames, strict=True))
    signed = np.array([term.traits.never_negative for term in mechanism.terms], dtype=bool)
    scale = np.append(scales, np.ones(len(signed)))
    terms = base.lift(estimate.base, urdf)[first:]
    equations = estimate.equations
    finest = (
        _SMALLEST_RELATIVE_ERROR**2
        * equations.squared_torque
        / np.maximum(equations.joint_rows, 1.0)
    )
    weight = 1 / np.maximum(estimate.joint_variance, finest)
    gram = np.einsum("j,jik->ik", weight, equations.joint_gram)[:-1, :-1]
    root = scipy.linalg.cholesky(gram + 1e-12 * np.trace(gram) * np.eye(len(gram)))
    # keeps unidentifiable directions at the URDF's values; negligible in identifiable ones
    pull = np.diag(1 / scale)
    return _Task(
        bodies=len(frames),
        root=np.vstack([root @ base.regrouping, pull]),
        target=np.concatenate([root @ estimate.base, pull @ urdf]),
        reference=np.append(points, terms),
        low=np.append(lows, np.where(signed, 0.0, -np.inf)),
        high=np.append(highs, np.full(len(signed), np.inf)),
        scale=scale,
        limits=_limits(mechanism, settings, scale),
    )


def _body(body: Array) -> tuple[Array, Array, Array, Array]:
    """Return the URDF's body as a point (10,), the bounds of points, and its scale."""
    mass, length = _EMPTY
    point = np.concatenate([[mass], np.zeros(3), 0.4 * mass * length**2 * _DIAGONAL])
    if body[0] > 0:
        mass, centre = body[0], body[1:4] / body[0]
        point = np.concatenate([[mass], centre, body[4:] - mass * _spread(centre)])
        length = max(np.sqrt(max(body[4:] @ _DIAGONAL, 0.0) / (2 * mass)), 0.02)
    scale = np.concatenate([[mass], np.full(3, mass * length), np.full(6, mass * length**2)])
    most = _LARGEST_MASS_RATIO * mass * (_FARTHEST * length) ** 2
    high = np.concatenate(
        [[_LARGEST_MASS_RATIO * mass], np.full(3, _FARTHEST * length), np.full(6, most)]
    )
    low = np.concatenate([[mass / _SMALLEST_MASS_RATIO], -high[1:4], -most * (1 - _DIAGONAL)])
    return np.clip(point, low, high), low, high, scale


def _limits(mechanism: Mechanism, settings: PhysicalSettings, scale: Array) -> tuple[Array, Array]:
    """Total mass and the settings' bounds, as scaled rows and bounds."""
    names, p = mechanism.parameter_names, len(scale)
    rows, bounds = np.zeros((0, p)), np.zeros(0)
    wanted = [(_row(names, name), *limits) for name, limits in settings.bounds.items()]
    if settings.total_mass is not None:
        masses = np.array([float(i < mechanism.first_term and i % 10 == 0) for i in range(p)])
        wanted.append((masses, *settings.total_mass))
    for row, low, high in wanted:
        unit = float(row @ scale)
        rows = np.vstack([rows, row / unit, -row / unit])
        bounds = np.append(bounds, [low / unit, -high / unit])
    return rows, bounds


def _row(names: tuple[str, ...], name: str) -> Array:
    if name not in names:
        raise EstimationError(
            f"physical.bounds contains '{name}', which is not a parameter of this robot; its "
            f"parameters are {', '.join(names[:12])}, …"
        )
    return np.array([float(parameter == name) for parameter in names])


def _spread(centre: Array) -> Array:
    """Inertia (6,) about the origin of a unit mass at ``centre``."""
    matrix = centre @ centre * np.eye(3) - np.outer(centre, centre)
    return np.asarray(matrix[_ROWS, _COLUMNS])
