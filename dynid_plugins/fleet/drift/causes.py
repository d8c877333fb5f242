"""Causes of drift, each as a direction in the space of base parameters.

A cause changes the torque along a motion. The base parameters that an identification finds after it
change by the least-squares projection of that torque onto the regressor, weighted by the torque
error of each joint: a payload is the ten parameters of the last body, friction its own terms, a
torque constant scales all torque measured at one joint, and an encoder offset turns a joint's
position in the model against that of the robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.excitation.motion import Motion, central_difference, random_states
from dynid.robot.model import Model
from dynid_plugins.fleet.drift.between_days import Groups

CauseKind = Literal["payload", "dry", "viscous", "friction", "torque_constant", "encoder"]

ALL_JOINTS = "all joints"
_STATES = 400
_STEP = 1e-5  # [rad] or [m] of the central difference
_NO_INFORMATION = 1e-9
# change of torque for each radian, relative to the torque; below are rounded axes
_SMALLEST_TORQUE_CHANGE = 1e-4


@dataclass(frozen=True, eq=False)
class Cause:
    """A physical change of the robot.

    Attributes:
        kind: of the change.
        joint: that it is at.
        unit: of its size; 1 for a fraction of the present value.
        signature: (k, m) change of the base parameters by a unit size; m = 1, or the columns of
            the ten parameters of a payload, mass first.
    """

    kind: CauseKind
    joint: str
    unit: str
    signature: Array


def find_causes(model: Model, names: Sequence[str], *, seed: int = 0) -> tuple[Cause, ...]:
    """Return the causes whose effect the named base parameters can show.

    Args:
        model: of the robot, with the parameters that changes refer to.
        names: (k,) base parameters of a history.
        seed: of the states at which torques are compared.

    Raises:
        EstimationError: a name is not a base parameter of the model.
        MechanismError: a closed chain can be closed at too few positions.
    """
    mechanism = model.mechanism
    base = base_parameterization(mechanism)
    unknown = [name for name in names if name not in base.names]
    if unknown:
        raise EstimationError(
            f"'{unknown[0]}' is not a base parameter of {model.robot.name}, whose are: "
            f"{', '.join(base.names)}."
        )
    rows = [base.names.index(name) for name in names]
    regrouping = base.regrouping[rows]
    states = random_states(mechanism, model.robot.limits, _STATES, seed)
    projection = _projection(model, base.independent[rows], states)
    found = [_payload(mechanism, regrouping), *_frictions(mechanism, regrouping)]
    torque = mechanism.inverse_dynamics(*states)
    for j, joint in enumerate(mechanism.joints):
        scaled = np.zeros_like(torque)
        scaled[:, j] = torque[:, j]
        found.append(Cause("torque_constant", joint, "1", projection @ scaled.reshape(-1, 1)))
        turned = -_slope(mechanism, states, j).reshape(-1, 1)
        unit = "m" if mechanism.prismatic[j] else "rad"
        # an axis along gravity: its position has no effect
        if np.linalg.norm(turned) > _SMALLEST_TORQUE_CHANGE * np.linalg.norm(torque):
            found.append(Cause("encoder", joint, unit, projection @ turned))
    return tuple(one for one in found if np.abs(one.signature).max(initial=0.0) > 0)


def _projection(model: Model, columns: NDArray[np.intp], states: Motion) -> Array:
    """Return the weighted least-squares solution (k, N n) of the regressor's columns."""
    regressor = model.mechanism.regressor(*states)[:, :, columns]
    torque = model.mechanism.inverse_dynamics(*states)
    error = np.sqrt(np.mean(torque**2, axis=0)) * 0.01
    if model.errors is not None:
        error = np.maximum(np.asarray(model.errors.rmse_torque), _NO_INFORMATION * error)
    weights = 1 / np.where(error > 0, error, 1.0)
    weighted = (regressor * weights[:, None]).reshape(-1, len(columns))
    repeated = np.tile(weights, len(torque))
    return np.asarray(np.linalg.pinv(weighted, rcond=_NO_INFORMATION) * repeated)


def _payload(mechanism: Mechanism, regrouping: Array) -> Cause:
    body = mechanism.payload_body
    joint = mechanism.body_joints[body]
    return Cause("payload", joint, "kg", regrouping[:, 10 * body : 10 * body + 10])


def _frictions(mechanism: Mechanism, regrouping: Array) -> list[Cause]:
    """Return changes of dry and viscous friction of each joint, and of both, by their values."""
    parts: dict[tuple[int, CauseKind], Array] = {}
    for number, term in enumerate(mechanism.terms):
        if not term.traits.dissipative:
            continue
        column = mechanism.first_term + number
        change = abs(mechanism.parameters[column]) * regrouping[:, column]
        kinds: tuple[CauseKind, ...] = ("dry" if term.traits.dry else "viscous", "friction")
        for kind in kinds:
            parts[term.joint, kind] = parts.get((term.joint, kind), 0.0) + change
    names = mechanism.moving_joints
    found = [
        Cause(kind, names[joint], "1", part[:, None])
        for (joint, kind), part in parts.items()
        if kind != "friction" or {(joint, "dry"), (joint, "viscous")} <= set(parts)
    ]
    together = [part for (_, kind), part in parts.items() if kind == "friction"]
    if len(together) > 1:
        found.append(Cause("friction", ALL_JOINTS, "1", np.sum(together, axis=0)[:, None]))
    return found


def friction_groups(model: Model, names: Sequence[str], within: Array) -> Groups:
    """Return which of the named base parameters are friction of which joint, and its values.

    Args:
        model: of the robot.
        names: (k,) base parameters.
        within: (R, k, k) covariances of recordings; a value below the standard deviation of their
            mean is taken as that.
    """
    deviations = 1 / np.sqrt(np.sum(1 / np.diagonal(within, axis1=1, axis2=2), axis=0))
    mechanism = model.mechanism
    base = base_parameterization(mechanism)
    number, sizes = np.zeros(len(names), dtype=np.intp), np.zeros(len(names))
    joints = list(dict.fromkeys(t.joint for t in mechanism.terms if t.traits.dissipative))
    for place, name in enumerate(names):
        column = base.independent[base.names.index(name)]
        if column < mechanism.first_term:
            continue
        term = mechanism.terms[column - mechanism.first_term]
        if term.traits.dissipative:
            number[place] = 1 + joints.index(term.joint)
            sizes[place] = max(abs(mechanism.parameters[column]), deviations[place])
    moving = mechanism.moving_joints
    return Groups(number, sizes, ("others", *(f"friction of {moving[j]}" for j in joints)))


def _slope(mechanism: Mechanism, states: Motion, joint: int) -> Array:
    """Return the change of torque (N, n) for each unit of a joint's position."""

    def torque(motion: Motion) -> Array:
        return mechanism.inverse_dynamics(*motion)

    return central_difference(torque, Motion(*states), 0, joint, _STEP)
