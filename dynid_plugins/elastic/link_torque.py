"""Motion of the links, and the torque that moves them according to the identified model."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.excitation.motion import Motion
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.recording.model import Recording
from dynid.robot.elastic import elastic_settings
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.filters import differentiate, low_pass
from dynid.signals.settings import SignalSettings

_SMEARED = 1.0  # periods of the cut-off
_UNSETTLED = 4.0  # periods of the cut-off, at the ends of a motion that goes on
_SAMPLES_OF_CUTOFF = 5.0  # for each of its periods


class LinkTorque(NamedTuple):
    """Torque of a recording's motion, where the gears are.

    Attributes:
        links: (N, n) that the gears transmit to the links [N*m or N].
        friction: (N, n) rest of the motors' torque, without that of rotors [N*m or N].
        changes: (N, n, D) of the torque of the links by draws of the model's parameters; their
            squares sum up to its variance.
    """

    links: Array
    friction: Array
    changes: Array


def link_motion(pair: Recording, robot: Robot, delay: Array) -> Motion:
    """Return the filtered motion of the links, without the delay of their encoders.

    Args:
        pair: the recording.
        robot: with the cut-off of its positions.
        delay: by which the links' encoders are late (n,) [s].
    """
    return Band.of(robot, pair.sampling_rate).motion(undelayed(pair, delay))


def undelayed(pair: Recording, delay: Array) -> Array:
    """Return the links' positions (N, n) at the times of the motors'."""
    time, links = pair.time, np.asarray(pair.link_position)
    splines = (scipy.interpolate.CubicSpline(time, column) for column in links.T)
    columns = [
        spline(np.minimum(time + late, time[-1]))
        for spline, late in zip(splines, delay.tolist(), strict=True)
    ]
    return np.stack(columns, axis=1)


def link_torque(pair: Recording, model: Model, links: Motion, drawn: Array) -> LinkTorque:
    """Return the torque of bodies and springs, and the friction of the motors that is left.

    Args:
        pair: the recording, with the torque of its motors.
        model: of the links.
        links: their motion.
        drawn: (D, p) changes of the model's parameters.
    """
    mechanism, robot = model.mechanism, model.robot
    moves_link = of_link(mechanism)
    torque = mechanism.torque(*links, np.where(moves_link, mechanism.parameters, 0.0))
    samples, joints = torque.shape
    regressor = mechanism.regressor(*links).reshape(samples, joints, -1)
    changes = regressor @ (np.where(moves_link, drawn, 0.0) / np.sqrt(max(len(drawn), 1))).T
    band = Band.of(robot, pair.sampling_rate)
    motors = band.smooth(pair.effort) * robot.drives.torque_factor(joints)
    friction = motors - _of_rotors(model, band.motion(pair.position)) - torque
    return LinkTorque(torque, friction, changes)


def _of_rotors(model: Model, motors: Motion) -> Array:
    """Return the torque (N, n) of the rotors: as known, or else as the model has it."""
    mechanism = model.mechanism
    inertial = [term.traits.inertial for term in mechanism.terms]
    of_rotors = np.array([False] * mechanism.first_term + inertial)
    found = mechanism.torque(*motors, np.where(of_rotors, mechanism.parameters, 0.0))
    known = elastic_settings(model.robot).known_rotors(model.robot)
    if known is None:
        return found
    return np.where(known > 0, known * motors.acceleration, found)


def identify_links(pairs: list[Recording], robot: Robot, delays: list[Array]) -> Identification:
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


def _at_links(pair: Recording, robot: Robot, delay: Array, rotors: Array | None) -> Recording:
    """Return the recording with the positions of the links, and efforts without the rotors."""
    effort, links = pair.effort, undelayed(pair, delay)
    if rotors is not None:
        acceleration = Band.of(robot, pair.sampling_rate).motion(pair.position).acceleration
        effort = effort - rotors * acceleration / robot.drives.torque_factor(len(robot.joints))
    return replace(pair, position=links, velocity=None, effort=effort, link_position=None)


def _without_rotors(robot: Robot, joints: list[str]) -> Robot:
    """Return the robot without the terms of rotors whose inertia is known."""
    others = [term for term in robot.explicit_terms if not term.traits.inertial]
    for term in robot.explicit_terms:
        named = robot.joints if term.joints == "all" else term.joints
        rest = tuple(name for name in named if name not in joints)
        if term.traits.inertial and rest:
            others.append(term.model_copy(update={"joints": rest}))
    return robot.with_terms(others)


def of_link(mechanism: Mechanism) -> Array:
    """Return which parameters (p,) are those of bodies and springs."""
    terms = [term.traits.elastic for term in mechanism.terms]
    return np.array([True] * mechanism.first_term + terms)


class Band(NamedTuple):
    """Low-pass of a robot's positions, for whatever is compared with their derivatives.

    Attributes:
        cutoff_hz: of the low-pass; None for none.
        order: of the low-pass.
        rate: sampling rate [Hz].
    """

    cutoff_hz: float | None
    order: int
    rate: float

    @classmethod
    def of(cls, robot: Robot, rate: float) -> Band:
        """Return the band of a robot's settings at a sampling rate [Hz]."""
        settings = robot.settings(SignalSettings).explicit(rate)
        return cls(settings.motion_cutoff_hz, settings.filter_order, rate)

    @property
    def step(self) -> int:
        """Samples from one that is kept to the next."""
        if self.cutoff_hz is None:
            return 1
        return max(1, int(self.rate / (_SAMPLES_OF_CUTOFF * self.cutoff_hz)))

    @property
    def reach(self) -> int:
        """Samples over which the low-pass smears what changes at once."""
        return 2 + (0 if self.cutoff_hz is None else round(_SMEARED * self.rate / self.cutoff_hz))

    @property
    def border(self) -> int:
        """Samples at the ends of a recording in which the low-pass has not settled."""
        return 2 + (0 if self.cutoff_hz is None else round(_UNSETTLED * self.rate / self.cutoff_hz))

    def smooth(self, values: Array) -> Array:
        """Return values (N, …) after the low-pass."""
        if self.cutoff_hz is None:
            return values
        return low_pass(values, self.cutoff_hz, self.order, self.rate)

    def gain(self, frequency: Array) -> Array:
        """Return what the low-pass leaves of waves of these frequencies [Hz]."""
        if self.cutoff_hz is None:
            return np.ones_like(frequency)
        return np.asarray(1 / (1 + (frequency / self.cutoff_hz) ** (2 * self.order)))

    def kept(self, values: Array) -> Array:
        """Return values (K, …) after the low-pass, without samples that add nothing."""
        return self.smooth(values)[:: self.step]

    def motion(self, position: Array) -> Motion:
        """Return position, velocity and acceleration (N, n) after the low-pass."""
        position = self.smooth(position)
        velocity = self.rate_of(position)
        return Motion(position, velocity, self.rate_of(velocity))

    def rate_of(self, values: Array) -> Array:
        """Return derivatives (N, …) by differences of fourth order; of second at the ends."""
        found = differentiate(values, self.rate)
        found[2:-2] = (
            (8 * (values[3:-1] - values[1:-3]) - values[4:] + values[:-4]) * self.rate / 12
        )
        return found
