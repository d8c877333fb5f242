"""Servos of a robot as ``mujoco.sysid`` identifies them: model, free parameters, results.

The MuJoCo model has the law of the servos as dynid knows it: the actuator is a position servo with
the profile's gain, limited to the torque of the largest duty cycle; back-EMF is damping. The
positions in the servos' loops are half a period old, those of MuJoCo's integrator half a step
early; gain times that time is added to the damping, so that the true parameters fit best. Free are
all ten parameters of every moving body (``InertiaType.Pseudo``, with the bounds of
``body_inertia_param``), armature, damping and frictionloss: what dynid identifies.

``InertiaType.Pseudo`` of MuJoCo 4.0.0 writes ``fullinertia`` beside an inertia of zero, which its
compiler refuses for every body; the modifier here writes the same inertia by its principal axes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import mujoco
import numpy as np
from mujoco import sysid

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import RigidBody
from dynid.excitation.motion import Motion
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid_plugins.servo.servo_torque import law_of
from dynid_plugins.simulators.export import export_along

_TERMS = {"Ia": "armature", "Fv": "damping", "Fc": "frictionloss"}  # by prefix in dynid
_STARTS = {"armature": 0.005, "damping": 0.02, "frictionloss": 0.02}
_BOUNDS = {"armature": (1e-4, 0.2), "damping": (0.0, 1.0), "frictionloss": (0.0, 1.0)}
_STEP = 1e-4  # of the derivatives of base parameters


class Known(NamedTuple):
    """What is known of the servos, at each of n joints.

    Attributes:
        gain: torque per error of position (n,) [N m/rad].
        damping: of the back-EMF and of what is early or late (n,) [N m s/rad].
        limit: of the torque at rest (n,) [N m].
    """

    gain: Array
    damping: Array
    limit: Array


@dataclass(frozen=True, eq=False)
class Found:
    """Result of ``mujoco.sysid``.

    Attributes:
        parameters: standard parameters of dynid's mechanism (p,).
        model: compiled, with servos.
        half_widths: of its 95 % intervals by name, of the joint terms.
        base_half_widths: of the base parameters (k,), from its residuals and Jacobian.
        objective: of the optimiser, at each iteration.
        seconds: wall time.
        cpu: time of all threads [s].
    """

    parameters: Array
    model: Any
    half_widths: dict[str, float]
    base_half_widths: Array
    objective: tuple[float, ...]
    seconds: float
    cpu: float


def known_servos(robot: Robot, step: float) -> Known:
    """Return the law of a robot's servos, for a simulation in steps [s]."""
    law, still = law_of(robot), np.zeros(len(robot.joints))
    ones = np.ones_like(still)
    small = 1e-3 * ones
    gain = law.torque(law.output(small, still, still), still) / small
    emf = -law.torque(still, ones)
    limit = law.torque(law.output(100 * ones, still, still), still)
    return Known(gain, emf + gain * (step - 1 / law.loop_rate) / 2, limit)


def arm_spec(model: Model, motion: Motion, robot: Robot) -> Any:
    """Return MuJoCo's specification of an exported model with the robot's servos."""
    text = export_along(model, "mjcf", motion).text
    spec = mujoco.MjSpec.from_string(text)
    for motor in list(spec.actuators):
        spec.delete(motor)
    known = known_servos(robot, spec.option.timestep)
    for number, name in enumerate(robot.joints):
        joint = spec.joint(name)
        joint.damping = _plus(joint.damping, known.damping[number])
        gain, limit = known.gain[number], known.limit[number]
        spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            gainprm=[gain] + [0.0] * 9,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0.0, -gain] + [0.0] * 8,
            forcelimited=True,
            forcerange=[-limit, limit],
        )
    return spec


