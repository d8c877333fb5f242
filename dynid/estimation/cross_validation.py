"""Cross-validation: errors on whole recordings, or on blocks of a single one, that were not fitted.

Blocks of one recording repeat the same motion on the same day, with the same payload and zero of
the encoders. Only another recording shows what differs between two, so whole recordings are left
out wherever there are several.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.estimation.fitting import Fit
from dynid.estimation.least_squares import weighted_solution
from dynid.estimation.regression import NormalEquations
from dynid.linalg import inverse_norms

_MISSING_INFORMATION = 3.0
"""Variance of the predicted torque, over that of the residuals, up to which the other recordings
determine the parameters of a recording: at 3 the uncertainty alone doubles the error."""
_NO_INFORMATION = 1e-10  # eigenvalue of the scaled information, relative to the largest


@dataclass(frozen=True)
class HeldOut:
    """Errors of each joint on data that were not fitted.

    Attributes:
        folds: how often data were left out: number of recordings, or of blocks of a single one.
        rmse_torque: (n,) root mean square torque error [N m or N].
        relative_error: (n,) norm of the torque error over norm of the torque.
        block_error: (n,) relative error with blocks of every recording left out; (): not computed.
        recording_error: (R, n) relative errors of each recording, predicted from the others; NaN
            where they do not determine its parameters, such as of a joint that they do not move;
            (): there is only one recording.
        expected_error: (R, n) what blocks lead to expect there.
        scatter: (n,) standard deviation of the relative error between blocks.
    """

    folds: int
    rmse_torque: tuple[float, ...]
    relative_error: tuple[float, ...]
    block_error: tuple[float, ...] = ()
    recording_error: tuple[tuple[float, ...], ...] = ()
    expected_error: tuple[tuple[float, ...], ...] = ()
    scatter: tuple[float, ...] = ()

    @property
    def left_out(self) -> Literal["recordings", "blocks"]:
        """What was left out."""
        return "recordings" if self.recording_error else "blocks"

    @property
    def of_blocks(self) -> tuple[float, ...]:
        """(n,) relative errors of blocks: of the same motions as those fitted."""
        return self.block_error or self.relative_error

    def scaled(self, factor: Array, relative_error: Array) -> HeldOut:
        """Return the errors relative to another torque.

        Args:
            factor: (n,) of the relative errors.
            relative_error: (n,) those of all data.
        """
        return replace(
            self,
            relative_error=tuple(relative_error.tolist()),
            block_error=tuple((np.asarray(self.of_blocks) * factor).tolist()),
            recording_error=_tuples(np.reshape(self.recording_error, (-1, len(factor))) * factor),
            expected_error=_tuples(np.reshape(self.expected_error, (-1, len(factor))) * factor),
            scatter=tuple((np.reshape(self.scatter, -1) * factor[: len(self.scatter)]).tolist()),
        )

    def undetermined(self, joint: int) -> list[int]:
        """Return the recordings, from 1, that the others do not determine at a joint."""
        errors = [of_joints[joint] for of_joints in self.recording_error]
        return [number for number, error in enumerate(errors, start=1) if isnan(error)]


class LeftOutErrors(NamedTuple):
    """Squared torque errors of data that were left out [(N m)² or N²].

    Attributes:
        blocks: (F, n) of every fold.
        recordings: (R, n) of every recording; those of blocks where it is not determined.
        expected: (R, n) of blocks, divided between the recordings in proportion to the error there.
        determined: (R, n) whether the other recordings determine it.
    """

    blocks: Array
    recordings: Array
    expected: Array
    determined: NDArray[np.bool_]

    @property
    def total(self) -> Array:
        """Errors (n,) of all recordings, or of all blocks of a single one."""
        parts = self.recordings if len(self.recordings) else self.blocks
        return np.asarray(parts.sum(axis=0))


def cross_validate(fitted: Fit, base: Array | None = None) -> HeldOut:
    """Leave out each recording once, or each block of a single one, and sum up its errors.

    Every recording and block has its own normal equations, so nothing is filtered or summed twice.
    The difference between the model and weighted least squares (another estimator, dropped
    parameters, physical consistency) is assumed to be that of all data. Errors at rest count too,
    even if only moving samples were fitted.

    A joint that moves in one recording only is not determined by the others. There the error is
    that of blocks: the error of the fit in this recording times what blocks add to it.

    Args:
        fitted: the fit.
        base: (k,) base parameters of the model; None for those of ``fitted.standard``.
    """
    problem = fitted.problem
    if all(np.all(rows.fitted > 0) for rows in problem.rows):
        equations = fitted.estimate.plain_equations
    else:
        equations = problem.normal_equations(at_rest=True)
    weighted = fitted.estimate.equations
    start = problem.base.project(problem.mechanism.urdf_parameters)
    model = problem.base.project(fitted.standard) if base is None else base
    difference = model - weighted_solution(weighted, start)
    errors = left_out_errors(
        weighted, equations, start, difference, determined_recordings(fitted, equations)
    )
    return _held_out(errors, equations)


def _held_out(errors: LeftOutErrors, equations: NormalEquations) -> HeldOut:
    rows, torque = np.maximum(equations.joint_rows, 1.0), equations.squared_torque
    of_blocks = _relative(errors.blocks, np.stack([e.squared_torque for e in _folds(equations)]))
    seen = np.isfinite(of_blocks)
    scatter = np.where(seen.any(axis=0), np.std(np.where(seen, of_blocks, 0.0), axis=0), 0.0)
    parts = equations.by_recording if len(errors.recordings) else None
    torques = np.stack([e.squared_torque for e in _folds(parts)]) if parts else None
    left_out = np.where(errors.determined, errors.recordings, np.nan)
    return HeldOut(
        folds=len(errors.recordings) or len(errors.blocks),
        rmse_torque=tuple(np.sqrt(errors.total / rows).tolist()),
        relative_error=tuple(_relative(errors.total, torque).tolist()),
        block_error=tuple(_relative(errors.blocks.sum(axis=0), torque).tolist()),
        recording_error=() if torques is None else _tuples(_relative(left_out, torques)),
        expected_error=() if torques is None else _tuples(_relative(errors.expected, torques)),
        scatter=tuple(scatter.tolist()),
    )


def left_out_errors(
    weighted: NormalEquations,
    evaluated: NormalEquations,
    start: Array,
    difference: Array | float,
    determined: NDArray[np.bool_],
) -> LeftOutErrors:
    """Return the squared errors of every fold and recording, predicted by the fit of the others.

    Args:
        weighted: of the fit, with folds.
        evaluated: of the rows whose error counts, with the same folds.
        start: (k,) base parameters that remain where data do not determine them.
        difference: (k,) added to every solution.
        determined: (R, n), as of :func:`determined_recordings`.
    """
    blocks = np.stack(
        [
            part.squared_error(weighted_solution(weighted.without(fold), start) + difference)
            for fold, part in enumerate(_folds(evaluated))
        ]
    )
    if weighted.by_recording is None or evaluated.by_recording is None:
        none = np.zeros((0, blocks.shape[1]))
        return LeftOutErrors(blocks, none, none, determined[:0])
    base = weighted_solution(weighted, start) + difference
    seen = np.stack([part.squared_error(base) for part in _folds(evaluated.by_recording)])
    total = np.where(seen.sum(axis=0) > 0, seen.sum(axis=0), 1.0)
    expected = seen * np.maximum(blocks.sum(axis=0) / total, 1.0)
    left_out = np.zeros_like(seen)
    for number, known in enumerate(determined):
        if known.any():
            others = weighted_solution(weighted.by_recording.without(number), start) + difference
            left_out[number] = evaluated.by_recording.only(number).squared_error(others)
    return LeftOutErrors(blocks, np.where(determined, left_out, expected), expected, determined)


def determined_recordings(fitted: Fit, evaluated: NormalEquations) -> NDArray[np.bool_]:
    """Return at which joints the parameters of a recording are determined by the others, (R, n).

    The torque that the others predict has the variance tr(W Σ Wᵀ) / m with the covariance Σ of
    their fit. Where that exceeds the variance of the residuals by far, its error shows which
    motion the others lack, not whether they agree.

    Args:
        fitted: of all recordings.
        evaluated: normal equations of the m rows of the regressor W of each recording.
    """
    estimate = fitted.estimate
    parts = estimate.equations.by_recording
    if parts is None or evaluated.by_recording is None:
        return np.zeros((0, len(estimate.joint_variance)), dtype=bool)
    weight = 1 / estimate.joint_variance
    total = np.einsum("j,rjik->ik", weight, parts.gram[:, :, :-1, :-1])
    scale = inverse_norms(total)
    predicted = []
    for number, gram in enumerate(evaluated.by_recording.gram):
        of_others = parts.without(number).joint_gram[:, :-1, :-1]
        matrix = scale[:, None] * np.einsum("j,jik->ik", weight, of_others) * scale
        values, vectors = np.linalg.eigh(matrix)
        if not values[-1] > 0:
            predicted.append(np.full(len(weight), np.inf))
            continue
        values = np.maximum(values, _NO_INFORMATION * values[-1])
        roots = scale[:, None] * vectors / np.sqrt(values)
        predicted.append(np.einsum("ia,jik,ka->j", roots, gram[:, :-1, :-1], roots, optimize=True))
    rows = np.maximum(evaluated.by_recording.rows, 1.0)
    ratio = np.array(predicted) / rows * weight * estimate.correlation
    return np.asarray(ratio <= _MISSING_INFORMATION)


def _folds(equations: NormalEquations) -> list[NormalEquations]:
    return [equations.only(fold) for fold in range(len(equations.gram))]


def _relative(squared_error: Array, squared_torque: Array) -> Array:
    """Return the root of their ratio; infinite for an error of a joint without torque."""
    none = np.where(squared_error > 0, np.inf, 0.0)
    return np.asarray(
        np.sqrt(np.divide(squared_error, squared_torque, out=none, where=squared_torque > 0))
    )


def _tuples(values: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in values.tolist())
