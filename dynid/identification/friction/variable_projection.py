"""Shapes of friction by variable projection: linear parameters are solved for, not searched.

The columns of one trial of shapes are computed once, and their normal equations once for each
block; from sums over blocks follow the fit to all of them and the fits without each fold. Each part
then uses the trial that fits *its* blocks best, so that shapes are chosen without the data held
out, at the price of one search.

G. H. Golub, V. Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares
problems whose variables separate*, SIAM J. Numer. Anal. 10(2), 1973.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.friction.candidates import Candidate, Shapes
from dynid.identification.friction.joint_problem import JointProblem
from dynid.linalg import ScaledSpectrum

_COLLINEAR = 1e-9  # smallest eigenvalue of scaled columns
_ACTIVE_SETS = 100  # per column: more than needed
_TRIED = 4  # points per shape, of which the best is the start
_EVALUATIONS = 25  # per shape, of the simplex
_STEP = 0.15  # of a range: size of the first simplex
_TOLERANCE = 0.03  # of the logarithm of a shape
_GAIN = 1e-3  # relative change of the squared error at convergence
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


@dataclass(frozen=True)
class _Trial:
    """Shapes that were tried, and what follows for all blocks together and without each fold.

    Attributes:
        friction: (p, c) parameters of the terms, then those of the inertia.
        along: (p, c, r) columns of these in the directions of all other parameters.
        squared_error: (p,).
    """

    candidate: Candidate
    shapes: Shapes
    terms: tuple[TermSettings, ...]
    friction: Array
    along: Array
    squared_error: Array


class Projection:
    """The problem of a joint, projected for all blocks together and without each fold."""

    def __init__(self, problem: JointProblem, fold: NDArray[np.intp]) -> None:
        self._problem = problem
        self._recent: dict[TermSettings, Array] = {}
        stacked = np.hstack([problem.others, problem.torque[:, None]])
        # columns of bodies before the joint are zero
        used = np.asarray(stacked.any(axis=0))
        used[problem.bounded] = False
        self._used = np.flatnonzero(used)
        self._inertia = problem.others[:, problem.bounded] * problem.fitted[:, None]
        self._rows = np.ascontiguousarray(stacked[:, self._used] * problem.fitted[:, None])
        grams = problem.elsewhere.copy()
        for number, span in enumerate(problem.spans):
            rows = self._rows[span]
            grams[number][np.ix_(self._used, self._used)] += rows.T @ rows
        held_out = [
            np.zeros(len(fold), dtype=bool),
            *(fold == number for number in np.unique(fold)),
        ]
        self._blocks = 1.0 - np.array(held_out)
        # the equations of each part, with all parameters but the friction projected out
        parts = np.tensordot(self._blocks, grams, axes=1)
        roots = [ScaledSpectrum.of(gram[:-1, :-1]).directions for gram in parts]
        self._root = np.zeros((len(parts), problem.others.shape[1], max(r.shape[1] for r in roots)))
        for number, root in enumerate(roots):
            self._root[number, :, : root.shape[1]] = root
        self._along = (parts[:, -1:, :-1] @ self._root)[:, 0]
        self._torque = parts[:, -1, -1] - np.sum(self._along**2, axis=1)

    def solve(self, candidate: Candidate, shapes: Shapes) -> list[FrictionFit]:
        """Fit given shapes to all blocks (first), and to all but each fold."""
        trial = self.attempt(candidate, shapes)
        return [self.fit(trial, part) for part in range(len(self._root))]

    def attempt(self, candidate: Candidate, shapes: Shapes) -> _Trial:
        """Fit the friction of given shapes to all parts."""
        terms = candidate.terms(shapes)
        columns = np.hstack([self._columns(terms), self._inertia])
        spans = self._problem.spans
        grams = np.stack([columns[span].T @ columns[span] for span in spans])
        cross = np.stack([columns[span].T @ self._rows[span] for span in spans])
        squares = np.tensordot(self._blocks, grams, axes=1)
        products = np.zeros((*squares.shape[:2], self._problem.others.shape[1] + 1))
        products[:, :, self._used] = np.tensordot(self._blocks, cross, axes=1)
        along = products[:, :, :-1] @ self._root
        matrices = squares - along @ along.transpose(0, 2, 1)
        rights = products[:, :, -1] - (along @ self._along[:, :, None])[:, :, 0]
        sizes = np.diagonal(squares, axis1=1, axis2=2)
        signed = np.zeros(columns.shape[1], dtype=bool)
        signed[: len(terms)] = [not term.traits.never_negative for term in terms]
        found = _solutions(matrices, rights, sizes, signed)
        gain = np.einsum("pi,pi->p", found, 2 * rights - (matrices @ found[:, :, None])[:, :, 0])
        errors = np.maximum(self._torque - gain, 0.0)
        return _Trial(candidate, shapes, terms, found, along, errors)

    def fit(self, trial: _Trial, part: int) -> FrictionFit:
        """Return the fit of a trial to a part, with all other parameters."""
        found = trial.friction[part]
        others = self._root[part] @ (self._along[part] - trial.along[part].T @ found)
        friction, others[self._problem.bounded] = np.split(found, [len(trial.terms)])
        error = float(trial.squared_error[part])
        return FrictionFit(trial.candidate, trial.shapes, trial.terms, friction, others, error)

    def _columns(self, terms: Sequence[TermSettings]) -> Array:
        """Return the fitted rows of terms, (m, c); those of the last trial are used again."""
        new = [term for term in terms if term not in self._recent]
        if new:
            rows = self._problem.columns(new) * self._problem.fitted[:, None]
            self._recent |= zip(new, rows.T, strict=True)
        self._recent = {term: self._recent[term] for term in terms}
        return np.column_stack([self._recent[term] for term in terms])


def _solutions(matrices: Array, rights: Array, sizes: Array, signed: NDArray[np.bool_]) -> Array:
    """Minimise each part's xᵀ matrix x - 2 rightᵀ x with x >= 0 except where ``signed``; (p, c)."""
    scale = 1 / np.sqrt(np.where(sizes > 0, sizes, 1.0))
    values, vectors = np.linalg.eigh(scale[:, :, None] * matrices * scale[:, None, :])
    scaled = scale * rights
    aims = np.einsum("pij,pi->pj", vectors, scaled) / np.maximum(values, _COLLINEAR)
    solutions = np.einsum("pij,pj->pi", vectors, aims)
    bounded = (values[:, 0] < _COLLINEAR) | np.any(solutions[:, ~signed] < 0, axis=1)
    for part in np.flatnonzero(bounded):
        solutions[part] = _nonnegative(values[part], vectors[part], scaled[part], signed)
    return np.asarray(scale * solutions)