def held_commands(commanded: Recording, step: float) -> tuple[Array, Array]:
    """Return times (M,) and commands (M, n), held from sample to sample, at simulation steps."""
    count = round(1 / (commanded.sampling_rate * step))
    ticks = np.arange((len(commanded.time) - 1) * count + 1)
    return ticks.astype(float) * step, commanded.effort[ticks // count]


def simulated_positions(model: Any, commanded: Recording) -> Array:
    """Return the positions (N, n) of a compiled arm under recorded commands, from rest."""
    _, commands = held_commands(commanded, model.opt.timestep)
    count = (len(commands) - 1) // (len(commanded.time) - 1)
    data = mujoco.MjData(model)
    data.qpos[:] = commanded.position[0]
    found = [np.array(data.qpos)]
    for number, command in enumerate(commands[:-1], start=1):
        data.ctrl[:] = command
        mujoco.mj_step(model, data)
        if number % count == 0:
            found.append(np.array(data.qpos))
    return np.array(found)


def identify_with_sysid(
    start: Model, motion: Motion, commanded: Recording, iterations: int
) -> Found:
    """Identify a robot from commands and encoder positions with ``mujoco.sysid``.

    Args:
        start: the model to start from; joint terms start at small values.
        motion: of the joints, for the export.
        commanded: the recording.
        iterations: of the optimiser, at most.
    """
    robot = start.robot
    spec = arm_spec(start, motion, robot)
    free = _free_parameters(spec, robot)
    sequence = _sequence(spec, commanded)
    begun, cpu = time.perf_counter(), time.process_time()
    residual = sysid.build_residual_fn(models_sequences=[sequence])
    best, result = sysid.optimize(free, residual, verbose=False, max_iters=iterations)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    jacobian = np.asarray(result.jac)
    errors, _, _ = residual(result.x, best)
    covariance, half_widths = sysid.calculate_intervals(errors, jacobian)
    del covariance  # singular: not all parameters of the bodies are identifiable
    best.update_from_vector(result.x)
    standard = _standard_of(start.mechanism, best, spec)
    return Found(
        parameters=standard(result.x),
        model=sysid.apply_param_modifiers(best, spec),
        half_widths=_of_terms(best, half_widths, robot),
        base_half_widths=_base_half_widths(start.mechanism, standard, result.x, errors, jacobian),
        objective=tuple(result.extras["objective"]),
        seconds=seconds,
        cpu=cpu,
    )


def _free_parameters(spec: Any, robot: Robot) -> Any:
    model, free = spec.compile(), sysid.ParameterDict()
    for name in robot.joints:
        body = model.body(model.jnt_bodyid[model.joint(name).id]).name
        pseudo = sysid.InertiaType.Pseudo
        modifier = partial(_write_body, body)
        free.add(
            sysid.body_inertia_param(spec, model, body, inertia_type=pseudo, modifier=modifier)
        )
    known = known_servos(robot, spec.option.timestep)
    for term, begin in _STARTS.items():
        low, high = _BOUNDS[term]
        for number, name in enumerate(robot.joints):
            added = float(known.damping[number]) if term == "damping" else 0.0
            free.add(
                sysid.Parameter(
                    f"{name}_{term}", begin, low, high, modifier=_setter(name, term, added)
                )
            )
    return free


def _write_body(name: str, spec: Any, parameter: Any) -> None:
    numbers = sysid.model_modifier.pi_from_theta(parameter.value)
    mass, moments, about_origin = numbers[0], numbers[1:4], numbers[4:].reshape(3, 3)
    rows = (0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)  # of XX, XY, YY, XZ, YZ, ZZ
    standard = np.concatenate([[mass], moments, about_origin[rows]])
    body, found = spec.body(name), RigidBody.from_parameters(standard)
    values, axes = np.linalg.eigh(found.inertia)
    axes[:, 0] *= np.linalg.det(axes)
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, axes.ravel())
    body.explicitinertial = True
    body.fullinertia = np.full((6, 1), np.nan)
    body.mass, body.ipos, body.inertia, body.iquat = found.mass, found.centre, values, turn


