"""Motion of the links, and the torque that moves them according to the identified model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.filters import differentiate, low_pass
from dynid.signals.settings import SignalSettings
from dynid_plugins.elastic.settings import elastic_settings
from dynid_plugins.elastic.two_encoders import TwoEncoders

_UNSETTLED = 0.5  # periods of the cut-off at either end


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """Filtered motion of the links, on the time axis of the motors; each (N, n)."""

    position: Array
    velocity: Array
    acceleration: Array


class LinkTorque(NamedTuple):
    """Torque that the gears transmit to the links.

    Attributes:
        torque: (N, n) [N*m or N].
        by_parameter: (N, n, k) its derivatives by the base parameters that have a covariance.
        covariance: (k, k) of these.
    """

    torque: Array
    by_parameter: Array
    covariance: Array


def link_motion(pair: TwoEncoders, robot: Robot, delay: Array) -> LinkMotion:
    """Return the motion of the links, without the delay of their encoders.

    Args:
        pair: the recording.
        robot: with the cut-off of its positions.
        delay: by which the links' encoders are late (n,) [s].
    """
    moved = undelayed(pair, delay)
    return LinkMotion(*_derivatives(moved, pair.motor.sampling_rate, robot))


def undelayed(pair: TwoEncoders, delay: Array) -> Array:
    """Return the links' positions (N, n) at the times of the motors'."""
    time = pair.motor.time
    columns = [
        np.interp(time + late, time, column)
        for late, column in zip(delay, pair.link_position.T, strict=True)
    ]
    return np.stack(columns, axis=1)


def link_torque(model: Model, motion: LinkMotion) -> LinkTorque:
    """Return the torque of bodies and springs; friction and rotors are before the gear."""
    mechanism = model.mechanism
    moves_link = _of_link(mechanism)
    sample = motion.position, motion.velocity, motion.acceleration
    torque = mechanism.torque(*sample, np.where(moves_link, mechanism.parameters, 0.0))
    base = base_parameterization(mechanism)
    known = [
        (name, index)
        for name, index in zip(base.names, base.independent, strict=True)
        if name in model.base.names and moves_link[index]
    ]
    samples, joints = torque.shape
    regressor = mechanism.regressor(*sample).reshape(samples, joints, -1)
    covariance = model.base.covariance_of([name for name, _ in known])
    return LinkTorque(torque, regressor[:, :, [index for _, index in known]], covariance)


def identify_links(pairs: list[TwoEncoders], robot: Robot, delays: list[Array]) -> Identification:
    """Identify the robot's model from the links' positions, and torques without known rotors.

    Args:
        pairs: the recordings.
        robot: with the profile's ``elastic``.
        delays: of the links' encoders, for each recording (n,) [s].

    Raises:
        DynidError: the recordings are not suitable.
    """
    rotors = elastic_settings(robot).known_rotors(robot)
    recordings = [
        _at_links(pair, robot, delay, rotors) for pair, delay in zip(pairs, delays, strict=True)
    ]
    if rotors is not None and robot.terms != "auto":
        robot = _without_rotors(robot, [robot.joints[n] for n in np.flatnonzero(rotors)])
    return identify(robot, recordings)


def _at_links(pair: TwoEncoders, robot: Robot, delay: Array, rotors: Array | None) -> Recording:
    """Return the recording with the positions of the links, and efforts without the rotors."""
    motor = pair.motor
    effort = motor.effort
    if rotors is not None:
        *_, acceleration = _derivatives(motor.position, motor.sampling_rate, robot)
        effort = effort - rotors * acceleration / robot.drives.torque_factor(len(robot.joints))
    return replace(motor, position=undelayed(pair, delay), velocity=None, effort=effort)


def _without_rotors(robot: Robot, joints: list[str]) -> Robot:
    """Return the robot without the terms of rotors whose inertia is known."""
    others = [term for term in robot.explicit_terms if not term.traits.inertial]
    for term in robot.explicit_terms:
        named = robot.joints if term.joints == "all" else term.joints
        rest = tuple(name for name in named if name not in joints)
        if term.traits.inertial and rest:
            others.append(term.model_copy(update={"joints": rest}))
    return robot.with_terms(others)


def _of_link(mechanism: Mechanism) -> Array:
    """Return which parameters (p,) are those of bodies and springs."""
    terms = [term.traits.elastic for term in mechanism.terms]
    return np.array([True] * mechanism.first_term + terms)


def _derivatives(position: Array, rate: float, robot: Robot) -> tuple[Array, Array, Array]:
    """Return position, velocity and acceleration (N, n), filtered as the robot's signals."""
    settings = robot.settings(SignalSettings).explicit(rate)
    if settings.motion_cutoff_hz is not None:
        position = low_pass(position, settings.motion_cutoff_hz, settings.filter_order, rate)
    velocity = differentiate(position, rate)
    return position, velocity, differentiate(velocity, rate)


def settled(samples: int, rate: float, robot: Robot) -> slice:
    """Return the samples at which the filters of positions have settled."""
    cutoff = robot.settings(SignalSettings).explicit(rate).motion_cutoff_hz
    border = 2 if cutoff is None else round(_UNSETTLED * rate / cutoff) + 2
    return slice(border, samples - border)
