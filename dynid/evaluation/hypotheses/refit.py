"""Refits of modified data or models, and their errors on data that they did not use."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.physical import (
    parameter_constraints,
    parameter_scale,
    reference_parameters,
    solve_in_cones,
)
from dynid.estimation.settings import PhysicalSettings
from dynid.evaluation.diagnosis.projection import basis_of, beyond
from dynid.evaluation.hypotheses.samples import FOLDS

Friction = Literal["modelled", "uneven", "any"]
"""Friction besides that of the model: none, a difference of both directions, or of any shape, even
one that drives the joint."""
ROUNDING = 1e-3
"""Relative torque error below which an error is that of interpolated samples."""
_ROUNDED = 1e-7  # of a column's norm
_REWEIGHTINGS = 6  # of the joints' variances; they converge in three or four
_QUICK_REWEIGHTINGS = 3
_RIDGE = 1e-9  # of the scaled information: directions that the data do not determine stay put
# of the cone program towards the URDF; information of bodies spans nine decades
_PULL = 1e-11


@dataclass(frozen=True, eq=False)
class Data:
    """What a refit explains, and by which model; m instants, n joints.

    Attributes:
        mechanism: of the model.
        base: its base parameters.
        motion: position, velocity, acceleration, (m, n) each.
        torque: (m, n) [N m or N].
        extra: (m, n, e) further columns, whose factors the refit finds; e may be 0.
        kept: (m, n) where torque is compared.
    """

    mechanism: Mechanism
    base: BaseParameterization
    motion: tuple[Array, Array, Array]
    torque: Array
    extra: Array
    kept: NDArray[np.bool_]

    @cached_property
    def regressor(self) -> Array:
        """Columns (m, n, p) of the standard parameters."""
        return self.mechanism.regressor(*self.motion)

    @cached_property
    def of_joints(self) -> list[tuple[NDArray[np.intp], Array]]:
        """Base parameters that act on each joint's torque (u,), and their columns (m, u)."""
        parts = []
        for joint in range(self.torque.shape[1]):
            columns = self.regressor[:, joint, self.base.independent]
            used = np.flatnonzero(columns.any(axis=0))  # no bodies in front of the joint
            parts.append((used, np.ascontiguousarray(columns[:, used])))
        return parts

    @cached_property
    def load(self) -> Array:
        """Gravity torque (m, n) of the URDF's masses [N m or N]."""
        return self.mechanism.gravity_torque(self.motion[0])

    def with_torque(self, torque: Array, kept: NDArray[np.bool_]) -> Data:
        """Return other torque (m, n) along the same motion, compared at ``kept``, (m, n)."""
        return self._with(torque=torque, kept=kept, extra=np.zeros((*torque.shape, 0)))

    def with_extra(self, blocks: Sequence[Array]) -> Data:
        """Return the same data with more columns, (m, n, c) each."""
        return self._with(extra=np.concatenate([self.extra, *blocks], axis=2))

    def _with(self, **changes: Array | NDArray[np.bool_]) -> Data:
        """Return changed data of the same motion, on which alone regressor and load depend."""
        data = replace(self, **changes)  # type: ignore[arg-type]
        vars(data).update(regressor=self.regressor, of_joints=self.of_joints, load=self.load)
        return data


@dataclass(frozen=True, eq=False)
class Refit:
    """Result of a refit.

    Attributes:
        held_out: (n,) norm of the torque error over that of the torque, in blocks of time that were
            left out; NaN for a joint without torque.
        seen: (n,) the same in blocks that were fitted.
        blocks: (FOLDS, n) the same of each block, over the torque's share of the block.
        consistent: (n,) the same with physically consistent parameters; None: not tried.
        base: (k,) base parameters.
        factors: (e,) of the extra columns.
        deviations: (e,) their standard deviations, from the scatter of the fits without a block.
    """

    held_out: Array
    seen: Array
    blocks: Array
    consistent: Array | None
    base: Array
    factors: Array
    deviations: Array


