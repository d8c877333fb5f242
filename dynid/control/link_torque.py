"""Torque in the gears of elastic joints with encoders on both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynid import _core
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

    The torque is that of a control cycle (cpp/core/include/dynid/link_feedback.hpp). It contains
    neither friction nor inertia of the motor, nor do the links have them.

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
    if elastic.link_position is None or elastic.stiffness is None:
        raise ConfigurationError(
            f"profile '{robot.name}': elastic.link_torque needs elastic.stiffness and "
            "elastic.link_position (docs/collision.md#torque-in-the-gears)."
        )
    if recording.link_position is None:
        raise ConfigurationError(
            f"{source_names(recording.sources) or 'the recording'}: has no positions of links, "
            f"which elastic.link_torque of profile '{robot.name}' needs; name their columns in "
            "elastic.link_position."
        )
    joints = list(elastic.indices(robot))
    core = _core.ElasticSettings()
    set_gears(with_exact_links(robot), core)  # the recording has been corrected
    torque = _core.gear_torque(
        core, recording.position, recording.link_position, recording.sampling_rate
    )
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


def set_gears(robot: Robot, core: _core.ElasticSettings) -> None:
    """Set how the torque in a profile's gears is computed, where ``elastic.link_torque`` says so.

    Args:
        robot: with ``elastic``.
        core: the core's settings.

    Raises:
        ConfigurationError: the torque in the gears cannot be known.
    """
    elastic = robot.find(ElasticSettings)
    if elastic is None or not elastic.link_torque:
        return
    _check(robot, elastic)
    joints, count = list(elastic.indices(robot)), len(robot.joints)
    core.link_torque = np.isin(np.arange(count), joints).astype(np.float64)
    set_springs(robot, elastic, core)
    core.damping = elastic.of_all_joints(robot, "damping", 0.0)
    link = elastic.encoders(robot)
    if link is not None:
        values = np.tile([[1.0], [0.0], [0.0]], count)
        values[:2, joints] = np.transpose(link.scaling())
        values[2, joints] = link.delays()
        core.link_factor, core.link_offset, core.link_delay = values


def set_springs(robot: Robot, elastic: ElasticSettings, core: _core.ElasticSettings) -> None:
    """Set how the gears of a profile's ``elastic`` joints bend, in the core's settings."""
    if elastic.stiffness is not None:
        core.stiffness = elastic.of_all_joints(robot, "stiffness", np.inf)
    core.hardening = elastic.of_all_joints(robot, "hardening", 0.0)
    core.backlash = elastic.of_all_joints(robot, "backlash", 0.0)


def with_exact_links(robot: Robot) -> Robot:
    """Return a robot whose encoders at the links need no correction, as those of a simulation."""
    elastic = robot.find(ElasticSettings)
    if elastic is None or elastic.link_position is None:
        return robot
    exact = {"factor": 1.0, "sign": 1.0, "offset": 0.0, "delay": 0.0}
    link = elastic.link_position.model_copy(update=exact)
    return robot.with_settings(elastic.model_copy(update={"link_position": link}))


def _check(robot: Robot, elastic: ElasticSettings) -> None:
    """Raise where the torque in the gears cannot be known."""
    if elastic.link_torque_interface is None and elastic.stiffness is None:
        raise ConfigurationError(
            f"profile '{robot.name}': elastic.link_torque needs elastic.stiffness, or "
            "elastic.link_torque_interface (docs/collision.md#torque-in-the-gears)."
        )
    if robot.coupling is not None:
        raise ConfigurationError(
            f"profile '{robot.name}': elastic.link_torque is for joints with motors of their own; "
            "remove 'coupling', or set elastic.link_torque: false."
        )
    link = elastic.encoders(robot)
    if link is not None and min(link.delays()) < 0:
        raise ConfigurationError(
            f"profile '{robot.name}': a delay of elastic.link_position is below 0, so the motors' "
            "encoders are later than those of the links, which elastic.link_torque cannot correct."
        )
