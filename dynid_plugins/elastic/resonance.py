"""Elastic joints from the motors' encoders alone: locked- and free-joint frequency.

With the motor's torque u as input and its velocity v as output, two masses J and M with stiffness K
and damping D have an antiresonance at √(K/M), the frequency of the joint with a locked motor, and a
resonance at √(K/M + K/J), that of the free joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.errors import RecordingError
from dynid.recording.model import Recording
from dynid.robot.elastic import elastic_settings
from dynid.robot.robot import Robot
from dynid_plugins.elastic.frequency_response import (
    FEWEST_SAMPLES,
    FrequencyResponse,
    excited_spans,
    frequency_response,
)
from dynid_plugins.elastic.result import Estimated, with_deviations
from dynid_plugins.elastic.two_masses import PARAMETERS, TwoMassFit, fit_two_masses

_FEWEST_FREQUENCIES = 12  # coherent frequencies
_APERIODIC = 2.0  # damping over the root of stiffness times inertia
_CERTAIN = 0.25  # relative standard deviation: beyond, a frequency is not seen

Separable = Literal["all", "locked", "none"]


@dataclass(frozen=True, eq=False)
class JointResonance:
    """Resonances of a joint.

    Attributes:
        name: of the joint.
        response: of its motor, while it is excited.
        fit: of two masses to the response.
        rotor: inertia behind the gear that is known [kg*m^2 or kg]; None if it is not.
    """

    name: str
    response: FrequencyResponse
    fit: TwoMassFit
    rotor: float | None

    def _power(self, weights: ArrayLike) -> Estimated:
        """Return a product of powers of the five parameters."""
        weight = np.asarray(weights, dtype=np.float64)
        value = float(np.exp(weight @ self.fit.logarithms))
        return Estimated(value, value * float(np.sqrt(weight @ self.fit.covariance @ weight)))

    @property
    def locked(self) -> Estimated:
        """Frequency of the joint with its motor locked [Hz]."""
        value, deviation = self._power((0, 0, -0.5, 0.5, 0))
        return Estimated(value / (2 * np.pi), deviation / (2 * np.pi))

    @property
    def free(self) -> Estimated:
        """Frequency of the joint with its motor free [Hz]."""
        rotor, _, link, stiffness, _ = np.exp(self.fit.logarithms)
        value = float(np.sqrt(stiffness / link + stiffness / rotor))
        share = link / (link + rotor)  # of the square that the rotor's term has
        weight = np.array([-0.5 * share, 0, -0.5 * (1 - share), 0.5, 0])
        deviation = value * float(np.sqrt(weight @ self.fit.covariance @ weight))
        return Estimated(value / (2 * np.pi), deviation / (2 * np.pi))

    @property
    def separable(self) -> Separable:
        """Whether both frequencies, the locked one alone, or neither are in the coherent band.

        Neither is where one mass explains the response as well, or where the link does not swing.
        """
        if not self.fit.bends or self._power((0, 0, -0.5, -0.5, 1)).value > _APERIODIC:
            return "none"
        band = self.response.frequency[self.response.coherent]
        seen = [
            band.min() < one.value < band.max() and one.deviation < _CERTAIN * one.value
            for one in (self.locked, self.free)
        ]
        return "all" if all(seen) else "locked" if seen[0] else "none"

    def quantity(self, name: str) -> Estimated | None:
        """Return a parameter by its name; None where it cannot be separated.

        With a known rotor, the others are scaled by it: the torque's scale does not matter then.
        """
        if self.separable != "all":
            return None
        weight = np.zeros(len(PARAMETERS))
        weight[PARAMETERS.index(name)] = 1.0
        if self.rotor is None:
            return self._power(weight)
        weight[0] -= 1.0
        ratio = self._power(weight)
        return Estimated(ratio.value * self.rotor, ratio.deviation * self.rotor)


@dataclass(frozen=True, eq=False)
class Resonances:
    """Resonances of a robot's joints.

    Attributes:
        robot: its name.
        joints: whose torque moves their motors coherently.
        silent: joints that are not excited by themselves, or have no coherent response.
    """

    robot: str
    joints: tuple[JointResonance, ...]
    silent: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each joint, in SI units."""
        return [_row(joint) for joint in self.joints]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--json``."""
        return {"robot": self.robot, "joints": self.rows(), "silent": list(self.silent)}


def identify_resonances(robot: Robot, recording: Recording) -> Resonances:
    """Identify the resonances of a robot's elastic joints from one recording of its motors.

    Args:
        robot: with the profile's ``elastic``; a known rotor inertia scales the others.
        recording: of positions and efforts of the motors, each joint excited by itself.

    Raises:
        RecordingError: the recording is too short, or no joint responds.
    """
    position, rate = recording.position, recording.sampling_rate
    if len(position) < FEWEST_SAMPLES:
        raise RecordingError(
            f"{len(position)} samples are too few for a frequency response; record at least "
            f"{FEWEST_SAMPLES}."
        )
    torque = recording.effort * robot.drives.torque_factor(len(robot.joints))
    rotors = elastic_settings(robot).known_rotors(robot)
    found, silent = [], []
    spans = excited_spans(position, torque, rate)
    for joint in elastic_settings(robot).indices(robot):
        name, span = robot.joints[joint], spans[joint]
        response = _response(position[span, joint], torque[span, joint], rate)
        if response is None:
            silent.append(name)
            continue
        rotor = None if rotors is None else float(rotors[joint])
        found.append(JointResonance(name, response, fit_two_masses(response), rotor))
    if not found:
        raise RecordingError(
            "the velocity of no motor follows from its torque coherently; excite one joint after "
            "another with a broad band, such as a multisine, beyond its resonance."
        )
    return Resonances(robot.name, tuple(found), tuple(silent))


def _response(position: Array, torque: Array, rate: float) -> FrequencyResponse | None:
    """Return the response of a motor while it is excited (N,); None where there is none."""
    if len(position) < FEWEST_SAMPLES:
        return None
    response = frequency_response(position, torque, rate)
    return response if int(response.coherent.sum()) >= _FEWEST_FREQUENCIES else None


def _row(joint: JointResonance) -> dict[str, Any]:
    seen = {"all": (joint.locked, joint.free), "locked": (joint.locked, None), "none": (None, None)}
    quantities = dict(zip(("locked_hz", "free_hz"), seen[joint.separable], strict=True))
    quantities |= {name: joint.quantity(name) for name in ("rotor", "link", "stiffness")}
    return {
        "joint": joint.name,
        "bends": joint.fit.bends,
        "separable": joint.separable,
        **with_deviations(quantities),
    }
