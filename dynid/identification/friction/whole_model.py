"""Cross-validation of the whole robot with given friction models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings
from dynid.estimation.fitting import Fit, fit
from dynid.estimation.least_squares import weighted_solution
from dynid.estimation.physical import never_negative_terms
from dynid.estimation.regression import NormalEquations
from dynid.identification.friction.joint_trials import given_terms
from dynid.identification.friction.reduced import HeldOutBlocks
from dynid.identification.held_out import is_worse
from dynid.identification.settings import IdentificationSettings
from dynid.robot.robot import Robot

_DIGITS = 3  # of a shape


class LeftOutSquares(NamedTuple):
    """Squared torque errors and torques (F, n) of every fold, left out [(N m)² or N²]."""

    error: Array
    torque: Array

    @property
    def relative(self) -> Array:
        """Norm of each joint's error over that of its torque, (n,); 0 without torque."""
        error, torque = self.error.sum(axis=0), self.torque.sum(axis=0)
        return np.asarray(np.sqrt(error / np.where(torque > 0, torque, np.inf)))

    @property
    def score(self) -> float:
        """Mean of the logarithms of the squared errors, so that every joint counts alike."""
        error = self.error.sum(axis=0)
        return float(np.log(error[error > 0]).mean()) if np.any(error > 0) else -np.inf

    def is_better_than(self, other: LeftOutSquares, significance: float) -> bool:
        """Whether errors, relative at each joint, are smaller by more than chance explains."""
        before = other.error.sum(axis=0)
        known: NDArray[np.bool_] = before > 0
        of_folds = ((other.error - self.error)[:, known] / before[known]).mean(axis=1)
        return is_worse(of_folds, significance)


class _ModelEquations(NamedTuple):
    """Equations of a robot with its terms.

    Attributes:
        fitted: of the rows that are fitted.
        everything: of all rows.
        start: (k,) the URDF's parameters.
        bounded: (k,) which parameters are never negative: friction and rotor inertia.
        terms: (k,) numbers of the joint terms that the parameters are; negative: of bodies.
    """

    fitted: NormalEquations
    everything: NormalEquations
    start: Array
    bounded: NDArray[np.bool_]
    terms: NDArray[np.intp]


@dataclass(frozen=True)
class WholeModel:
    """Cross-validation of all parameters of a robot together.

    Attributes:
        robot: with plain terms.
        settings: of the identification, at the rate of the blocks.
        blocks: of the recordings.
        fitted: fit of the plain terms, whose gravity torque load-dependent friction uses.
    """

    robot: Robot
    settings: IdentificationSettings
    blocks: HeldOutBlocks
    fitted: Fit

    def relative_errors(self, parts: Sequence[Sequence[tuple[TermSettings, ...]]]) -> Array:
        """Return the relative errors (n,) of :meth:`squares`."""
        return self.squares(parts).relative

    def squares(self, parts: Sequence[Sequence[tuple[TermSettings, ...]]]) -> LeftOutSquares:
        """Return the squared errors of every fold, when held out.

        Args:
            parts: friction terms of every joint: first those fitted to all blocks, then those
                fitted without each fold, which predict that fold.
        """
        error, torque = [], []
        known: tuple[object, _ModelEquations] | None = None
        for fold, terms in enumerate(parts[1:]):
            robot = with_terms(self.robot, terms)
            if known is None or known[0] != robot.explicit_terms:
                known = robot.explicit_terms, self._equations(robot)
            [(of_error, of_torque)] = self._of_fold(known[1], fold, [frozenset()])
            error.append(of_error)
            torque.append(of_torque)
        return LeftOutSquares(np.stack(error), np.stack(torque))

    def squares_without(
        self, robot: Robot, subsets: Sequence[frozenset[int]]
    ) -> list[LeftOutSquares]:
        """Return the squared errors of every fold, when held out, without some joint terms.

        Args:
            robot: with all terms.
            subsets: of them, by their numbers in its mechanism: those that are left out.
        """
        equations = self._equations(robot)
        folds = [self._of_fold(equations, fold, subsets) for fold in range(self.folds)]
        return [
            LeftOutSquares(*(np.stack(part) for part in zip(*of_subset, strict=True)))
            for of_subset in zip(*folds, strict=True)
        ]

    @property
    def folds(self) -> int:
        """Number of parts of which each is held out once."""
        return int(self.blocks.fold.max()) + 1

    def _of_fold(
        self, equations: _ModelEquations, fold: int, subsets: Sequence[frozenset[int]]
    ) -> list[tuple[Array, Array]]:
        """Return squared errors and torques (n,) of a fold, without each subset of the terms."""
        out = self.blocks.fold == fold
        rest, unseen = _some(equations.fitted, ~out), _some(equations.everything, out)
        squares = []
        for subset in subsets:
            kept = ~np.isin(equations.terms, list(subset))
            parameters = _possible(rest, equations.start, equations.bounded, kept)
            squares.append((unseen.squared_error(parameters), unseen.squared_torque))
        return squares

    def _equations(self, robot: Robot) -> _ModelEquations:
        mechanism = robot.mechanism()
        bodies = self.fitted.standard[: mechanism.first_term]
        terms = np.zeros(len(mechanism.parameter_names) - len(bodies))
        base = base_parameterization(mechanism)
        loaded = mechanism.with_parameters(np.concatenate([bodies, terms]))
        problem = self.blocks.problem(loaded, base, self.settings)
        fitted = problem.normal_equations()
        at_rest = not all(np.all(rows.fitted > 0) for rows in problem.rows)
        everything = problem.normal_equations(at_rest=True) if at_rest else fitted
        never = mechanism.first_term + never_negative_terms(mechanism)
        start = base.project(mechanism.urdf_parameters)
        return _ModelEquations(
            fitted,
            everything,
            start,
            bounded=np.isin(base.independent, never),
            terms=base.independent - mechanism.first_term,
        )