def search_shapes(
    projection: Projection, candidate: Candidate, hints: Sequence[Shapes]
) -> list[FrictionFit]:
    """Find the shapes that fit best, of all blocks (first) and of all but each fold.

    Args:
        projection: of the joint.
        candidate: friction model.
        hints: good shapes of other candidates; what they lack is in the middle of its range.
    """
    if not candidate.shapes:
        return projection.solve(candidate, {})
    low, high = _shape_limits(candidate)
    trials: list[_Trial] = []

    def error(point: Array) -> float:
        shapes = candidate.shapes_at(np.exp(np.clip(point, low, high)))
        trials.append(projection.attempt(candidate, shapes))
        return float(np.log(max(trials[-1].squared_error[0], _TINY_SQUARE)))

    middle = 0.5 * (low + high)
    starts = [*_spread(low, high, _TRIED), *(_hinted(candidate, hint, middle) for hint in hints)]
    start = min(starts, key=error)
    size = _STEP * (high - low)
    away = np.where(start + size > high, -size, size)
    scipy.optimize.minimize(
        error,
        start,
        method="Nelder-Mead",
        bounds=list(zip(low, high, strict=True)),
        options={
            "initial_simplex": np.vstack([start, start + np.diag(away)]),
            "xatol": _TOLERANCE,
            "fatol": _GAIN,
            "maxfev": _EVALUATIONS * len(low),
        },
    )
    best = np.argmin([trial.squared_error for trial in trials], axis=0)
    return [projection.fit(trials[number], part) for part, number in enumerate(best.tolist())]


def _hinted(candidate: Candidate, hint: Shapes, middle: Array) -> Array:
    """Return the logarithms of hinted shapes, (s,)."""
    low, high = _shape_limits(candidate)
    named = zip(candidate.shape_names, middle, strict=True)
    point = [np.log(hint[name]) if name in hint else other for name, other in named]
    return np.asarray(np.clip(point, low, high))


def _spread(low: Array, high: Array, tried: int) -> Array:
    """Return points that fill a box evenly: Kronecker's sequence, generalised golden ratio.

    They are multiples, modulo 1, of powers of the root of x^(s+1) = x + 1.
    """
    count, size = tried * len(low), len(low)
    ratio = 2.0
    for _ in range(60):  # converges to the root
        ratio = (1 + ratio) ** (1 / (size + 1))
    step = ratio ** -np.arange(1.0, size + 1)
    unit = (0.5 + np.arange(count)[:, None] * step) % 1.0
    return np.asarray(low + unit * (high - low))


def _shape_limits(candidate: Candidate) -> tuple[Array, Array]:
    """Logarithms of the ranges of a candidate's shapes, (s,) each."""
    low = np.log([shape.low for shape in candidate.shapes])
    return np.asarray(low), np.log([shape.high for shape in candidate.shapes])


def _nonnegative(values: Array, vectors: Array, right: Array, signed: NDArray[np.bool_]) -> Array:
    """Minimise xᵀ A x - 2 rightᵀ x with x >= 0 except where ``signed``.

    Args:
        values: (c,) eigenvalues of A, whose diagonal is about 1; the smallest do not count.
        vectors: (c, c) its eigenvectors.
        right: (c,).
        signed: (c,).
    """
    known = values > _COLLINEAR
    if not known.any():
        return np.zeros(len(right))
    size = np.sqrt(values[known])
    root = size[:, None] * vectors[:, known].T
    aim = vectors[:, known].T @ right / size
    both = np.hstack([root, -root[:, signed]])
    solution = scipy.optimize.nnls(both, aim, maxiter=_ACTIVE_SETS * both.shape[1])[0]
    solution[np.flatnonzero(signed)] -= solution[len(right) :]
    return np.asarray(solution[: len(right)])
