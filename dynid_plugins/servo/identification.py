"""Identify gains and biases of servos together with the base parameters of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import ConfigurationError, EstimationError
from dynid.estimation.estimate import error_correlation
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.servo.extended import (
    UNKNOWNS,
    Extended,
    Unknown,
    changed,
    dependent_columns,
    extended_rows,
    unknowns_of,
)
from dynid_plugins.servo.law import ServoLaw
from dynid_plugins.servo.servo_torque import law_of

_ITERATIONS = 12
_REWEIGHTED = 3  # rounds of the joints' weights
_SAMPLES_EACH = 10  # positions for each unknown, and not less
_LARGEST_CHANGE = 0.02  # of a standard deviation
_MENTIONED = 1e-3  # share of the largest factor of a combination


@dataclass(frozen=True, eq=False)
class Combination:
    """An unknown that only its combination with others is identifiable of; it kept its value.

    Attributes:
        name: of the unknown.
        value: that it kept.
        others: names of those that absorb its error, with the change of each per change of it.
    """

    name: str
    value: float
    others: dict[str, float]


@dataclass(frozen=True, eq=False)
class ServoIdentification:
    """The law of servos, and base parameters, from commands and positions.

    Attributes:
        robot: name of the profile.
        law: with the identified values.
        unknowns: kinds of values of the law that were searched.
        names: of the unknowns of the law and the base parameters that are identifiable, (c,).
        values: (c,) in SI units.
        standard_deviations: (c,), for errors that are correlated in time.
        covariance: (c, c).
        combinations: what is identifiable only in combination.
        known: base parameters that were given, with their values.
        relative_error: (n,) norm of the torque error over norm of the torque, of the fit.
    """

    robot: str
    law: ServoLaw
    unknowns: tuple[str, ...]
    names: tuple[str, ...]
    values: Array
    standard_deviations: Array
    covariance: Array
    combinations: tuple[Combination, ...]
    known: dict[str, float]
    relative_error: Array


class _Solution(NamedTuple):
    """Solution of the linear problem; free are the columns that are neither known nor dependent."""

    values: Array  # (c,) base parameters and changes of unknowns
    covariance: Array  # (c, c), zero where not free
    errors: Array  # (n, m)


def identify_servos(
    robot: Robot,
    commanded: Sequence[Recording],
    *,
    unknowns: Sequence[str] = UNKNOWNS,
    known: Sequence[str] = (),
) -> ServoIdentification:
    """Identify unknowns of the servos' law together with the base parameters.

    Args:
        robot: with ``servo``, whose values are where the search starts, and what the unknowns keep
            that are not identifiable.
        commanded: recorded positions, with commands as effort.
        unknowns: some of ``UNKNOWNS``; the rest of the law is known.
        known: names of base parameters whose values in the URDF are exact, such as those of a
            pendulum of known mass; they set the scale of torque.

    Raises:
        ConfigurationError: an unknown or a known base parameter does not exist, or the profile does
            not describe the servos.
        EstimationError: nothing moves, there are too few samples, or the search does not converge.
    """
    robot = robot.with_explicit_terms()
    _check(unknowns)
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    given = base.project(mechanism.urdf_parameters)
    for name in known:
        if name not in base.names:
            raise ConfigurationError(
                f"there is no base parameter '{name}'; those of {robot.name} are "
                f"{', '.join(base.names)}."
            )
    fixed = np.array([name in known for name in base.names])
    law = first = law_of(robot)
    wanted = unknowns_of(unknowns, len(robot.joints))
    names = (*base.names, *(one.name for one in wanted))
    k = len(base.names)
    _check_enough(commanded, len(names) - int(fixed.sum()))
    for _ in range(_ITERATIONS):
        rows = extended_rows(robot, commanded, law, wanted, mechanism, base)
        rows = _per_gain(rows, wanted, law, given, fixed)
        dependent, factors = _structure(rows, wanted, fixed)
        free = ~np.isin(np.arange(len(names)), dependent)
        free[:k] &= ~fixed
        solution = _solve(rows, free, np.where(fixed, given, 0.0))
        back = [_value(first, one) - _value(law, one) for one in wanted]
        change = np.where(free[k:], solution.values[k:], back)
        law = changed(law, wanted, change)
        deviations = np.sqrt(np.diag(solution.covariance)[k:])
        if np.all(np.abs(change) <= _LARGEST_CHANGE * deviations):
            break
    else:
        raise EstimationError(
            "gains and biases of the servos did not converge; start with values of servo that "
            "are closer, name fewer unknowns, or check the units of commands and positions."
        )
    values = np.concatenate([solution.values[:k], [_value(law, one) for one in wanted]])
    return ServoIdentification(
        robot=robot.name,
        law=law,
        unknowns=tuple(unknowns),
        names=tuple(name for name, one in zip(names, free, strict=True) if one),
        values=values[free],
        standard_deviations=np.sqrt(np.diag(solution.covariance)[free]),
        covariance=solution.covariance[np.ix_(free, free)],
        combinations=tuple(
            _combination(names, values, number, factors[:, place])
            for place, number in enumerate(dependent)
        ),
        known={name: float(given[base.names.index(name)]) for name in known},
        relative_error=_relative(solution.errors, rows),
    )


def _check(unknowns: Sequence[str]) -> None:
    for one in unknowns:
        if one not in UNKNOWNS:
            message = f"servos have no unknown '{one}'; expected some of {', '.join(UNKNOWNS)}."
            raise ConfigurationError(message)
    if not unknowns:
        raise ConfigurationError(f"name at least one unknown of the servos: {', '.join(UNKNOWNS)}.")


def _check_enough(commanded: Sequence[Recording], unknown: int) -> None:
    """Raise if nothing moves, or an exact fit would show nothing."""
    if not any((np.ptp(one.position, axis=0) > 2 * _steps(one)).any() for one in commanded):
        message = "no joint moves in the recordings; an identification of servos needs motion."
        raise EstimationError(message)
    count = sum(one.position.size for one in commanded)
    if count < _SAMPLES_EACH * unknown:
        raise EstimationError(
            f"the recordings have {count} positions for {unknown} unknowns of servos and robot; "
            f"record longer: at least {_SAMPLES_EACH * unknown}, and some seconds of motion."
        )


def _steps(recording: Recording) -> Array:
    return np.asarray(0.0 if recording.position_step is None else recording.position_step)


def _per_gain(
    rows: Extended,
    unknowns: Sequence[Unknown],
    law: ServoLaw,
    given: Array,
    fixed: NDArray[np.bool_],
) -> Extended:
    """Return the rows with derivatives of errors per gain, times the gain.

    Errors of torque alone would be least with gains and parameters of 0. With r = tau - W beta, the
    errors r / g have the derivative (d tau / d g - r / g) / g with respect to the gain g.
    """
    bodies = np.append(~fixed, np.zeros(len(unknowns), dtype=bool))
    errors = _solve(rows, bodies, np.where(fixed, given, 0.0)).errors
    derivative = rows.derivative.copy()
    for number, (kind, joint) in enumerate(unknowns):
        if kind == "position_gain":
            derivative[joint, :, number] -= errors[joint] / law.position_gain[joint]
    return replace(rows, derivative=derivative)


def _structure(
    rows: Extended, unknowns: Sequence[Unknown], fixed: NDArray[np.bool_]
) -> tuple[list[int], Array]:
    """Return the columns that depend on others, see :func:`dependent_columns`.

    Known parameters are no unknowns. Gains are last, so that one of them sets a free scale.
    """
    k = rows.regressor.shape[2]
    columns = np.concatenate([rows.regressor, -rows.derivative], axis=2)
    weighted = (columns * rows.fitted[:, :, None]).reshape(-1, columns.shape[2])
    gains = np.array([one.kind == "position_gain" for one in unknowns])
    order = np.concatenate([np.flatnonzero(~fixed), k + np.flatnonzero(~gains)])
    order = np.concatenate([order, k + np.flatnonzero(gains)])
    dependent, factors = dependent_columns(weighted[:, order])
    full = np.zeros((columns.shape[2], len(dependent)))
    full[order] = factors
    return order[dependent].tolist(), full


def _solve(rows: Extended, free: NDArray[np.bool_], held: Array) -> _Solution:
    """Solve for the free columns by least squares, weighted by each joint's error.

    Args:
        rows: of the extended problem.
        free: (c,) columns that are found.
        held: (k,) base parameters that are not.
    """
    columns = np.concatenate([rows.regressor, -rows.derivative], axis=2)
    target = rows.torque - rows.regressor @ held
    own = columns[:, :, free] * rows.fitted[:, :, None]
    gram = np.einsum("jmi,jmk->jik", own, own)
    slope = np.einsum("jmi,jm->ji", own, target)
    scale = np.sqrt(np.maximum(np.einsum("jii->i", gram), 1e-300))
    weight = 1 / np.maximum(np.mean(target**2, axis=1), 1e-300)
    inverse, found, errors = np.zeros(0), np.zeros(0), target
    for _ in range(_REWEIGHTED):
        matrix = np.einsum("j,jik->ik", weight, gram) / np.outer(scale, scale)
        inverse = np.linalg.pinv(matrix, hermitian=True) / np.outer(scale, scale)
        found = inverse @ np.einsum("j,ji->i", weight, slope)
        errors = (target - columns[:, :, free] @ found) * rows.fitted
        freedom = np.maximum(rows.fitted.sum(axis=1) - len(found) / len(errors), 1.0)
        weight = freedom / np.maximum(np.sum(errors**2, axis=1), 1e-300)
    ends = np.cumsum(rows.lengths)[:-1]
    correlation = error_correlation(np.split(errors.T, ends))
    meat = np.einsum("j,jik->ik", correlation * weight, gram)
    values, covariance = np.zeros(len(free)), np.zeros((len(free), len(free)))
    values[: len(held)] = held
    values[free] = found
    covariance[np.ix_(free, free)] = inverse @ meat @ inverse
    return _Solution(values, covariance, np.asarray(errors))


def _relative(errors: Array, rows: Extended) -> Array:
    torque = np.linalg.norm(rows.torque * rows.fitted, axis=1)
    return np.asarray(np.linalg.norm(errors, axis=1) / np.where(torque > 0, torque, np.inf))


def _value(law: ServoLaw, unknown: Unknown) -> float:
    return float(getattr(law, unknown.kind)[unknown.joint])


def _combination(names: Sequence[str], values: Array, number: int, factors: Array) -> Combination:
    """Describe a dependent unknown: a change of it by 1 changes others by minus their factors."""
    share = np.abs(factors)
    return Combination(
        name=names[number],
        value=float(values[number]),
        others={
            names[one]: -float(factors[one])
            for one in np.flatnonzero(share > _MENTIONED * max(share.max(), 1e-300)).tolist()
        },
    )
