"""The simulated robot of a profile without ``simulation``: derived, not measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.base_parameters import INERTIAL
from dynid.dynamics.joint_terms import TermSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.excitation.default_motion import MotionRange, motion_range
from dynid.excitation.motion import Motion
from dynid.excitation.workspace.geometry import body_solids
from dynid.excitation.workspace.meshes import Solid
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.robot.drives import rated_joint_torque
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings

TERMS = tuple(TermSettings(kind=kind) for kind in ("viscous", "coulomb", "rotor_inertia"))
"""Terms that derived drives have, whatever terms the model has."""

DENSITY = 1000.0
"""[kg/m^3] of the convex hulls of links without mass; those of arms have 200 to 2000."""

_STATES = 500  # random ones, for means over the range of motion
_RISE = 1.0  # [Hz] a joint changes its velocity as a sine of this frequency does
_FRICTION = 0.1  # share of the rated torque: Coulomb, and viscous at the speed of motion
_NOISE = 0.005  # standard deviation of measured torque, as a share of the rated torque
_BANDWIDTH = 10.0  # [Hz] of position and velocity loop
_COUNTS = 2**17  # encoder counts per turn of a joint
_SCREW = 0.02  # [m] lead of the screw of a sliding joint
_SCREW_COUNTS = 2**13  # encoder counts per turn of its screw
_LAG = 0.2  # [s] a joint further behind its target than it moves in this time is in fault
_DIGITS = 4  # of derived values
_LEAST_OF_ASSUMED = 1e-3  # of the largest rotor inertia, where bodies are assumed; arms have 0.03
_LEAST_DEVIATION, _LARGEST_DEVIATION = 0.05, 0.15  # of real masses from those that a URDF states


def simulation_settings(robot: Robot) -> SimulationSettings:
    """Return the settings of the simulated robot: the profile's, else derived ones.

    Raises:
        ConfigurationError: they cannot be derived.
        MechanismError: robot and URDF do not match.
    """
    settings = robot.find(SimulationSettings)
    return derived_simulation(robot) if settings is None else settings


def derived_simulation(robot: Robot) -> SimulationSettings:
    """Derive drives from the inertia matrix of the URDF's bodies and the robot's limits.

    All means are over random positions q, velocities v and accelerations a in the range in which
    the robot can be excited (:func:`~dynid.excitation.default_motion.motion_range`), with
    |a| <= 2 pi |v| for 1 Hz.

    - Rotor inertia: that of the load, Ia_j = mean M_jj(q), because a gear ratio that makes both
      equal accelerates a load fastest (Pasch, Seering, "On the drive systems for high-performance
      machines", 1984).
    - Rated torque: the root mean square torque of bodies and rotor, as a motor is sized by its
      heat; that of ``drives`` where it is given; not more than ``limits.torque_max``.
    - Coulomb friction: 10 % of the rated torque; viscous friction: the same at the speed of motion.
    - Torque noise: 0.5 % of the rated torque; torque is measured in thousandths of it.
    - Position: 2^17 counts a turn, or 2^13 counts per 20 mm.
    - Bodies: where a joint would move no inertia, bodies to which the URDF gives none have that of
      their shapes with 1000 kg/m^3, or less where ``limits.torque_max`` would not move them with
      their rotors. Rotors then have a thousandth of the largest one's inertia at least, as a bare
      flange is no load of a wrist.
    - Drives: a bandwidth of 10 Hz, and a fault where a joint is behind its target by the distance
      of 0.2 s.

    Raises:
        ConfigurationError: a joint moves no inertia.
        MechanismError: robot and URDF do not match.
    """
    mechanism = robot.with_terms(()).mechanism()
    motion = motion_range(robot, mechanism)
    states = _states(robot, mechanism, motion)
    parameters: dict[str, float] = {}
    if not (_inertia(mechanism, states.position) > 0).all():
        parameters, mechanism = _with_assumed_bodies(robot, mechanism, states)
    least = _LEAST_OF_ASSUMED if parameters else 0.0
    rotor, rated = _rotor_and_rated_torque(robot, mechanism, states, least)
    friction = _FRICTION * rated
    terms = {"Ia": rotor, "Fc": friction, "Fv": friction / motion.speed}
    parameters |= {
        f"{name}{joint}": value
        for name, values in terms.items()
        for joint, value in enumerate(_rounded(values), start=1)
    }
    slides = np.array(mechanism.prismatic)
    resolution = np.where(slides, _SCREW / _SCREW_COUNTS, 2 * np.pi / _COUNTS)
    return SimulationSettings(
        parameters=parameters,
        bandwidth_hz=(_BANDWIDTH,),
        following_error=_rounded(_LAG * motion.speed),
        position_resolution=_rounded(resolution),
        rated_torque=_rounded(rated),
        torque_noise=_rounded(_NOISE * rated),
    )


def _with_assumed_bodies(
    robot: Robot, mechanism: Mechanism, states: Motion
) -> tuple[dict[str, float], Mechanism]:
    """Return assumed parameters of bodies by name, and the mechanism with them."""

    def with_density(density: float) -> tuple[dict[str, float], Mechanism]:
        assumed = _assumed_bodies(robot, mechanism, density)
        parameters = dict(zip(assumed, _rounded(np.array([*assumed.values()])), strict=True))
        values = dict(zip(mechanism.parameter_names, mechanism.urdf_parameters, strict=True))
        return parameters, mechanism.with_parameters([*(values | parameters).values()])

    parameters, filled = with_density(DENSITY)
    if robot.limits.torque_max is None:
        return parameters, filled
    allowed = per_joint(robot.limits.torque_max, len(robot.joints), "torque_max")
    # of bodies and rotors, which have the inertia of their load
    needed = 2 * np.abs(filled.torque(*states, filled.parameters)).max(axis=0)
    share = float(np.min(allowed / np.maximum(needed, allowed)))
    return (parameters, filled) if share == 1 else with_density(share * DENSITY)


def _assumed_bodies(robot: Robot, mechanism: Mechanism, density: float) -> dict[str, float]:
    """Return parameters, by name, of the bodies that have no mass or no inertia in the URDF.

    They have that of their shapes with a density [kg/m^3]; a body with a mass in the URDF keeps it
    with its centre, and has the inertia of its shapes with this mass.
    """
    kinematics = robot.kinematics()
    folder = robot.settings(WorkspaceSettings).mesh_folder
    solids = body_solids(kinematics, None if folder is None else Path(folder)).solids
    stated = mechanism.urdf_parameters[: mechanism.first_term].reshape(-1, len(INERTIAL))
    names = np.reshape(mechanism.parameter_names[: mechanism.first_term], stated.shape)
    assumed: dict[str, float] = {}
    for joint, values, of_body in zip(mechanism.body_joints, stated, names, strict=True):
        filled = _filled(values, solids[kinematics.model.getJointId(joint)], density)
        if filled is not None:
            assumed |= dict(zip(of_body.tolist(), filled.tolist(), strict=True))
    return assumed


def _filled(stated: Array, solids: Sequence[Solid], density: float) -> Array | None:
    """Return a body's parameters (10,) with what the URDF lacks; None if it lacks nothing."""
    body = RigidBody.from_parameters(stated) if stated[0] > 0 else None
    if body is not None and (np.linalg.eigvalsh(body.inertia) > 0).all():
        return None
    of_shapes = density * np.sum([_solid_parameters(solid) for solid in solids], axis=0)
    if not np.ndim(of_shapes) or not of_shapes[0] > 0:
        return None
    if body is None:
        return np.asarray(of_shapes)
    shapes = RigidBody.from_parameters(of_shapes)
    return RigidBody(body.mass, body.centre, body.mass / shapes.mass * shapes.inertia).parameters


def _solid_parameters(solid: Solid) -> Array:
    """Return the parameters (10,) of a solid of 1 kg/m^3 in the frame of its body."""
    form, placement = solid.form, solid.placement
    mass = float(form.computeVolume())
    inertia = np.array(form.computeMomentofInertiaRelatedToCOM())
    turn = np.array(placement.rotation)
    centre = np.array(placement.act(np.array(form.computeCOM())))
    return RigidBody(mass, centre, turn @ inertia @ turn.T).parameters


def deviating_bodies(robot: Robot) -> dict[str, float]:
    """Return parameters of bodies that differ from the URDF's as a real robot's do, by name.

    Each body is lighter or heavier by 5 to 15 %, with the same centre of mass and shape, so that it
    stays physically consistent. The result depends on the number of bodies only.

    Raises:
        MechanismError: robot and URDF do not match.
    """
    mechanism = robot.with_terms(()).mechanism()
    bodies = mechanism.urdf_parameters[: mechanism.first_term].reshape(-1, len(INERTIAL))
    random = np.random.default_rng(0)
    share = random.uniform(_LEAST_DEVIATION, _LARGEST_DEVIATION, len(bodies))
    share *= random.choice([-1, 1], len(bodies))
    values = (bodies * (1 + share[:, np.newaxis])).ravel()
    names = mechanism.parameter_names[: mechanism.first_term]
    return {name: value for name, value in zip(names, _rounded(values), strict=True) if value}


def _states(robot: Robot, mechanism: Mechanism, motion: MotionRange) -> Motion:
    """Return random positions that the robot can take, velocities and accelerations (N, n)."""
    joints = len(robot.joints)
    random = np.random.default_rng(0)
    q = random.uniform(motion.low, motion.high, (_STATES, joints))
    q = q[mechanism.reachable(q)]
    if not len(q):
        raise ConfigurationError(
            f"profile '{robot.name}': its simulated robot cannot be derived, because the closed "
            "chain cannot be closed within limits.position; correct them."
        )
    dq, ddq = random.uniform(-1, 1, (2, len(q), joints)) * motion.speed
    return Motion(q, dq, 2 * np.pi * _RISE * ddq)


def _inertia(mechanism: Mechanism, q: Array) -> Array:
    """Return the mean inertia that each joint moves (n,) [kg m^2 or kg]."""
    return np.asarray(np.mean(np.diagonal(mechanism.mass_matrix(q), axis1=1, axis2=2), axis=0))


def _rotor_and_rated_torque(
    robot: Robot, mechanism: Mechanism, states: Motion, least: float
) -> tuple[Array, Array]:
    """Return rotor inertias [kg m^2 or kg] and rated torques [N m or N], (n,) each.

    No rotor has less than the share ``least`` of the largest one's inertia.
    """
    joints = len(robot.joints)
    load = _inertia(mechanism, states.position)
    rotor = np.where(load > 0, np.maximum(load, least * load.max()), load)
    torque = mechanism.torque(*states, mechanism.parameters) + rotor * states.acceleration
    for j in np.flatnonzero(~(rotor > 0)).tolist():
        raise ConfigurationError(
            f"joint '{robot.joints[j]}': the bodies that it moves have neither inertia nor shapes "
            "with a volume in the URDF, so that its simulated drive cannot be derived; add their "
            "<inertial>, or lock the joint."
        )
    rated = np.sqrt(np.mean(torque**2, axis=0))
    if robot.drives.torque_constant and robot.drives.rated_current_ma:
        rated = np.abs(rated_joint_torque(robot.drives, joints))
    if robot.limits.torque_max is not None:
        rated = np.minimum(rated, per_joint(robot.limits.torque_max, joints, "torque_max"))
    return rotor, rated


def _rounded(values: Array) -> tuple[float, ...]:
    return tuple(float(f"{value:.{_DIGITS}g}") for value in values.tolist())