class Equations:
    """Normal equations of every joint and fold, without the shapes of friction that may be there.

    A joint's own friction may have any of a few shapes besides the model's: a hypothesis must
    explain what is beyond them, so that none is believed because friction was modelled too plainly.
    """

    def __init__(self, data: Data, fold: NDArray[np.intp], friction: Friction = "any") -> None:
        self.data = data
        self.parameters = len(data.base.independent)
        joints, size = data.torque.shape[1], self.parameters + data.extra.shape[2] + 1
        self.gram = np.zeros((FOLDS, joints, size, size))
        in_order = np.argsort(fold, kind="stable")
        for joint, (acting, columns) in enumerate(data.of_joints):
            kept = in_order[data.kept[in_order, joint]]
            if len(kept) < 2 * size // joints:
                continue
            rows = np.column_stack(
                [columns[kept], data.extra[kept, joint], data.torque[kept, joint]]
            )
            used = np.append(acting, np.arange(self.parameters, size))
            places = np.ix_(used, used)
            shapes = friction_shapes(data.motion[1][kept, joint], data.load[kept, joint], friction)
            sizes = np.linalg.norm(rows, axis=0)
            rows = beyond(basis_of(shapes), rows) / (float(sizes[-1]) or 1.0)
            # of a term that is one of the shapes rounding is left, and would be its own factor
            rows[:, np.linalg.norm(rows, axis=0) * sizes[-1] < _ROUNDED * sizes] = 0.0
            bounds = np.searchsorted(fold[kept], np.arange(FOLDS + 1))
            for number, (begin, end) in enumerate(pairwise(bounds.tolist())):
                part = rows[begin:end]
                self.gram[number, joint][places] = part.T @ part

    def scaled(self, joint: int, factor: float) -> Equations:
        """Return the equations with a joint's torque multiplied; its relative error is compared."""
        scaled = copy(self)
        scaled.gram = self.gram.copy()
        scaled.gram[:, joint, :-1] /= factor
        scaled.gram[:, joint, :, :-1] /= factor
        return scaled

    def seen_with(self, groups: Sequence[Sequence[int]], fixed: int) -> list[Array]:
        """Return the error (n,) on all blocks with each group of extra columns alone.

        Joints keep the weights that they have without any, so that one factorisation serves all.

        Args:
            groups: numbers of extra columns.
            fixed: number of extra columns, the first ones, that are always there.
        """
        first, whole = self.parameters + fixed, self.gram.sum(axis=0)
        kept = [*range(first), -1]
        alone = copy(self)
        alone.gram = self.gram[:, :, kept][:, :, :, kept]
        weights = alone.fitted(_REWEIGHTINGS)[1]
        gram = _weighted(weights, whole)
        scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
        scale = np.where(scale > 1e-12, scale, 1.0)
        gram = gram / scale[:, None] / scale
        matrix = gram[:first, :first] + _RIDGE * np.eye(first)
        through = np.linalg.solve(matrix, gram[:first, first:])
        beyond_them = gram[first:, first:] - gram[first:, :first] @ through
        errors = []
        for group in groups:
            at = np.array(group) - fixed
            square = beyond_them[np.ix_(at, at)]
            factors = np.linalg.lstsq(square, beyond_them[at, -1], rcond=_RIDGE)[0]
            solution = np.zeros(len(gram) - 1)
            solution[:first] = through[:, -1] - through[:, at] @ factors
            solution[first + at] = factors
            errors.append(_relative(whole, solution / scale[:-1] * scale[-1]))
        return errors

    def refit(self, *, physical: bool = False) -> Refit:
        """Fit all folds, and each fold by the others."""
        whole = self.gram.sum(axis=0)
        solution, weights = self.fitted(_REWEIGHTINGS)
        of_folds = _weighted(weights, self.gram)
        left_out = _solved(of_folds.sum(axis=0) - of_folds)
        factors = left_out[:, self.parameters :]
        consistent = self._consistent(weights, solution, left_out) if physical else None
        blocks = self._blocks(left_out)
        return Refit(
            _together(blocks),
            _relative(whole, solution),
            blocks,
            consistent,
            solution[: self.parameters],
            solution[self.parameters :],
            np.sqrt((FOLDS - 1) * factors.var(axis=0)),
        )

    def share_kept(self, factors: Array) -> Array:
        """Return the squared torque (n,) without columns of a sensor, over that with them.

        Args:
            factors: (c,) of the last extra columns.
        """
        whole = self.gram.sum(axis=0)
        solution = np.zeros(whole.shape[1] - 1)
        solution[len(solution) - len(factors) :] = factors
        return np.asarray(_squared(whole, solution) / np.maximum(whole[:, -1, -1], 1e-300))

    def seen_error(self) -> Array:
        """Return the relative error (n,) of a quick fit on all blocks."""
        return _relative(self.gram.sum(axis=0), self.fitted(_QUICK_REWEIGHTINGS)[0])

    def fitted(self, reweightings: int) -> tuple[Array, Array]:
        """Return the solution (s,) of all blocks, and the joints' weights (n,)."""
        whole = self.gram.sum(axis=0)
        moves = whole[:, -1, -1] > 0
        weights, solution = np.where(moves, 1.0, 0.0), np.zeros(whole.shape[1] - 1)
        for _ in range(reweightings):
            solution = _solved(_weighted(weights, whole))
            squared = np.maximum(_squared(whole, solution), ROUNDING**2)
            weights = np.where(moves, 1 / squared, 0.0)
        return solution, weights

    def _blocks(self, left_out: Array) -> Array:
        """Return the errors (FOLDS, n) of each block, of solutions (FOLDS, s)."""
        squared = _squared(self.gram, left_out[:, None])
        torque = self.gram.sum(axis=0)[:, -1, -1]
        return np.asarray(np.sqrt(FOLDS * np.where(torque > 0, squared, np.nan)))

    def _consistent(self, weights: Array, solution: Array, left_out: Array) -> Array | None:
        """Return held-out errors (n,) of the nearest physically consistent parameters."""
        gram = _weighted(weights, self.gram.sum(axis=0))
        moved = nearest_consistent(self.data, gram, solution[: self.parameters])
        if moved is None:
            return None
        whole = np.concatenate([moved, solution[self.parameters :]])
        if self.data.extra.shape[2]:  # factors of the extra columns follow
            rest = slice(self.parameters, -1)
            right = gram[rest, -1] - gram[rest, : self.parameters] @ moved
            whole[self.parameters :] = np.linalg.lstsq(gram[rest, rest], right, rcond=1e-12)[0]
        return _together(self._blocks(left_out + whole - solution))


