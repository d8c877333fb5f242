"""Identify one servo on a rig with a rod and loads of known mass, as BAM does.

With y = (K/R)_0 U u, the torque of the servo's output u at the profile's ratio (K/R)_0 of torque
constant and resistance, and s the true ratio over that one,

    s y(bias = 0) + s D bias = W_known pi_known + W_terms beta + (K^2/R) v + errors.

Errors are those of encoder positions in y, so that y is fitted, not s y. With x = [1/s, beta/s,
bias] this is linear: one least-squares problem over all runs, whose scale is that of the known
bodies. Of the motor, K/R and the sum of viscous friction and K^2/R are identifiable; K and viscous
friction each only if R is known (the profile's).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import ConfigurationError, EstimationError
from dynid.estimation.block_jackknife import jackknife_variance, raised
from dynid.estimation.estimate import error_correlation
from dynid.estimation.fitting import build_problem
from dynid.estimation.regression import BLOCKS
from dynid.identification.settings import IdentificationSettings
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid_plugins.servo.extended import dependent_columns
from dynid_plugins.servo.law import ServoLaw
from dynid_plugins.servo.rig_runs import RigRun
from dynid_plugins.servo.servo_torque import evaluated, law_of

_BIAS = 1e-4  # [rad] step of the derivative
_MENTIONED = 1e-2  # share of the largest factor of a combination
_REWEIGHTED = 4  # rounds of the runs' weights
FIRST, DAMPING = "torque_per_volt", "damping"
"""Names of K/R, and of the sum of viscous friction and K^2/R."""

BAM_KINDS = MappingProxyType(
    {
        "m1": ("viscous", "coulomb"),
        "m2": ("viscous", "coulomb", "stribeck"),
        "m3": ("viscous", "coulomb", "coulomb_load"),
        "m4": ("viscous", "coulomb", "coulomb_load", "stribeck"),
        "m5": ("viscous", "coulomb", "coulomb_load", "stribeck"),
        "m6": ("viscous", "coulomb", "coulomb_load", "stribeck"),
    }
)
"""Kinds of dynid's terms by BAM's name; m5 and m6 differ from m4 in what dynid does not have, see
docs/encoder-only.md."""

_STRIBECK = (0.05, 0.1, 0.2, 0.4, 0.8)  # [rad/s] velocities that are tried


@dataclass(frozen=True, eq=False)
class RigIdentification:
    """A servo that was identified on a rig.

    Attributes:
        robot: of the rig, with the identified torque constant at the profile's resistance.
        names: ``torque_per_volt`` (K/R), ``damping`` (viscous friction and K^2/R), the other joint
            terms, ``bias``.
        values: (c,) in SI units.
        standard_deviations: (c,), the larger ones of least squares with errors that are correlated
            in time, and of a delete-block jackknife.
        covariance: (c, c).
        parameters: (p,) of the rig's mechanism, whose body is 0 and stands for that of each run.
        relative_errors: of each run, norm of the torque error over norm of the torque.
    """

    robot: Robot
    names: tuple[str, ...]
    values: Array
    standard_deviations: Array
    covariance: Array
    parameters: Array
    relative_errors: tuple[float, ...]

    @property
    def viscous(self) -> float:
        """Viscous friction with the profile's resistance [N m s/rad]."""
        mechanism = self.robot.mechanism()
        kinds = [term.kind for term in mechanism.terms]
        return float(self.parameters[mechanism.first_term + kinds.index("viscous")])

    def model_of(self, run: RigRun) -> Model:
        """Return the model of the rig with the load, gain and voltage of a run."""
        servo = run.robot.servo
        assert servo is not None  # noqa: S101  for mypy; a run has one
        bias = dict(zip(self.names, self.values.tolist(), strict=True)).get("bias", 0.0)
        servo = servo.model_copy(update={"bias": (bias,)})
        update = {"servo": servo, "drives": self.robot.drives}
        parameters = self.parameters.copy()
        parameters[: len(run.body)] = run.body
        return nominal_model(run.robot.model_copy(update=update), parameters)


class _Columns(NamedTuple):
    """Filtered rows of a run: y = columns @ x."""

    target: Array  # (m,)
    columns: Array  # (m, c)


