"""``mujoco.sysid``, fitted to torque: https://github.com/google-deepmind/mujoco.

Free are all ten parameters of every moving body (``InertiaType.Pseudo`` with its default bounds),
armature, damping and frictionloss of every joint, and a constant torque. The residual, which its
optimiser leaves to the user, is that of MuJoCo's inverse dynamics along the recorded motion, each
joint over its rms, so that it is fitted to what is compared.

``InertiaType.Pseudo`` of MuJoCo 4.0.0 writes ``fullinertia`` beside an inertia of zero, which its
compiler refuses for every body; the modifier here writes the same inertia by its principal axes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import mujoco
import numpy as np
from mujoco import sysid

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot
from dynid_plugins.bench.contenders.interface import Contender, FittedModel, FittingTask

if not hasattr(sysid, "optimize"):  # it is imported without its libraries, and is empty then
    raise ConfigurationError("the tool sysid needs more libraries: pip install 'mujoco[sysid]'.")

_SAMPLES = 500  # at most, evenly over the fitted parts
_ITERATIONS = 30
_TERMS = "armature", "damping", "frictionloss"
_LARGEST_TERM = 1.0  # bound of a joint term, over the rms of torque over that of its motion
_FIRST_TERM = 0.01  # of a joint term, of the same


class SysidModel(NamedTuple):
    """What ``mujoco.sysid`` identified.

    Attributes:
        model: compiled ``mujoco.MjModel``.
        offsets: constant torques of the joints (n,), which MuJoCo does not have [N m or N].
    """

    model: Any
    offsets: Array


def fit(task: FittingTask) -> FittedModel:
    """Fit with the optimiser's defaults."""
    found, joints = identify_by_torque(task), task.robot.joints
    return FittedModel.of_motion(partial(_inverse, found, joints))


def identify_by_torque(task: FittingTask) -> SysidModel:
    """Return the model that the optimiser finds with its defaults."""
    task.refuse_loops()
    parts = task.motion_and_torque()
    q, dq, ddq, tau = (part[:: -(-len(part) // _SAMPLES)] for part in parts)
    joints, rms = task.robot.joints, np.sqrt(np.mean(tau**2, axis=0))
    spec = _specification(task)
    free = _free_parameters(spec, task.robot, dq, ddq, rms)

    def residual(vectors: Array, parameters: Any) -> tuple[list[Array], None, None]:
        """Return the residuals (N n,), or (N n, k) of k vectors."""
        columns = []
        for vector in vectors.reshape(len(vectors), -1).T:
            parameters.update_from_vector(vector)
            tried = _applied(parameters, spec, joints)
            columns.append((_inverse(tried, joints, q, dq, ddq) - tau) / rms)
        found = np.stack([one.ravel() for one in columns], axis=1)
        return [found if vectors.ndim > 1 else found[:, 0]], None, None

    best, _ = sysid.optimize(free, residual, verbose=False, max_iters=_ITERATIONS)
    return _applied(best, spec, joints)


def _applied(parameters: Any, spec: Any, joints: tuple[str, ...]) -> SysidModel:
    model = sysid.apply_param_modifiers(parameters, spec)
    offsets = [float(parameters[f"{name}_offset"].value[0]) for name in joints]
    return SysidModel(model, np.array(offsets))


def _specification(task: FittingTask) -> Any:
    """Return MuJoCo's specification of the robot's recorded joints."""
    spec = mujoco.MjSpec.from_string(task.bare_urdf())
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-6
    spec.option.gravity = np.array(task.gravity())
    for joint in list(spec.joints):
        if joint.name not in task.robot.joints:
            spec.delete(joint)
    return spec


def _free_parameters(spec: Any, robot: Robot, dq: Array, ddq: Array, rms: Array) -> Any:
    model, free = spec.compile(), sysid.ParameterDict()
    for name in robot.joints:
        body = model.body(model.jnt_bodyid[model.joint(name).id]).name
        modifier = partial(_write_body, body)
        pseudo = sysid.InertiaType.Pseudo
        free.add(
            sysid.body_inertia_param(spec, model, body, inertia_type=pseudo, modifier=modifier)
        )
    motion = np.sqrt([np.mean(ddq**2, axis=0), np.mean(dq**2, axis=0), np.ones(len(rms))])
    for number, name in enumerate(robot.joints):
        for term, speed in zip(_TERMS, motion[:, number], strict=True):
            whole = rms[number] / speed
            bounds = 1e-9 * whole, _LARGEST_TERM * whole
            free.add(
                sysid.Parameter(
                    f"{name}_{term}", _FIRST_TERM * whole, *bounds, modifier=_setter(name, term)
                )
            )
        free.add(sysid.Parameter(f"{name}_offset", 0.0, -rms[number], rms[number]))
    return free


def _write_body(name: str, spec: Any, parameter: Any) -> None:
    numbers = sysid.model_modifier.pi_from_theta(parameter.value)
    mass, centre = numbers[0], numbers[1:4] / numbers[0]
    steiner = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    inertia = numbers[4:].reshape(3, 3) - steiner
    values, axes = np.linalg.eigh(inertia)
    axes[:, 0] *= np.linalg.det(axes)
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, axes.ravel())
    body = spec.body(name)
    body.explicitinertial = True
    body.fullinertia = np.full((6, 1), np.nan)
    body.mass, body.ipos, body.inertia, body.iquat = mass, centre, values, turn


def _setter(joint: str, term: str) -> Callable[[Any, Any], None]:
    def apply(spec: Any, parameter: Any) -> None:
        own, value = spec.joint(joint), float(parameter.value[0])
        size = np.size(getattr(own, term))  # damping of MuJoCo 4 is a polynomial
        setattr(own, term, value if size == 1 else value * np.eye(1, size)[0])

    return apply


def _inverse(found: SysidModel, joints: tuple[str, ...], q: Array, dq: Array, ddq: Array) -> Array:
    """Return the torque (N, n) of MuJoCo's inverse dynamics, with the constant torques."""
    model, data = found.model, mujoco.MjData(found.model)
    places = [int(model.joint(name).dofadr[0]) for name in joints]
    torque = np.empty_like(q)
    for sample, (position, velocity, acceleration) in enumerate(zip(q, dq, ddq, strict=True)):
        data.qpos[places], data.qvel[places], data.qacc[places] = position, velocity, acceleration
        mujoco.mj_inverse(model, data)
        torque[sample] = data.qfrc_inverse[places]
    return np.asarray(torque + found.offsets)


SYSID = Contender(
    "mujoco.sysid",
    fit,
    ("mujoco",),
    "defaults of optimize() and body_inertia_param(); residual: its inverse dynamics at "
    f"{_SAMPLES} samples; {_ITERATIONS} iterations at most",
)