def errors_with(data: Data, fold: NDArray[np.intp], blocks: Sequence[Array]) -> list[Array]:
    """Return the error (n,) on all instants with each block of further columns (m, n, c) alone."""
    fixed = data.extra.shape[2]
    ends = fixed + np.cumsum([0, *(block.shape[2] for block in blocks)])
    groups = [range(first, past) for first, past in pairwise(ends.tolist())]
    return Equations(data.with_extra(blocks), fold).seen_with(groups, fixed)


def residual(data: Data, refit: Refit) -> Array:
    """Return the torque (m, n) that a refit does not explain [N m or N], friction of any shape."""
    regressor = data.regressor[:, :, data.base.independent]
    error = data.torque - regressor @ refit.base - data.extra @ refit.factors
    for joint in range(error.shape[1]):
        kept = data.kept[:, joint]
        shapes = friction_shapes(data.motion[1][:, joint], data.load[:, joint])
        if kept.sum() > shapes.shape[1]:
            factors = np.linalg.lstsq(shapes[kept], error[kept, joint], rcond=1e-9)[0]
            error[:, joint] -= shapes @ factors
    return np.asarray(error)


def friction_shapes(velocity: Array, load: Array, friction: Friction = "any") -> Array:
    """Return shapes (m, s) of friction that may be missing.

    Args:
        velocity: (m,) of a joint [rad/s or m/s].
        load: (m,) gravity torque of the joint [N m or N].
        friction: which shapes.
    """
    top = float(np.abs(velocity).max(initial=0.0)) or 1.0
    share = velocity / top
    sign = np.sign(share)
    either_way = [np.ones_like(share), np.abs(share)]
    others = [
        share,
        sign,
        share * np.abs(share),
        sign * np.sqrt(np.abs(share)),
        sign * np.exp(-np.abs(share) / 0.2),
        sign * np.abs(load) / (float(np.abs(load).max(initial=0.0)) or 1.0),
    ]
    chosen = {"modelled": [], "uneven": either_way, "any": [*either_way, *others]}[friction]
    return np.column_stack(chosen) if chosen else np.zeros((len(velocity), 0))


