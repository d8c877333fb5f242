"""Torque in the gears of elastic joints with encoders on both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.recording.model import Recording, source_names
from dynid.robot.elastic import ElasticSettings
from dynid.robot.robot import Robot


class LinkSide(NamedTuple):
    """What is compared where collisions are detected by the torque in the gears.

    Attributes:
        mechanism: without friction, rotors and constant torques of the joints that bend.
        recording: the links' positions in place of their motors', and the torque of the gears in
            place of that of their motors.
    """

    mechanism: Mechanism
    recording: Recording


def at_links(robot: Robot, mechanism: Mechanism, recording: Recording) -> LinkSide:
    """Return model and recording of the links, where ``elastic.link_torque`` says so.

    The torque is K e + D dδ/dt where the teeth touch and 0 in the backlash, with the deflection δ
    from the motor to the link and e what exceeds half the backlash. It contains neither friction
    nor inertia of the motor, nor do the links have them. Differences are between two samples, as in
    a control cycle.

    Args:
        robot: with ``elastic``.
        mechanism: the model.
        recording: with positions of the links.

    Raises:
        ConfigurationError: stiffness or positions of the links are not known.
    """
    elastic = robot.find(ElasticSettings)
    if elastic is None or not elastic.link_torque:
        return LinkSide(mechanism, recording)
    _check(robot, elastic)
    if recording.link_position is None:
        raise ConfigurationError(
            f"{source_names(recording.sources) or 'the recording'}: has no positions of links, "
            f"which elastic.link_torque of profile '{robot.name}' needs; name their columns in "
            "elastic.link_position."
        )
    joints = list(elastic.indices(robot))
    deflection = recording.position - recording.link_position
    half = 0.5 * elastic.of_all_joints(robot, "backlash", 0.0)
    bent = deflection - np.clip(deflection, -half, half)
    rate = np.diff(deflection, axis=0, prepend=deflection[:1]) * recording.sampling_rate
    damping = elastic.of_all_joints(robot, "damping", 0.0)
    torque = elastic.of_all_joints(robot, "stiffness", 0.0) * bent
    torque += np.where(bent != 0.0, damping * rate, 0.0)
    position, effort = recording.position.copy(), recording.effort.copy()
    velocity = None if recording.velocity is None else recording.velocity.copy()
    position[:, joints] = recording.link_position[:, joints]
    effort[:, joints] = (torque / robot.drives.torque_factor(len(robot.joints)))[:, joints]
    if velocity is not None:
        velocity[:, joints] = np.gradient(position[:, joints], recording.time, axis=0)
    changed = replace(recording, position=position, velocity=velocity, effort=effort)
    return LinkSide(without_motors(mechanism, joints), changed)


def by_motors(robot: Robot) -> Robot:
    """Return a robot whose external torque is that of its motors, also where gears bend."""
    elastic = robot.find(ElasticSettings)
    if elastic is None:
        return robot
    return robot.with_settings(elastic.model_copy(update={"link_torque": False}))


def without_motors(mechanism: Mechanism, joints: list[int]) -> Mechanism:
    """Return a mechanism without what acts on the motors of joints: all terms but springs."""
    of_motor = [term.joint in joints and not term.traits.elastic for term in mechanism.terms]
    values = mechanism.parameters.copy()
    values[mechanism.first_term :][of_motor] = 0.0
    return mechanism.with_parameters(values)


def _check(robot: Robot, elastic: ElasticSettings) -> None:
    """Raise where the torque in the gears cannot be known."""
    if elastic.stiffness is None or elastic.link_position is None:
        raise ConfigurationError(
            f"profile '{robot.name}': elastic.link_torque needs elastic.stiffness and "
            "elastic.link_position (docs/collision.md#torque-in-the-gears)."
        )
    if robot.coupling is not None:
        raise ConfigurationError(
            f"profile '{robot.name}': elastic.link_torque is for joints with motors of their own; "
            "remove 'coupling', or set elastic.link_torque: false."
        )
    elastic.encoders(robot)
