"""Shapes of friction by variable projection: linear parameters are solved for, not searched.

G. H. Golub, V. Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares
problems whose variables separate*, SIAM J. Numer. Anal. 10(2), 1973.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.friction.candidates import Candidate, Shapes
from dynid.identification.friction.joint_problem import JointProblem

_Error = Callable[[Array], float]

_UNDETERMINED = 1e-10  # eigenvalue of the scaled normal matrix, relative to the largest
COLLINEAR = 1e-9
"""Smallest eigenvalue of scaled columns."""
_ACTIVE_SETS = 100  # per column: more than needed
_TRIED = 6  # points per shape, of which the best are starts
_STARTS = 2
_FIRST_STEP_OF_A_FOLD = 0.2  # of the logarithm of a shape: first step of a search on another fold
_TOLERANCE = 0.02  # of the logarithm of a shape
_GAIN = 1e-4  # relative change of the squared error at convergence
_TINY_SQUARE = 1e-300


@dataclass(frozen=True)
class FrictionFit:
    """A candidate's best shapes at one joint.

    Attributes:
        terms: with these shapes.
        friction: (c,) parameters of the terms.
        others: (k,) all other parameters minus the problem's ``start``.
        squared_error: of the fitted rows, and of the other joints up to a constant.
    """

    candidate: Candidate
    shapes: Shapes
    terms: tuple[TermSettings, ...]
    friction: Array
    others: Array
    squared_error: float


class Projection:
    """The problem of a joint on some folds, with all parameters but its friction projected out.

    For friction columns F and columns O of the other parameters, the squared error with the best
    other parameters is that of F and torque in the orthogonal complement of the range of O.
    """

    def __init__(self, problem: JointProblem, folds: Sequence[int]) -> None:
        self._problem, self._folds = problem, folds
        self._fitted = np.concatenate([problem.fitted[problem.spans[f]] for f in folds])
        stacked = np.hstack([problem.others, problem.torque[:, None]])
        # columns of bodies before the joint are zero
        self._used = np.flatnonzero(stacked.any(axis=0))
        self._rows = self._weighted(stacked[:, self._used])
        gram = problem.elsewhere[list(folds)].sum(axis=0)
        gram[np.ix_(self._used, self._used)] += self._rows @ self._rows.T
        self._root = root_of_inverse(gram[:-1, :-1])
        self._along = self._root.T @ gram[:-1, -1]
        self._torque = float(gram[-1, -1] - self._along @ self._along)

    def solve(self, terms: Sequence[TermSettings]) -> tuple[Array, Array, float]:
        """Return the best friction (c,), the other parameters (k,), and the squared error."""
        columns = self._weighted(self._problem.columns(terms))
        cross = np.zeros((len(columns), len(self._root) + 1))
        cross[:, self._used] = columns @ self._rows.T
        within = cross[:, :-1] @ self._root
        matrix = columns @ columns.T - within @ within.T
        right = cross[:, -1] - within @ self._along
        signed = [not term.traits.never_negative for term in terms]
        friction = constrained(matrix, right, np.diag(columns @ columns.T), np.array(signed))
        error = self._torque - 2 * friction @ right + friction @ matrix @ friction
        others = self._root @ (self._along - within.T @ friction)
        return friction, others, max(float(error), 0.0)

    def _weighted(self, values: Array) -> Array:
        """Return the rows of the folds, transposed, zero if not fitted; (c, m)."""
        rows = values.reshape(len(values), -1)
        chosen = np.concatenate([rows[self._problem.spans[fold]] for fold in self._folds])
        return np.ascontiguousarray((chosen * self._fitted[:, None]).T)


def fit_shapes(projection: Projection, candidate: Candidate, hint: Shapes) -> FrictionFit:
    """Find the shapes with the least squared error in their ranges.

    Args:
        projection: of the joint, on the folds to fit.
        candidate: friction model.
        hint: good shapes of another candidate; may be incomplete.
    """
    if not candidate.shapes:
        return fit_at(projection, candidate, {})
    low, high = shape_limits(candidate)
    known = np.array([name in hint for name in candidate.shape_names])
    hinted = np.log([hint.get(name, 1.0) for name in candidate.shape_names])
    points = spread(low, high, _TRIED)
    # shapes without a hint cover their range
    near = np.where(known, np.clip(hinted, low, high), points)
    points = np.unique(np.concatenate([points, near]), axis=0)
    error = _squared_error(projection, candidate)
    starts = points[np.argsort([error(point) for point in points])[:_STARTS]]
    optima = [_descend(error, start, 0.15 * (high - low), low, high) for start in starts]
    return fit_at(projection, candidate, candidate.shapes_at(np.exp(min(optima, key=error))))


def fit_again(projection: Projection, fit: FrictionFit) -> FrictionFit:
    """Find the best shapes on other folds, starting from those of a fit."""
    candidate = fit.candidate
    if not candidate.shapes:
        return fit_at(projection, candidate, {})
    low, high = shape_limits(candidate)
    start = np.log([fit.shapes[name] for name in candidate.shape_names])
    error = _squared_error(projection, candidate)
    best = _descend(error, start, np.full(len(low), _FIRST_STEP_OF_A_FOLD), low, high)
    return fit_at(projection, candidate, candidate.shapes_at(np.exp(best)))


def fit_at(projection: Projection, candidate: Candidate, shapes: Shapes) -> FrictionFit:
    """Solve for the linear parameters at given shapes."""
    terms = candidate.terms(shapes)
    friction, others, squared_error = projection.solve(terms)
    return FrictionFit(candidate, shapes, terms, friction, others, squared_error)


def _squared_error(projection: Projection, candidate: Candidate) -> _Error:
    """Return the squared error as a function of the logarithms of the shapes (s,)."""
    return lambda point: projection.solve(candidate.terms(candidate.shapes_at(np.exp(point))))[2]


def spread(low: Array, high: Array, tried: int) -> Array:
    """Return points that fill a box evenly: Kronecker's sequence, generalised golden ratio.

    They are multiples, modulo 1, of powers of the root of x^(s+1) = x + 1.

    Args:
        low: (s,) its lower corner.
        high: (s,) its upper corner.
        tried: points per dimension.
    """
    count, size = tried * len(low), len(low)
    ratio = 2.0
    for _ in range(60):  # converges to the root
        ratio = (1 + ratio) ** (1 / (size + 1))
    step = ratio ** -np.arange(1.0, size + 1)
    unit = (0.5 + np.arange(count)[:, None] * step) % 1.0
    return np.asarray(low + unit * (high - low))


def shape_limits(candidate: Candidate) -> tuple[Array, Array]:
    """Logarithms of the ranges of a candidate's shapes, (s,) each."""
    low = np.log([shape.low for shape in candidate.shapes])
    return np.asarray(low), np.log([shape.high for shape in candidate.shapes])