def given_model(
    robot: Robot, blocks: HeldOutBlocks, settings: IdentificationSettings
) -> tuple[WholeModel, LeftOutSquares]:
    """Fit a robot with its terms, and return its squared errors on blocks held out."""
    mechanism = robot.mechanism()
    problem = blocks.problem(mechanism, base_parameterization(mechanism), settings)
    compared = WholeModel(robot, settings, blocks, fit(problem, settings))
    terms = [given_terms(mechanism, joint) for joint in range(len(robot.joints))]
    return compared, compared.squares([terms] * (compared.folds + 1))


def _possible(
    equations: NormalEquations,
    start: Array,
    bounded: NDArray[np.bool_],
    kept: NDArray[np.bool_],
) -> Array:
    """Fit (k,) those ``kept``, without the parameters that would be negative and never are."""
    while True:
        columns = np.flatnonzero(np.append(kept, True))  # and the torque
        solution = np.zeros(len(start))
        solution[kept] = weighted_solution(equations.of_columns(columns), start[kept])
        impossible = bounded & (solution < 0)
        if not impossible.any():
            return solution
        kept = kept & ~impossible


def _some(equations: NormalEquations, blocks: NDArray[np.bool_]) -> NormalEquations:
    """Return the sums over some blocks, as a single one."""
    gram, rows = (values[blocks].sum(axis=0) for values in (equations.gram, equations.rows))
    return NormalEquations(gram[np.newaxis], rows[np.newaxis])


def with_terms(robot: Robot, chosen: Sequence[tuple[TermSettings, ...]]) -> Robot:
    """Return the robot with these terms as its joints' friction, one tuple for each joint.

    Springs, offsets, rotors, and terms of motors and passive joints stay.
    """
    passive = robot.closed_chain.passive
    joints_of_term: dict[TermSettings, list[str]] = {}
    for name, terms_of_one in zip(robot.joints, chosen, strict=True):
        for term in terms_of_one:
            joints_of_term.setdefault(_rounded(term), []).append(name)
    terms = [
        term.model_copy(update={"joints": "all" if (at := tuple(names)) == robot.joints else at})
        for term, names in joints_of_term.items()
    ]
    for term in robot.explicit_terms:
        if term.side == "motor" or not term.traits.dissipative:
            terms.append(term)
        elif term.joints != "all" and (kept := tuple(j for j in passive if j in term.joints)):
            terms.append(term.model_copy(update={"joints": kept}))
    return robot.model_copy(update={"terms": tuple(terms)})


def _rounded(term: TermSettings) -> TermSettings:
    shapes = {name: value for name, value in term if isinstance(value, float)}
    return term.model_copy(
        update={name: float(f"{value:.{_DIGITS}g}") for name, value in shapes.items()}
    )