def identify_rig(runs: Sequence[RigRun]) -> RigIdentification:
    """Identify motor, friction, rotor inertia and bias of a servo from recordings of a rig.

    Gains and voltages are known; they and the loads may differ from run to run.

    Raises:
        ConfigurationError: the profile does not describe a servo.
        EstimationError: the runs do not determine the parameters.
    """
    robot = runs[0].robot
    names = _names(robot)
    problems = [_columns(run, names) for run in runs]
    _check_columns(np.concatenate([one.columns for one in problems]), names)
    solution, covariance, errors = _solve(problems)
    if solution[0] <= 0:
        raise EstimationError(
            "the recordings lead to a negative torque constant; check signs and units of commands, "
            "positions and loads."
        )
    values, jacobian = _values(solution)
    covariance = jacobian @ covariance @ jacobian.T
    identified, parameters = _as_model(robot, names, values)
    unit = np.ones(len(names))
    unit[0] = _nominal_torque_per_volt(robot)
    values, covariance = values * unit, covariance * np.outer(unit, unit)
    return RigIdentification(
        robot=identified,
        names=names,
        values=values,
        standard_deviations=np.sqrt(np.diag(covariance)),
        covariance=covariance,
        parameters=parameters,
        relative_errors=tuple(
            float(np.linalg.norm(error) / np.linalg.norm(one.target))
            for error, one in zip(errors, problems, strict=True)
        ),
    )


def identify_friction(runs: Sequence[RigRun], model: str) -> RigIdentification:
    """Identify a servo with one of BAM's friction models and a rotor inertia.

    The Stribeck velocity with the smallest error of the fit is taken.

    Raises:
        ConfigurationError: there is no such model.
        EstimationError: the runs do not determine the parameters.
    """
    if model not in BAM_KINDS:
        raise ConfigurationError(
            f"there is no friction model '{model}'; expected one of {', '.join(BAM_KINDS)}."
        )
    kinds = BAM_KINDS[model]
    found = [
        identify_rig(with_friction(runs, kinds, scale))
        for scale in (_STRIBECK if "stribeck" in kinds else (0.0,))
    ]
    return min(found, key=lambda one: sum(error**2 for error in one.relative_errors))


def with_friction(runs: Sequence[RigRun], kinds: Sequence[str], scale: float) -> list[RigRun]:
    """Return runs whose robot has these terms and a rotor inertia; scale is that of stribeck."""
    terms = [
        TermSettings(kind=kind, scale=scale if kind == "stribeck" else 0.0)
        for kind in (*kinds, "rotor_inertia")
    ]
    return [replace(run, robot=run.robot.with_terms(terms)) for run in runs]


def _names(robot: Robot) -> tuple[str, ...]:
    servo, mechanism = robot.servo, robot.mechanism()
    if servo is None or servo.resistance is None or robot.drives.torque_constant is None:
        raise ConfigurationError(
            f"{robot.name}: the servo of a rig is driven by voltage; give servo.supply_voltage, "
            "servo.resistance and drives.torque_constant. The gain of one that controls its torque "
            "is identified by `dynid servo identify --known`."
        )
    terms = mechanism.parameter_names[mechanism.first_term :]
    kinds = dict(zip(terms, mechanism.terms, strict=True))
    if not any(term.kind == "viscous" for term in mechanism.terms):
        raise ConfigurationError(f"{robot.name}: needs the term 'viscous', which every servo has.")
    for name, term in kinds.items():
        if term.traits.elastic or term.kind in ("offset", "spring_preload"):
            raise ConfigurationError(
                f"{robot.name}: has the term {name} ({term.traits.label}), which a servo on a rig "
                "has not; its 'bias' stands for a constant torque."
            )
    others = [name for name, term in kinds.items() if term.kind != "viscous"]
    return (FIRST, DAMPING, *others, "bias")


def _nominal_torque_per_volt(robot: Robot) -> float:
    """Return K/R of the profile [N m/V]."""
    servo, law = robot.servo, law_of(robot)
    supply = 1.0 if servo is None or servo.supply_voltage is None else servo.supply_voltage[0]
    return float(law.torque_per_output[0]) / supply


def _columns(run: RigRun, names: Sequence[str]) -> _Columns:
    """Return the rows of a run."""
    robot, mechanism = run.robot, run.mechanism
    law = law_of(robot)
    bare = law._replace(back_emf_damping=np.zeros(1), bias=np.zeros(1))
    signals = preprocess(evaluated(run.recording, bare, robot), robot)
    moved = _output_torque(run, bare, _BIAS) - _output_torque(run, bare, -_BIAS)
    regressor = mechanism.regressor(*signals.motion, past=signals.past(mechanism))[:, 0]
    known = regressor[:, : mechanism.first_term] @ run.body
    terms = mechanism.parameter_names
    columns = [known, signals.velocity[:, 0]]
    columns += [regressor[:, terms.index(name)] for name in names[2:-1]]
    columns.append(-moved / (2 * _BIAS))
    base = base_parameterization(mechanism)
    settings = robot.settings(IdentificationSettings)
    (rows,) = build_problem(mechanism, base, [signals], settings).rows
    chosen = rows.fitted[:, 0] > 0
    if not chosen.any():
        raise EstimationError(f"{run.name}: the joint does not move.")
    parallel = rows.parallel_filter
    filtered = parallel.decimate(parallel.smooth(np.stack(columns, axis=1)))
    return _Columns(rows.torque[chosen, 0], filtered[chosen])


