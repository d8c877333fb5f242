"""Inertia that no rotor explains: part of the torque with the joint's own acceleration, below 0.

A lag of the torque, or a gear that bends, looks like an inertia that a body takes away. Bodies and
rotors cannot be negative, so that other parameters take it up, and predict other motion worse. It
gets a term of its own, ``apparent_inertia``, where data left out ask for it; bodies stay physically
consistent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.estimation.physical import consistent_parameters
from dynid.evaluation.consistency_price import errors_left_out
from dynid.identification.held_out import is_worse, mean_and_error
from dynid.identification.settings import IdentificationSettings
from dynid.robot.robot import Robot
from dynid.text import listed, significant

_SIGNIFICANT = 2.0  # standard errors, of all terms together
_SIGNIFICANT_OF_A_TERM = 1.0  # standard errors
_MOST_POSES = 500  # at which the mass matrix is checked


@dataclass(frozen=True)
class ApparentInertia:
    """Joints at which a rotor's inertia gave way to an apparent one.

    Attributes:
        robot: with the terms.
        fitted: with them.
        gain: fall of the squared error on blocks left out, mean over joints.
        standard_error: of it, by the scatter between blocks.
    """

    robot: Robot
    fitted: Fit
    gain: float
    standard_error: float

    def note(self) -> str:
        """Return what was changed, and why."""
        mechanism = self.fitted.problem.mechanism
        values = self.fitted.standard[mechanism.first_term :]
        found = listed(
            f"{mechanism.parameter_names[mechanism.first_term + number]} = "
            f"{significant(float(values[number]), 2)}"
            for number, term in enumerate(mechanism.terms)
            if term.kind == "apparent_inertia"
        )
        return (
            f"Part of the torque falls with the joint's own acceleration, as no body and no rotor "
            f"explains ({found}): the torque may lag, or a gear bend. The term 'apparent_inertia' "
            "has it in place of 'rotor_inertia', which lowers the squared torque error on blocks "
            f"left out by {100 * self.gain:.1f} % ± {100 * self.standard_error:.1f} % (mean over "
            "joints). Simulators get no inertia for it."
        )


def find_apparent_inertia(
    robot: Robot, fitted: Fit, settings: IdentificationSettings
) -> ApparentInertia | None:
    """Try inertias below 0 where physical consistency holds those of rotors at 0.

    They are taken if they lower the error on blocks left out by more than two standard errors, and
    if the mass matrix stays positive definite along the recordings.

    Args:
        robot: with explicit terms.
        fitted: with them, physically consistent.
        settings: of the identification.

    Returns:
        None where rotors explain the recordings as well.
    """
    mechanism, first = fitted.problem.mechanism, fitted.problem.mechanism.first_term
    rotors = np.array([term.kind == "rotor_inertia" for term in mechanism.terms], dtype=bool)
    held = np.flatnonzero(rotors & (fitted.standard[first:] == 0.0))
    if not settings.physical.enabled or not len(held):
        return None
    try:
        before, _ = errors_left_out(fitted, settings.physical)
        chosen, after = _chosen(fitted, held.tolist(), before, settings)
    except EstimationError:
        return None
    gains = _gains(before, after)
    if not is_worse(gains, _SIGNIFICANT):
        return None
    robot = robot.with_terms(list(_split_terms(robot, mechanism, chosen)))
    mechanism = robot.mechanism()
    signals = [rows.signals for rows in fitted.problem.rows]
    problem = build_problem(mechanism, base_parameterization(mechanism), signals, settings)
    mean, error = mean_and_error(gains)
    blocks = len(gains)
    return ApparentInertia(robot, fit(problem, settings), blocks * mean, blocks * error)


def _chosen(
    fitted: Fit, held: Sequence[int], errors: Array, settings: IdentificationSettings
) -> tuple[list[int], Array]:
    """Choose terms one after the other, the one that lowers the error most first.

    Args:
        fitted: with rotors alone.
        held: numbers of the terms to choose from.
        errors: (F, n) squared, of blocks left out, with rotors alone.
        settings: of the identification.

    Returns:
        The chosen ones, and the errors with them.
    """
    chosen: list[int] = []
    while True:
        trials = []
        for number in (one for one in held if one not in chosen):
            free = _with_apparent(fitted, [*chosen, number])
            if _is_below_zero(free, number, settings):
                trials.append((number, errors_left_out(free, settings.physical)[0]))
        if not trials:
            return chosen, errors
        number, best = max(trials, key=lambda trial: _gains(errors, trial[1]).mean())
        if not is_worse(_gains(errors, best), _SIGNIFICANT_OF_A_TERM):
            return chosen, errors
        chosen, errors = [*chosen, number], best


def _gains(before: Array, after: Array) -> Array:
    """Return the fall of squared errors of blocks (F,), mean over joints."""
    return np.asarray(
        ((before - after) / np.maximum(after.sum(axis=0), np.finfo(float).tiny)).mean(axis=1)
    )


def _with_apparent(fitted: Fit, chosen: Sequence[int]) -> Fit:
    """Return the fit with chosen terms of rotors as apparent inertias, which have their columns."""
    problem = fitted.problem
    terms = [
        replace(term, kind="apparent_inertia") if number in chosen else term
        for number, term in enumerate(problem.mechanism.terms)
    ]
    mechanism = problem.mechanism.with_terms(terms)
    return replace(fitted, problem=replace(problem, mechanism=mechanism))


def _is_below_zero(fitted: Fit, number: int, settings: IdentificationSettings) -> bool:
    """Whether a term is, while the mass matrix is positive definite along the recordings."""
    mechanism, base = fitted.problem.mechanism, fitted.problem.base
    solution = consistent_parameters(mechanism, base, fitted.estimate, settings.physical)
    if not solution.parameters[mechanism.first_term + number] < 0.0:
        return False
    positions = np.concatenate([rows.signals.position for rows in fitted.problem.rows])
    some = positions[:: -(-len(positions) // _MOST_POSES)]
    matrices = mechanism.with_parameters(solution.parameters).mass_matrix(some)
    return bool(np.linalg.eigvalsh(matrices).min() > 0.0)


def _split_terms(
    robot: Robot, mechanism: Mechanism, chosen: Sequence[int]
) -> Iterator[TermSettings]:
    """Yield the robot's terms with those of rotors divided by kind."""
    terms = [mechanism.terms[number] for number in chosen]
    names = {(term.side, mechanism.moving_joints[term.joint]) for term in terms}
    for term in robot.explicit_terms:
        members = robot.joints if term.joints == "all" else term.joints
        apparent = tuple(name for name in members if (term.side, name) in names)
        if term.kind != "rotor_inertia" or not apparent:
            yield term
            continue
        if left := tuple(name for name in members if name not in apparent):
            yield term.model_copy(update={"joints": left})
        yield term.model_copy(update={"joints": apparent, "kind": "apparent_inertia"})