def nearest_consistent(data: Data, gram: Array, base: Array) -> Array | None:
    """Return the base parameters (k,) of physically consistent bodies that fit best.

    Args:
        data: what is fitted.
        gram: (s, s) weighted normal equations, base parameters first, torque last.
        base: (k,) of least squares.

    Returns:
        The parameters; None if the solver finds none.
    """
    mechanism, count = data.mechanism, len(base)
    matrix, right = _without_extra(gram, count)
    near = reference_parameters(mechanism)
    scale = parameter_scale(mechanism)
    terms = slice(mechanism.first_term, None)
    scale[terms] = np.maximum(np.abs(data.base.lift(base, near)[terms]), 1e-3)
    regrouping = data.base.regrouping * scale
    cost = regrouping.T @ matrix @ regrouping
    pull = _PULL * float(np.trace(cost)) / len(cost)
    linear = -(regrouping.T @ right + pull * near / scale)
    cost = cost + pull * np.eye(len(cost))
    settings = PhysicalSettings()
    try:
        scaled = solve_in_cones(cost, linear, *parameter_constraints(mechanism, settings, scale))
    except EstimationError:
        return None
    return data.base.project(scaled * scale)


def _without_extra(gram: Array, count: int) -> tuple[Array, Array]:
    """Return matrix (k, k) and right side (k,) with the extra columns projected out."""
    left, rest = gram[:count, :count], slice(count, -1)
    if gram.shape[0] - 1 == count:
        return left, gram[:count, -1]
    shared = np.linalg.lstsq(gram[rest, rest], gram[rest, :], rcond=1e-12)[0]
    reduced = gram - gram[:, rest] @ shared
    return reduced[:count, :count], reduced[:count, -1]


def _weighted(weights: Array, gram: Array) -> Array:
    """Return the sum (…, s, s) of the equations (…, n, s, s) of joints with weights (n,)."""
    rows = gram.reshape(*gram.shape[:-2], -1)
    return np.asarray((weights @ rows).reshape(*gram.shape[:-3], *gram.shape[-2:]))


def _solved(gram: Array) -> Array:
    """Solve normal equations (…, s, s) whose last column is the right side; (…, s - 1)."""
    diagonal = np.sqrt(np.diagonal(gram, axis1=-2, axis2=-1)[..., :-1].clip(1e-300))
    scale = np.where(diagonal > 1e-12, 1 / diagonal, 0.0)[..., None]
    matrix = scale * gram[..., :-1, :-1] * scale.swapaxes(-1, -2)
    matrix += (_RIDGE + (scale == 0)) * np.eye(matrix.shape[-1])
    return np.asarray((scale * np.linalg.solve(matrix, scale * gram[..., :-1, -1:]))[..., 0])


def _together(blocks: Array) -> Array:
    """Return the errors (n,) of all blocks from those of each (FOLDS, n)."""
    return np.asarray(np.sqrt(np.mean(blocks**2, axis=0)))


def _relative(gram: Array, solution: Array) -> Array:
    """Return the relative error (n,) of each joint, NaN without torque."""
    return np.where(gram[:, -1, -1] > 0, np.sqrt(_squared(gram, solution)), np.nan)


def _squared(gram: Array, solution: Array) -> Array:
    """Return the squared error (…, n) of each joint, equations (…, n, s + 1, s + 1)."""
    ends = np.full((*solution.shape[:-1], 1), -1.0)
    extended = np.concatenate([solution, ends], axis=-1)[..., None]
    squared = extended.swapaxes(-1, -2) @ (gram @ extended)
    return np.asarray(squared[..., 0, 0].clip(0.0))