def _output_torque(run: RigRun, law: ServoLaw, bias: float) -> Array:
    shifted = evaluated(run.recording, law._replace(bias=np.array([bias])), run.robot)
    return np.asarray(preprocess(shifted, run.robot).torque[:, 0])


def _check_columns(columns: Array, names: Sequence[str]) -> None:
    """Raise where runs do not determine a parameter."""
    dependent, factors = dependent_columns(columns)
    if not dependent:
        return
    number = dependent[0]
    share = np.abs(factors[:, 0])
    mentioned = np.flatnonzero(share > _MENTIONED * max(share.max(), 1e-300)).tolist()
    others = [names[one] for one in mentioned]
    why = f"only in combination with {', '.join(others)}" if others else "not at all"
    raise EstimationError(
        f"these runs determine {names[number]} {why}; add runs with another load or gain, or leave "
        "its term out of the profile."
    )


def _solve(problems: Sequence[_Columns]) -> tuple[Array, Array, list[Array]]:
    """Return the solution (c,), its covariance, and the errors of each run."""
    weights = np.ones(len(problems))
    gram = [one.columns.T @ one.columns for one in problems]
    slope = [one.columns.T @ one.target for one in problems]
    solution, inverse, errors = np.zeros(0), np.zeros(0), [one.target for one in problems]
    for _ in range(_REWEIGHTED):
        total = np.tensordot(weights, gram, axes=1)
        size = np.sqrt(np.diag(total))
        inverse = np.linalg.inv(total / np.outer(size, size)) / np.outer(size, size)
        solution = inverse @ np.tensordot(weights, slope, axes=1)
        errors = [one.target - one.columns @ solution for one in problems]
        lost = len(solution) / len(problems)
        weights = np.array([max(len(one) - lost, 1.0) / float(one @ one) for one in errors])
    correlation = np.array([error_correlation([one[:, None]])[0] for one in errors])
    meat = np.tensordot(weights * correlation, gram, axes=1)
    # errors are largest at reversals, and repeat with the motion
    variances = jackknife_variance(_blocks(problems, weights))
    return solution, raised(inverse @ meat @ inverse, variances), errors


def _blocks(problems: Sequence[_Columns], weights: Array) -> Array:
    """Return the weighted normal equations of consecutive rows (G, c + 1, c + 1)."""
    found = []
    for one, weight in zip(problems, weights.tolist(), strict=True):
        stacked = np.column_stack([one.columns, one.target])
        parts = np.array_split(stacked, min(BLOCKS, len(stacked)))
        found += [weight * part.T @ part for part in parts]
    return np.array(found)


def _values(solution: Array) -> tuple[Array, Array]:
    """Return [s, beta, bias] for [1/s, beta/s, bias], and the derivative."""
    scale = 1 / solution[0]
    values = solution * scale
    values[0], values[-1] = scale, solution[-1]
    jacobian = scale * np.eye(len(solution))
    jacobian[:, 0] = -values * scale
    jacobian[0, 0], jacobian[-1] = -(scale**2), 0.0
    jacobian[-1, -1] = 1.0
    return values, jacobian


def _as_model(robot: Robot, names: Sequence[str], values: Array) -> tuple[Robot, Array]:
    """Return the robot with its torque constant, and the mechanism's parameters (p,)."""
    mechanism, law = robot.mechanism(), law_of(robot)
    found = dict(zip(names, values.tolist(), strict=True))
    scale = found[FIRST]
    parameters = np.array([found.get(name, 0.0) for name in mechanism.parameter_names])
    viscous = [term.kind for term in mechanism.terms].index("viscous")
    damping = found[DAMPING] - scale**2 * float(law.back_emf_damping[0])
    parameters[mechanism.first_term + viscous] = damping
    constant = robot.drives.torque_constant or ()
    drives = robot.drives.model_copy(
        update={"torque_constant": tuple(scale * one for one in constant)}
    )
    return robot.model_copy(update={"drives": drives}), parameters
