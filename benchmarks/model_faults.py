"""Robots that are not what the profile, by which they are identified, says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from faulty_robots import Fault, Robot, Trial, changed

from dynid.dynamics.settings import TermSettings
from dynid.profile import RobotProfile


def urdf_off(robot: Robot, seed: int) -> Trial:
    """Return bodies that are each up to a quarter lighter or heavier than in the URDF."""
    mechanism = robot.profile.mechanism(robot.urdf_xml)
    factors = np.random.default_rng(seed).uniform(0.75, 1.25, len(mechanism.body_joints))
    bodies = mechanism.urdf_parameters[: mechanism.first_term] * np.repeat(factors, 10)
    names = mechanism.parameter_names
    true = {name: float(value) for name, value in zip(names, bodies, strict=False)}
    return robot.trial(robot.recorded(seed, _simulated(robot, true)))


def gravity_turned(angle: float) -> Fault:
    """Mount the robot as the profile has it, but let the profile say another gravity."""

    def fault(robot: Robot, seed: int) -> Trial:
        gravity = _tilted(robot.profile.gravity, angle, seed)
        recording = robot.recorded(seed)
        return robot.trial(recording, robot.profile.model_copy(update={"gravity": gravity}))

    return fault


def mounted_tilted(angle: float) -> Fault:
    """Mount the robot tilted, which the profile does not say."""

    def fault(robot: Robot, seed: int) -> Trial:
        gravity = _tilted(robot.profile.gravity, angle, seed)
        plant = robot.profile.model_copy(update={"gravity": gravity})
        return robot.trial(robot.recorded(seed, plant))

    return fault


def transmission(robot: Robot, seed: int) -> Trial:
    """Let one joint's motor be turned by another joint as well, with its rotor and friction."""
    profile, (first, second) = robot.profile, robot.pair
    parameters = dict(profile.simulation.parameters)
    coupling = np.eye(robot.joints)
    coupling[second, first] = -robot.ratio
    name = profile.joints[second]
    kinds = {"viscous": "Fv", "coulomb": "Fc", "rotor_inertia": "Ia"}
    terms = list(profile.terms)
    for kind, prefix in kinds.items():
        terms.append(TermSettings(kind=kind, side="motor", joints=(name,)))
        parameters[f"{prefix}m{second + 1}"] = parameters.pop(f"{prefix}{second + 1}")
    plant = profile.model_copy(
        update={"terms": tuple(terms), "coupling": tuple(map(tuple, coupling.tolist()))}
    )
    plant = changed(plant, "simulation", parameters=parameters)
    return robot.trial(robot.recorded(seed, plant))


def stribeck(robot: Robot, seed: int) -> Trial:
    """Let friction fall off with speed by as much again as Coulomb friction."""
    simulation = robot.profile.simulation
    size = tuple(simulation.parameters[f"Fc{j + 1}"] for j in range(robot.joints))
    fast = np.asarray(robot.profile.limits.velocity)
    plant = changed(
        robot.profile,
        "simulation",
        stribeck_torque=size,
        stribeck_velocity=tuple((0.1 * fast).tolist()),
    )
    return robot.trial(robot.recorded(seed, plant))


def asymmetric(robot: Robot, seed: int) -> Trial:
    """Let viscous friction be twice as large one way."""
    simulation = robot.profile.simulation
    terms = (*robot.profile.terms, TermSettings(kind="viscous_positive"))
    viscous = {f"Fvp{j + 1}": simulation.parameters[f"Fv{j + 1}"] for j in range(robot.joints)}
    plant = robot.profile.model_copy(update={"terms": terms})
    plant = changed(plant, "simulation", parameters=simulation.parameters | viscous)
    return robot.trial(robot.recorded(seed, plant))


def with_load(robot: Robot, seed: int) -> Trial:
    """Let friction of the joint with the largest weight grow by a part of its load."""
    recording, joint = robot.recorded(seed), robot.heavy
    mechanism = robot.profile.mechanism(robot.urdf_xml)
    # drives that follow a position tell any friction in their effort, whatever the motion
    load = np.abs(mechanism.gravity_torque(recording.position)[:, joint])
    effort = recording.effort.copy()
    effort[:, joint] += 0.3 * load * np.sign(recording.velocity[:, joint])
    return robot.trial(replace(recording, effort=effort))


def model_without(*kinds: str) -> Fault:
    """Leave kinds of friction out of the model."""

    def fault(robot: Robot, seed: int) -> Trial:
        terms = tuple(t for t in robot.profile.terms if t.kind not in kinds)
        model = robot.profile.model_copy(update={"terms": terms})
        return robot.trial(robot.recorded(seed), model)

    return fault


def alike_terms(robot: Robot, seed: int) -> Trial:
    """Describe friction by terms that hardly differ at the speeds there are."""
    top = float(np.max(robot.profile.limits.velocity))
    extra = [TermSettings(kind=kind) for kind in ("viscous_root", "viscous_cubic")]
    extra += [TermSettings(kind="stribeck", scale=3 * top)]
    model = robot.profile.model_copy(update={"terms": (*robot.profile.terms, *extra)})
    return robot.trial(robot.recorded(seed), model)


def _simulated(robot: Robot, parameters: Mapping[str, float]) -> RobotProfile:
    """Return the robot with other true parameters, those of its joint terms kept."""
    kept = robot.profile.simulation.parameters
    return changed(robot.profile, "simulation", parameters={**parameters, **kept})


def _tilted(gravity: tuple[float, float, float], angle: float, seed: int) -> tuple[float, ...]:
    """Return gravity turned by an angle [deg] towards a random horizontal direction."""
    azimuth = np.random.default_rng(seed).uniform(0, 2 * np.pi)
    towards = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    size, turn = np.linalg.norm(gravity), np.radians(angle)
    down = np.asarray(gravity) / size
    return tuple((size * (np.cos(turn) * down + np.sin(turn) * towards)).tolist())