def _descend(error: _Error, point: Array, size: Array, low: Array, high: Array) -> Array:
    """Minimise by the Nelder–Mead simplex, as the error with stop operators is not smooth."""
    away = np.where(point + size > high, -size, size)
    simplex = np.vstack([point, point + np.diag(away)])
    optimum = scipy.optimize.minimize(
        lambda x: np.log(max(error(x), _TINY_SQUARE)),  # makes the tolerance relative
        point,
        method="Nelder-Mead",
        bounds=list(zip(low, high, strict=True)),
        options={"initial_simplex": simplex, "xatol": _TOLERANCE, "fatol": _GAIN},
    )
    return np.asarray(optimum.x)


def root_of_inverse(matrix: Array) -> Array:
    """Return L (k, r) with L Lᵀ the pseudo-inverse, columns scaled to unit norm."""
    norms = np.sqrt(np.diag(matrix))
    scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
    values, vectors = np.linalg.eigh(scale[:, None] * matrix * scale)
    known = values > _UNDETERMINED * max(values[-1], 1e-300)
    return np.asarray(scale[:, None] * vectors[:, known] / np.sqrt(values[known]))


def constrained(matrix: Array, right: Array, size: Array, signed: NDArray[np.bool_]) -> Array:
    """Minimise xᵀ matrix x - 2 rightᵀ x with x >= 0 except where ``signed``."""
    scale = np.where(size > 0, 1 / np.sqrt(np.where(size > 0, size, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(scale[:, None] * matrix * scale)
    return scale * nonnegative(values, vectors, scale * right, signed)


def nonnegative(values: Array, vectors: Array, right: Array, signed: NDArray[np.bool_]) -> Array:
    """Minimise xᵀ A x - 2 rightᵀ x with x >= 0 except where ``signed``.

    Args:
        values: (c,) eigenvalues of A, whose diagonal is about 1; the smallest do not count.
        vectors: (c, c) its eigenvectors.
        right: (c,).
        signed: (c,).
    """
    known = values > COLLINEAR
    if not known.any():
        return np.zeros(len(right))
    size = np.sqrt(values[known])
    root = size[:, None] * vectors[:, known].T
    aim = vectors[:, known].T @ right / size
    both = np.hstack([root, -root[:, signed]])
    solution = scipy.optimize.nnls(both, aim, maxiter=_ACTIVE_SETS * both.shape[1])[0]
    solution[np.flatnonzero(signed)] -= solution[len(right) :]
    return np.asarray(solution[: len(right)])