def _setter(joint: str, term: str, added: float) -> Callable[[Any, Any], None]:
    def apply(spec: Any, parameter: Any) -> None:
        value = float(parameter.value[0]) + added
        own = spec.joint(joint)
        setattr(own, term, _plus(np.zeros_like(getattr(own, term)), value))

    return apply


def _plus(given: Any, value: float) -> Any:
    """Return a number, or the polynomial that MuJoCo 4 has in its place, plus a constant."""
    if np.ndim(given) == 0:
        return float(given) + value
    return np.asarray(given) + value * np.eye(1, len(given))[0]


def _sequence(spec: Any, commanded: Recording) -> Any:
    model = spec.compile()
    times, commands = held_commands(commanded, model.opt.timestep)
    return sysid.ModelSequences(
        "arm",
        spec,
        "recording",
        sysid.create_initial_state(model, commanded.position[0], np.zeros(model.nv)),
        sysid.TimeSeries.from_control_names(times, commands, model),
        sysid.TimeSeries.from_names(
            commanded.time,
            commanded.position,
            model,
            [(f"{name}_qpos", sysid.SignalType.MjStateQPos) for name in commanded.joint_names],
        ),
        allow_missing_sensors=True,
    )


def _standard_of(mechanism: Mechanism, free: Any, spec: Any) -> Callable[[Array], Array]:
    """Return the function from the optimiser's vector to standard parameters (p,)."""
    names = mechanism.parameter_names

    def standard(vector: Array) -> Array:
        free.update_from_vector(vector)
        model = sysid.apply_param_modifiers(free, spec)
        values = np.zeros(len(names))
        for number, joint in enumerate(mechanism.joints):
            body = int(model.jnt_bodyid[model.joint(joint).id])
            values[10 * number : 10 * number + 10] = _body_parameters(model, body)
            for prefix, term in _TERMS.items():
                values[names.index(f"{prefix}{number + 1}")] = free[f"{joint}_{term}"].value[0]
        return values

    return standard


def _body_parameters(model: Any, body: int) -> Array:
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[body])
    axes = turn.reshape(3, 3)
    inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
    place = np.array(model.body_ipos[body])
    return RigidBody(float(model.body_mass[body]), place, inertia).parameters


def _of_terms(free: Any, half_widths: Array, robot: Robot) -> dict[str, float]:
    """Return the half widths of the joint terms by dynid's names."""
    ends = np.cumsum([one.size for one in free.values()])
    at = dict(zip(free.keys(), ends - 1, strict=True))
    return {
        f"{prefix}{number}": float(half_widths[at[f"{joint}_{term}"]])
        for prefix, term in _TERMS.items()
        for number, joint in enumerate(robot.joints, start=1)
    }


def _base_half_widths(
    mechanism: Mechanism,
    standard: Callable[[Array], Array],
    found: Array,
    errors: list[Array],
    jacobian: Array,
) -> Array:
    """Return half widths of 95 % intervals of base parameters (k,) from the same linearisation.

    Directions without effect on the residuals have none on base parameters; they are left out.
    """
    project = base_parameterization(mechanism).project
    slopes = []
    for number in range(len(found)):
        step = np.zeros(len(found))
        step[number] = _STEP * max(1e-2, abs(found[number]))
        change = project(standard(found + step)) - project(standard(found - step))
        slopes.append(change / (2 * step[number]))
    slope = np.array(slopes).T
    residuals = np.concatenate([np.ravel(one) for one in errors])
    variance = residuals @ residuals / (residuals.size - np.linalg.matrix_rank(slope))
    scale = np.linalg.norm(jacobian, axis=0)
    scale[scale == 0] = 1.0
    inverse = np.linalg.pinv(jacobian / scale, rcond=1e-7) / scale[:, None]
    return np.asarray(1.96 * np.sqrt(variance * np.sum((slope @ inverse) ** 2, axis=1)))
