"""The friction problem of one joint within the regression of the whole robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm, TermSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import Fit
from dynid.estimation.regression import Problem, Rows
from dynid.signals.filters import ParallelFilter


@dataclass(frozen=True)
class Track:
    """Motion and gravity torque of one joint along one recording, (N,) each."""

    position: Array
    velocity: Array
    load: Array
    parallel_filter: ParallelFilter


@dataclass(frozen=True)
class JointProblem:
    """The rows of one joint with the columns of all parameters except its friction.

    The rows of other joints contain information on the same parameters, which ``elsewhere`` adds,
    so that a fit of this joint's friction is a fit of the whole robot.

    Attributes:
        tracks: the recordings at full rate.
        torque: (m,) of this joint minus ``others @ start`` [N m or N].
        others: (m, k) columns of the other parameters.
        start: (k,) their values if they are not identifiable.
        bounded: (b,) which of them are never negative: the joint's rotor inertia. Friction near
            reversals acts as a spring, and so as a negative inertia, which would hide it.
        fitted: (m,) 1.0 where the row is fitted, else 0.0.
        spans: the rows of each fold.
        elsewhere: (folds, k+1, k+1) normal equations of the other joints, in units of this one's
            variance.
    """

    joint: int
    prismatic: bool
    tracks: tuple[Track, ...]
    torque: Array
    others: Array
    start: Array
    bounded: NDArray[np.intp]
    fitted: Array
    spans: tuple[slice, ...]
    elsewhere: Array

    @property
    def position(self) -> Array:
        """Positions of all recordings at full rate, (N,)."""
        return np.concatenate([track.position for track in self.tracks])

    def columns(self, terms: Sequence[TermSettings]) -> Array:
        """Return the regressor columns (m, c) of terms of the joint."""
        columns = []
        for track in self.tracks:
            position, velocity, load = track.position, track.velocity, track.load
            values = np.column_stack(
                [
                    term.at(self.joint).column(position=position, velocity=velocity, load=load)
                    for term in terms
                ]
            )
            parallel = track.parallel_filter
            columns.append(parallel.decimate(parallel.smooth(values)))
        return np.concatenate(columns)


def joint_problem(fitted: Fit, joint: int) -> JointProblem:
    """Build the problem of one joint from a fit with any friction model."""
    problem, estimate = fitted.problem, fitted.estimate
    mechanism = problem.mechanism.with_parameters(fitted.standard)
    kept = np.flatnonzero(~_own_terms(problem, joint, lambda term: term.traits.dissipative))
    rotor = _own_terms(problem, joint, lambda term: term.kind == "rotor_inertia")
    start = np.where(rotor, 0.0, estimate.base)[kept]
    others, torque, spans = _own_rows(problem, joint, kept)
    weights = estimate.joint_variance[joint] / estimate.joint_variance
    weights[joint] = 0.0
    used = np.append(kept, len(problem.base.independent))
    elsewhere = np.einsum("j,fjik->fik", weights, estimate.equations.gram[:, :, used][..., used])
    shift = np.eye(len(used))
    shift[:-1, -1] = -start
    return JointProblem(
        joint=joint,
        prismatic=mechanism.prismatic[joint],
        tracks=tuple(_track(mechanism, rows, joint) for rows in problem.rows),
        torque=torque - others @ start,
        others=others,
        start=start,
        bounded=np.flatnonzero(rotor[kept]),
        fitted=np.concatenate([rows.fitted[:, joint] for rows in problem.rows]),
        spans=spans,
        elsewhere=shift.T @ elsewhere @ shift,
    )


def _own_terms(
    problem: Problem, joint: int, concerned: Callable[[JointTerm], bool]
) -> NDArray[np.bool_]:
    """Which base parameters (k,) are terms ``concerned`` of the joint itself."""
    first = problem.mechanism.first_term
    indices = {
        first + number
        for number, term in enumerate(problem.mechanism.terms)
        if term.joint == joint and term.side == "joint" and concerned(term)
    }
    return np.array([int(index) in indices for index in problem.base.independent])


def _own_rows(
    problem: Problem, joint: int, kept: NDArray[np.intp]
) -> tuple[Array, Array, tuple[slice, ...]]:
    """Columns ``kept`` (m, k) of the joint's rows, its torque (m,), and the rows of each fold."""
    stacked, folds = [], []
    for number in range(len(problem.rows)):
        for block in problem.blocks(number):
            stacked.append(block.stacked[joint])
            folds.append(np.full(len(stacked[-1]), block.fold))
    rows, fold = np.concatenate(stacked), np.concatenate(folds)
    bounds = np.searchsorted(fold, np.arange(problem.folds + 1))
    spans = tuple(slice(int(a), int(b)) for a, b in pairwise(bounds))
    return rows[:, kept], rows[:, -1], spans


def _track(mechanism: Mechanism, rows: Rows, joint: int) -> Track:
    signals = rows.signals
    return Track(
        position=signals.position[:, joint],
        velocity=signals.velocity[:, joint],
        load=mechanism.gravity_torque(signals.position)[:, joint],
        parallel_filter=rows.parallel_filter,
    )
