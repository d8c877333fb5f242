"""Robots that differ from the profile with which they are identified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from faulty_robots import Fault, Subject, Trial, changed

from dynid.dynamics.joint_terms import TermSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings


def urdf_off(subject: Subject, seed: int) -> Trial:
    """Return bodies that are each up to a quarter lighter or heavier than in the URDF."""
    mechanism = subject.robot.mechanism()
    factors = np.random.default_rng(seed).uniform(0.75, 1.25, len(mechanism.body_joints))
    bodies = mechanism.urdf_parameters[: mechanism.first_term] * np.repeat(factors, 10)
    names = mechanism.parameter_names
    true = {name: float(value) for name, value in zip(names, bodies, strict=False)}
    return subject.trial(subject.recorded(seed, _simulated(subject, true)))


def gravity_turned(angle: float) -> Fault:
    """Mount the robot as in the profile, but with another gravity in the profile."""

    def fault(subject: Subject, seed: int) -> Trial:
        gravity = _tilted(subject.robot.modelled_gravity, angle, seed)
        recording = subject.recorded(seed)
        return subject.trial(recording, subject.robot.model_copy(update={"gravity": gravity}))

    return fault


def mounted_tilted(angle: float) -> Fault:
    """Mount the robot tilted, unlike the profile."""

    def fault(subject: Subject, seed: int) -> Trial:
        gravity = _tilted(subject.robot.modelled_gravity, angle, seed)
        plant = subject.robot.model_copy(update={"gravity": gravity})
        return subject.trial(subject.recorded(seed, plant))

    return fault


def transmission(subject: Subject, seed: int) -> Trial:
    """Let one joint's motor be turned by another joint as well, with its rotor and friction."""
    robot, (first, second) = subject.robot, subject.pair
    parameters = dict(robot.settings(SimulationSettings).parameters)
    coupling = np.eye(subject.joints)
    coupling[second, first] = -subject.ratio
    name = robot.joints[second]
    kinds = {"viscous": "Fv", "coulomb": "Fc", "rotor_inertia": "Ia"}
    terms = list(subject.terms)
    for kind, prefix in kinds.items():
        terms.append(TermSettings(kind=kind, side="motor", joints=(name,)))
        parameters[f"{prefix}m{second + 1}"] = parameters.pop(f"{prefix}{second + 1}")
    plant = robot.model_copy(
        update={"terms": tuple(terms), "coupling": tuple(map(tuple, coupling.tolist()))}
    )
    plant = changed(plant, SimulationSettings, parameters=parameters)
    return subject.trial(subject.recorded(seed, plant))


def stribeck(subject: Subject, seed: int) -> Trial:
    """Let friction fall off with speed by as much again as Coulomb friction."""
    simulation = subject.robot.settings(SimulationSettings)
    size = tuple(simulation.parameters[f"Fc{j + 1}"] for j in range(subject.joints))
    fast = np.asarray(subject.robot.limits.velocity)
    plant = changed(
        subject.robot,
        SimulationSettings,
        stribeck_torque=size,
        stribeck_velocity=tuple((0.1 * fast).tolist()),
    )
    return subject.trial(subject.recorded(seed, plant))


def asymmetric(subject: Subject, seed: int) -> Trial:
    """Let viscous friction be twice as large one way."""
    simulation = subject.robot.settings(SimulationSettings)
    terms = (*subject.terms, TermSettings(kind="viscous_positive"))
    viscous = {f"Fvp{j + 1}": simulation.parameters[f"Fv{j + 1}"] for j in range(subject.joints)}
    plant = subject.robot.with_terms(terms)
    plant = changed(plant, SimulationSettings, parameters=simulation.parameters | viscous)
    return subject.trial(subject.recorded(seed, plant))


def warming(subject: Subject, seed: int) -> Trial:
    """Let friction fall to two thirds along the recording, as between a cold and a warm robot."""
    simulation = subject.robot.settings(SimulationSettings)

    def recorded(factor: float) -> Recording:
        scaled = {
            name: value * (factor if name.startswith(("Fc", "Fv")) else 1.0)
            for name, value in simulation.parameters.items()
        }
        plant = changed(subject.robot, SimulationSettings, parameters=scaled)
        return subject.recorded(seed, plant)

    # both follow the same motion, to within a following error that inertia hardly notices
    cold, warm = recorded(1.2), recorded(0.8)
    share = ((cold.time - cold.time[0]) / (cold.time[-1] - cold.time[0]))[:, None]
    effort = cold.effort * (1 - share) + warm.effort * share
    return subject.trial(replace(cold, effort=effort))


def with_load(subject: Subject, seed: int) -> Trial:
    """Let friction of the joint with the largest weight grow by a part of its load."""
    recording, joint = subject.recorded(seed), subject.heavy
    velocity = recording.velocity
    if velocity is None:
        raise ValueError(f"{subject.robot.name}: recorded without velocity")
    mechanism = subject.robot.mechanism()
    # position-controlled drives show any friction in their effort, whatever the motion
    load = np.abs(mechanism.gravity_torque(recording.position)[:, joint])
    effort = recording.effort.copy()
    effort[:, joint] += 0.3 * load * np.sign(velocity[:, joint])
    return subject.trial(replace(recording, effort=effort))


def model_without(*kinds: str) -> Fault:
    """Leave kinds of friction out of the model."""

    def fault(subject: Subject, seed: int) -> Trial:
        terms = [term for term in subject.terms if term.kind not in kinds]
        return subject.trial(subject.recorded(seed), subject.robot.with_terms(terms))

    return fault


def alike_terms(subject: Subject, seed: int) -> Trial:
    """Describe friction by terms that hardly differ at the speeds there are."""
    top = max(subject.robot.limits.velocity or ())
    extra = [TermSettings(kind=kind) for kind in ("viscous_root", "viscous_cubic")]
    extra += [TermSettings(kind="stribeck", scale=3 * top)]
    model = subject.robot.with_terms([*subject.terms, *extra])
    return subject.trial(subject.recorded(seed), model)


def _simulated(subject: Subject, parameters: Mapping[str, float]) -> Robot:
    """Return the robot with other true parameters, those of its joint terms kept."""
    kept = subject.robot.settings(SimulationSettings).parameters
    return changed(subject.robot, SimulationSettings, parameters={**parameters, **kept})


def _tilted(gravity: tuple[float, float, float], angle: float, seed: int) -> tuple[float, ...]:
    """Return gravity turned by an angle [deg] towards a random horizontal direction."""
    azimuth = np.random.default_rng(seed).uniform(0, 2 * np.pi)
    towards = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    size, turn = np.linalg.norm(gravity), np.radians(angle)
    down = np.asarray(gravity) / size
    return tuple((size * (np.cos(turn) * down + np.sin(turn) * towards)).tolist())
